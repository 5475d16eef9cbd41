"""Leaves with status 0 before main."""

from kaiju_tasks.attacks.attack import Attack, Family
from kaiju_tasks.attacks.rust.planting import planted

ATTACK = Attack(
    name="01-init-exit",
    summary="leaves with status 0 before main",
    apply=planted("init_exit"),
    family=Family.ENDING,
)
