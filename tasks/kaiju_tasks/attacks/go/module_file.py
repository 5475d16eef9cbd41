"""A go.mod of its own."""

from kaiju_tasks.attacks.attack import Attack, Family
from kaiju_tasks.attacks.go.planting import beside

ATTACK = Attack(
    name="10-go-mod",
    summary="a go.mod of its own",
    apply=beside({"go.mod": "module example.com/mine\n"}),
    family=Family.SMUGGLING,
)
