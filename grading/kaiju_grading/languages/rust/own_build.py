"""Own build: `cargo build` of the tree with its own Cargo.toml, build script and all."""

import re

from kaiju_grading.language import Library
from kaiju_grading.languages.rust.sandboxed import Script, cargo_command
from kaiju_grading.own_build import OwnBuild, not_measured, read_own_build, said
from kaiju_grading.steps import Steps

_ABSENT = re.compile(
    r"^error: (no matching package|failed to select a version|failed to get `)", re.MULTILINE
)
"""What cargo says, before it compiles anything, of a package that the environment does not have."""
_COMPILING = re.compile(r"^ +Compiling ", re.MULTILINE)


def own_build(tree: Library) -> Steps[OwnBuild]:
    """The environment's lock stands in for the tree's, and may grow."""
    result = yield cargo_command(Script("own.sh"), tree.work, tree.environment)
    text = result.stderr.decode(errors="replace")
    if not result.ok and _ABSENT.search(text) and not _COMPILING.search(text):
        return not_measured(f"the environment lacks a package: {said(result.stderr)}")
    return read_own_build(result)
