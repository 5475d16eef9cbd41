"""Which tasks a batch is about: ids, globs and `lang:NAME`, joined by commas.

Bare words after a `lang:` are languages, too: `lang:go,rust`. A task id has a dash.
"""

from fnmatch import fnmatchcase

from kaiju_clients.errors import UsageError
from kaiju_clients.results import TaskRow

GLOB = frozenset("*?[")
LANGUAGE = "lang:"


def select(text: str, tasks: tuple[TaskRow, ...]) -> tuple[TaskRow, ...]:
    """The tasks that any part of `text` means, in the server's order, each once.

    Raises UsageError for a part that means no task, naming it, and for no parts at all.
    """
    parts = _parts(text)
    if not parts:
        raise UsageError(
            f"--tasks: {text!r} names no task; expected ids, globs or lang:NAME,NAME, joined by commas"
        )
    unknown = [part for part in parts if not any(_means(part, task) for task in tasks)]
    if unknown:
        known = ", ".join(task.task_id for task in tasks) or "no task at all"
        raise UsageError(f"--tasks: no task for {', '.join(map(repr, unknown))}; the server has {known}")
    return tuple(task for task in tasks if any(_means(part, task) for part in parts))


def _parts(text: str) -> list[str]:
    found: list[str] = []
    for part in (part.strip() for part in text.split(",")):
        further = bool(found) and found[-1].startswith(LANGUAGE) and part.isalnum()
        found += [LANGUAGE + part if further else part] if part else []
    return found


def _means(part: str, task: TaskRow) -> bool:
    if part.startswith(LANGUAGE):
        return task.language == part.removeprefix(LANGUAGE)
    return fnmatchcase(task.task_id, part) if GLOB & set(part) else task.task_id == part
