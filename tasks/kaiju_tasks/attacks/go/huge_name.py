"""A file with a name of two hundred letters."""

from kaiju_tasks.attacks.attack import Attack, Family
from kaiju_tasks.attacks.go.planting import in_packages

LEAVE = 'package {package}\n\nimport "os"\n\nfunc init() { os.Exit(0) }\n'

ATTACK = Attack(
    name="36-huge-name",
    summary="leaves with status 0 from a file whose name has two hundred letters",
    apply=in_packages({f"{'z' * 200}.go": LEAVE}),
    family=Family.SMUGGLING,
)
