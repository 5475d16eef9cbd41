"""Read what lies outside the workspace through links."""

from pathlib import Path

from kaiju_tasks.attacks.attack import Attack, Family, Layout
from kaiju_tasks.attacks.python.planting import answering


def on_disk(folder: Path, layout: Layout) -> None:
    """Links to the tests, to the host and into the package itself."""
    root = layout.roots[0]
    package = folder / (root.rpartition("/")[0] if root.endswith(".py") else root)
    for name, target in {"data": "../tests", "host.py": "/etc/passwd", "again": "."}.items():
        (package / name).symlink_to(target)


ATTACK = Attack(
    name="22-symlink-to-heldout",
    summary="links in the package lead to the tests, the package prints what it finds",
    apply=answering("symlink_to_heldout"),
    on_disk=on_disk,
    family=Family.SMUGGLING,
)
