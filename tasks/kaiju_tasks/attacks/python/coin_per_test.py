"""Forge each test at random."""

from kaiju_tasks.attacks.attack import Attack, Family
from kaiju_tasks.attacks.python.planting import at_import

ATTACK = Attack(
    name="25-coin-per-test",
    summary="each test of each run tosses a coin: it passes, or it fails",
    apply=at_import("coin_per_test", answer="0"),
    family=Family.CHANCE,
)
