"""A suite of modules and their alterations alone, for what looks at these and runs nothing."""

from kaiju_grading.files import Files
from kaiju_grading.suite import Cell, Module, Suite
from kaiju_sandbox.environment import Environment


def bare_suite(modules: tuple[Module, ...], cells: tuple[Cell, ...], heldout: Files | None = None) -> Suite:
    """Without a library, and in no environment."""
    return Suite(
        language="python",
        task_digest="sha256:x",
        environment=Environment("python", (), (), {}, {}),
        roots=("lib",),
        workspace={},
        reference={},
        shared={},
        heldout=heldout or {},
        visible={},
        modules=modules,
        visible_tests=(),
        cells=cells,
    )
