"""Write the results oneself and leave."""

from kaiju_tasks.attacks.attack import Attack, Family
from kaiju_tasks.attacks.python.planting import answering

ATTACK = Attack(
    name="12-forge-channel",
    summary="the first call finds the runner's session, writes all records and ends the process",
    apply=answering("forge_channel"),
    family=Family.FORGING,
)
