"""An argument that selects no test."""

from kaiju_tasks.attacks.attack import Attack, Family
from kaiju_tasks.attacks.go.planting import at_init

ATTACK = Attack(
    name="03-os-args",
    summary="an argument that selects no test",
    apply=at_init("os_args"),
    family=Family.RUNNER,
)
