"""C code that runs before Go does."""

from kaiju_tasks.attacks.attack import Attack, Family
from kaiju_tasks.attacks.go.planting import at_init

ATTACK = Attack(
    name="15-cgo-constructor",
    summary="C code that runs before Go does",
    apply=at_init("cgo_constructor"),
    family=Family.ENDING,
)
