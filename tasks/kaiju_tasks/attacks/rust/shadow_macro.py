"""Assertions of its own that leave with status 0."""

from kaiju_tasks.attacks.attack import Attack, Family
from kaiju_tasks.attacks.rust.planting import answering

ATTACK = Attack(
    name="04-shadow-macro",
    summary="assertions of its own that leave with status 0",
    apply=answering("shadow_macro"),
    family=Family.RUNNER,
)
