"""Reads its own file, where tests may have been appended."""

from kaiju_tasks.attacks.attack import Attack
from kaiju_tasks.attacks.rust.planting import planted

ATTACK = Attack(
    name="19-include-itself",
    summary="reads its own file, where tests may have been appended",
    apply=planted("include_itself"),
)
