"""A cargo configuration that runs nothing."""

from kaiju_tasks.attacks.attack import Attack, Family
from kaiju_tasks.attacks.rust.planting import beside

CONFIG = "[target.x86_64-unknown-linux-gnu]\nrunner = 'true'\n"
ATTACK = Attack(
    name="14-cargo-config",
    summary="a cargo configuration that runs nothing",
    apply=beside({".cargo/config.toml": CONFIG, "src/.cargo/config.toml": CONFIG}),
    family=Family.RUNNER,
)
