"""A toolchain of its own."""

from kaiju_tasks.attacks.attack import Attack, Family
from kaiju_tasks.attacks.rust.planting import beside

FILE = "[toolchain]\npath = '/kaiju/work/src/fake'\n"
ATTACK = Attack(
    name="16-toolchain-file",
    summary="a toolchain of its own",
    apply=beside({"rust-toolchain.toml": FILE, "src/rust-toolchain.toml": FILE}),
    family=Family.SMUGGLING,
)
