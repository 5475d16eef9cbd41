"""Take the place of the runner."""

from kaiju_tasks.attacks.attack import Attack, Family
from kaiju_tasks.attacks.python.planting import beside, payload

ATTACK = Attack(
    name="07-shadow-pytest",
    summary="a pytest.py in the tree reports success and runs nothing",
    apply=beside({"pytest.py": payload("shadow_pytest"), "{package}/pytest.py": payload("shadow_pytest")}),
    family=Family.RUNNER,
)
