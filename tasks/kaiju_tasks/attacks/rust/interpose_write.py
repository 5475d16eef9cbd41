"""An own write() that turns failures into passes."""

from kaiju_tasks.attacks.attack import Attack, Family
from kaiju_tasks.attacks.rust.planting import planted

ATTACK = Attack(
    name="05-interpose-write",
    summary="an own write() that turns failures into passes",
    apply=planted("interpose_write"),
    family=Family.FORGING,
)
