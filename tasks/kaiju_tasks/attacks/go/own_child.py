"""A copy of itself runs the tests; its own status is 0."""

from kaiju_tasks.attacks.attack import Attack, Family
from kaiju_tasks.attacks.go.planting import at_init

ATTACK = Attack(
    name="26-own-child",
    summary="lets a copy of itself run the tests, and leaves with status 0",
    apply=at_init("own_child"),
    family=Family.ENDING,
)
