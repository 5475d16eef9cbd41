"""A child takes all memory while it leaves with status 0."""

from kaiju_tasks.attacks.attack import Attack, Family
from kaiju_tasks.attacks.rust.planting import planted

ATTACK = Attack(
    name="28-memory-hog",
    summary="a child takes all memory while it leaves with status 0",
    apply=planted("memory_hog"),
    family=Family.FAULTS,
)
