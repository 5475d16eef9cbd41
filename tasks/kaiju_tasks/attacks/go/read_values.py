"""Looks for the values of the run on every descriptor."""

from kaiju_tasks.attacks.attack import Attack, Family
from kaiju_tasks.attacks.go.planting import at_init

ATTACK = Attack(
    name="21-read-values",
    summary="looks for the values of the run on every descriptor",
    apply=at_init("read_values"),
    family=Family.SEEING,
)
