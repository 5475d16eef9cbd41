"""A manifest without the test runner."""

from kaiju_tasks.attacks.attack import Attack
from kaiju_tasks.attacks.rust.planting import beside

MANIFEST = {
    "Cargo.toml": '[package]\nname = "toy"\nversion = "0.1.0"\nedition = "2021"\n[lib]\nharness = false\n',
    "src/Cargo.toml": "",
}
ATTACK = Attack(
    name="13-manifest",
    summary="a manifest without the test runner",
    apply=beside(MANIFEST),
)
