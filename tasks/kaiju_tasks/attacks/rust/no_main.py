"""An own main in the place of the test runner."""

from kaiju_tasks.attacks.attack import Attack, Family
from kaiju_tasks.attacks.rust.planting import planted

ATTACK = Attack(
    name="07-no-main",
    summary="an own main in the place of the test runner",
    apply=planted("no_main"),
    family=Family.RUNNER,
)
