"""Every function ends its goroutine."""

from kaiju_tasks.attacks.attack import Attack, Family
from kaiju_tasks.attacks.go.planting import answering

ATTACK = Attack(
    name="18-goexit",
    summary="every function ends its goroutine",
    apply=answering("runtime.Goexit()", 'import "runtime"'),
    family=Family.ENDING,
)
