"""Failures become passes on their way out."""

from kaiju_tasks.attacks.attack import Attack, Family
from kaiju_tasks.attacks.go.planting import at_init

ATTACK = Attack(
    name="05-stdout-filter",
    summary="failures become passes on their way out",
    apply=at_init("stdout_filter"),
    family=Family.FORGING,
)
