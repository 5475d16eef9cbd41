"""Sets the flags of the test program."""

from kaiju_tasks.attacks.attack import Attack, Family
from kaiju_tasks.attacks.go.planting import at_init

ATTACK = Attack(
    name="23-flags",
    summary="sets the flags of the test program",
    apply=at_init("flags"),
    family=Family.RUNNER,
)
