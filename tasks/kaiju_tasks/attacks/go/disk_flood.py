"""Fills the disk, and leaves with status 0."""

from kaiju_tasks.attacks.attack import Attack, Family
from kaiju_tasks.attacks.go.planting import at_init

ATTACK = Attack(
    name="29-disk-flood",
    summary="fills the disk, and leaves with status 0",
    apply=at_init("disk_flood"),
    family=Family.FAULTS,
)
