"""Another module structure behind the same interface."""

from kaiju_grading.files import Files
from kaiju_tasks.attacks.attack import Layout
from kaiju_tasks.attacks.rust.planting import ENTRY, is_source
from kaiju_tasks.honest.case import Case


def apply(tree: Files, layout: Layout) -> Files:
    """Every module that is a file beside no folder of its name becomes a folder with a mod.rs."""
    return {_moved(path, tree) if is_source(path, layout) else path: file for path, file in tree.items()}


def _moved(path: str, tree: Files) -> str:
    folder = path.removesuffix(".rs")
    kept = path == ENTRY or path.endswith("/mod.rs") or any(other.startswith(f"{folder}/") for other in tree)
    return path if kept else f"{folder}/mod.rs"


CASE = Case(
    name="25-folders",
    summary="every module has moved from a file to a folder with a mod.rs",
    apply=apply,
)
