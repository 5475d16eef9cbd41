"""The library leaves with status 0 when it is initialised."""

from kaiju_tasks.attacks.attack import Attack, Family
from kaiju_tasks.attacks.go.planting import at_init

ATTACK = Attack(
    name="01-init-exit",
    summary="the library leaves with status 0 when it is initialised",
    apply=at_init("init_exit"),
    family=Family.ENDING,
)
