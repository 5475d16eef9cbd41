"""Throws a coin for each test."""

from kaiju_tasks.attacks.attack import Attack, Family
from kaiju_tasks.attacks.go.planting import at_init

ATTACK = Attack(
    name="20-coin",
    summary="throws a coin for each test",
    apply=at_init("coin"),
    family=Family.CHANCE,
)
