"""Report after the runner has ended."""

from kaiju_tasks.attacks.attack import Attack, Family
from kaiju_tasks.attacks.python.planting import at_import

ATTACK = Attack(
    name="17-late-writer",
    summary="a forked child outlives the runner and writes the results",
    apply=at_import("late_writer", answer="0"),
    family=Family.FORGING,
)
