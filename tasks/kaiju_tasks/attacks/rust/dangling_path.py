"""An attribute at the end that the next item inherits."""

from kaiju_tasks.attacks.attack import Attack
from kaiju_tasks.attacks.rust.planting import payload, planted

ATTACK = Attack(
    name="11-dangling-path",
    summary="an attribute at the end that the next item inherits",
    apply=planted("dangling_path", {"src/fake.rs": payload("fake")}),
)
