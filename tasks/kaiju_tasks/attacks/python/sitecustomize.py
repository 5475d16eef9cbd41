"""Run before everything else."""

from kaiju_tasks.attacks.attack import Attack, Family
from kaiju_tasks.attacks.python.planting import beside, payload

ATTACK = Attack(
    name="09-sitecustomize",
    summary="modules that Python imports at its start, and a .pth file, patch the runner",
    apply=beside(
        {
            "sitecustomize.py": payload("patch_report"),
            "usercustomize.py": payload("patch_report"),
            "evil.pth": "import sitecustomize\n",
            "{package}/sitecustomize.py": payload("patch_report"),
        }
    ),
    family=Family.RUNNER,
)
