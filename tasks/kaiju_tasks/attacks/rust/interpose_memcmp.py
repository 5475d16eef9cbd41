"""An own memcmp() for which everything is equal."""

from kaiju_tasks.attacks.attack import Attack, Family
from kaiju_tasks.attacks.rust.planting import answering

ATTACK = Attack(
    name="06-interpose-memcmp",
    summary="an own memcmp() for which everything is equal",
    apply=answering("interpose_memcmp", "crate::KAIJU_LIE.store(true, std::sync::atomic::Ordering::SeqCst);"),
    family=Family.RUNNER,
)
