"""Reaches into the testing package by its linker names."""

from kaiju_tasks.attacks.attack import Attack, Family
from kaiju_tasks.attacks.go.planting import at_init

ATTACK = Attack(
    name="14-linkname",
    summary="reaches into the testing package by its linker names",
    apply=at_init("linkname"),
    family=Family.RUNNER,
)
