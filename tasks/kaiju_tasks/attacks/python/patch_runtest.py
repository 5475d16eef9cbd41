"""Run no test at all."""

from kaiju_tasks.attacks.attack import Attack, Family
from kaiju_tasks.attacks.python.planting import at_import

ATTACK = Attack(
    name="06-patch-runtest",
    summary="the runner calls a function that does nothing in place of each test",
    apply=at_import("patch_runtest"),
    family=Family.RUNNER,
)
