"""Compile: the tests of every part against a library, once; what does not compile is left out by blame."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from kaiju_grading.files import Files
from kaiju_grading.kept import kept_files
from kaiju_grading.language import Compilation, Programs
from kaiju_grading.languages.rust.layout import INDEX, LIBRARY, PROGRAMS, Laid, Naming, Tests, lay, naming
from kaiju_grading.languages.rust.sandboxed import TARGET, Script, cargo_command
from kaiju_grading.readers import cargo
from kaiju_grading.report import Problem
from kaiju_grading.steps import Steps
from kaiju_sandbox.command import File
from kaiju_sandbox.result import Result

MAX_ROUNDS = 5
"""Errors hide others: names are resolved before types are checked."""
ARGUMENTS = ("build", "--lib", "--tests", "--keep-going", "--quiet")


@dataclass(slots=True)
class Attempt:
    """What the last round gave."""

    programs: dict[str, File] = field(default_factory=dict, repr=False)
    """By first file of the program, LIBRARY for the inline tests."""
    blamed: dict[str, str] = field(default_factory=dict)
    """Held files that do not compile, and why."""
    errors: tuple[cargo.Message, ...] = ()
    problems: tuple[Problem, ...] = ()
    cause: str = ""


def compile_tests(compilation: Compilation) -> Steps[Programs]:
    """Every part is in `files` or `failed`."""
    tests = Tests.of(compilation.work, compilation.sources)
    attempt = Attempt()
    for _ in range(MAX_ROUNDS):
        laid = lay(compilation.work, compilation.sources, tests, frozenset(attempt.blamed))
        attempt.blamed |= dict.fromkeys(laid.lost, "the library no longer has the module that they belong in")
        command = cargo_command(
            Script("build.sh", ARGUMENTS), laid.work, compilation.environment, keep=f"{TARGET}/keep"
        )
        result = yield command
        more = _take(attempt, result, laid, tests, compilation)
        if not more:
            break
        attempt.blamed |= more
    return _programs(attempt, tests, compilation)


def _take(
    attempt: Attempt, result: Result, laid: Laid, tests: Tests, compilation: Compilation
) -> dict[str, str]:
    """Note what a round gave; held files that keep the library's own program from compiling."""
    report = cargo.read(result.report)
    kept = {path.rpartition("/")[2]: file for path, file in kept_files(result).items()}
    by_name = {name: path for path, name in tests.programs.items()}
    attempt.programs = {}
    for program in report.programs:
        file = kept.get(program.file.rpartition("/")[2])
        first = LIBRARY if program.kind == "lib" else by_name.get(program.name)
        if file is not None and first is not None:
            attempt.programs[first] = file
    sources = frozenset(compilation.sources)
    attempt.errors = report.errors
    # Lines of the library keep their numbers; what was put back stands behind or belongs to no source.
    own = (message for message in report.errors if not _held(laid, message))
    attempt.problems = tuple(
        dict.fromkeys(found for message in own if (found := cargo.problem(message, sources)) is not None)
    )
    attempt.cause = _cause(result, report)
    if LIBRARY in attempt.programs or not (tests.inline or tests.whole):
        return {}
    blamed: dict[str, str] = {}
    for message in report.errors:
        for path in _held(laid, message):
            if path in tests.inline or path in tests.whole:
                blamed.setdefault(path, message.rendered or message.text)
    return {path: why for path, why in blamed.items() if path not in attempt.blamed}


def _held(laid: Laid, message: cargo.Message) -> list[str]:
    found = (laid.blamed(place.path, place.line) for place in message.places)
    return [path for path in found if path is not None]


def _cause(result: Result, report: cargo.CargoReport) -> str:
    if result.limit is not None:
        return f"compiling reached its limit on {result.limit.name}"
    errors = [message for message in report.messages if message.level.startswith("error")]
    if errors:
        return errors[0].rendered or errors[0].text
    return result.stderr.decode(errors="replace")[-500:] or f"cargo ended with status {result.exit_code}"


def _programs(attempt: Attempt, tests: Tests, compilation: Compilation) -> Programs:
    data = {
        path: file
        for path, file in compilation.work.items()
        if not path.endswith((".rs", ".toml", ".lock")) and path not in compilation.sources
    }
    data |= {path: compilation.work[path] for path in compilation.sources if not path.endswith(".rs")}
    names = naming(tests, {})
    files: dict[str, Files] = {}
    failed: dict[str, str] = {}
    for part, paths in compilation.parts.items():
        blamed = [path for path in paths if path in attempt.blamed]
        wanted = {first for path in paths if (first := tests.program_of(path)) is not None}
        missing = sorted(wanted - set(attempt.programs))
        if blamed:
            failed[part] = f"{blamed[0]} does not compile: {attempt.blamed[blamed[0]]}"
        elif missing:
            failed[part] = _why(missing[0], attempt, tests)
        else:
            files[part] = {**data, **_chosen(wanted, attempt.programs, names)}
    return Programs(files, failed, attempt.problems)


def _chosen(wanted: set[str], programs: Mapping[str, File], names: Naming) -> Files:
    places = {first: f"{PROGRAMS}{number}" for number, first in enumerate(sorted(wanted))}
    index = replace(names, programs=places).dump()
    return {INDEX: File(index), **{place: programs[first] for first, place in places.items()}}


def _why(first: str, attempt: Attempt, tests: Tests) -> str:
    name = tests.programs.get(first)
    errors = [message for message in attempt.errors if name is None or message.target == name]
    shown = errors[0].rendered or errors[0].text if errors else attempt.cause
    return f"the tests do not compile: {shown}"
