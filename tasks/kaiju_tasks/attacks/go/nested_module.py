"""A go.mod that takes a folder out of the module."""

from kaiju_tasks.attacks.attack import Attack, Family
from kaiju_tasks.attacks.go.planting import beside

ATTACK = Attack(
    name="12-nested-module",
    summary="a go.mod that takes a folder out of the module",
    apply=beside({"{folder}/inner/go.mod": "module inner\n"}),
    family=Family.SMUGGLING,
)
