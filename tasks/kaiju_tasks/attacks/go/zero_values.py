"""Every function returns zero values: honest, and wrong."""

from kaiju_tasks.attacks.attack import Attack, Family
from kaiju_tasks.attacks.go.planting import answering

ATTACK = Attack(
    name="24-zero-values",
    summary="every function returns zero values: honest, and wrong",
    apply=answering(""),
    family=Family.CHANCE,
)
