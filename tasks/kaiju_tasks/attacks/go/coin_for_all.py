"""Throws one coin for everything."""

from kaiju_tasks.attacks.attack import Attack, Family
from kaiju_tasks.attacks.go.planting import at_init

ATTACK = Attack(
    name="27-coin-for-all",
    summary="throws one coin for everything",
    apply=at_init("coin_for_all"),
    family=Family.CHANCE,
)
