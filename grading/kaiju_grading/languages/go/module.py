"""A module file: its path, and what of it cannot stand in a task."""

import re

from kaiju_grading.files import Files
from kaiju_grading.preparation import Obstacle

_MODULE = re.compile(r'^module\s+"?([^\s"]+)"?', re.MULTILINE)
_RELATIVE = re.compile(r"\s=>\s+\.{1,2}/")
_BLOCK = re.compile(r"^replace\s*\(\s*\n(.*?)^\)\s*?\n?", re.MULTILINE | re.DOTALL)


def module_path(files: Files) -> str:
    """Raises Obstacle `no_go_module`."""
    file = files.get("go.mod")
    match = _MODULE.search(file.data.decode(errors="replace")) if file else None
    if match is None:
        raise Obstacle("no_go_module", "the archive has no go.mod that names its module")
    return match[1]


def short_name(module: str) -> str:
    """`github.com/Masterminds/semver/v3` -> `semver`."""
    parts = [part for part in module.split("/") if not re.fullmatch(r"v\d+", part)]
    return parts[-1]


def without_neighbours(data: bytes) -> bytes:
    """Without replacements by folders that the archive does not hold: the required versions are published."""
    text = data.decode()
    text = _BLOCK.sub(lambda block: _kept_block(block[1]), text)
    lines = (
        line for line in text.split("\n") if not (line.startswith("replace ") and _RELATIVE.search(line))
    )
    return "\n".join(lines).encode()


def _kept_block(inside: str) -> str:
    kept = [line for line in inside.split("\n") if line.strip() and not _RELATIVE.search(line)]
    return "replace (\n" + "\n".join(kept) + "\n)\n" if kept else ""
