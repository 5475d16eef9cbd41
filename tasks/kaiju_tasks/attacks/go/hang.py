"""Every function waits for ever."""

from kaiju_tasks.attacks.attack import Attack, Family
from kaiju_tasks.attacks.go.planting import answering

ATTACK = Attack(
    name="33-hang",
    summary="every function waits for ever",
    apply=answering("select {}"),
    family=Family.FAULTS,
)
