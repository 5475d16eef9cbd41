"""An own memcmp() for which everything is equal."""

from kaiju_tasks.attacks.attack import Attack
from kaiju_tasks.attacks.rust.planting import planted

ATTACK = Attack(
    name="06-interpose-memcmp",
    summary="an own memcmp() for which everything is equal",
    apply=planted("interpose_memcmp"),
)
