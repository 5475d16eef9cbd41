"""Another module structure behind the same public interface."""

from kaiju_grading.files import Files
from kaiju_sandbox.command import File
from kaiju_tasks.attacks.attack import Layout, NotApplicable
from kaiju_tasks.honest.case import Case

_ALIAS = """import sys

from {package} import {hidden} as _real

for _thing in vars(_real).values():
    if getattr(_thing, "__module__", None) == _real.__name__:
        _thing.__module__ = __name__
sys.modules[__name__] = _real
"""
"""What a representation shows of a class is public: its module's name, for one."""


def apply(tree: Files, layout: Layout) -> Files | NotApplicable:
    """Every module of the package moves, and leaves its name behind."""
    root = layout.roots[0]
    modules = [
        path
        for path in tree
        if path.rpartition("/")[0] == root
        and path.endswith(".py")
        and not path.rpartition("/")[2].startswith("_")
    ]
    if not modules or root.rpartition("/")[2] != layout.packages[0]:
        return NotApplicable("the library has no module to move")
    changed = dict(tree)
    for path in modules:
        hidden = "_real_" + path.rpartition("/")[2]
        changed[f"{root}/{hidden}"] = tree[path]
        alias = _ALIAS.format(package=layout.packages[0], hidden=hidden.removesuffix(".py"))
        changed[path] = File(alias.encode())
    return changed


CASE = Case(
    name="23-other-modules",
    summary="every module has moved to another, and its old name leads there",
    apply=apply,
)
