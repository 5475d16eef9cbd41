"""Assay: what Go offers the proof of a task."""

from collections.abc import Iterator
from dataclasses import dataclass

from tree_sitter import Node

from kaiju_grading.assay import Assay, Mutant, Named, Shake
from kaiju_grading.language import TestRun
from kaiju_grading.languages.go.syntax import root_of, walk
from kaiju_grading.treemutants import Grammar, mutants_of, node_text
from kaiju_sandbox.command import Command

_LOUD = 'panic("not implemented")'
_FUNCTIONS = frozenset({"function_declaration", "method_declaration"})
_GRAMMAR = Grammar(numbers=frozenset({"int_literal"}), branches=frozenset({"if_statement", "for_clause"}))
_MEMBERS = frozenset({"field_declaration", "method_elem", "method_declaration"})
_TOP = frozenset({"function_declaration", "type_spec", "type_alias", "const_spec", "var_spec"})
_LOCAL = frozenset(
    {
        *("short_var_declaration", "parameter_declaration", "variadic_parameter_declaration"),
        *("range_clause", "receive_statement", "type_parameter_declaration"),
    }
)
_SOLE = frozenset({"identifier", "type_identifier", "field_identifier"})
_RUNNERS = frozenset({"t", "b", "f", "m", "tb", "err", "assert", "require"})
_PREDECLARED = frozenset(
    {
        *("any", "append", "bool", "byte", "cap", "clear", "close", "complex", "complex128"),
        *("complex64", "copy", "delete", "error", "false", "float32", "float64", "imag"),
        *("int", "int16", "int32", "int64", "int8", "iota", "len", "make", "max", "min"),
        *("new", "nil", "panic", "print", "println", "real", "recover", "rune", "string"),
        *("true", "uint", "uint16", "uint32", "uint64", "uint8", "uintptr"),
    }
)


@dataclass(frozen=True, slots=True)
class GoAssay:
    """See `kaiju_grading.assay.Assay`."""

    shakes: frozenset[Shake] = frozenset()
    """None: the testing package orders its tests itself, and programs read the machine's clock. Maps have
    another order in every run anyway."""

    def shaken(self, run: TestRun, shake: Shake, seed: int) -> Command:
        raise ValueError(f"{shake}: not one of these")

    def quiet(self, reference: bytes, stub: bytes) -> tuple[str, ...]:
        before = dict(_bodies(reference))
        return tuple(
            name
            for name, body in _bodies(stub)
            if _LOUD not in body and body != before.get(name) and name != "init"
        )

    def names(self, source: bytes) -> Named:
        declared, local, used = set[str](), set[str](), set[str]()
        for node in walk(root_of(source)):
            if node.type in _MEMBERS or (node.type in _TOP and _is_outside(node)):
                declared.update(map(node_text, node.children_by_field_name("name")))
            elif node.type in _TOP:
                local.update(map(node_text, node.children_by_field_name("name")))
            elif node.type in _LOCAL:
                local.update(_bound(node))
            elif node.type in _SOLE and not _is_of_the_runner(node):
                used.add(node_text(node))
        return Named(frozenset(declared), frozenset(used - declared - local - _PREDECLARED))

    def mutants(self, source: bytes) -> Iterator[Mutant]:
        for name, body in _functions(source):
            yield from mutants_of(body, name, _GRAMMAR)

    def is_source(self, path: str) -> bool:
        return path.endswith(".go")


ASSAY: Assay = GoAssay()


def _functions(source: bytes) -> Iterator[tuple[str, Node]]:
    """Name (`Type.Name` of a method) and body of every function at the top level."""
    for node in root_of(source).children:
        body = node.child_by_field_name("body")
        if node.type in _FUNCTIONS and body is not None:
            receiver = node.child_by_field_name("receiver")
            owners = (
                [node_text(part) for part in walk(receiver) if part.type == "type_identifier"]
                if receiver
                else []
            )
            yield ".".join([*owners[:1], *map(node_text, node.children_by_field_name("name"))]), body


def _bodies(source: bytes) -> Iterator[tuple[str, str]]:
    return ((name, " ".join(node_text(body).split())) for name, body in _functions(source))


def _is_of_the_runner(node: Node) -> bool:
    """Whether it is a method of a test, of an error or of the usual assertions, by what these are called."""
    around = node.parent
    owner = around.child_by_field_name("operand") if around and around.type == "selector_expression" else None
    return owner is not None and owner != node and node_text(owner) in _RUNNERS


def _is_outside(node: Node) -> bool:
    """Whether it is local to no function."""
    around = node.parent
    while around is not None and around.type not in _FUNCTIONS | {"func_literal"}:
        around = around.parent
    return around is None


def _bound(node: Node) -> Iterator[str]:
    """Names on the left side, or of parameters."""
    left = node.child_by_field_name("left")
    parts = [left] if left else node.children_by_field_name("name")
    return (node_text(found) for part in parts for found in walk(part) if found.type == "identifier")
