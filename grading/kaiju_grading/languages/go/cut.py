"""Cutting: a test file with some of its tests only. Helpers stay, imports that nothing uses any more go."""

import re

from kaiju_grading.languages.go.syntax import GoFile, Import, read


def cut_tests(path: str, data: bytes, units: frozenset[str]) -> bytes:
    """Tests whose id is not in `units` go, and so do benchmarks and examples that are not run."""
    file = read(data)
    gone = [one for one in file.functions if one.tests and f"{path}::{one.name}" not in units]
    kept = _without(data, [(one.start, one.end) for one in gone])
    return _without_imports(kept, file)


def _without(data: bytes, spans: list[tuple[int, int]]) -> bytes:
    pieces, done = [], 0
    for start, end in sorted(spans):
        pieces.append(data[done:start])
        done = end
    text = b"".join([*pieces, data[done:]])
    return re.sub(rb"\n{3,}", b"\n\n", text)


def _without_imports(data: bytes, before: GoFile) -> bytes:
    """An import that lost its last use imports nothing by name: `_` in front of it compiles in any case."""
    after = read(data)
    lost = [one for one in after.imports if _is_lost(one, before, after)]
    for one in sorted(lost, key=lambda one: one.start, reverse=True):
        spec = data[one.start : one.end]
        path = spec[spec.index(b'"') :] if b'"' in spec else spec
        data = data[: one.start] + b"_ " + path + data[one.end :]
    return data


def _is_lost(one: Import, before: GoFile, after: GoFile) -> bool:
    if one.name in {"_", "."}:
        return False
    if one.name in before.used:
        return one.name not in after.used
    # A package of an unusual name: gone with the last name that looks like part of its path.
    parts = set(re.split(r"[/.-]", one.path))
    likely = before.used & parts
    return bool(likely) and not likely & after.used
