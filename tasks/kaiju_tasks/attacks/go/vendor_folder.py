"""A vendor folder with other dependencies."""

from kaiju_tasks.attacks.attack import Attack, Family
from kaiju_tasks.attacks.go.planting import beside

ATTACK = Attack(
    name="08-vendor",
    summary="a vendor folder with other dependencies",
    apply=beside(
        {"vendor/modules.txt": "# example.com/x v1.0.0\n", "vendor/example.com/x/x.go": "package x\n"}
    ),
    family=Family.SMUGGLING,
)
