"""Two files whose names differ in case only."""

from kaiju_tasks.attacks.attack import Attack, Family
from kaiju_tasks.attacks.rust.planting import payload, planted

ATTACK = Attack(
    name="32-case-names",
    summary="two files whose names differ in case only, and one of them leaves with status 0",
    apply=planted("case_names", {"src/LEAVE.rs": payload("init_exit"), "src/leave.rs": ""}),
    family=Family.SMUGGLING,
)
