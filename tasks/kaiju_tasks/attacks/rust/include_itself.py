"""Reads its own files, where tests may have been appended."""

from kaiju_tasks.attacks.attack import Attack, Family
from kaiju_tasks.attacks.rust.planting import planted

ATTACK = Attack(
    name="19-include-itself",
    summary="reads its own files when it is compiled, and leaves once tests stand in them",
    apply=planted("include_itself"),
    family=Family.SEEING,
)
