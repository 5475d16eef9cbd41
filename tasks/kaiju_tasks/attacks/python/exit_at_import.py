"""Leave with status 0 before a test runs."""

from kaiju_tasks.attacks.attack import Attack, Family
from kaiju_tasks.attacks.python.planting import at_import

ATTACK = Attack(
    name="03-exit-at-import",
    summary="the library ends the process with status 0 when it is imported",
    apply=at_import("exit_at_import"),
    family=Family.ENDING,
)
