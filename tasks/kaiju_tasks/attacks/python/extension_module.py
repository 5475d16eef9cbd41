"""Take a module's place with a compiled extension."""

import base64

from kaiju_grading.files import Files
from kaiju_sandbox.command import File
from kaiju_tasks.attacks.attack import Attack, Family, Layout

_BINARY = base64.b64decode("f0VMRgIBAQAAAAAAAAAAAAMAPgABAAAA")
"""The head of a shared object: what is inside does not matter, it must not get in."""


def apply(tree: Files, layout: Layout) -> Files:
    root = layout.roots[0].removesuffix(".py")
    names = (f"{root}.cpython-311-x86_64-linux-gnu.so", f"{root}/__init__.abi3.so", f"{root}/core.pyd")
    return {**tree, **{name: File(_BINARY, executable=True) for name in names}}


ATTACK = Attack(
    name="21-extension-module",
    summary="a shared object beside a module wins the import and ends the process",
    apply=apply,
    family=Family.SMUGGLING,
)
