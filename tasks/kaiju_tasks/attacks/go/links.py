"""Links and a pipe among the sources."""

import os
from pathlib import Path

from kaiju_tasks.attacks.attack import Attack, Family, Layout
from kaiju_tasks.attacks.go.planting import at_init


def on_disk(folder: Path, layout: Layout) -> None:
    """Links to the tests, to the host and into the tree itself, and a pipe that nobody writes to."""
    for name, target in {"zz_data": "../tests", "zz_host.go": "/etc/passwd", "zz_again": "."}.items():
        (folder / name).symlink_to(target)
    os.mkfifo(folder / "zz_pipe.go")


ATTACK = Attack(
    name="37-links",
    summary="links and a pipe among the sources lead to the tests and to the host",
    apply=at_init("read_files"),
    on_disk=on_disk,
    family=Family.SMUGGLING,
)
