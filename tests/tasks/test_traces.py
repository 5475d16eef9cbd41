"""Traces of a solution, and what is none because everybody has it."""

from pathlib import Path

import pytest

from kaiju_grading.suite import Suite
from kaiju_sandbox.command import File, Layer
from kaiju_sandbox.environment import Environment
from kaiju_sandbox.limits import Limits
from kaiju_tasks.traces import find_traces, fingerprints


def lines(word: str, count: int) -> str:
    return "".join(f"    {word}_number_{number} = {number}\n" for number in range(count))


@pytest.mark.parametrize(
    ("borrowed", "where"),
    [
        (5, ["/kaiju/env/venv/copy.py"]),
        (50, ["/kaiju/env/python/lib/standard.py", "/kaiju/env/venv/copy.py", "/kaiju/env/venv/more.py"]),
    ],
)
def test_a_little_of_the_languages_own_library_is_no_trace(
    borrowed: int, where: list[str], tmp_path: Path
) -> None:
    texts = {
        "python/lib/standard.py": lines("borrowed", borrowed),
        "venv/copy.py": lines("own", 9),
        "venv/more.py": lines("borrowed", borrowed),
    }
    for name, text in texts.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    layers = (
        Layer("/kaiju/env/python", tmp_path / "python"),
        Layer("/kaiju/env/venv", tmp_path / "venv"),
    )
    suite = Suite(
        language="python",
        task_digest="sha256:x",
        environment=Environment("python", layers, ("a", "b"), {}, {}, public=("/kaiju/env/python",)),
        roots=("lib",),
        workspace={},
        reference={"lib/a.py": File((lines("own", 100) + lines("borrowed", borrowed)).encode())},
        shared={},
        heldout={},
        visible={},
        modules=(),
        visible_tests=(),
        cells=(),
        options={},
        limits=Limits(),
        lint_baseline=(),
    )
    assert [trace.where for trace in find_traces(suite, {}, {})] == where


def test_parameters_that_are_handed_on_are_no_fingerprint() -> None:
    text = "".join(f"    parameter_{number}=parameter_{number},\n" for number in range(9))
    assert fingerprints({"lib/a.py": File(text.encode())}, {}) == frozenset()
    assert fingerprints({"lib/a.py": File(lines("own", 9).encode())}, {})
