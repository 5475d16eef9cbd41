"""Every function waits for ever."""

from kaiju_grading.files import Files
from kaiju_sandbox.command import File
from kaiju_tasks.attacks.attack import Attack, Family, Layout
from kaiju_tasks.attacks.rust.planting import is_source, with_bodies

_FOREVER = "while true { std::thread::sleep(std::time::Duration::from_secs(1)); }"


def apply(tree: Files, layout: Layout) -> Files:
    """Constant functions only return zeros."""
    return {
        path: File(with_bodies(file.data, _FOREVER)) if is_source(path, layout) else file
        for path, file in tree.items()
    }


ATTACK = Attack(
    name="31-hang",
    summary="every function waits for ever",
    apply=apply,
    family=Family.FAULTS,
)
