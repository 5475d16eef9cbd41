"""The environment of a task: toolchain, our programs, and dependencies with a warm cache, as layers.

With CGO_ENABLED=0 the go command runs no code of what it compiles, so that the cache is filled on the host.
"""

import hashlib
import json
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from kaiju_grading.languages.go import lock as locks
from kaiju_grading.languages.go.sandboxed import CHECKS, DEPENDENCIES, LINT, PROGRAM, TOOLCHAIN, TOOLS
from kaiju_grading.languages.go.toolchain import Toolchain, locate, offline, run_go, share_toolchain
from kaiju_grading.preparation import Lock, Obstacle
from kaiju_sandbox.command import Layer
from kaiju_sandbox.environment import Environment
from kaiju_sandbox.layers import LayerStore
from kaiju_sandbox.settings import Settings

BUILDING = ["-trimpath", "-buildvcs=false"]
"""What decides the content of the cache: the same flags as in the sandbox."""
_FORMAT = 1
"""Part of every key: counts changes to how a layer is made from the same input."""
_SOURCES = Path(__file__).with_name("tools")
_LINTER = "honnef.co/go/tools/cmd/staticcheck"


@dataclass(frozen=True, slots=True)
class Builder:
    """A toolchain that is a layer already, and what is made with it."""

    found: Toolchain
    layer: Layer
    key: str
    store: LayerStore
    downloads: Path

    @classmethod
    def of(cls, found: Toolchain, settings: Settings) -> "Builder":
        """Copies the toolchain into a layer where there is none yet."""
        store = LayerStore(settings.layers_dir)
        layer, key = share_toolchain(found, store)
        return cls(found, layer, key, store, settings.downloads_dir.resolve() / "go")

    def go(self, arguments: list[str], cwd: Path, variables: dict[str, str]) -> str:
        program = self.layer.path / "bin" / "go"
        settings = {**offline(self.layer.path, {}), **variables}
        return run_go(arguments, cwd, settings, str(program))

    def name(self, role: str, *inputs: object) -> str:
        text = json.dumps([_FORMAT, self.key, *inputs], sort_keys=True)
        return f"go-{role}-{hashlib.sha256(text.encode()).hexdigest()[:32]}"

    def compile(
        self, sources: dict[str, str], package: str, program: Path, variables: dict[str, str]
    ) -> None:
        """One program, linked without what only a debugger reads."""
        with _cache(self.standard_cache()) as cache, tempfile.TemporaryDirectory() as folder:
            for name, content in sources.items():
                (Path(folder) / name).write_text(content, "utf-8")
            arguments = ["build", *BUILDING, "-ldflags=-s -w", "-o", str(program), package]
            self.go(arguments, Path(folder), {**variables, "GOCACHE": str(cache)})

    def learn(self, module: Path, linter: Path | None, variables: dict[str, str]) -> None:
        """Fill the linters' caches: what they find out of a dependency they need for each use of it."""
        self.go(["vet", *BUILDING, "."], module, variables)
        if linter is not None:
            settings = {
                **offline(self.layer.path, {}),
                **variables,
                "GOFLAGS": " ".join([variables["GOFLAGS"], *BUILDING]),
                "PATH": f"{self.layer.path}/bin:/usr/bin:/bin",
            }
            run_go(["-checks", CHECKS, "."], module, settings, str(linter))

    def standard_cache(self) -> Path:
        """The standard library compiled: what every other cache begins with."""

        def fill(folder: Path) -> None:
            with tempfile.TemporaryDirectory() as empty:
                self.go(["build", *BUILDING, "std"], Path(empty), {"GOCACHE": str(folder)})

        return self.store.build(self.name("std", BUILDING), fill)


def provision_environment(lock: Lock, settings: Settings) -> Environment:
    """Find or build the layers. Raises Obstacle (`no_toolchain`, `dependency_unavailable`, ...)."""
    found = locate()
    if found.minor != lock.language_version:
        raise Obstacle(
            "other_language_version", f"locked for Go {lock.language_version}, this machine has {found.minor}"
        )
    builder = Builder.of(found, settings)
    layer, key = builder.layer, builder.key
    linter, linter_key = linter_layer(builder)
    layers = [
        (layer, key),
        program_layer(builder),
        (linter, linter_key),
        dependency_layer(builder, lock, linter.path / "staticcheck"),
    ]
    return Environment(
        system="go",
        layers=tuple(layer for layer, _ in layers),
        keys=tuple(key for _, key in layers),
        programs={PROGRAM: f"{TOOLS}/{PROGRAM}", "staticcheck": f"{LINT}/staticcheck"},
        tools={"go": found.version, "staticcheck": locks.linter_version(_SOURCES)},
        # The dependencies' cache holds the standard library compiled; the library itself is in neither.
        public=(TOOLCHAIN, DEPENDENCIES),
    )


def program_layer(builder: Builder) -> tuple[Layer, str]:
    """Our own program, compiled from `tools/`."""
    sources = _texts(_SOURCES)
    key = builder.name("tools", sources)

    def fill(folder: Path) -> None:
        builder.compile(sources, ".", folder / PROGRAM, {})

    return Layer(TOOLS, builder.store.build(key, fill)), key


def linter_layer(builder: Builder) -> tuple[Layer, str]:
    """staticcheck, as `tools/linter/go.mod` pins it. Downloads its modules the first time."""
    sources = _texts(_SOURCES / "linter")
    key = builder.name("lint", sources)

    def fill(folder: Path) -> None:
        builder.compile(sources, _LINTER, folder / "staticcheck", _network(builder.downloads))

    return Layer(LINT, builder.store.build(key, fill)), key


def _texts(folder: Path) -> dict[str, str]:
    paths = sorted([*folder.glob("*.go"), *folder.glob("go.*")])
    return {path.name: path.read_text("utf-8") for path in paths}


def _network(modules: Path) -> dict[str, str]:
    """Downloads are checked against go.sum, and that was written with the checksum database asked."""
    return {
        "GOPROXY": _asked("GOPROXY"),
        "GOSUMDB": "off",
        "GOMODCACHE": str(modules),
        "GOFLAGS": "-mod=readonly",
    }


def _asked(name: str) -> str:
    """A setting of this account's go command."""
    return run_go(["env", name], Path("/"), {"GOTOOLCHAIN": "local"}).strip()


def dependency_layer(builder: Builder, lock: Lock, linter: Path | None = None) -> tuple[Layer, str]:
    """Modules, compiled packages, what the linters know of them, and the module file that names them."""
    """Modules that library and tests need, their compiled packages, and the module file that names them."""
    key = builder.name("deps", lock.text, linter is not None)
    parts = locks.parts(lock.text)

    def fill(folder: Path) -> None:
        cache, modules, module = (folder / name for name in ("cache", "mod", "module"))
        _start_cache(builder.standard_cache(), cache)
        modules.mkdir()
        module.mkdir()
        for name in ("go.mod", "go.sum"):
            (module / name).write_text(parts[name], "utf-8")
        imports = parts["imports"].split()
        if imports:
            lines = "".join(f"import _ {json.dumps(path)}\n" for path in imports)
            (module / "imports.go").write_text(f"package imports\n\n{lines}", "utf-8")
            variables = {**_network(modules), "GOCACHE": str(cache)}
            builder.go(["build", *BUILDING, "."], module, variables)
            builder.learn(module, linter, {**variables, "STATICCHECK_CACHE": str(folder / "staticcheck")})
            (module / "imports.go").unlink()
        _trim(modules)

    return Layer(DEPENDENCIES, builder.store.build(key, fill)), key


def _trim(modules: Path) -> None:
    """Without archives, which hold everything a second time, and without what only a download needs."""
    for path in modules.glob("cache/download/**/*"):
        if path.suffix == ".zip" or path.name.endswith(".lock"):
            path.unlink()
    shutil.rmtree(modules / "cache" / "vcs", ignore_errors=True)
    shutil.rmtree(modules / "cache" / "download" / "sumdb", ignore_errors=True)
    for folder, folders, files in os.walk(modules):
        for name in folders + files:
            path = Path(folder, name)
            path.chmod(path.stat().st_mode | 0o200)


@contextmanager
def _cache(warm: Path) -> Iterator[Path]:
    """A writable cache that begins as `warm`."""
    with tempfile.TemporaryDirectory(dir=warm.parent, prefix=".gocache-") as folder:
        cache = Path(folder) / "cache"
        _start_cache(warm, cache)
        yield cache


def _start_cache(warm: Path, cache: Path) -> None:
    """Content by hard links, since it is never written again; the index, which is, by copies."""
    cache.mkdir()
    for source in sorted(warm.rglob("*")):
        target = cache / source.relative_to(warm)
        if source.is_dir():
            target.mkdir()
        elif source.name.endswith("-d"):
            os.link(source, target)
        else:
            shutil.copyfile(source, target)
