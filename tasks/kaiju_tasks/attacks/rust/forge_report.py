"""Prints a perfect report before main."""

from kaiju_tasks.attacks.attack import Attack, Family
from kaiju_tasks.attacks.rust.planting import planted

ATTACK = Attack(
    name="02-forge-report",
    summary="prints a perfect report before main",
    apply=planted("forge_report"),
    family=Family.FORGING,
)
