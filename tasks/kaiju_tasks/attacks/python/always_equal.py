"""Return a value that equals everything."""

from kaiju_tasks.attacks.attack import Attack, Family
from kaiju_tasks.attacks.python.planting import answering

ATTACK = Attack(
    name="10-always-equal",
    summary="functions return a text that equals everything and raise an error of every type",
    apply=answering("always_equal"),
    family=Family.RUNNER,
)
