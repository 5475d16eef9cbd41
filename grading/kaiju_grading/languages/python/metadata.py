"""What a source tree says about itself, read without running anything: PKG-INFO and pyproject.toml."""

import configparser
import email
import email.policy
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from email.message import Message
from typing import Any

from kaiju_grading.files import Files

_CLASSIFIERS = {
    "Apache Software License": "Apache-2.0",
    "BSD License": "BSD-3-Clause",
    "ISC License (ISCL)": "ISC",
    "MIT License": "MIT",
    "MIT No Attribution License (MIT-0)": "MIT-0",
    "Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
    "Python Software Foundation License": "PSF-2.0",
    "The Unlicense (Unlicense)": "Unlicense",
    "GNU General Public License v2 (GPLv2)": "GPL-2.0-only",
    "GNU General Public License v3 (GPLv3)": "GPL-3.0-only",
    "GNU General Public License v2 or later (GPLv2+)": "GPL-2.0-or-later",
    "GNU General Public License v3 or later (GPLv3+)": "GPL-3.0-or-later",
    "GNU Lesser General Public License v2 or later (LGPLv2+)": "LGPL-2.1-or-later",
    "GNU Lesser General Public License v3 (LGPLv3)": "LGPL-3.0-only",
    "GNU Lesser General Public License v3 or later (LGPLv3+)": "LGPL-3.0-or-later",
    "zlib/libpng License": "Zlib",
}
_SHORT = 60
"""Characters up to which a License field is a name and not the licence's whole text."""


@dataclass(frozen=True, slots=True)
class Metadata:
    """The parts that preparation uses."""

    name: str
    version: str
    summary: str
    python: str
    """Which versions of Python it asks for, as a specifier; empty when it does not say."""
    licence: str
    description: str
    requires: tuple[str, ...]
    """Requirements of the library itself, with environment markers."""
    complete: bool
    """Whether `requires` is all the library needs: False when only a build would tell."""
    groups: Mapping[str, tuple[str, ...]]
    """Extras, dependency groups and requirements files: what development and tests may need."""
    imports: tuple[str, ...]
    """Top-level names the archive declares; empty when it declares none."""
    project: Mapping[str, Any]
    """pyproject.toml, parsed; empty when absent or unreadable."""
    pytest: Mapping[str, str]
    """Upstream's settings of the test runner, from whichever file has them."""


def read_metadata(files: Files) -> Metadata:
    """Never raises: what cannot be read is empty."""
    project = _pyproject(files)
    info = _package_info(files)
    core = _table(project, "project")
    requires, extras = _requirements(info)
    if info is None:
        requires = _strings(core.get("dependencies"))
        extras = {name: _strings(values) for name, values in _table(core, "optional-dependencies").items()}
    return Metadata(
        name=_header(info, "Name") or str(core.get("name", "")),
        version=_header(info, "Version") or str(core.get("version", "")),
        summary=_header(info, "Summary") or str(core.get("description", "")),
        python=_header(info, "Requires-Python") or str(core.get("requires-python", "")),
        licence=_licence(info, core),
        description=str(info.get_payload() or "") if info is not None and not info.is_multipart() else "",
        requires=requires,
        complete=info is not None or (bool(core) and "dependencies" not in _strings(core.get("dynamic"))),
        groups=extras | _groups(project) | _requirement_files(files),
        imports=_imports(info, files),
        project=project,
        pytest=_pytest_settings(files, project),
    )


def _pyproject(files: Files) -> Mapping[str, Any]:
    if "pyproject.toml" not in files:
        return {}
    try:
        return tomllib.loads(files["pyproject.toml"].data.decode())
    except (tomllib.TOMLDecodeError, UnicodeDecodeError):
        return {}


def _package_info(files: Files) -> Message | None:
    candidates = [path for path in files if path.split("/")[-1] == "PKG-INFO"]
    if not candidates:
        return None
    nearest = min(candidates, key=lambda path: (path.count("/"), path))
    text = files[nearest].data.decode("utf-8", errors="replace")
    return email.message_from_string(text, policy=email.policy.compat32)


def _header(info: Message | None, name: str) -> str:
    value = str(info.get(name, "")) if info is not None else ""
    return "" if value == "UNKNOWN" else value.strip()


def _licence(info: Message | None, core: Mapping[str, Any]) -> str:
    declared = core.get("license")
    expression = _header(info, "License-Expression") or (declared if isinstance(declared, str) else "")
    text = _header(info, "License")
    if isinstance(declared, Mapping):
        text = text or str(declared.get("text", ""))
    if not expression and text and len(text) <= _SHORT and "\n" not in text:
        expression = text
    return expression or _classified(info, core)


def _classified(info: Message | None, core: Mapping[str, Any]) -> str:
    lines = [str(line) for line in info.get_all("Classifier", [])] if info is not None else []
    for line in [*lines, *_strings(core.get("classifiers"))]:
        if line.startswith("License :: "):
            last = line.rsplit(" :: ", 1)[-1]
            if last != "OSI Approved":
                return _CLASSIFIERS.get(last, last)
    return ""


def _requirements(info: Message | None) -> tuple[tuple[str, ...], dict[str, tuple[str, ...]]]:
    plain: list[str] = []
    extras: dict[str, list[str]] = {}
    for line in info.get_all("Requires-Dist", []) if info is not None else []:
        match = re.search(r"""extra\s*==\s*['"]([^'"]+)['"]""", str(line))
        if match:
            extras.setdefault(match.group(1), []).append(_without_extra(str(line)))
        else:
            plain.append(str(line))
    return tuple(plain), {name: tuple(values) for name, values in extras.items()}


def _without_extra(line: str) -> str:
    """Drop the marker that mentions the extra; other markers of the line are rare and go with it."""
    return line.split(";", 1)[0].strip()


def _groups(project: Mapping[str, Any]) -> dict[str, tuple[str, ...]]:
    groups = {name: _strings(values) for name, values in _table(project, "dependency-groups").items()}
    poetry = _table(_table(project, "tool"), "poetry")
    tables = {"dev": _table(poetry, "dev-dependencies")}
    tables |= {name: _table(group, "dependencies") for name, group in _table(poetry, "group").items()}
    for name, table in tables.items():
        groups[name] = groups.get(name, ()) + tuple(str(key) for key in table)
    return groups


def _requirement_files(files: Files) -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for path, file in files.items():
        parts = path.lower().split("/")
        named = "requirements" in parts[-1] or (len(parts) == 2 and parts[0] == "requirements")
        if len(parts) <= 2 and named and parts[-1].endswith((".txt", ".in")):
            lines = file.data.decode("utf-8", errors="replace").splitlines()
            wanted = (line.split(" #")[0].strip() for line in lines)
            found[path] = tuple(line for line in wanted if line and line[0] not in "#-.")
    return found


def _imports(info: Message | None, files: Files) -> tuple[str, ...]:
    declared = [str(name).split(";")[0].strip() for name in info.get_all("Import-Name", [])] if info else []
    if declared:
        return tuple(name for name in declared if name)
    for path in sorted(files):
        if path.endswith(".egg-info/top_level.txt"):
            return tuple(files[path].data.decode("utf-8", errors="replace").split())
    return ()


def _pytest_settings(files: Files, project: Mapping[str, Any]) -> dict[str, str]:
    for path, section in (("pytest.ini", "pytest"), ("tox.ini", "pytest"), ("setup.cfg", "tool:pytest")):
        if path in files:
            parser = configparser.RawConfigParser(strict=False)
            try:
                parser.read_string(files[path].data.decode("utf-8", errors="replace"))
            except configparser.Error:
                continue
            if parser.has_section(section):
                return dict(parser.items(section))
    options = _table(_table(_table(project, "tool"), "pytest"), "ini_options")
    return {name: value for name, value in options.items() if isinstance(value, str)}


def _table(value: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    found = value.get(name) if isinstance(value, Mapping) else None
    return found if isinstance(found, Mapping) else {}


def _strings(value: object) -> tuple[str, ...]:
    return tuple(item for item in value if isinstance(item, str)) if isinstance(value, list | tuple) else ()
