"""Reads the tests when they run."""

from kaiju_tasks.attacks.attack import Attack
from kaiju_tasks.attacks.rust.planting import planted

ATTACK = Attack(
    name="10-read-heldout-at-run",
    summary="reads the tests when they run",
    apply=planted("read_heldout_at_run"),
)
