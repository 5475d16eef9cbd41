"""Stubbing: the interface of a library stays, its bodies go, and the library still builds."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from tree_sitter import Node

from kaiju_grading.languages.rust.manifest import FILE
from kaiju_grading.languages.rust.stub_bodies import TODO, stub_statements
from kaiju_grading.languages.rust.syntax import attributes, name_of, parse, text
from kaiju_grading.languages.rust.syntax import field as part
from kaiju_grading.preparation import FileAccount, Obstacle, Split, Stub
from kaiju_sandbox.command import File

_LEVELS = frozenset(
    {"trait_item", "declaration_list", "macro_definition", "foreign_mod_item", "expression_statement"}
)


@dataclass(frozen=True, slots=True)
class Function:
    """A function with a body: its name within the file, its braces, and how it stands in the tree."""

    name: str
    first: int
    last: int
    """Lines, from 1."""
    start: int
    end: int
    """Bytes of the braces."""
    node: Node | None
    """None inside a macro, where there are only tokens."""
    dropping: bool = False
    fixed: str = ""
    """Why its body always stays; empty when it need not."""


def stub_library(split: Split, keep: Mapping[str, str]) -> Stub:
    """`keep` maps `path:name` to the reason that body stays. Raises Obstacle `unreadable_source`."""
    found = re.search(rb'^edition = "(20\d\d)"$', split.config[FILE].data, re.MULTILINE)
    edition = found.group(1).decode() if found else "2015"
    files: dict[str, File] = {}
    account: dict[str, FileAccount] = {}
    for path, file in sorted(split.library.items()):
        if not path.endswith(".rs"):
            files[path] = file
            continue
        named = {key.removeprefix(path + ":"): why for key, why in keep.items() if key.startswith(path + ":")}
        data, account[path] = stub_file(path, file.data, named, edition)
        files[path] = File(data, file.executable)
    return Stub(files, account)


def stub_file(path: str, data: bytes, keep: Mapping[str, str], edition: str) -> tuple[bytes, FileAccount]:
    """One file; `keep` maps names of functions to reasons."""
    root = parse(data)
    if root.has_error and not functions(data):
        raise Obstacle("unreadable_source", f"{path} is not Rust that can be read")
    made = _Account()
    pieces: list[bytes] = []
    done = 0
    for function in functions(data):
        lines = _body_lines(data, function)
        body = None
        if not lines:
            made.trivial.append(function.name)
            continue
        made.lines += lines
        why = keep.get(function.name) or function.fixed
        if not why:
            body = _body(data, function, edition)
            why = "" if body is not None else "no value is known for what it returns"
        if body is None:
            made.kept[function.name] = why
            made.kept_lines += lines
            continue
        made.stubbed.append(function.name)
        pieces += [data[done : function.start], body]
        done = function.end
    return b"".join([*pieces, data[done:]]), made.account()


@dataclass(slots=True)
class _Account:
    stubbed: list[str] = field(default_factory=list)
    trivial: list[str] = field(default_factory=list)
    kept: dict[str, str] = field(default_factory=dict)
    lines: int = 0
    kept_lines: int = 0

    def account(self) -> FileAccount:
        return FileAccount(
            tuple(self.stubbed),
            tuple(self.trivial),
            self.kept,
            body_lines=self.lines,
            kept_lines=self.kept_lines,
        )


def _body_lines(data: bytes, function: Function) -> int:
    inner = data[function.start + 1 : function.end - 1]
    return sum(1 for line in inner.splitlines() if line.strip() and not line.strip().startswith(b"//"))


def _body(data: bytes, function: Function, edition: str) -> bytes | None:
    if function.node is None:
        return f"{{ {TODO} }}".encode()
    lines = stub_statements(function.node, dropping=function.dropping, edition=edition)
    if lines is None:
        return None
    braces = part(function.node, "body")
    inner = (
        [text(node).decode() for node in braces.named_children if node.type == "inner_attribute_item"]
        if braces
        else []
    )
    if not inner + lines:
        return b"{}"
    begin = data.rfind(b"\n", 0, function.node.start_byte) + 1
    indent = re.match(rb"[ \t]*", data[begin:]).group().decode()  # type: ignore[union-attr] # matches nothing, too
    body = "".join(f"{indent}    {line}\n" for line in inner + lines)
    return f"{{\n{body}{indent}}}".encode()


def functions(data: bytes) -> list[Function]:
    """Every function with a body, in source order, with names that are unique in the file."""
    seen: Counter[str] = Counter()
    found: list[Function] = []
    for function in sorted(_functions(parse(data), (), dropping=False), key=lambda one: one.start):
        seen[function.name] += 1
        name = function.name if seen[function.name] == 1 else f"{function.name}#{seen[function.name]}"
        found.append(
            Function(
                name,
                function.first,
                function.last,
                function.start,
                function.end,
                function.node,
                function.dropping,
                function.fixed,
            )
        )
    return found


def _functions(level: Node, around: tuple[str, ...], *, dropping: bool) -> Iterator[Function]:
    for node in level.named_children:
        kind = node.type
        if kind == "function_item":
            yield _function(node, around, dropping=dropping)
        elif kind == "impl_item":
            trait = text(part(node, "trait")).decode(errors="replace")
            owner = text(part(node, "type")).decode(errors="replace")
            name = f"<{owner} as {trait}>" if trait else owner
            yield from _functions(node, (*around, name), dropping=trait.rpartition("::")[2] == "Drop")
        elif kind == "mod_item":
            yield from _functions(node, (*around, name_of(node)), dropping=False)
        elif kind == "macro_rule":
            yield from _in_tokens(part(node, "right"), around)
        elif kind == "macro_invocation" and level.type in {"source_file", "declaration_list"}:
            yield from _in_tokens(node.named_children[-1], around)
        elif kind in _LEVELS:
            inner = (*around, name_of(node)) if kind in {"trait_item", "macro_definition"} else around
            yield from _functions(node, inner, dropping=dropping)


def _function(node: Node, around: tuple[str, ...], *, dropping: bool) -> Function:
    body = part(node, "body")
    assert body is not None  # the grammar calls one without a body a signature
    fixed = ""
    if any(b"proc_macro" in text(attribute) for attribute in attributes(node)):
        fixed = "runs inside the compiler"
    return Function(
        "::".join([*around, name_of(node)]),
        node.start_point[0] + 1,
        node.end_point[0] + 1,
        body.start_byte,
        body.end_byte,
        node,
        dropping,
        fixed,
    )


def _in_tokens(tree: Node | None, around: tuple[str, ...]) -> Iterator[Function]:
    """`fn NAME ... {...}` in a macro's tokens."""
    if tree is None or tree.type != "token_tree":
        return
    tokens, place = tree.children, 0
    while place < len(tokens):
        token = tokens[place]
        named = tokens[place + 1] if place + 1 < len(tokens) else None
        if token.type == "fn" and named is not None and named.type in {"identifier", "metavariable"}:
            last = place + 2
            while last < len(tokens) and not _ends_signature(tokens[last]):
                last += 1
            if last < len(tokens) and tokens[last].type == "token_tree":
                yield _token_function(tokens, place, last, around)
            place = last
        elif token.type == "token_tree":
            yield from _in_tokens(token, around)
        place += 1


def _ends_signature(token: Node) -> bool:
    return token.type == ";" or (token.type == "token_tree" and text(token)[:1] == b"{")


def _token_function(tokens: list[Node], first: int, last: int, around: tuple[str, ...]) -> Function:
    name, braces = tokens[first + 1], tokens[last]
    signature = b" ".join(text(token) for token in tokens[first:last])
    before = b"".join(text(token) for token in tokens[max(0, first - 3) : first])
    returned = signature.rpartition(b"->")[2] if b"->" in signature else b""
    fixed = ""
    if re.search(rb"\bimpl\b", returned):
        fixed = "a macro's function that returns some type"
    elif text(name) == b"drop" or b"test" in before:
        fixed = "a macro's function that is dropped or tests"
    return Function(
        "::".join([*around, text(name).decode()]),
        tokens[first].start_point[0] + 1,
        braces.end_point[0] + 1,
        braces.start_byte,
        braces.end_byte,
        None,
        fixed=fixed,
    )
