"""Own tests of the same names."""

from kaiju_tasks.attacks.attack import Attack
from kaiju_tasks.attacks.rust.planting import planted

ATTACK = Attack(
    name="12-own-tests",
    summary="own tests of the same names",
    apply=planted("own_tests"),
)
