"""Which tasks `--tasks` means."""

import pytest

from kaiju_clients.errors import UsageError
from kaiju_clients.results import TaskRow
from kaiju_clients.selection import select

TASKS = tuple(
    TaskRow(task_id=task_id, language=language, modules=4, visible_tests=1)
    for task_id, language in [("py-a", "python"), ("py-b", "python"), ("go-a", "go"), ("rs+scratch", "rust")]
)


def chosen(text: str) -> list[str]:
    return [task.task_id for task in select(text, TASKS)]


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("go-a", ["go-a"]),
        ("go-a, py-a,go-a", ["py-a", "go-a"]),
        ("py-*", ["py-a", "py-b"]),
        ("*-[a]", ["py-a", "go-a"]),
        ("lang:go,rs+scratch", ["go-a", "rs+scratch"]),
        ("lang:go,rust", ["go-a", "rs+scratch"]),
        ("lang:go, rust,py-a", ["py-a", "go-a", "rs+scratch"]),
        ("*,lang:python", ["py-a", "py-b", "go-a", "rs+scratch"]),
    ],
)
def test_tasks_are_chosen_by_id_glob_and_language(text: str, ids: list[str]) -> None:
    assert chosen(text) == ids


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("py", "'py'"),
        ("py-a,zz,qq*", "'zz', 'qq*'"),
        ("lang:", "'lang:'"),
        ("lang:go,cobol", "'lang:cobol'"),
        ("go-a,rust", "'rust'"),
        ("PY-A", "'PY-A'"),
    ],
)
def test_a_part_that_means_no_task_is_named(text: str, named: str) -> None:
    with pytest.raises(UsageError, match="no task for") as caught:
        select(text, TASKS)
    assert named in str(caught.value)


@pytest.mark.parametrize("text", ["", " ", ",", " , "])
def test_an_empty_choice_is_an_error(text: str) -> None:
    with pytest.raises(UsageError, match="names no task"):
        select(text, TASKS)
