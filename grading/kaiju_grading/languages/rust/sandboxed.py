"""What every command of this language has in common: environment, inputs, scripts of ours in `tools/`."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from kaiju_grading.files import Files
from kaiju_grading.language import WORK
from kaiju_sandbox.command import Command, File, Scratch, Tree
from kaiju_sandbox.environment import Environment
from kaiju_sandbox.limits import MIB, Limits

RUN = "/kaiju/run"
"""Where our scripts and settings stand in a sandbox."""
TOOLCHAIN = "/kaiju/env/rust"
CARGO = "/kaiju/env/cargo"
"""CARGO_HOME: the vendored dependencies, cargo's settings and the lock."""
WARM = "/kaiju/env/target"
"""Compiled dependencies; never the library."""
TARGET = "/kaiju/target"
"""Where cargo builds: the same path always, or nothing of WARM would be fresh."""
TARGET_SIZE = 3 * 1024**3
CHECK = ("check", "--lib", "--tests", "--keep-going", "--quiet")
"""Library and tests without making programs; one broken target hides no other."""
FLAGS = "--cap-lints=warn"
"""One set for everything: other flags would compile every dependency again."""
PROGRAM_SYSTEM = "python"
"""Test programs need a C library and a shell. The small system has them; the one with compilers is large, and
what is large is a memory between sandboxes."""

BUILD_LIMITS = Limits(
    wall=900.0,
    cpu=1800.0,
    memory=8192 * MIB,
    processes=512,
    file_size=1024 * MIB,
    disk=512 * MIB,
    files=200_000,
    report=64 * MIB,
    keep=1024 * MIB,
)

_TOOLS = Path(__file__).with_name("tools")
_VARIABLES = {
    "CARGO_HOME": CARGO,
    "CARGO_INCREMENTAL": "0",
    "CARGO_NET_OFFLINE": "true",
    "CARGO_PROFILE_DEV_DEBUG": "0",
    "CARGO_PROFILE_TEST_DEBUG": "0",
    "CARGO_PROFILE_DEV_STRIP": "debuginfo",
    "CARGO_PROFILE_TEST_STRIP": "debuginfo",
    "CARGO_TARGET_DIR": TARGET,
    "CARGO_TERM_COLOR": "never",
    "HOME": "/tmp",  # noqa: S108 - inside the sandbox, private to it
    "LANG": "C.UTF-8",
    "PATH": f"{TOOLCHAIN}/bin:/usr/bin:/bin",
    "RUSTFLAGS": FLAGS,
    "TZ": "UTC",
}


def tool(name: str) -> File:
    return File((_TOOLS / name).read_bytes())


@dataclass(frozen=True, slots=True)
class Script:
    """A script of `tools/`, its arguments, and files of ours beside it."""

    name: str
    arguments: tuple[str, ...] = ()
    beside: Mapping[str, File] = field(default_factory=dict)


def cargo_command(script: Script, work: Files, environment: Environment, keep: str | None = None) -> Command:
    """Run a script over `work`, with the target folder warm and a result channel."""
    return Command(
        argv=("/bin/bash", f"{RUN}/{script.name}", *script.arguments),
        cwd=WORK,
        env={**environment.variables, **_VARIABLES},
        inputs=(
            *environment.layers,
            Tree(WORK, {**work, "Cargo.lock": File(lock_of(environment))}),
            Tree(RUN, {script.name: tool(script.name), **script.beside}),
        ),
        scratch=(Scratch(TARGET, TARGET_SIZE),),
        keep=keep,
        report=True,
        system=environment.system,
    )


def lock_of(environment: Environment) -> bytes:
    """The lock that the environment was built from; without it cargo would resolve by itself."""
    for layer in environment.layers:
        if layer.target == CARGO:
            return (layer.path / "Cargo.lock").read_bytes()
    raise ValueError(f"environment without a layer at {CARGO}")
