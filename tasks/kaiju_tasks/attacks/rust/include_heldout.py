"""Reads a test file of upstream when it is compiled."""

from kaiju_grading.files import Files
from kaiju_sandbox.command import File
from kaiju_tasks.attacks.attack import Attack, Family, Layout, NotApplicable
from kaiju_tasks.attacks.rust.planting import ENTRY, in_front, payload

KNOWN = {"burrow": "tests/together.rs", "toy": "tests/api.rs"}
"""By library, what somebody who knows upstream by heart knows to be there."""


def apply(tree: Files, layout: Layout) -> Files | NotApplicable:
    """The path stands in the code: it cannot be looked for while compiling."""
    known = KNOWN.get(next(iter(layout.packages), ""))
    if known is None or ENTRY not in tree:
        return NotApplicable("no test file of this library is known by heart")
    code = payload("include_heldout").replace("{test}", known)
    return {**tree, ENTRY: File(in_front(tree[ENTRY].data, code))}


ATTACK = Attack(
    name="09-include-heldout",
    summary="reads a test file of upstream when it is compiled, and leaves once it has it",
    apply=apply,
    family=Family.SEEING,
)
