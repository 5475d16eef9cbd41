"""Reads the tests when they are compiled with it."""

from kaiju_tasks.attacks.attack import Attack
from kaiju_tasks.attacks.rust.planting import planted

ATTACK = Attack(
    name="18-include-when-tested",
    summary="reads the tests when they are compiled with it",
    apply=planted("include_when_tested"),
)
