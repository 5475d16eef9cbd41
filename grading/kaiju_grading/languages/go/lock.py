"""The lock of a task: go.mod and go.sum as resolved, and the packages that are imported.

It is written the way Go writes several files in one text: `-- NAME --` before each.
"""

import json
import re
import tempfile
from pathlib import Path

from kaiju_grading.files import Files
from kaiju_grading.languages.go.sandboxed import patterns
from kaiju_grading.languages.go.toolchain import locate, run_go
from kaiju_grading.preparation import Lock, Obstacle, Source, Split
from kaiju_sandbox.settings import Settings

PARTS = ("go.mod", "go.sum", "imports")
_HEADER = re.compile(r"^-- (\S+) --\n", re.MULTILINE)
_LISTED = "".join(
    f"{{{{range .{name}}}}}{{{{.}}}}\n{{{{end}}}}" for name in ("Imports", "TestImports", "XTestImports")
)
_OWN = f"{{{{if .Module}}}}{{{{if .Module.Main}}}}{_LISTED}{{{{end}}}}{{{{end}}}}"
"""What the module's own packages import, those among them that no pattern names."""


def lock_environment(split: Split, source: Source, settings: Settings) -> Lock:
    """Resolve what library and tests import (network). Raises Obstacle `dependency_unavailable`."""
    found = locate()
    work = {**split.config, **split.library, **split.helpers, **split.tests}
    settings.downloads_dir.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        _write(work, place)
        variables = {
            "CGO_ENABLED": "0",
            "GOFLAGS": "-mod=mod",
            "GOTOOLCHAIN": "local",
            "GOWORK": "off",
            "GOMODCACHE": str(settings.downloads_dir.resolve() / "go"),
        }
        asked = patterns(split.options)
        # This downloads exactly what these packages and their tests need, and completes go.sum.
        run_go(["list", "-deps", "-test", *asked], place, variables)
        imports = run_go(["list", "-deps", "-test", "-f", _OWN, *asked], place, variables)
        sums = place / "go.sum"
        texts = {
            "go.mod": (place / "go.mod").read_text("utf-8"),
            "go.sum": sums.read_text("utf-8") if sums.exists() else "",
            "imports": "".join(f"{path}\n" for path in _imported(imports, split.options["module"])),
        }
    text = "".join(f"-- {name} --\n{texts[name].rstrip()}\n" for name in PARTS)
    return Lock(text, found.minor, {"module": split.options["module"]})


def parts(text: str) -> dict[str, str]:
    """The texts of a lock by name. Raises Obstacle `bad_lock`."""
    pieces = _HEADER.split(text)
    found = dict(zip(pieces[1::2], pieces[2::2], strict=True))
    if pieces[0].strip() or set(found) != set(PARTS):
        raise Obstacle("bad_lock", f"the lock has {', '.join(sorted(found)) or 'nothing'}; expected {PARTS}")
    for path in found["imports"].split():
        if not re.fullmatch(r"[\w.~/-]+", path):
            raise Obstacle("bad_lock", f"import {path[:80]!r}: expected an import path")
    return found


def linter_version(tools: Path) -> str:
    """Of staticcheck, as its own module file pins it."""
    text = (tools / "linter" / "go.mod").read_text("utf-8")
    match = re.search(r"honnef\.co/go/tools (v\S+)", text)
    return match[1] if match else "none"


def _imported(listed: str, module: str) -> list[str]:
    """Import paths that are not the library's own."""
    paths = {line.split(" ")[0] for line in listed.split("\n") if line}
    own = {path for path in paths if path == module or path.startswith((module + "/", module + "_test"))}
    main = {path for path in paths if path.endswith(".test")} | {"C", "unsafe"}
    return sorted(path for path in paths - own - main if "internal" not in path.split("/"))


def _write(files: Files, place: Path) -> None:
    for path, file in files.items():
        target = place / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(file.data)


def download(module: str, version: str, variables: dict[str, str], cwd: Path) -> dict[str, object]:
    """What the go command says of one module, downloaded. Raises Obstacle."""
    said = run_go(["mod", "download", "-json", f"{module}@{version}"], cwd, variables)
    found: dict[str, object] = json.loads(said)
    return found
