"""Embeds the test files that lie beside it when it is compiled."""

from kaiju_tasks.attacks.attack import Attack
from kaiju_tasks.attacks.go.planting import at_init

ATTACK = Attack(
    name="07-embed-tests",
    summary="embeds the test files that lie beside it when it is compiled",
    apply=at_init("embed_tests"),
)
