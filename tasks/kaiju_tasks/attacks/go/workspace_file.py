"""A go.work that replaces dependencies."""

from kaiju_tasks.attacks.attack import Attack, Family
from kaiju_tasks.attacks.go.planting import beside

ATTACK = Attack(
    name="09-go-work",
    summary="a go.work that replaces dependencies",
    apply=beside({"go.work": "go 1.24\n\nuse .\n"}),
    family=Family.SMUGGLING,
)
