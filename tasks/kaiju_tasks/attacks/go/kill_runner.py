"""Ends the program that runs it."""

from kaiju_tasks.attacks.attack import Attack, Family
from kaiju_tasks.attacks.go.planting import at_init

ATTACK = Attack(
    name="32-kill-runner",
    summary="ends the program that runs it",
    apply=at_init("kill_runner"),
    family=Family.FAULTS,
)
