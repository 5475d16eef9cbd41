"""Counters of the whole machine: what /proc says of everybody, and what a sandbox finds in its place.

Many only ever grow. One sandbox raises them, by as much as it wants to say, and a later one reads how far
they have come. They keep their form, since programs look for processors and memory there, and stand still.
"""

import hashlib
import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

from kaiju_sandbox.layers import LayerStore

PROC = Path("/proc")
FOLDERS = ("pressure", "fs", "irq", "sys/fs")
"""Hidden, but for the settings among their files."""
SETTINGS = "sys/fs"
EMPTY = ("zoneinfo", "buddyinfo", "interrupts", "softirqs", "diskstats", "schedstat", "locks", "swaps")
FIXED = {
    "loadavg": "0.00 0.00 0.00 1/1 1\n",
    "uptime": "1.00 1.00\n",
    "sys/kernel/pty/nr": "0\n",
    "sys/kernel/random/boot_id": "00000000-0000-4000-8000-000000000000\n",
}
SAID = ("stat", "vmstat", "meminfo")
LASTING = re.compile(r"btime|MemTotal:|SwapTotal:|Hugepagesize:")
"""First words of lines that do not change while the machine runs."""
FREE = {"MemFree:", "MemAvailable:"}
LEFT_OUT = {"binfmt_misc", "quota", "xfs"}
"""Below sys/fs, and no settings of programs."""
COUNTING = {"file-nr", "inode-nr", "inode-state", "dentry-state", "aio-nr"}


def build(store: LayerStore, proc: Path = PROC) -> Path:
    """The layer of what lies over /proc, by the same paths."""
    texts = stand_ins(proc)
    folders = [name for name in FOLDERS if (proc / name).is_dir()]
    digest = hashlib.sha256(repr((sorted(texts.items()), folders)).encode()).hexdigest()

    def fill(layer: Path) -> None:
        for name in folders:
            (layer / name).mkdir(parents=True)
        for name, text in texts.items():
            (layer / name).parent.mkdir(parents=True, exist_ok=True)
            (layer / name).write_text(text)

    return store.build(f"counters-{digest[:32]}", fill)


def stand_ins(proc: Path) -> dict[str, str]:
    """File by file of those that this kernel has."""
    fixed: Mapping[str, str] = FIXED | dict.fromkeys(EMPTY, "")
    texts = {name: text for name, text in fixed.items() if (proc / name).exists()}
    said = {name: readable(proc / name) for name in SAID}
    texts |= {name: stilled(text) for name, text in said.items() if text is not None}
    for path in (proc / SETTINGS).rglob("*"):
        text = readable(path) if LEFT_OUT.isdisjoint(path.parts) else None
        if text is not None:
            texts[str(path.relative_to(proc))] = zeros(text) if path.name in COUNTING else text
    return texts


def readable(path: Path) -> str | None:
    """None for what others may not read: a sandbox of root's may not either. And for what is no text."""
    try:
        if path.is_file() and path.stat().st_mode & 0o004:
            return path.read_text()
    except (OSError, ValueError):
        pass
    return None


def stilled(text: str) -> str:
    """Each line with zeros for its numbers, but for what never changes. All memory is free."""
    total = re.search(r"MemTotal:(.*)", text)
    lines = []
    for whole in text.splitlines():
        name, space, rest = whole.partition(" ")
        if name in FREE and total:
            lines.append(name + total[1])
        else:
            lines.append(whole if LASTING.fullmatch(name) else name + space + zeros(rest))
    return "\n".join([*lines, ""])


def zeros(text: str) -> str:
    """Wide columns become narrow: their width would still tell how many digits there were."""
    return re.sub(r"\d+", "0", re.sub(r" +(?=\d)", " ", text))


@cache
def arguments(layer: Path) -> tuple[str, ...]:
    """Bubblewrap's, after those that mount /proc. A layer does not change."""
    return tuple(_binds(layer))


def _binds(layer: Path) -> Iterator[str]:
    for name in FOLDERS:
        if (layer / name).is_dir():
            yield from ("--ro-bind", str(layer / name), f"/proc/{name}")
    for path in sorted(layer.rglob("*")):
        name = str(path.relative_to(layer))
        if path.is_file() and not name.startswith(tuple(f"{folder}/" for folder in FOLDERS)):
            yield from ("--ro-bind", str(path), f"/proc/{name}")
