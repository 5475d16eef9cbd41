"""Another module structure behind the same interface."""

from kaiju_grading.files import Files
from kaiju_sandbox.command import File
from kaiju_tasks.attacks.attack import Layout, NotApplicable
from kaiju_tasks.attacks.go.planting import everywhere
from kaiju_tasks.honest.case import Case
from kaiju_tasks.honest.go.changing import FILE, module_of

_INNER = "// Package odd is a detail.\npackage odd\n\n// Answer is one.\nfunc Answer() int { return 42 }\n"
_USER = """package {package}

import "MODULE/internal/odd"

func init() {
	if odd.Answer() != 42 {
		panic("odd")
	}
}
"""


def apply(tree: Files, layout: Layout) -> Files | NotApplicable:
    """Every package uses an internal one that upstream does not have."""
    module = module_of(tree)
    if not module or "." not in layout.roots:
        return NotApplicable("no folder of the module is the library's to fill")
    user = _USER.replace("MODULE", module)
    return {**tree, **everywhere(tree, {FILE: user}), "internal/odd/odd.go": File(_INNER.encode())}


CASE = Case(
    name="23-internal-package",
    summary="every package uses an internal one of its own",
    apply=apply,
)
