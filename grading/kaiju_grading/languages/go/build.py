"""Build: the library's packages compile, with no test in reach. No code of the library runs."""

from kaiju_grading.language import Library
from kaiju_grading.languages.go.sandboxed import answer, go_command, patterns, problems, unanswered, words
from kaiju_grading.readers import values
from kaiju_grading.report import BuildReport, Problem
from kaiju_sandbox.command import Command
from kaiju_sandbox.result import Result

RULE = "compile"
_SAID = 2000


def build_command(library: Library) -> Command:
    """`go build` of the packages, after a look at what a library must not hold although it would compile."""
    options = library.options
    order = {
        "packages": patterns(options),
        "sources": list(library.sources),
        "own": words(options, "own"),
        "embeds": words(options, "embeds"),
        "shadows": words(options, "shadows"),
    }
    return go_command("build", order, library.work, library.environment)


def read_build(result: Result, sources: tuple[str, ...]) -> BuildReport:
    """Any limit or unreadable answer is a build that failed."""
    found = answer(result)
    if found is None:
        return BuildReport(ok=False, problems=(Problem("", 0, 0, RULE, unanswered(result)),))
    listed = problems(found.get("problems"), sources, RULE)
    if found.get("ok") is True and not listed:
        return BuildReport(ok=True)
    said = Problem("", 0, 0, RULE, values.end(found.get("said"), _SAID) or "the library does not compile")
    return BuildReport(ok=False, problems=listed or (said,))
