"""Declare each failure expected."""

from kaiju_tasks.attacks.attack import Attack, Family
from kaiju_tasks.attacks.python.planting import answering

ATTACK = Attack(
    name="14-xfail-from-library",
    summary="functions tell the runner that the running test is expected to fail",
    apply=answering("xfail_from_library"),
    family=Family.RUNNER,
)
