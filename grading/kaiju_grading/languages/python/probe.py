"""Probing: a command that imports a library's tree in a sandbox, and what it found."""

import json

from kaiju_grading.files import Files
from kaiju_grading.language import WORK
from kaiju_grading.languages.python.layout import import_folder, package_of
from kaiju_grading.languages.python.sandboxed import Program, python_command
from kaiju_grading.preparation import Obstacle, Probe, Split
from kaiju_sandbox.command import Command
from kaiju_sandbox.environment import Environment
from kaiju_sandbox.result import Result

IMPORTED = "runs when the library is imported"
"""Why a body stays."""


def probe_command(library: Files, split: Split, environment: Environment) -> Command:
    """Import every module of `library`, laid beside the build configuration, with the task's environment."""
    roots = [[import_folder(root), package_of(root)] for root in split.roots]
    work = {**split.config, **library}
    return python_command(Program("probe.py"), {"work": WORK, "roots": roots}, work, environment)


def read_probe(result: Result) -> Probe:
    """Raises Obstacle `import_crashed` when the tree ended the process before it could tell."""
    try:
        answer = json.loads(result.report)
        needed = dict.fromkeys(answer["needed"], IMPORTED)
        return Probe(frozenset(answer["works"]), dict(answer["broken"]), needed)
    except (ValueError, KeyError, TypeError) as error:
        reason = result.limit.name if result.limit else f"exit {result.exit_code}, signal {result.signal}"
        raise Obstacle("import_crashed", f"importing the library ended the interpreter ({reason})") from error
