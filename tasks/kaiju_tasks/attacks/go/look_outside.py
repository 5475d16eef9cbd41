"""Looks for what lies outside of the sandbox, and says what was found."""

from kaiju_tasks.attacks.attack import Attack, Family
from kaiju_tasks.attacks.go.planting import told

ATTACK = Attack(
    name="25-look-outside",
    summary="looks for a file, sockets, a port and other processes' variables on the host",
    apply=told("look_outside"),
    family=Family.SEEING,
)
