"""Rust source as a syntax tree: what every step that reads Rust has in common."""

import re
from collections.abc import Iterator

import tree_sitter
import tree_sitter_rust
from tree_sitter import Node

_GRAMMAR = tree_sitter.Language(tree_sitter_rust.language())
_TEST_CFG = re.compile(rb"#\[\s*cfg\(\s*(test\s*\)|all\(.*\btest\b.*\)\s*\))", re.S)
_TEST_ATTRIBUTE = re.compile(rb"#\[\s*(\w+\s*::\s*)*test\s*[\](]")
_TRIVIA = frozenset({"attribute_item", "line_comment", "block_comment"})
LEVELS = frozenset({"source_file", "declaration_list"})


def parse(data: bytes) -> Node:
    """The root of a file's tree. Never fails: what cannot be read is an error node."""
    return tree_sitter.Parser(_GRAMMAR).parse(data).root_node


def attributes(item: Node) -> list[Node]:
    """The outer attributes of an item, in order."""
    found: list[Node] = []
    before = item.prev_sibling
    while before is not None and before.type in _TRIVIA:
        if before.type == "attribute_item":
            found.append(before)
        before = before.prev_sibling
    return found[::-1]


def item_start(item: Node) -> int:
    """Where an item begins, its attributes included."""
    found = attributes(item)
    return found[0].start_byte if found else item.start_byte


def is_test_function(item: Node) -> bool:
    """Whether the item has a `#[test]`, or an attribute of another crate that is called so."""
    return any(_TEST_ATTRIBUTE.match(text(attribute)) for attribute in attributes(item))


def is_test_item(item: Node) -> bool:
    """Whether the item exists in test programs only."""
    found = [text(attribute) for attribute in attributes(item)]
    return any(
        _TEST_ATTRIBUTE.match(line) or (_TEST_CFG.match(line) and b"not(test" not in line) for line in found
    )


def text(node: Node | None) -> bytes:
    """The source of a node; nothing for none."""
    return (node.text or b"") if node is not None else b""


def field(node: Node, name: str) -> Node | None:
    return node.child_by_field_name(name)


def name_of(node: Node) -> str:
    """The name that an item declares."""
    return text(field(node, "name")).decode(errors="replace")


def items(level: Node) -> Iterator[Node]:
    """The items of a file or of a module's braces: no attributes, no comments."""
    for child in level.named_children:
        if child.type not in _TRIVIA and child.type not in {"inner_attribute_item", "empty_statement"}:
            yield child


def item_end(item: Node) -> int:
    """Where an item ends, the semicolon of a macro call included."""
    after = item.next_sibling
    if item.type == "macro_invocation" and after is not None and after.type == "empty_statement":
        return after.end_byte
    return item.end_byte


def descend(node: Node) -> Iterator[Node]:
    """The node and everything below it, in source order."""
    todo = [node]
    while todo:
        found = todo.pop()
        yield found
        todo.extend(reversed(found.children))


def module_path(path: str) -> tuple[str, ...]:
    """The modules around a source file, by the usual layout: `src/a/mod.rs` and `src/a.rs` are `a`."""
    parts = path.removesuffix(".rs").split("/")[1:]
    if parts and (parts[-1] == "mod" or parts in (["lib"], ["main"])):
        parts = parts[:-1]
    return tuple(parts)
