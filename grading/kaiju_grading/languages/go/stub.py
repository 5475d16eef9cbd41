"""Stubbing: bodies go, by the language's own parser; and whether what is left still builds."""

from collections.abc import Mapping
from typing import Any

from kaiju_grading.files import Files
from kaiju_grading.languages.go.build import RULE
from kaiju_grading.languages.go.sandboxed import answer, go_command, patterns, problems, unanswered
from kaiju_grading.preparation import FileAccount, Obstacle, Probe, Split, Stub
from kaiju_grading.steps import Steps
from kaiju_sandbox.command import File
from kaiju_sandbox.environment import Environment

WHOLE = "the library builds"
"""The one unit of a probe: Go packages compile or do not, and nothing is imported."""


def stub_library(split: Split, keep: Mapping[str, str], environment: Environment) -> Steps[Stub]:
    """Raises Obstacle `unreadable_source`."""
    order = {"packages": patterns(split.options), "sources": sorted(split.library), "keep": dict(keep)}
    work = {**split.config, **split.library, **split.helpers}
    result = yield go_command("stub", order, work, environment)
    found: Any = answer(result)
    if found is None:
        raise Obstacle("unreadable_source", unanswered(result))
    files = {
        path: File(found["files"][path].encode(), file.executable)
        for path, file in split.library.items()
        if path in found["files"]
    }
    return Stub(files, {path: _account(entry) for path, entry in sorted(found["accounts"].items())})


def _account(entry: Mapping[str, Any]) -> FileAccount:
    return FileAccount(
        stubbed=tuple(entry["stubbed"]),
        trivial=tuple(entry["trivial"]),
        kept=dict(entry["kept"]),
        lambdas=entry["lambdas"],
        body_lines=entry["body_lines"],
        kept_lines=entry["kept_lines"],
    )


def probe_library(library: Files, split: Split, environment: Environment) -> Steps[Probe]:
    """Build it. No body ever has to stay for that, so nothing is needed that is not there."""
    order = {"packages": patterns(split.options), "sources": []}
    work = {**split.config, **split.helpers, **library}
    result = yield go_command("build", order, work, environment)
    found = answer(result)
    if found is None:
        return Probe(frozenset(), {WHOLE: unanswered(result)}, {})
    if found.get("ok") is True:
        return Probe(frozenset({WHOLE}), {}, {})
    listed = problems(found.get("problems"), tuple(library), RULE)
    shown = "; ".join(f"{one.path}:{one.line}: {one.message}" for one in listed[:3])
    return Probe(frozenset(), {WHOLE: shown or str(found.get("said", ""))[-500:]}, {})
