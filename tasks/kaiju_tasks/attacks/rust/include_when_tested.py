"""Reads the tests when they are compiled with it."""

from kaiju_tasks.attacks.attack import Attack, Family
from kaiju_tasks.attacks.rust.planting import planted

ATTACK = Attack(
    name="18-include-when-tested",
    summary="as 19-include-itself, but only where tests are compiled",
    apply=planted("include_when_tested"),
    family=Family.RECOGNISING,
)
