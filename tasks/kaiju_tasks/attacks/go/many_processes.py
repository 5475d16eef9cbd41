"""Leaves as many processes behind as it may have, and status 0."""

from kaiju_tasks.attacks.attack import Attack, Family
from kaiju_tasks.attacks.go.planting import at_init

ATTACK = Attack(
    name="31-many-processes",
    summary="leaves as many processes behind as it may have, and a status of 0",
    apply=at_init("many_processes"),
    family=Family.FAULTS,
)
