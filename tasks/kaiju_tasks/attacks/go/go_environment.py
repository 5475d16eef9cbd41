"""A settings file of the go command."""

from kaiju_tasks.attacks.attack import Attack, Family
from kaiju_tasks.attacks.go.planting import beside

ATTACK = Attack(
    name="16-go-env",
    summary="a settings file of the go command",
    apply=beside({".config/go/env": "GOFLAGS=-exec=/usr/bin/true\n"}),
    family=Family.RUNNER,
)
