"""A panic hook that leaves with status 0."""

from kaiju_tasks.attacks.attack import Attack, Family
from kaiju_tasks.attacks.rust.planting import planted

ATTACK = Attack(
    name="03-panic-hook",
    summary="a panic hook that leaves with status 0",
    apply=planted("panic_hook"),
    family=Family.ENDING,
)
