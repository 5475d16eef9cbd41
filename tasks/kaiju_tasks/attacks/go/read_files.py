"""Looks for test sources while tests run."""

from kaiju_tasks.attacks.attack import Attack, Family
from kaiju_tasks.attacks.go.planting import at_init

ATTACK = Attack(
    name="17-read-files",
    summary="looks for test sources while tests run, and leaves once it has them",
    apply=at_init("read_files"),
    family=Family.SEEING,
)
