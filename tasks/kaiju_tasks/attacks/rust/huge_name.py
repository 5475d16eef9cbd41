"""A file with a name of two hundred letters."""

from kaiju_tasks.attacks.attack import Attack, Family
from kaiju_tasks.attacks.rust.planting import payload, planted

ATTACK = Attack(
    name="33-huge-name",
    summary="leaves with status 0 from a file whose name has two hundred letters",
    apply=planted("huge_name", {f"src/{'z' * 200}.rs": payload("init_exit")}),
    family=Family.SMUGGLING,
)
