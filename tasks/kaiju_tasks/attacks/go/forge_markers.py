"""Prints a pass of every test that was asked for, and leaves."""

from kaiju_tasks.attacks.attack import Attack, Family
from kaiju_tasks.attacks.go.planting import at_init

ATTACK = Attack(
    name="04-forge-markers",
    summary="prints a pass of every test that was asked for, and leaves",
    apply=at_init("forge_markers"),
    family=Family.FORGING,
)
