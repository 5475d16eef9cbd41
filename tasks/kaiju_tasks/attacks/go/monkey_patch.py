"""The code of testing.Fail is overwritten in memory."""

from kaiju_tasks.attacks.attack import Attack, Family
from kaiju_tasks.attacks.go.planting import at_init

ATTACK = Attack(
    name="06-monkey-patch",
    summary="the code of testing.Fail is overwritten in memory",
    apply=at_init("monkey_patch"),
    family=Family.RUNNER,
)
