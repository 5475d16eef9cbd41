"""A child takes all memory while it leaves with status 0."""

from kaiju_tasks.attacks.attack import Attack, Family
from kaiju_tasks.attacks.go.planting import at_init

ATTACK = Attack(
    name="30-memory-hog",
    summary="a child takes all memory while it leaves with status 0",
    apply=at_init("memory_hog"),
    family=Family.FAULTS,
)
