"""Leaves as many processes behind as it may have, and status 0."""

from kaiju_tasks.attacks.attack import Attack, Family
from kaiju_tasks.attacks.rust.planting import planted

ATTACK = Attack(
    name="29-many-processes",
    summary="leaves as many processes behind as it may have, and a status of 0",
    apply=planted("many_processes"),
    family=Family.FAULTS,
)
