"""Go source as a syntax tree: what splitting and cutting need to know of a file."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache

import tree_sitter
import tree_sitter_go
from tree_sitter import Node

from kaiju_grading.files import Files

_GRAMMAR = tree_sitter.Language(tree_sitter_go.language())
_TEST = re.compile(r"(Test|Fuzz|Benchmark|Example)($|[^a-z])")
_OUTPUT = re.compile(rb"^\s*//\s*(unordered )?output:", re.IGNORECASE | re.MULTILINE)
_IGNORED = re.compile(rb"^//(go:build ignore| ?\+build ignore)\s*$", re.MULTILINE)
_EMBED = re.compile(rb"^//go:embed ", re.MULTILINE)
_NAMES = frozenset({"identifier", "type_identifier", "field_identifier", "package_identifier"})


@dataclass(frozen=True, slots=True)
class Import:
    """One import of a file."""

    path: str
    name: str
    """As the file calls it: its own name for it, or the usual name of such a path."""
    start: int
    end: int
    aliased: bool


@dataclass(frozen=True, slots=True)
class Declaration:
    """One function of a file, at the top level and without a receiver."""

    name: str
    start: int
    end: int
    runs: bool
    """The testing package runs it when nothing is said: a test, a fuzz target, an example with an output."""
    tests: bool
    """Its name makes it a test, a benchmark, a fuzz target or an example."""


@dataclass(frozen=True, slots=True)
class GoFile:
    """A file as far as it is of interest."""

    package: str
    imports: tuple[Import, ...]
    functions: tuple[Declaration, ...]
    declared: frozenset[str]
    """Names at the top level, methods excepted."""
    used: frozenset[str] = field(repr=False)
    """Every name that occurs."""


@lru_cache(maxsize=4096)
def read(data: bytes) -> GoFile:
    """Never fails: what cannot be parsed is left out."""
    root = root_of(data)
    package, declared = "", set[str]()
    functions: list[Declaration] = []
    for node in root.children:
        if node.type == "package_clause":
            package = _text(node.named_children[-1], data) if node.named_children else ""
        elif node.type == "function_declaration":
            functions.append(_function(node, data))
            declared.add(functions[-1].name)
        elif node.type in {"var_declaration", "const_declaration", "type_declaration"}:
            declared.update(_declared(node, data))
    used = frozenset(_text(node, data) for node in walk(root) if node.type in _NAMES)
    return GoFile(package, tuple(_imports(root, data)), tuple(functions), frozenset(declared), used)


def root_of(data: bytes) -> Node:
    """The root of a file's tree. Never fails: what cannot be read is an error node."""
    return tree_sitter.Parser(_GRAMMAR).parse(data).root_node


def walk(node: Node) -> Iterator[Node]:
    """The node and everything below it, in the order of the source."""
    stack = [node]
    while stack:
        found = stack.pop()
        yield found
        stack.extend(reversed(found.children))


def is_ignored(data: bytes) -> bool:
    """Whether no build ever takes the file."""
    return _IGNORED.search(data) is not None


def embeds(data: bytes) -> bool:
    return _EMBED.search(data) is not None


def guessed(path: str) -> str:
    """The usual name of the package that a path imports."""
    parts = path.split("/")
    last = parts[-2] if re.fullmatch(r"v\d+", parts[-1]) and len(parts) > 1 else parts[-1]
    return last.split(".")[0].removeprefix("go-")


def summary(files: Files) -> str:
    """The first sentence of the package comment at the top, or of the readme."""
    for path in sorted(files):
        if path.endswith(".go") and "/" not in path and not path.endswith("_test.go"):
            match = re.search(
                rb"^(?:/\*\n?|// ?)(Package .+?)\.\s", files[path].data, re.DOTALL | re.MULTILINE
            )
            if match and len(match[1]) < 400:
                return " ".join(match[1].decode(errors="replace").replace("//", " ").split()) + "."
    return ""


def _text(node: Node, data: bytes) -> str:
    return data[node.start_byte : node.end_byte].decode(errors="replace")


def _declared(node: Node, data: bytes) -> Iterator[str]:
    for spec in walk(node):
        if spec.type in {"var_spec", "const_spec", "type_spec", "type_alias"}:
            yield from (_text(name, data) for name in spec.children_by_field_name("name"))


def _function(node: Node, data: bytes) -> Declaration:
    named = node.child_by_field_name("name")
    name = _text(named, data) if named else ""
    tests = _TEST.match(name) is not None
    runs = tests and not name.startswith("Benchmark")
    if name.startswith("Example"):
        body = data[node.start_byte : node.end_byte]
        runs = _OUTPUT.search(body) is not None
    parameters = node.child_by_field_name("parameters")
    given = _text(parameters, data) if parameters else ""
    if name.startswith(("Test", "Fuzz")) and tests:
        kind = "T" if name.startswith("Test") else "F"
        tests = runs = re.search(rf"\*\s*(\w+\.)?{kind}\s*\)", given) is not None
    return Declaration(name, _with_comment(node), node.end_byte, runs, tests)


def _with_comment(node: Node) -> int:
    """Where the comment right above begins."""
    start, line = node.start_byte, node.start_point[0]
    before = node.prev_sibling
    while before is not None and (before.type == "comment" or not before.is_named):
        if before.type == "comment":
            if before.end_point[0] < line - 1:
                break
            start, line = before.start_byte, before.start_point[0]
        before = before.prev_sibling
    return start


def _imports(root: Node, data: bytes) -> Iterator[Import]:
    for node in walk(root):
        if node.type != "import_spec":
            continue
        place = node.child_by_field_name("path")
        path = _text(place, data).strip('"`') if place else ""
        named = node.child_by_field_name("name")
        name = _text(named, data) if named else guessed(path)
        yield Import(path, name, node.start_byte, node.end_byte, named is not None)
