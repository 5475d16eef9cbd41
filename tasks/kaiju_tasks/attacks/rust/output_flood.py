"""Prints more than any report may hold, and leaves with status 0."""

from kaiju_tasks.attacks.attack import Attack, Family
from kaiju_tasks.attacks.rust.planting import planted

ATTACK = Attack(
    name="26-output-flood",
    summary="prints more than any report may hold, and leaves with status 0",
    apply=planted("output_flood"),
    family=Family.FAULTS,
)
