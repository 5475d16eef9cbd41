"""An attribute at the end that the next item inherits."""

from kaiju_tasks.attacks.attack import Attack, Family
from kaiju_tasks.attacks.rust.planting import appended

ATTACK = Attack(
    name="11-dangling-path",
    summary="an attribute at the end that the next item inherits",
    apply=appended('#[path = "fake.rs"]\n', {"src/fake.rs": "#[test]\nfn everything() {}\n"}),
    family=Family.RUNNER,
)
