"""Where the tests of a held file stand in its syntax tree, by id."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from tree_sitter import Node

from kaiju_grading.languages.rust.inline import is_inline, source_of
from kaiju_grading.languages.rust.syntax import field as part
from kaiju_grading.languages.rust.syntax import (
    is_test_function,
    item_end,
    item_start,
    items,
    name_of,
    parse,
    text,
)


@dataclass(frozen=True, slots=True)
class Written:
    """A test that is a function."""

    id: str
    node: Node


@dataclass(frozen=True, slots=True)
class Generated:
    """Tests that a macro call makes: the tokens of each, from its name to the next name."""

    call: Node
    tokens: dict[str, list[Node]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class TestFile:
    """One held file, parsed."""

    __test__ = False

    path: str
    data: bytes
    written: dict[str, Written]
    generated: tuple[Generated, ...]
    helpers: Mapping[str, Node]
    """Its functions that are no tests, by name."""


def unit_prefix(path: str, data: bytes) -> str:
    """What the ids of the tests of a held file begin with."""
    return source_of(data) if is_inline(path) else path


def read_tests(path: str, data: bytes, ids: Iterable[str]) -> TestFile:
    """Find tests in a file; `ids` tell which names a macro call may make."""
    prefix = unit_prefix(path, data)
    names: dict[tuple[str, ...], set[str]] = {}
    for test_id in ids:
        file, *parts = test_id.split("::")
        if file == prefix and parts:
            names.setdefault(tuple(parts[:-1]), set()).add(parts[-1])
    written: dict[str, Written] = {}
    generated: list[Generated] = []
    helpers: dict[str, Node] = {}
    for modules, item in walk(parse(data)):
        if item.type == "function_item":
            if is_test_function(item):
                test_id = "::".join([prefix, *modules, name_of(item)])
                written[test_id] = Written(test_id, item)
            else:
                helpers[name_of(item)] = item
        elif item.type == "macro_invocation":
            made = _generated(item, "::".join([prefix, *modules]), names.get(modules, set()))
            if made.tokens:
                generated.append(made)
    return TestFile(path, data, written, tuple(generated), helpers)


def walk(level: Node, modules: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Node]]:
    """Items of a file and of its modules, with the modules around them."""
    for item in items(level):
        inner = item
        if item.type == "expression_statement" and item.named_children:
            inner = item.named_children[0]
        yield modules, inner
        body = part(item, "body")
        if item.type == "mod_item" and body is not None:
            yield from walk(body, (*modules, name_of(item)))


def _generated(call: Node, prefix: str, names: set[str]) -> Generated:
    made = Generated(call)
    current = ""
    for leaf in leaves(call.named_children[-1]):
        name = text(leaf).decode(errors="replace")
        if leaf.type == "identifier" and name in names and f"{prefix}::{name}" not in made.tokens:
            current = f"{prefix}::{name}"
            made.tokens[current] = []
        elif current:
            made.tokens[current].append(leaf)
    return made


def leaves(node: Node) -> Iterator[Node]:
    """Tokens below a node in order; a literal is one token."""
    todo = [node]
    while todo:
        found = todo.pop()
        if not found.children or found.type.endswith("_literal"):
            yield found
        else:
            todo.extend(reversed(found.children))


def cut(path: str, data: bytes, units: frozenset[str]) -> bytes:
    """The file with only these units' tests. Everything that is no test stays."""
    found = read_tests(path, data, units)
    makers = {text(part(one.call, "macro")) for one in found.generated} | _test_macros(data)
    kept = {one.call.start_byte for one in found.generated}
    spans: list[tuple[int, int]] = []
    for _, item in walk(parse(data)):
        if item.type == "function_item" and is_test_function(item):
            written = next(one for one in found.written.values() if one.node.start_byte == item.start_byte)
            if written.id not in units:
                spans.append((item_start(item), item_end(item)))
        elif text(part(item, "macro")) in makers and item.start_byte not in kept:
            spans.append((item_start(item), item_end(item)))
    pieces: list[bytes] = []
    done = 0
    for start, end in sorted(spans):
        pieces.append(data[done:start])
        done = end
    return b"".join([*pieces, data[done:]])


def _test_macros(data: bytes) -> set[bytes]:
    """Names of the file's own macros that make tests."""
    return {
        text(part(item, "name"))
        for _, item in walk(parse(data))
        if item.type == "macro_definition" and b"#[test]" in text(item).replace(b" ", b"")
    }
