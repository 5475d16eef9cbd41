"""Build: the library alone compiles, with no test in reach."""

from kaiju_grading.language import Library
from kaiju_grading.languages.rust.inline import strip
from kaiju_grading.languages.rust.sandboxed import Script, cargo_command
from kaiju_grading.readers import cargo
from kaiju_grading.report import BuildReport, Problem
from kaiju_sandbox.command import Command, File
from kaiju_sandbox.result import Result


def build_command(library: Library) -> Command:
    """Checks the library as users compile it. Its own test items are not looked at: they are not taken."""
    work = {
        path: File(strip(file.data)) if path in library.sources and path.endswith(".rs") else file
        for path, file in library.work.items()
    }
    return cargo_command(Script("build.sh", ("check", "--lib", "--quiet")), work, library.environment)


def read_build(result: Result, sources: tuple[str, ...]) -> BuildReport:
    """Total. A limit, a crash or an answer that does not add up is a build that failed."""
    report = cargo.read(result.report)
    if result.ok and report.finished and report.succeeded:
        return BuildReport(ok=True)
    own = frozenset(sources)
    found = [problem for message in report.errors if (problem := cargo.problem(message, own)) is not None]
    return BuildReport(ok=False, problems=tuple(dict.fromkeys(found)) or (_unfinished(result, report),))


def _unfinished(result: Result, report: cargo.CargoReport) -> Problem:
    if result.limit is not None:
        cause = f"limit on {result.limit.name} reached"
    elif report.messages:
        cause = report.messages[0].text[:500]
    elif result.signal is not None:
        cause = f"the compiler was ended by signal {result.signal}"
    else:
        cause = f"cargo ended with status {result.exit_code} and no complete answer"
    return Problem("", 0, 0, "rustc", cause)
