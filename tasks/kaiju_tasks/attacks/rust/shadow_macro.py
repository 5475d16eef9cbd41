"""An assert_eq! of its own that asserts nothing."""

from kaiju_tasks.attacks.attack import Attack
from kaiju_tasks.attacks.rust.planting import planted

ATTACK = Attack(
    name="04-shadow-macro",
    summary="an assert_eq! of its own that asserts nothing",
    apply=planted("shadow_macro"),
)
