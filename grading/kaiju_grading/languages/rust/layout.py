"""How the tests of a composed tree are laid out for one compilation, and which names they get.

The tree that is compiled differs from the composed one: the library's own test items are gone, the task's are
back in their places, test programs stand in a folder of a random name and look their values up.
"""

import json
import secrets
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from kaiju_grading.files import Files
from kaiju_grading.language import WORK
from kaiju_grading.languages.rust.inline import (
    Folder,
    Stretch,
    held_items,
    is_inline,
    loaded_file,
    moved,
    put_back,
    source_of,
    standing,
    strip,
)
from kaiju_grading.languages.rust.links import missing_modules
from kaiju_grading.languages.rust.manifest import FILE, test_name, with_tests
from kaiju_grading.languages.rust.sandboxed import tool
from kaiju_grading.languages.rust.syntax import field as part
from kaiju_grading.languages.rust.syntax import is_test_item, module_path, name_of
from kaiju_sandbox.command import File

VALUES = "kaiju_values"
"""The module that looks values up, as held text names it; each compilation has a name of its own for it."""
INDEX = "kaiju-programs.json"
"""In the files of a part: which program has which of its tests."""
PROGRAMS = "kaiju-programs/"
LIBRARY = ""
"""The program of the inline tests, where others have the path of their first file."""


@dataclass(frozen=True, slots=True)
class Tests:
    """The held test files of a composed tree, by kind."""

    inline: Mapping[str, bytes] = field(repr=False)
    whole: Mapping[str, bytes] = field(repr=False)
    """Modules below the roots that only tests have, by their upstream path."""
    programs: Mapping[str, str]
    """Path of the first file of a test program to its name."""

    @classmethod
    def of(cls, work: Files, sources: Iterable[str]) -> "Tests":
        own = frozenset(sources)
        rust = {path: file.data for path, file in work.items() if path.endswith(".rs") and path not in own}
        return cls(
            inline={path: data for path, data in rust.items() if is_inline(path)},
            whole={path: data for path, data in rust.items() if path.startswith("src/")},
            programs={path: name for path in rust if (name := test_name(path)) is not None},
        )

    def program_of(self, path: str) -> str | None:
        """The program that has the tests of a held file; None for a file without tests of its own."""
        if path in self.inline or path in self.whole:
            return LIBRARY
        return path if path in self.programs else None


@dataclass(frozen=True, slots=True)
class Laid:
    """A tree ready to compile."""

    work: Files = field(repr=False)
    origins: Mapping[str, str]
    """Compiled path to the held file that it came from, where all of it did."""
    stretches: tuple[Stretch, ...]
    lost: frozenset[str]
    """Held files whose place in the library is gone."""

    def blamed(self, path: str, line: int) -> str | None:
        """The held file that a line of a compiled file came from; None for the library's own."""
        found = self.origin(path, line)
        return None if found is None else found[0]

    def origin(self, path: str, line: int) -> tuple[str, int] | None:
        """Held file and line in it."""
        path = path.removeprefix(WORK + "/")
        for stretch in self.stretches:
            if stretch.path == path and stretch.first <= line <= stretch.last:
                return stretch.origin, stretch.base + line - stretch.first
        return (self.origins[path], line) if path in self.origins else None


def lay(work: Files, sources: Iterable[str], tests: Tests, without: frozenset[str]) -> Laid:
    """The tree with every held file but those of `without`."""
    own = frozenset(sources)
    folder = Folder(f"t{secrets.token_hex(8)}", WORK, tests.whole)
    tree = _Tree(folder)
    held = {standing(source_of(data), work): data for data in tests.inline.values()}
    tree.library = {
        path: strip(work[path].data, held.get(path, b"")) if path.endswith(".rs") else work[path].data
        for path in own
    }
    tree.put_inline({path: data for path, data in tests.inline.items() if path not in without})
    tree.put_whole(tests, without)
    taken = {*own, *tests.inline, *tests.whole}
    roots = tree.put_programs(
        {path: file for path, file in work.items() if path not in taken}, tests, without
    )
    first = tree.library.get("src/lib.rs", b"")
    tree.library["src/lib.rs"] = first + b"\n" + _values(folder, b"#[cfg(test)] ")
    tree.made |= {f"{folder.name}/{name}": tool(name) for name in ("values.rs", "answers.rs")}
    tree.made |= {path: File(data) for path, data in tree.library.items()}
    tree.made[FILE] = File(with_tests(work[FILE].data.decode(), roots).encode())
    return Laid(tree.made, tree.origins, tuple(tree.stretches), frozenset(tree.lost))


@dataclass(slots=True)
class _Tree:
    """A tree while it is laid out."""

    folder: Folder
    library: dict[str, bytes] = field(default_factory=dict)
    made: dict[str, File] = field(default_factory=dict)
    origins: dict[str, str] = field(default_factory=dict)
    stretches: list[Stretch] = field(default_factory=list)
    lost: set[str] = field(default_factory=set)

    def put_inline(self, inline: Mapping[str, bytes]) -> None:
        for held, data in sorted(inline.items()):
            path = standing(source_of(data), self.library)
            library = self.library.get(path)
            named = self.named(data)
            back = put_back(path, library, held, named, self.folder) if library is not None else None
            if back is None:
                self.lost.add(held)
                continue
            self.library[path] = back.data
            self.stretches += back.stretches
            self.made |= {name: File(text) for name, text in back.files.items()}

    def put_whole(self, tests: Tests, without: frozenset[str]) -> None:
        for path, data in tests.whole.items():
            target = f"{self.folder.name}/{moved(path)}"
            self.made[target] = File(b"" if path in without else self.named(data))
            self.origins[target] = path
            # Declared by a module that is here for others, and held out itself.
            absent = missing_modules(path, data, tests.whole)
            self.made |= {f"{self.folder.name}/{moved(other)}": File(b"") for other in absent}

    def put_programs(self, others: Files, tests: Tests, without: frozenset[str]) -> dict[str, str]:
        """Everything else; the first files of test programs by their names."""
        roots: dict[str, str] = {}
        for path, file in others.items():
            if not path.startswith("tests/") or not path.endswith(".rs"):
                self.made[path] = file
            if path.startswith("tests/"):
                target = f"{self.folder.name}{path.removeprefix('tests')}"
                self.origins[target] = path
                first = path in tests.programs
                named = self.named(file.data) if path.endswith(".rs") else file.data
                self.made[target] = File(named + _values(self.folder) if first else named)
                if first and path not in without:
                    roots[tests.programs[path]] = target
        return roots

    def named(self, data: bytes) -> bytes:
        """Held text that finds the values of the run in this compilation's module."""
        return data.replace(f"crate::{VALUES}::".encode(), f"crate::{_module(self.folder)}::".encode())


def _module(folder: Folder) -> str:
    """No library has a module of this name, or can call it."""
    return f"{VALUES}_{folder.name}"


def _values(folder: Folder, attribute: bytes = b"") -> bytes:
    named = f'#[path = "{WORK}/{folder.name}/values.rs"] mod {_module(folder)};'
    return b"\n#[allow(unused)] const _: () = ();\n" + attribute + named.encode() + b"\n"


@dataclass(frozen=True, slots=True)
class Naming:
    """Ids of tests and the names that test programs know them by.

    An id is the file as upstream has it and the name inside of that file, joined by `::`.
    """

    programs: Mapping[str, str]
    """First file of a program (LIBRARY for the inline tests) to its path in the part's files."""
    homes: Mapping[str, str]
    """File of ids to the module of the library that it is, where its path does not say so."""
    files: Mapping[str, tuple[str, tuple[str, ...]]]
    """Held file of inline tests to its source and the prefixes of its names; one that ends with `!` is the
    module whose own functions belong to it."""

    def dump(self) -> bytes:
        content = {"programs": dict(self.programs), "homes": dict(self.homes), "files": dict(self.files)}
        return json.dumps(content, sort_keys=True).encode()

    @classmethod
    def load(cls, data: bytes) -> "Naming":
        """What `dump` wrote."""
        found: dict[str, Any] = json.loads(data)
        files = {path: (source, tuple(names)) for path, (source, names) in found["files"].items()}
        return cls(found["programs"], found["homes"], files)

    def program_of(self, test_id: str) -> str:
        file = test_id.partition("::")[0]
        return file if file in self.programs else LIBRARY

    def name_of(self, test_id: str) -> str:
        """What the program calls the test."""
        file, _, name = test_id.partition("::")
        return name if file in self.programs else "::".join([*self._home(file), name])

    def _home(self, file: str) -> tuple[str, ...]:
        return tuple(self.homes[file].split("::")) if file in self.homes else module_path(file)

    def test_of(self, program: str, name: str) -> tuple[str, str] | None:
        """Held file and id of a name; None for a name that belongs to none."""
        if program != LIBRARY:
            return program, f"{program}::{name}"
        best = max(
            (
                (len(prefix), path)
                for path, (_, names) in self.files.items()
                for prefix in names
                if _has(prefix, name)
            ),
            default=None,
        )
        if best is None:
            return None
        source = self.files[best[1]][0]
        inner = name.split("::")[len(self._home(source)) :]
        return best[1], "::".join([source, *inner])

    def filters(self, path: str) -> tuple[str, ...]:
        """Substrings that the names of a held file have; none when every name may."""
        names = self.files.get(path, ("", ()))[1]
        return () if "!" in names else tuple(prefix.rstrip("!") for prefix in names)


def _has(prefix: str, name: str) -> bool:
    if prefix.endswith("!"):
        return name.rpartition("::")[0] + "!" == prefix
    return name.startswith(prefix)


def naming(tests: Tests, programs: Mapping[str, str]) -> Naming:
    """The names of every held file that has tests in the library's own program."""
    files: dict[str, tuple[str, tuple[str, ...]]] = {}
    for path, data in tests.inline.items():
        source = source_of(data)
        files[path] = (source, tuple(dict.fromkeys(_prefixes(source, data))))
    homes = _homes(tests)
    for path in tests.whole:
        files[path] = (path, (homes.get(path, "::".join(module_path(path))) + "::",))
    return Naming(programs, homes, files)


def _homes(tests: Tests) -> dict[str, str]:
    """Modules that only tests have, by the declarations that load them, where these name them otherwise."""
    found: dict[str, str] = {}
    for data in tests.inline.values():
        source = source_of(data)
        for item in held_items(data):
            if item.node.type == "mod_item" and part(item.node, "body") is None:
                path = loaded_file(source, item.modules, item.node, tests.whole)
                home = "::".join([*module_path(source), *item.modules, name_of(item.node)])
                if path is not None and home != "::".join(module_path(path)):
                    found[path] = home
    return found


def _prefixes(source: str, data: bytes) -> Iterable[str]:
    for item in held_items(data):
        around = [*module_path(source), *item.modules]
        if item.node.type == "mod_item" and is_test_item(item.node) and part(item.node, "body") is not None:
            yield "::".join([*around, name_of(item.node)]) + "::"
        elif item.node.type != "mod_item":
            yield "::".join(around) + "!"
