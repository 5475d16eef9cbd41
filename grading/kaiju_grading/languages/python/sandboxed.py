"""What every command of this language has in common: environment, inputs, programs of ours in `tools/`."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from kaiju_grading.files import Files
from kaiju_grading.language import WORK
from kaiju_grading.readers import values
from kaiju_sandbox.command import Command, File, Tree
from kaiju_sandbox.environment import Environment

RUN = "/kaiju/run"
"""Where our programs and their instructions stand in a sandbox."""

_TOOLS = Path(__file__).with_name("tools")

_VARIABLES = {
    "HOME": "/tmp",  # noqa: S108 - inside the sandbox, private to it
    "LANG": "C.UTF-8",
    "PATH": "/usr/bin:/bin",
    "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
    "PYTHONDONTWRITEBYTECODE": "1",
    "PYTHONHASHSEED": "0",
    "TZ": "UTC",
}


@dataclass(frozen=True, slots=True)
class Program:
    """A program of `tools/`, and what lies beside it in the sandbox."""

    name: str
    modules: tuple[str, ...] = ()
    files: Mapping[str, bytes] = field(default_factory=dict)


def python_command(
    program: Program, instructions: Mapping[str, object], work: Files, environment: Environment
) -> Command:
    """Run `program` over `work`, with a result channel.

    `-s -P` keep user site and the script's folder off the module search path, `-B` writes no bytecode; `-I`
    would do the same but ignore PYTHONHASHSEED. Instructions are JSON in a file: argv has limits and shows
    in /proc.
    """
    files = {name: _TOOLS.joinpath(name).read_bytes() for name in (program.name, *program.modules)}
    files |= {**program.files, "instructions.json": json.dumps(instructions, sort_keys=True).encode()}
    return Command(
        argv=(environment.programs["python"], "-B", "-s", "-P", f"{RUN}/{program.name}"),
        cwd=WORK,
        env={**environment.variables, **_VARIABLES},
        inputs=(
            *environment.layers,
            Tree(WORK, work),
            Tree(RUN, {name: File(data) for name, data in files.items()}),
        ),
        report=True,
        system=environment.system,
    )


def records(report: bytes) -> tuple[dict[str, object], ...] | None:
    """The channel of a program that runs no code of the agent: JSON objects; None if it is not that."""
    found: list[dict[str, object]] = []
    for line in values.lines(report):
        record = values.json_object(line)
        if record is None:
            return None
        found.append(record)
    return tuple(found)
