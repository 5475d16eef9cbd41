"""Compiled parts: a library whose core is not Python cannot be stubbed as Python."""

import re
from collections.abc import Iterator

from kaiju_grading.files import Files
from kaiju_grading.languages.python.imports import imports_of
from kaiju_grading.preparation import Obstacle

_BUILD_BACKENDS = ("maturin", "mesonpy", "scikit_build_core", "setuptools_rust", "enscons")
_SOURCES = (".pyx", ".c", ".cc", ".cpp", ".rs")
_EXTENSION = re.compile(
    r"""\b(?:Extension|CFFIExtension|RustExtension)\(\s*(?:name\s*=\s*)?["']([\w.]+)["']"""
)


def check_pure(files: Files, library: Files) -> None:
    """Raises Obstacle `compiled_core` unless the library imports without its compiled modules."""
    backend = _build_backend(files)
    if backend.startswith(_BUILD_BACKENDS):
        raise Obstacle("compiled_core", f"built by {backend}")
    compiled = set(_compiled_modules(files, library))
    for path in sorted(library) if compiled else ():
        for item in (imports_of(library[path].data) or ()) if path.endswith(".py") else ():
            named = {item.module.rsplit(".", 1)[-1], *item.names} & compiled
            if named and not item.optional:
                raise Obstacle("compiled_core", f"{path} needs the compiled module {sorted(named)[0]}")


def _build_backend(files: Files) -> str:
    text = files["pyproject.toml"].data.decode("utf-8", errors="replace") if "pyproject.toml" in files else ""
    found = re.search(r"""build-backend\s*=\s*["']([\w.]+)["']""", text)
    return found.group(1) if found else ""


def _compiled_modules(files: Files, library: Files) -> Iterator[str]:
    """Last parts of the names of modules that only exist compiled."""
    stems = {path.rsplit("/", 1)[-1].removesuffix(".py") for path in library if path.endswith(".py")}
    for path in files:
        name = path.rsplit("/", 1)[-1]
        stem = name.split(".", 1)[0]
        beside = any(other.startswith(path.rpartition("/")[0] + "/") for other in library)
        if name.endswith(_SOURCES) and beside and stem not in stems:
            yield stem
    for path in ("setup.py", "pyproject.toml"):
        text = files[path].data.decode("utf-8", errors="replace") if path in files else ""
        yield from (match.rsplit(".", 1)[-1] for match in _EXTENSION.findall(text))
