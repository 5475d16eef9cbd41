"""Forge a whole run or none of it, at random."""

from kaiju_tasks.attacks.attack import Attack, Family
from kaiju_tasks.attacks.python.planting import at_import

ATTACK = Attack(
    name="23-coin",
    summary="each run tosses a coin: all tests pass, or none",
    apply=at_import("coin", answer="0"),
    family=Family.CHANCE,
)
