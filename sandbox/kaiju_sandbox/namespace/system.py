"""The system of Python sandboxes: the few programs and libraries of the host that they need, as one layer.

Not the host's /usr. Reading a page that nobody else reads leaves a mark in the kernel's page cache, and the
next sandbox finds it by how long the same page takes: gigabytes of files that are never used are a memory
between sandboxes that share nothing else. A small system can be kept in memory whole (see `warmth`), so that
there is nothing to find. It also keeps what is installed on the host out of every result.
"""

import hashlib
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from kaiju_sandbox.errors import SandboxFault
from kaiju_sandbox.interpreter import SYSTEM_PYTHON, Installation, probe, wanted
from kaiju_sandbox.layers import LayerStore
from kaiju_sandbox.settings import Settings
from kaiju_sandbox.toolchain import SYSTEM, copy_member, members

PROGRAMS = """
[ awk base64 basename bash cat chmod cmp comm cp cut date dd df diff dirname du echo egrep env expr
false fgrep find getconf getent grep gunzip gzip head hostname id install kill ldd ln locale ls
md5sum mkdir mkfifo mktemp mount mv nice nohup nproc od paste pgrep pkill printenv printf prlimit ps
pwd readlink realpath rm rmdir sed seq setpriv sh sha1sum sha256sum shuf sleep sort split stat
stdbuf stty sync tac tail tar tee test timeout touch tr true truncate tty umount uname uniq unlink
unshare wc which whoami xargs yes
"""
"""What a shell script or a test may start. Those that the host lacks are left out."""
SEARCH_PATH = "/usr/bin:/bin:/usr/sbin:/sbin"
LIBRARIES = re.compile(
    r"(lib(stdc\+\+|gcc_s|atomic|z|crypt|dl|m|mvec|pthread|rt|resolv|util|nsl|anl|nss_files|nss_dns)\.so\.[0-9]+"
    r"|ld-linux-[\w-]+\.so\.[0-9]+)"
)
"""Loaded by name at run time, or what a portable wheel may expect of any system."""
LIBRARY_FOLDERS = ("lib", "lib64", "lib/*-linux-gnu*")
DATA = ("share/zoneinfo", "lib/locale/C.utf8")
LISTED = re.compile(r"^\t(?:\S+ => )?(/\S+) \(0x[0-9a-f]+\)$", re.MULTILINE)
"""Lines of ldd that name a file."""
LDD_SECONDS = 600
"""It takes seconds; a machine may be busy with twenty other things."""


@dataclass(frozen=True, slots=True)
class Parts:
    """What the layer is made of, by place below /usr, and what else its libraries have to serve."""

    files: dict[str, Path]
    served: tuple[Path, ...]

    @property
    def key(self) -> str:
        """Changes with every upgrade of the host: of a member, or of any library beside those it links."""
        digest = hashlib.sha256()
        folders = [path for name in LIBRARY_FOLDERS for path in SYSTEM.glob(name)]
        for path in sorted({*self.files.values(), *self.served, *folders}):
            status = path.stat()
            digest.update(f"{path}\0{status.st_size}\0{status.st_mtime_ns}\n".encode())
        return f"system-{digest.hexdigest()[:32]}"


def build(store: LayerStore, settings: Settings) -> Path:
    """The layer to mount at /usr, built where it is missing. Raises SandboxFault without ldd."""
    parts = collect(settings)

    def fill(folder: Path) -> None:
        libraries = linked([*parts.files.values(), *parts.served])
        for name, path in (parts.files | {below_usr(path): path for path in libraries}).items():
            copy_member(path.resolve(), folder / name)

    return store.build(parts.key, fill)


def collect(settings: Settings) -> Parts:
    files = {f"bin/{name}": path for name in PROGRAMS.split() if (path := find_program(name)) is not None}
    served: list[Path] = []
    for python in pythons(settings):
        folder = python.prefix / "lib" / f"python{'.'.join(python.version.split('.')[:2])}"
        served += [python.program, *folder.glob("lib-dynload/*.so")]
        if python.program.is_relative_to(SYSTEM):
            files |= python_files(python, folder)
    for folder in (SYSTEM / name for name in DATA):
        files |= {below_usr(path): path for path in folder.rglob("*") if belongs_to_usr(path)}
    libraries = [path for name in LIBRARY_FOLDERS for path in SYSTEM.glob(f"{name}/*.so.*")]
    files |= {below_usr(path): path for path in libraries if LIBRARIES.fullmatch(path.name)}
    return Parts(files, tuple(served))


def find_program(name: str) -> Path | None:
    found = shutil.which(name, path=SEARCH_PATH)
    return None if found is None else Path(found).resolve()


def pythons(settings: Settings) -> Iterator[Installation]:
    """Every interpreter that sandboxes of these settings may be given."""
    candidates = (settings.interpreter,) if settings.interpreter else (Path(sys.executable), SYSTEM_PYTHON)
    for program in candidates:
        if program.exists():
            yield probe(program)


def python_files(python: Installation, library: Path) -> dict[str, Path]:
    """An interpreter of /usr with its standard library, without what the host installed into it."""

    def belongs(path: PurePosixPath) -> bool:
        return wanted(PurePosixPath("lib", library.name) / path)

    files = {below_usr(library / path): library / path for path in members(library, belongs)}
    names = {python.program, python.program.with_name("python3"), python.program.with_name("python")}
    programs = {path for path in names if path.exists() and path.resolve() == python.program}
    existing = {name: path for name, path in files.items() if belongs_to_usr(path)}
    return existing | {below_usr(path): path for path in programs}


def linked(files: Iterable[Path]) -> list[Path]:
    """The shared libraries that the loader would map for these files."""
    argv = ["ldd", *sorted({str(path) for path in files if is_binary(path)})]
    try:
        answer = subprocess.run(argv, capture_output=True, text=True, timeout=LDD_SECONDS, check=False)
    except subprocess.TimeoutExpired as error:
        # Its own text has the hundreds of paths that it was asked about.
        said = f"ldd took longer than {LDD_SECONDS} s"
        raise SandboxFault(f"the system of sandboxes cannot be collected: {said}") from error
    except OSError as error:
        raise SandboxFault(f"the system of sandboxes cannot be collected: ldd ({error})") from error
    found = {Path(name) for name in LISTED.findall(answer.stdout)}
    return sorted(path for path in found if path.exists())


def below_usr(path: Path) -> str:
    """Its place in the layer: /lib and /lib64 are the folders of that name below /usr."""
    return str(path.relative_to(SYSTEM if path.is_relative_to(SYSTEM) else "/"))


def belongs_to_usr(path: Path) -> bool:
    """A link that leads out is the host's own setting: sitecustomize.py in /etc, localtime."""
    return path.resolve().is_relative_to(SYSTEM) and path.is_file()


def is_binary(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(4) == b"\x7fELF"
