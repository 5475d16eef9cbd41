"""Own build: a wheel of the tree, made by the build backend that the tree declares, as pip would, offline."""

from kaiju_grading.language import Library
from kaiju_grading.languages.python.allowed import is_source
from kaiju_grading.languages.python.sandboxed import Program, python_command, records
from kaiju_grading.own_build import BuildsItself, OwnBuild, broken, ended
from kaiju_grading.readers import values
from kaiju_grading.steps import Steps

BACKEND = "/kaiju/env/build"
"""Layer of the build backend that upstream declares. Environments locked without one have none,
and no test imports from it."""


def own_build(tree: Library) -> Steps[OwnBuild]:
    """The backend is looked for in the environment; another one than upstream's is hardly there."""
    instructions = {"backend": BACKEND, "sources": [path for path in tree.sources if is_source(path)]}
    program = Program("kaiju_own.py", ("kaiju_own_hook.py",))
    result = yield python_command(program, instructions, tree.work, tree.environment)
    answers = records(result.report) if result.ok else None
    if not answers:
        return broken(ended(result), result)
    try:
        outcome = BuildsItself(values.text(answers[-1].get("outcome"), 20))
    except ValueError:
        return broken("the build gave no answer", result)
    cause = "" if outcome is BuildsItself.YES else values.end(answers[-1].get("cause"), 4000)
    return OwnBuild(outcome=outcome, cause=cause, seconds=result.wall)
