"""Fills the disk, and leaves with status 0."""

from kaiju_tasks.attacks.attack import Attack, Family
from kaiju_tasks.attacks.rust.planting import planted

ATTACK = Attack(
    name="27-disk-flood",
    summary="fills the disk, and leaves with status 0",
    apply=planted("disk_flood"),
    family=Family.FAULTS,
)
