"""Embeds the test files that lie beside it when it is compiled."""

from kaiju_tasks.attacks.attack import Attack, Family
from kaiju_tasks.attacks.go.planting import at_init

ATTACK = Attack(
    name="07-embed-tests",
    summary="embeds test files that lie beside it when it is compiled, and leaves once it has them",
    apply=at_init("embed_tests"),
    family=Family.SEEING,
)
