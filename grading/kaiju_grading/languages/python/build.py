"""Build: every source file of the library compiles. Nothing is imported, no build backend runs."""

from kaiju_grading.language import Library
from kaiju_grading.languages.python.allowed import is_source
from kaiju_grading.languages.python.sandboxed import Program, python_command, records
from kaiju_grading.readers import values
from kaiju_grading.report import BuildReport, Problem
from kaiju_sandbox.command import Command
from kaiju_sandbox.result import Result

RULE = "compile"
_MAX_MESSAGE = 500
"""Characters of one message; the parser quotes source in some."""


def build_command(library: Library) -> Command:
    """A command that compiles its sources; those that are not Python are left out."""
    instructions = {"sources": _python(library.sources)}
    return python_command(Program("kaiju_build.py"), instructions, library.work, library.environment)


def read_build(result: Result, sources: tuple[str, ...]) -> BuildReport:
    """Total. A limit, a crash or an answer that does not add up is a build that failed."""
    paths = _python(sources)
    found = records(result.report)
    ended = found is not None and found[-1:] == ({"event": "end", "files": len(paths)},)
    problems = tuple(_problem(record, paths) for record in found or () if record.get("event") == "problem")
    if result.ok and ended:
        return BuildReport(ok=not problems, problems=problems)
    return BuildReport(ok=False, problems=(*problems, _unfinished(result, found, paths)))


def _python(sources: tuple[str, ...]) -> list[str]:
    return sorted(path for path in sources if is_source(path))


def _problem(record: dict[str, object], paths: list[str]) -> Problem:
    return Problem(
        path=_path(record, paths),
        line=values.count(record.get("line")),
        column=values.count(record.get("column")),
        rule=RULE,
        message=values.text(record.get("message"), _MAX_MESSAGE) or "does not compile",
    )


def _unfinished(result: Result, found: tuple[dict[str, object], ...] | None, paths: list[str]) -> Problem:
    """The file that the compiler was at when it ended."""
    begun = [record for record in found or () if record.get("event") == "begin"]
    if result.limit is not None:
        cause = f"limit on {result.limit.name} reached"
    elif result.signal is not None:
        cause = f"the compiler was ended by signal {result.signal}"
    else:
        cause = f"the compiler ended with status {result.exit_code} and no complete answer"
    return Problem(_path(begun[-1], paths) if begun else "", 0, 0, RULE, cause)


def _path(record: dict[str, object], paths: list[str]) -> str:
    index = record.get("file")
    return paths[index] if type(index) is int and 0 <= index < len(paths) else ""
