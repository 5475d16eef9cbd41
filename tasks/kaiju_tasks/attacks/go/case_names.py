"""Two files whose names differ in case only."""

from kaiju_tasks.attacks.attack import Attack, Family
from kaiju_tasks.attacks.go.planting import in_packages

LEAVE = 'package {package}\n\nimport "os"\n\nfunc init() { os.Exit(0) }\n'

ATTACK = Attack(
    name="35-case-names",
    summary="two files whose names differ in case only, and one of them leaves with status 0",
    apply=in_packages({"LEAVE.go": LEAVE, "leave.go": "package {package}\n"}),
    family=Family.SMUGGLING,
)
