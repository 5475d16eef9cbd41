"""The same declarations in other files."""

from kaiju_grading.files import Files
from kaiju_tasks.attacks.attack import Layout
from kaiju_tasks.attacks.go.planting import is_source
from kaiju_tasks.honest.case import Case


def apply(tree: Files, layout: Layout) -> Files:
    """Every file gets another name; what its name says of platforms stands at its end, and stays."""
    return {_renamed(path) if is_source(path) else path: file for path, file in tree.items()}


def _renamed(path: str) -> str:
    folder, slash, name = path.rpartition("/")
    return f"{folder}{slash}the_{name}"


CASE = Case(
    name="22-other-files",
    summary="every file has another name",
    apply=apply,
)
