"""Probing: whether a library's tree builds with every test, and which bodies the compiler needs."""

from kaiju_grading.files import Files
from kaiju_grading.language import WORK
from kaiju_grading.languages.rust.layout import Tests, lay
from kaiju_grading.languages.rust.sandboxed import CHECK, Script, cargo_command
from kaiju_grading.languages.rust.stub import functions
from kaiju_grading.preparation import Obstacle, Probe, Split
from kaiju_grading.readers import cargo
from kaiju_grading.steps import Steps
from kaiju_sandbox.environment import Environment

COMPILED = "the compiler evaluates or needs it"
"""Why a body stays."""


def probe_library(library: Files, split: Split, environment: Environment) -> Steps[Probe]:
    """Check library and tests together: a constant of a test evaluates the library, too.

    Raises Obstacle `reference_build` when not even the library's own target came out.
    """
    work = {**split.config, **library, **split.helpers, **split.tests}
    laid = lay(work, tuple(library), Tests.of(work, library), frozenset())
    result = yield cargo_command(Script("build.sh", CHECK), laid.work, environment)
    report = cargo.read(result.report)
    if result.limit is not None or not report.finished:
        reason = result.limit.name if result.limit else result.stderr.decode(errors="replace")[-500:]
        raise Obstacle("library_build", f"the library could not be checked: {reason}")
    broken: dict[str, str] = {}
    needed: dict[str, str] = {}
    known = {path: functions(laid.work[path].data) for path in library if path.endswith(".rs")}
    for message in report.errors:
        broken.setdefault(message.target, message.text)
        for place in message.places:
            path = place.path.removeprefix(WORK + "/")
            for function in known.get(path, ()):
                if function.first <= place.line <= function.last and laid.blamed(path, place.line) is None:
                    needed[f"{path}:{function.name}"] = COMPILED
    works = frozenset(f"{kind} {name}" for kind, name in report.compiled)
    return Probe(works, {f"lib {name}": why for name, why in broken.items()}, needed)
