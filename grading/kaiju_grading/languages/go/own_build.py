"""Own build: `go build ./...` with the tree's own go.mod. Without cgo that runs no code of the tree."""

from kaiju_grading.language import Library
from kaiju_grading.languages.go.sandboxed import answer, go_command
from kaiju_grading.own_build import SAID, BuildsItself, OwnBuild, broken, ended, not_measured
from kaiju_grading.readers import values
from kaiju_grading.steps import Steps

_ABSENT = ("go: downloading ", "module lookup disabled by GOPROXY=off")
"""What the go command says of a module that the environment does not have."""


def own_build(tree: Library) -> Steps[OwnBuild]:
    """Asks the tree for everything that a build of its library takes from the environment instead."""
    result = yield go_command("own", {}, tree.work, tree.environment)
    found = answer(result)
    if found is None:
        return broken(ended(result), result)
    if found.get("ok") is True:
        return OwnBuild(outcome=BuildsItself.YES, seconds=result.wall)
    cause = values.end(found.get("said"), SAID).strip()
    if any(sign in cause for sign in _ABSENT):
        return not_measured(f"the environment lacks a module: {cause}")
    return broken(cause or ended(result), result)
