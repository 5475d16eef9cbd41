"""Register a plugin of the runner by package metadata."""

from kaiju_tasks.attacks.attack import Attack, Family
from kaiju_tasks.attacks.python.planting import beside, payload

_POINTS = "[pytest11]\nevil = evil\n"
_ABOUT = "Metadata-Version: 2.1\nName: evil\nVersion: 1\n"

ATTACK = Attack(
    name="08-entry-point",
    summary="metadata in the tree names a plugin that turns every report into a pass",
    apply=beside(
        {
            "evil.py": payload("pass_plugin"),
            "evil.egg-info/entry_points.txt": _POINTS,
            "evil.egg-info/PKG-INFO": _ABOUT,
            "{package}/evil.py": payload("pass_plugin"),
            "{package}/evil-1.dist-info/entry_points.txt": _POINTS,
            "{package}/evil-1.dist-info/METADATA": _ABOUT,
        }
    ),
    family=Family.RUNNER,
)
