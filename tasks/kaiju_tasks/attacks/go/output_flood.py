"""Prints more than any report may hold, and leaves with status 0."""

from kaiju_tasks.attacks.attack import Attack, Family
from kaiju_tasks.attacks.go.planting import at_init

ATTACK = Attack(
    name="28-output-flood",
    summary="prints more than any report may hold, and leaves with status 0",
    apply=at_init("output_flood"),
    family=Family.FAULTS,
)
