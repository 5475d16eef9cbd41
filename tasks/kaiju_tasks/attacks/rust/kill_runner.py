"""Ends the program that runs it."""

from kaiju_tasks.attacks.attack import Attack, Family
from kaiju_tasks.attacks.rust.planting import planted

ATTACK = Attack(
    name="30-kill-runner",
    summary="ends the program that runs it",
    apply=planted("kill_runner"),
    family=Family.FAULTS,
)
