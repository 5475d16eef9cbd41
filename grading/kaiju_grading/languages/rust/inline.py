"""Inline tests: cut out of the library's files into files of their own, and put back when they are compiled.

A file of inline tests (`tests/inline/src.kebab.rs`) holds the test items of one library file, in their order.
Its first line names that file. Items of a nested module stand in a module of that name, which differs from a
test module by having no `#[cfg(test)]`.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from tree_sitter import Node

from kaiju_grading.languages.rust.syntax import (
    attributes,
    is_test_function,
    is_test_item,
    item_end,
    item_start,
    items,
    name_of,
    parse,
    text,
)
from kaiju_grading.languages.rust.syntax import field as part

FOLDER = "tests/inline/"
_HEADER = re.compile(rb"// Tests of ([^\n]+)\.\n")
SEPARATOR = b"#[allow(unused)] const _: () = ();"
"""Swallows an attribute that dangles at the end of the library's own text."""
_PATH = re.compile(rb'#\s*\[\s*path\s*=\s*"([^"\n]+)"\s*\]')
_NOT_TEST = re.compile(rb"#\s*\[\s*cfg\(\s*not\(\s*test\s*\)\s*\)")
_RELATIVE = re.compile(rb"\b(include|include_str|include_bytes)\s*!|\bmod\s+\w+\s*;")


@dataclass(frozen=True, slots=True)
class Item:
    """A test item: its bytes with attributes, and the inline modules around it."""

    node: Node
    start: int
    end: int
    modules: tuple[str, ...]


def inline_path(path: str) -> str:
    """Where the tests of a library file go. The dots keep it from looking like a module to import."""
    return FOLDER + path.replace("/", ".")


def is_inline(path: str) -> bool:
    return path.startswith(FOLDER) and path.endswith(".rs")


def source_of(data: bytes) -> str:
    """The library file that a file of inline tests belongs to; empty when it does not say."""
    found = _HEADER.match(data)
    return found.group(1).decode(errors="replace") if found else ""


def standing(path: str, files: Mapping[str, object]) -> str:
    """Where a module that upstream has at `path` stands in `files`: there, or by the other layout, in which
    `a.rs` is `a/mod.rs`. The path itself when neither is there."""
    folder = path.removesuffix("/mod.rs")
    other = f"{path.removesuffix('.rs')}/mod.rs" if folder == path else f"{folder}.rs"
    return other if path not in files and other in files else path


def test_items(data: bytes) -> list[Item]:
    """Items at file or module level that only test programs have, outermost first."""
    return list(_test_items(parse(data), ()))


def _test_items(level: Node, modules: tuple[str, ...]) -> Iterator[Item]:
    for item in items(level):
        if is_test_item(item):
            yield Item(item, item_start(item), item_end(item), modules)
        elif item.type == "mod_item" and (body := part(item, "body")) is not None:
            yield from _test_items(body, (*modules, name_of(item)))


def held_items(data: bytes) -> list[Item]:
    """The items of a file of inline tests."""
    return list(_held_items(parse(data), ()))


def _held_items(level: Node, modules: tuple[str, ...]) -> Iterator[Item]:
    for item in items(level):
        body = part(item, "body")
        if item.type == "mod_item" and body is not None and not is_test_item(item):
            yield from _held_items(body, (*modules, name_of(item)))
        else:
            yield Item(item, item_start(item), item_end(item), modules)


def separate(path: str, data: bytes) -> tuple[bytes, bytes | None]:
    """A library file without its tests, and its file of inline tests; None when it has no test item."""
    found = test_items(data)
    if not found:
        return data, None
    return _without(data, found, lines=False), _file(path, data, found)


def strip(data: bytes, held: bytes = b"") -> bytes:
    """A library file without test items; every line keeps its number. What has one form for tests and another
    for everything else keeps both, unless `held`, the tests of this file, bring it."""
    brought = {_declared(item.node) for item in held_items(held)}
    found = [
        item for item in test_items(data) if _declared(item.node) in brought or not _has_other(item.node)
    ]
    return _without(data, found, lines=True)


def _declared(item: Node) -> tuple[str, str]:
    """Kind and name of an item; of imports only that they are some."""
    return item.type, name_of(item) or text(part(item, "type")).decode(errors="replace")


def _has_other(item: Node) -> bool:
    """Whether there is a form of the item for everything but tests. Modules and tests have none."""
    if item.type == "mod_item" or is_test_function(item) or item.parent is None:
        return False
    return any(
        _declared(other) == _declared(item) and any(_NOT_TEST.match(text(one)) for one in attributes(other))
        for other in items(item.parent)
    )


def _without(data: bytes, found: list[Item], *, lines: bool) -> bytes:
    pieces: list[bytes] = []
    done = 0
    for item in found:
        start, end = item.start, item.end
        if not lines:
            start, end = _whole_lines(data, start, end)
        pieces += [data[done:start], b"\n" * data[start:end].count(b"\n") if lines else b""]
        done = end
    left = b"".join([*pieces, data[done:]])
    return left if lines else left.rstrip() + b"\n"


def _whole_lines(data: bytes, start: int, end: int) -> tuple[int, int]:
    """The range with the indentation before it and the line end after it, where nothing else is there."""
    begin = data.rfind(b"\n", 0, start) + 1
    if data[begin:start].strip():
        return start, end
    stop = data.find(b"\n", end)
    stop = len(data) if stop < 0 else stop + 1
    return (begin, stop) if not data[end:stop].strip() else (begin, end)


def _file(path: str, data: bytes, found: list[Item]) -> bytes:
    lines = [f"// Tests of {path}.\n".encode()]
    around: tuple[str, ...] = ()
    for item in found:
        if item.modules != around:
            lines.append(b"}\n" * len(around))
            lines += [f"mod {name} {{\n".encode() for name in item.modules]
            around = item.modules
        lines += [data[item.start : item.end], b"\n\n"]
    return b"".join([*lines, b"}\n" * len(around)])


@dataclass(frozen=True, slots=True)
class Stretch:
    """Lines of a compiled file that came from a held file, first and last."""

    path: str
    first: int
    last: int
    origin: str
    base: int
    """The line of the held file that `first` was."""


@dataclass(slots=True)
class PutBack:
    """A library file with tests in it again, and the files beside it."""

    data: bytes
    files: dict[str, bytes] = field(default_factory=dict)
    """By path below the folder of this compilation."""
    stretches: list[Stretch] = field(default_factory=list)


def put_back(path: str, library: bytes, held: str, tests: bytes, folder: "Folder") -> PutBack | None:
    """Tests back into the library file at `path`; None where a module that they belong in is gone.

    Modules are named by a path in `folder`, so that the library's own text never holds them; what cannot be
    loaded from another folder is appended.
    """
    made = PutBack(b"")
    inserts: dict[tuple[str, ...], list[tuple[bytes, int]]] = {}
    for item in held_items(tests):
        inserted = _insertion(_Into(source_of(tests) or path, held, tests, folder, made), item)
        inserts.setdefault(item.modules, []).append((inserted, _line(tests, item.start)))
    places = {modules: _place(library, modules) for modules in inserts}
    if None in places.values():
        return None
    ordered = sorted(((place, inserts[modules]) for modules, place in places.items() if place is not None))
    pieces: list[bytes] = []
    done = line = 0
    for place, texts in ordered:
        pieces += [library[done:place], b"\n" + SEPARATOR + b"\n"]
        line += b"".join(pieces[-2:]).count(b"\n")
        for text_, base in texts:
            last = line + text_.count(b"\n") + 1
            made.stretches.append(Stretch(path, line + 1, last, held, base))
            pieces.append(text_ + b"\n")
            line = last
        done = place
    made.data = b"".join([*pieces, library[done:]])
    return made


@dataclass(slots=True)
class Folder:
    """The randomly named folder of one compilation: held-out text lies where no library can guess."""

    name: str
    root: str
    """Absolute path of the tree in the sandbox."""
    whole: Mapping[str, bytes]
    """Held-out files that are modules of the library themselves, by upstream path."""
    count: int = 0

    def add(self) -> str:
        self.count += 1
        return f"{self.name}/m{self.count}/mod.rs"


@dataclass(frozen=True, slots=True)
class _Into:
    """What is being put back where."""

    path: str
    """Of the library's file, as upstream has it."""
    held: str
    tests: bytes
    folder: Folder
    made: PutBack


def _insertion(into: _Into, item: Item) -> bytes:
    """The text that stands for an item in the library's file."""
    node, body, tests = item.node, part(item.node, "body"), into.tests
    whole = tests[item.start : item.end]
    if node.type != "mod_item":
        return whole
    root = into.folder.root
    if body is None:
        found = loaded_file(into.path, item.modules, node, into.folder.whole)
        if found is None:
            return b""
        return _named(tests, item, node.end_byte, f"{root}/{into.folder.name}/{moved(found)}")
    if path_attribute(node) is not None:
        return whole
    inner = tests[body.start_byte + 1 : body.end_byte - 1]
    if _RELATIVE.search(inner):
        return whole
    target = into.folder.add()
    into.made.files[target] = inner
    base = _line(tests, body.start_byte)
    into.made.stretches.append(Stretch(target, 1, inner.count(b"\n") + 1, into.held, base))
    return _named(tests, item, body.start_byte, f"{root}/{target}", b";")


def _line(data: bytes, offset: int) -> int:
    return data.count(b"\n", 0, offset) + 1


def _named(tests: bytes, item: Item, end: int, target: str, close: bytes = b"") -> bytes:
    start = item.node.start_byte
    named = f'#[path = "{target}"] '.encode()
    before = _PATH.sub(b"", tests[item.start : start])
    return before + named + tests[start:end].rstrip() + close


def path_attribute(node: Node) -> str | None:
    """The file that a module's `#[path]` names."""
    found = (_PATH.match(text(attribute)) for attribute in attributes(node))
    return next((match.group(1).decode(errors="replace") for match in found if match), None)


def loaded_file(path: str, modules: tuple[str, ...], node: Node, files: Mapping[str, object]) -> str | None:
    """Which of `files` a module declaration in `path` loads, by its `#[path]` or by its name."""
    named = path_attribute(node)
    if named is None or modules:
        return declared_files(path, modules, name_of(node), files)
    target = resolved(path, named)
    return target if target in files else None


def resolved(path: str, relative: str) -> str:
    """A path relative to the folder of another."""
    parts = path.split("/")[:-1]
    for step in relative.split("/"):
        if step == "..":
            parts = parts[:-1]
        elif step != ".":
            parts.append(step)
    return "/".join(parts)


def declared_files(path: str, modules: tuple[str, ...], name: str, files: Mapping[str, object]) -> str | None:
    """Which of `files` a module declaration in `path` loads."""
    parent, _, file = path.rpartition("/")
    base = [parent] if file in {"lib.rs", "mod.rs", "main.rs"} else [parent, file.removesuffix(".rs")]
    place = "/".join([*base, *modules, name])
    return next((found for found in (f"{place}.rs", f"{place}/mod.rs") if found in files), None)


def moved(path: str) -> str:
    """A module's file as `mod.rs` of its folder: loaded by a path, it finds its own modules there only."""
    return path if path.endswith("/mod.rs") else path.removesuffix(".rs") + "/mod.rs"


def _place(library: bytes, modules: tuple[str, ...]) -> int | None:
    """Where items of an inline module go: before its closing brace, or at the end of the file."""
    level = parse(library)
    for name in modules:
        found = next(
            (
                item
                for item in items(level)
                if item.type == "mod_item" and name_of(item) == name and part(item, "body")
            ),
            None,
        )
        body = part(found, "body") if found is not None else None
        if body is None:
            return None
        level = body
    return len(library) if not modules else level.end_byte - 1


def has_tests(data: bytes) -> bool:
    """Whether a file may hold tests: functions with the attribute, or macros that make them."""
    return re.search(rb"#\s*\[\s*(\w+\s*::\s*)*test\s*[\](]", data) is not None
