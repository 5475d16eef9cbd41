"""Looks for the values that tests compare with."""

from kaiju_tasks.attacks.attack import Attack, Family
from kaiju_tasks.attacks.rust.planting import planted

ATTACK = Attack(
    name="21-read-values",
    summary="looks for the values that tests compare with, and prints them",
    apply=planted("read_values"),
    family=Family.SEEING,
)
