"""Locking: every distribution of a task's environment, pinned by hash. Nothing of them runs."""

import os
import re
import subprocess
import tempfile
from pathlib import Path

import uv
from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.utils import canonicalize_name
from packaging.version import InvalidVersion

from kaiju_grading.languages.python.backend import BUILD, build_requirements
from kaiju_grading.languages.python.index import configured_index
from kaiju_grading.languages.python.metadata import read_metadata
from kaiju_grading.preparation import Lock, Obstacle, Source, Split
from kaiju_sandbox import interpreter
from kaiju_sandbox.backend import Check
from kaiju_sandbox.interpreter import Interpreter
from kaiju_sandbox.settings import Settings

PYTEST = "pytest==9.2.0"
RUFF = "ruff==0.17.6"
TOOLS = (PYTEST, RUFF)
"""Ours, in every environment."""
_TIMEOUT = 600
"""Seconds for one call of uv."""
_ADDRESS = re.compile(r"\b[a-z][a-z+]*://\S+")
_PINNED = re.compile(r"([A-Za-z0-9][A-Za-z0-9._-]*)==[A-Za-z0-9.!+_-]+( ?; [\w .'\"()<>=!,*+-]+)? \\")
_HASH = re.compile(r"    --hash=sha256:[0-9a-f]{64}( \\)?")
_OFFLINE = ("error sending request", "dns error", "timed out", "Connection refused", "failed to connect")


def lock_environment(split: Split, source: Source, settings: Settings) -> Lock:
    """Raises Obstacle: `other_language_version`, `dependency_unavailable` (no wheel, no such version),
    `index_unavailable`."""
    python = interpreter.locate(settings)
    _check_python(source, python.version)
    minor = ".".join(python.version.split(".")[:2])
    metadata = {
        "name": source.release.name,
        "version": source.release.version,
        "packages": " ".join(split.packages),
    }
    backend = _lock_backend(source, python)
    return Lock(
        text=_lock_most(split, python),
        language_version=minor,
        metadata=metadata | ({BUILD: backend} if backend else {}),
    )


def _lock_backend(source: Source, python: Interpreter) -> str:
    """The lock of the library's own build; without one, whether a tree builds itself is not measured."""
    try:
        lines = build_requirements(source.files)
        return _compile(lines, python) if lines else ""
    except Obstacle as obstacle:
        if obstacle.code != "dependency_unavailable":
            raise
        return ""


def _check_python(source: Source, version: str) -> None:
    """A specifier that cannot be read asks for nothing."""
    wanted = read_metadata(source.files).python
    try:
        fits = SpecifierSet(wanted).contains(version, prereleases=True)
    except (InvalidSpecifier, InvalidVersion):
        return
    if not fits:
        raise Obstacle(
            "other_language_version",
            f"{source.release.purl}: needs Python {wanted}, the sandboxes have {version}",
        )


def _lock_most(split: Split, python: Interpreter) -> str:
    """The lock of everything, or of all that can be had: tests that lack the rest fail and are dropped."""
    try:
        return _compile((*TOOLS, *split.requirements), python)
    except Obstacle as obstacle:
        if obstacle.code != "dependency_unavailable" or not split.spare:
            raise
    lines = (*TOOLS, *(line for line in split.requirements if line not in split.spare))
    text = _compile(lines, python)
    for line in split.spare:
        try:
            text = _compile((*lines, line), python)
        except Obstacle:
            continue
        lines = (*lines, line)
    return text


def _compile(lines: tuple[str, ...], python: Interpreter) -> str:
    with tempfile.TemporaryDirectory() as folder:
        wanted = Path(folder) / "requirements.in"
        wanted.write_text("".join(f"{line}\n" for line in sorted(lines)), "utf-8")
        locked = Path(folder) / "requirements.txt"
        run_uv(
            *("pip", "compile", "--universal", "--generate-hashes", "--only-binary", ":all:"),
            *("--no-emit-index-url", "--no-emit-find-links", "--no-header", "--no-annotate", "--quiet"),
            *("--python-version", ".".join(python.version.split(".")[:2]), "--python", str(python.host)),
            *("--output-file", str(locked), str(wanted)),
        )
        return locked.read_text("utf-8")


def check_uv() -> Check:
    """Whether the program that resolves and installs is there."""
    try:
        return Check("uv", ok=True, detail=uv.find_uv_bin())
    except FileNotFoundError:
        return Check("uv", ok=False, detail="not found", remedy="pip install uv")


def run_uv(*arguments: str) -> None:
    """Run uv with the user's own configuration. Raises Obstacle with what it said, addresses left out."""
    try:
        done = subprocess.run(
            [uv.find_uv_bin(), "--color", "never", *arguments],
            env=os.environ | index_variables(),
            capture_output=True,
            text=True,
            timeout=_TIMEOUT,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise Obstacle("index_unavailable", f"uv did not end within {_TIMEOUT} s") from error
    if done.returncode:
        said = _ADDRESS.sub("(address)", done.stderr).strip()
        offline = any(sign in done.stderr for sign in _OFFLINE)
        raise Obstacle("index_unavailable" if offline else "dependency_unavailable", said[-1500:])


def index_variables() -> dict[str, str]:
    """What the user told pip, in uv's words; an address may hold a password, so never an argument."""
    index = configured_index()
    links = [place for place in index.find_links if "://" in place or Path(place).is_dir()]
    variables = {
        "UV_DEFAULT_INDEX": " ".join(index.urls[:1]),
        "UV_INDEX": " ".join([*index.urls[1:], *index.extra_urls]),
        "UV_FIND_LINKS": ",".join(links),
        "SSL_CERT_FILE": index.certificates or "",
    }
    return {name: value for name, value in variables.items() if value}


def blocks(text: str) -> dict[str, str]:
    """A lock's lines by normalised distribution name, each with its hashes.

    A lock may come from a stranger's task: Raises Obstacle `bad_lock` for a line that is not a pinned
    distribution or its hash, such as an index's address or a path.
    """
    found: dict[str, str] = {}
    name = ""
    for number, line in enumerate(text.splitlines(), start=1):
        pinned = _PINNED.fullmatch(line)
        if pinned:
            name = canonicalize_name(pinned.group(1))
        elif not (name and _HASH.fullmatch(line)):
            raise Obstacle("bad_lock", f"line {number} is neither a pinned distribution nor its hash")
        found[name] = found.get(name, "") + line + "\n"
    return found
