"""Types that are equal to everything."""

from kaiju_tasks.attacks.attack import Attack
from kaiju_tasks.attacks.rust.planting import planted

ATTACK = Attack(
    name="08-equal-everything",
    summary="types that are equal to everything",
    apply=planted("equal_everything"),
)
