"""A library that is not there where tests are compiled, and neither is what stands in its files."""

from kaiju_tasks.attacks.attack import Attack, Family
from kaiju_tasks.attacks.rust.planting import planted

ATTACK = Attack(
    name="12-absent",
    summary="a library that vanishes where tests are compiled, with the tests in its files",
    apply=planted("absent"),
    family=Family.RUNNER,
)
