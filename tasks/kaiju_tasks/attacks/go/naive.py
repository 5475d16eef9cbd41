"""A careless grader of Go: `go test` in the agent's tree, its exit status believed."""

from kaiju_grading.files import Files
from kaiju_grading.language import WORK
from kaiju_grading.languages.go.compile import folder_of
from kaiju_grading.languages.go.sandboxed import DEPENDENCIES, SCRATCH, TOOLCHAIN
from kaiju_grading.languages.go.test import name_of
from kaiju_grading.suite import Module, Suite
from kaiju_sandbox.command import Command, Scratch, Tree

_SCRIPT = """cp -r "$WARM" "$GOCACHE" && chmod -R u+w "$GOCACHE" &&
exec go test -count=1 -vet=off -trimpath -run "$@"
"""
"""With the flags that the warm cache was filled with: it would be of no use otherwise."""
_SIZE = 1024 * 1024 * 1024
_COMPILERS = "rust"
"""The system that has a C compiler, which a careless grader leaves in reach."""


def naive(suite: Suite, tree: Files, module: Module) -> Command:
    """Settings, go.mod and whatever else lies in the tree count as the agent wrote them."""
    work = {**tree, **suite.shared, **{path: suite.heldout[path] for path in module.mounted}}
    folders = sorted({f"./{folder_of(path)}" for path in module.files})
    names = "|".join(name_of(test) for test in module.tests)
    return Command(
        argv=("/bin/sh", "-c", _SCRIPT, "test", f"^({names})$", *folders),
        cwd=WORK,
        env={
            **suite.environment.variables,
            "GOCACHE": f"{SCRATCH}/cache",
            "GOMODCACHE": f"{DEPENDENCIES}/mod",
            "GOPROXY": "off",
            "GOROOT": TOOLCHAIN,
            "GOTOOLCHAIN": "local",
            "HOME": WORK,
            "PATH": f"{TOOLCHAIN}/bin:/usr/bin:/bin",
            "WARM": f"{DEPENDENCIES}/cache",
        },
        inputs=(*suite.environment.layers, Tree(WORK, work)),
        scratch=(Scratch(SCRATCH, _SIZE),),
        system=_COMPILERS,
    )
