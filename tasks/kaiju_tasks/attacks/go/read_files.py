"""Looks for test sources while tests run."""

from kaiju_tasks.attacks.attack import Attack
from kaiju_tasks.attacks.go.planting import at_init

ATTACK = Attack(
    name="17-read-files",
    summary="looks for test sources while tests run",
    apply=at_init("read_files"),
)
