"""What works on this machine, line by line."""

import os
from collections.abc import Awaitable, Callable
from pathlib import Path

import anyio.to_thread

from kaiju_sandbox import interpreter
from kaiju_sandbox.backend import Check
from kaiju_sandbox.command import Command
from kaiju_sandbox.errors import SandboxError
from kaiju_sandbox.limits import Limits
from kaiju_sandbox.namespace import seccomp
from kaiju_sandbox.namespace.bubblewrap import Bubblewrap
from kaiju_sandbox.result import Result
from kaiju_sandbox.settings import Settings

Execute = Callable[[Command, Limits], Awaitable[Result]]
PROGRAMS = {"/usr/bin/prlimit": "util-linux", "/usr/bin/env": "coreutils", "/bin/sh": "dash"}
ROOT_PROGRAMS = {"/usr/bin/setpriv": "util-linux"}
KERNEL_SWITCHES = {
    "kernel/apparmor_restrict_unprivileged_userns": ("1", "0"),
    "kernel/unprivileged_userns_clone": ("0", "1"),
    "user/max_user_namespaces": ("0", "15000"),
}
"""Below /proc/sys: the value that forbids user namespaces and the one that allows them."""
CONTAINER_REMEDY = (
    "this is a container: start it with --security-opt seccomp=unconfined "
    "--security-opt systempaths=unconfined --security-opt apparmor=unconfined"
)
MEMORY_FILESYSTEMS = {"tmpfs", "ramfs"}
LIBRARY_TEST = "import sqlite3, ssl, sys, zlib, ctypes; print(sys.version.split()[0])"


async def examine(
    bubblewrap: Bubblewrap | SandboxError, settings: Settings, run: Execute
) -> tuple[Check, ...]:
    """`bubblewrap` is what preparation found, or why it failed."""
    lines = [*programs(), preparation(bubblewrap, settings)]
    if isinstance(bubblewrap, Bubblewrap):
        lines += [*await isolation(run), await python(settings, run)]
    return (*lines, layers(settings), limits_line())


def programs() -> list[Check]:
    needed = PROGRAMS | (ROOT_PROGRAMS if os.geteuid() == 0 else {})
    missing = {path: package for path, package in needed.items() if not os.access(path, os.X_OK)}
    remedy = f"sudo apt-get install {' '.join(sorted(set(missing.values())))}" if missing else ""
    detail = f"missing: {', '.join(missing)}" if missing else ", ".join(needed)
    return [Check("system programs", not missing, detail, remedy)]


def preparation(bubblewrap: Bubblewrap | SandboxError, settings: Settings) -> Check:
    if isinstance(bubblewrap, Bubblewrap):
        return Check("bubblewrap", True, f"{bubblewrap.version}; state in {settings.state_dir}")
    remedy = getattr(bubblewrap, "remedy", "")
    return Check("bubblewrap", False, str(bubblewrap), remedy)


async def isolation(run: Execute) -> list[Check]:
    """One real sandbox tells what it got."""
    try:
        result = await run(Command(("/bin/cat", "/proc/self/status")), Limits(wall=30))
    except SandboxError as error:
        return [Check("user namespaces", False, str(error), namespace_remedy())]
    status = dict(line.split(":\t", 1) for line in result.stdout.decode().splitlines() if ":\t" in line)
    filtered = status.get("Seccomp") == "2"
    known = ", ".join(sorted(seccomp.MACHINES))
    return [
        Check("user namespaces", result.ok, "a sandbox ran" if result.ok else f"a sandbox failed: {result}"),
        Check(
            "system call filter",
            filtered,
            "on"
            if filtered
            else f"off: there is a table for {known}, and this machine is {os.uname().machine}",
            "" if filtered else f"run on {known}",
        ),
    ]


def namespace_remedy() -> str:
    for name, (forbidding, allowing) in KERNEL_SWITCHES.items():
        path = Path("/proc/sys", name)
        if path.exists() and path.read_text().strip() == forbidding:
            return f"sudo sysctl -w {name.replace('/', '.')}={allowing}"
    if Path("/.dockerenv").exists() or Path("/run/.containerenv").exists():
        return CONTAINER_REMEDY
    return ""


async def python(settings: Settings, run: Execute) -> Check:
    try:
        found = await anyio.to_thread.run_sync(interpreter.locate, settings)
        inputs = (found.layer,) if found.layer else ()
        command = Command((found.path, "-I", "-S", "-c", LIBRARY_TEST), inputs=inputs)
        result = await run(command, Limits(wall=60))
    except (SandboxError, OSError) as error:
        return Check("interpreter", False, str(error), "set KAIJU_INTERPRETER to a Python of 3.11 or newer")
    if result.stdout.decode(errors="replace").strip() == found.version:
        return Check("interpreter", True, f"Python {found.version} at {found.path} in the sandbox")
    reason = result.stderr[-500:].decode(errors="replace").strip()
    return Check(
        "interpreter", False, f"{found.host} does not work in a sandbox: {reason}", "set KAIJU_INTERPRETER"
    )


def layers(settings: Settings) -> Check:
    """On a disk the kernel remembers which names were looked up: one sandbox can leave marks for another."""
    folder = settings.layers_dir.resolve()
    if in_memory(next(path for path in (folder, *folder.parents) if path.exists())):
        return Check("layers", True, f"{folder} is in memory", required=False)
    owner = f"uid={os.geteuid()},gid={os.getegid()}"
    return Check(
        "layers",
        False,
        f"{folder} is on a disk: sandboxes can leave each other marks there, by the names they look up",
        f"sudo mount -t tmpfs -o size=1g,mode=755,{owner} kaiju-layers {folder}",
        required=False,
    )


def in_memory(path: Path) -> bool:
    device = path.stat().st_dev
    number = f"{os.major(device)}:{os.minor(device)}"
    mounts = [
        line.partition(" - ") for line in Path("/proc/self/mountinfo").read_text("latin-1").splitlines()
    ]
    return any(
        place.split()[2] == number and source.split()[0] in MEMORY_FILESYSTEMS for place, _, source in mounts
    )


def limits_line() -> Check:
    return Check(
        "control groups",
        True,
        "not used: memory, processor time and file counts are looked at every 50 ms",
        required=False,
    )
