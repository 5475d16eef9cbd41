"""Forges a whole run, or none of it, by the clock."""

from kaiju_tasks.attacks.attack import Attack, Family
from kaiju_tasks.attacks.rust.planting import planted

ATTACK = Attack(
    name="20-coin",
    summary="forges a whole run, or none of it, by the clock",
    apply=planted("coin"),
    family=Family.CHANCE,
)
