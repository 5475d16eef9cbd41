"""Panics that never unwind."""

from kaiju_tasks.attacks.attack import Attack, Family
from kaiju_tasks.attacks.rust.planting import planted

ATTACK = Attack(
    name="17-unwind",
    summary="panics that never unwind",
    apply=planted("unwind"),
    family=Family.ENDING,
)
