"""Write what no reader expects, so that the grader breaks and a lost grade counts as a fault of ours."""

from kaiju_tasks.attacks.attack import Attack, Family
from kaiju_tasks.attacks.python.planting import answering

ATTACK = Attack(
    name="26-spoil-channel",
    summary="the first call writes records with values of every other type to the result channel",
    apply=answering("spoil_channel"),
    family=Family.FAULTS,
)
