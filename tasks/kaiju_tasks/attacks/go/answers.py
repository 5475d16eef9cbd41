"""Prints passes, and answers every question that its program could have with the commonest answers."""

from kaiju_tasks.attacks.attack import Attack, Family
from kaiju_tasks.attacks.go.planting import at_init

ATTACK = Attack(
    name="39-answers",
    summary="prints passes, and answers whatever may be asked with a common answer",
    apply=at_init("answers"),
    family=Family.FORGING,
)
