"""The places of a command: where its inputs and scratch folders go, checked before anything is made."""

from itertools import chain
from pathlib import PurePosixPath

from kaiju_sandbox.command import Command, Tree
from kaiju_sandbox.limits import MIB, Limits

TEMPORARY = "/tmp"  # noqa: S108 - a path inside the sandbox, private to it
SHARED_MEMORY = "/dev/shm"  # noqa: S108 - a path inside the sandbox, private to it
SHARED_MEMORY_MOST = 64 * MIB
SYSTEM_PLACES = (
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/etc",
    "/proc",
    "/dev",
    "/sys",
)
NAME_BYTES = 255


def check(command: Command) -> None:
    """Raises ValueError that names the field, the value and what was expected."""
    if not command.argv or not command.argv[0].startswith("/"):
        raise ValueError(f"argv: {command.argv[:1]!r}, expected an absolute path first")
    for text in chain(command.argv, (command.cwd,), command.env, command.env.values()):
        if "\0" in text:
            raise ValueError(f"command: {text!r} holds a NUL character")
    for name in command.env:
        if not name or "=" in name:
            raise ValueError(f"env: {name!r}, expected a name without '='")
    check_path("cwd", command.cwd)
    check_targets(command)
    check_keep(command)
    for tree in command.inputs:
        if isinstance(tree, Tree):
            check_tree(tree)


def check_path(field: str, path: str) -> None:
    """Absolute, normal, without dots that climb."""
    if not path.startswith("/") or path.startswith("//") or str(PurePosixPath(path)) != path:
        raise ValueError(f"{field}: {path!r}, expected an absolute path in its shortest form")
    if ".." in PurePosixPath(path).parts:
        raise ValueError(f"{field}: {path!r}, expected a path without '..'")


def check_targets(command: Command) -> None:
    """No place twice, none in the system's folders, none below a read-only one."""
    read_only = [entry.target for entry in command.inputs]
    writable = [scratch.target for scratch in command.scratch]
    seen: set[str] = {TEMPORARY}
    for target in read_only + writable:
        check_path("target", target)
        if target == "/" or any(is_below(target, place) for place in SYSTEM_PLACES):
            raise ValueError(f"target: {target!r}, expected a place outside the system's folders")
        if target in seen or any(target != other and is_below(target, other) for other in read_only):
            raise ValueError(f"target: {target!r} overlaps another input or scratch folder")
        seen.add(target)
    for scratch in command.scratch:
        if scratch.size < 1:
            raise ValueError(f"scratch {scratch.target!r}: size {scratch.size}, expected at least 1 byte")


def check_keep(command: Command) -> None:
    if command.keep is None:
        return
    check_path("keep", command.keep)
    holder(command.keep, command)


def holder(path: str, command: Command) -> str:
    """The scratch folder that holds `path`. Raises ValueError when none does."""
    places = [TEMPORARY, *(scratch.target for scratch in command.scratch)]
    holding = [place for place in places if is_below(path, place)]
    covered = [entry.target for entry in command.inputs if is_below(path, entry.target)]
    if not holding or covered:
        raise ValueError(f"keep: {path!r}, expected a path below a scratch folder or {TEMPORARY}")
    return max(holding, key=len)


def is_below(path: str, folder: str) -> bool:
    """Also true for the folder itself."""
    return path == folder or path.startswith(folder.rstrip("/") + "/")


def check_tree(tree: Tree) -> None:
    """Every name relative, normal, and no file where another needs a folder."""
    folders: set[str] = set()
    for name in tree.files:
        parts = name.split("/")
        if not name or "\0" in name or any(part in {"", ".", ".."} for part in parts):
            raise ValueError(f"tree {tree.target!r}: {name!r}, expected a relative path in its shortest form")
        if any(len(part.encode(errors="surrogateescape")) > NAME_BYTES for part in parts):
            raise ValueError(f"tree {tree.target!r}: {name[:80]!r}..., a name longer than {NAME_BYTES} bytes")
        folders.update(folders_of(name))
    clashing = folders & tree.files.keys()
    if clashing:
        raise ValueError(f"tree {tree.target!r}: {min(clashing)!r} is a file and a folder")


def folders_of(name: str) -> list[str]:
    """The folders that hold a relative path in its shortest form, the outermost first."""
    # Thousands of paths before each run: pathlib costs many times as much.
    return [name[:cut] for cut, letter in enumerate(name) if letter == "/"]


def scratch_sizes(command: Command, limits: Limits) -> dict[str, int]:
    """Every writable folder of the sandbox and what it may hold, in bytes."""
    sizes = {SHARED_MEMORY: min(limits.disk, SHARED_MEMORY_MOST), TEMPORARY: limits.disk}
    return sizes | {entry.target: entry.size for entry in command.scratch}
