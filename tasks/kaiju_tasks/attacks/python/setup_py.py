"""Leave a plugin behind when the library is built."""

from kaiju_tasks.attacks.attack import Attack, Family
from kaiju_tasks.attacks.python.planting import beside, payload

ATTACK = Attack(
    name="15-setup-py-build",
    summary="setup.py writes a plugin of the runner into site-packages",
    apply=beside(
        {
            "setup.py": payload("setup_py"),
            "{package}/setup.py": payload("setup_py"),
            "evil_plugin.txt": payload("pass_plugin"),
        }
    ),
    family=Family.RUNNER,
)
