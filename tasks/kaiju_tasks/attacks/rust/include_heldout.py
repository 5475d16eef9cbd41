"""Reads the tests when it is compiled."""

from kaiju_tasks.attacks.attack import Attack
from kaiju_tasks.attacks.rust.planting import planted

ATTACK = Attack(
    name="09-include-heldout",
    summary="reads the tests when it is compiled",
    apply=planted("include_heldout"),
)
