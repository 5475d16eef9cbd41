"""Functions named like those that look the values up."""

from kaiju_tasks.attacks.attack import Attack, Family
from kaiju_tasks.attacks.go.planting import at_init

ATTACK = Attack(
    name="22-own-accessors",
    summary="functions named like those that look the values up",
    apply=at_init("own_accessors"),
    family=Family.RECOGNISING,
)
