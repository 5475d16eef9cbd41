"""Assay: what Rust offers the proof of a task."""

from collections.abc import Iterator
from dataclasses import dataclass

from tree_sitter import Node

from kaiju_grading.assay import Assay, Mutant, Named, Shake
from kaiju_grading.language import TestRun
from kaiju_grading.languages.rust.stub import functions
from kaiju_grading.languages.rust.stub_bodies import TODO
from kaiju_grading.languages.rust.syntax import descend, field, name_of, parse
from kaiju_grading.treemutants import Grammar, mutants_of, node_text
from kaiju_sandbox.command import Command

_GRAMMAR = Grammar(
    numbers=frozenset({"integer_literal"}),
    branches=frozenset({"if_expression", "while_expression"}),
    no_condition=frozenset({"let_condition", "let_chain"}),
)
_DECLARING = frozenset(
    {
        *("function_item", "function_signature_item", "struct_item", "enum_item", "enum_variant"),
        *("trait_item", "const_item", "static_item", "type_item", "associated_type", "union_item"),
        *("field_declaration", "macro_definition"),
    }
)
_BINDING = frozenset({"let_declaration", "parameter", "for_expression", "match_pattern", "let_condition"})
_SOLE = frozenset({"identifier", "type_identifier", "field_identifier"})


@dataclass(frozen=True, slots=True)
class RustAssay:
    """See `kaiju_grading.assay.Assay`."""

    shakes: frozenset[Shake] = frozenset()
    """None: libtest shuffles in nightly toolchains alone, and programs read the machine's clock. Hash tables
    have another seed in every process anyway."""

    def shaken(self, run: TestRun, shake: Shake, seed: int) -> Command:
        raise ValueError(f"{shake}: not one of these")

    def quiet(self, reference: bytes, stub: bytes) -> tuple[str, ...]:
        before = dict(_bodies(reference))
        return tuple(name for name, body in _bodies(stub) if TODO not in body and body != before.get(name))

    def names(self, source: bytes) -> Named:
        declared, local, used = set[str](), set[str](), set[str]()
        for node in descend(parse(source)):
            if node.type in _DECLARING and not _is_of_a_trait(node):
                declared.add(name_of(node))
            elif node.type in _BINDING or node.type == "closure_parameters":
                local.update(_bound(node))
            elif node.type in _SOLE:
                used.add(node_text(node))
        return Named(frozenset(declared), frozenset(used - declared - local))

    def mutants(self, source: bytes) -> Iterator[Mutant]:
        for function in functions(source):
            body = field(function.node, "body") if function.node is not None else None
            if body is not None:
                yield from mutants_of(body, function.name.replace("::", "."), _GRAMMAR)

    def is_source(self, path: str) -> bool:
        return path.endswith(".rs")


ASSAY: Assay = RustAssay()


def _bodies(source: bytes) -> Iterator[tuple[str, str]]:
    """Name and body of every function that must not stay quiet: dropping must."""
    for function in functions(source):
        if not function.dropping:
            yield (
                function.name,
                " ".join(source[function.start : function.end].decode(errors="replace").split()),
            )


def _is_of_a_trait(node: Node) -> bool:
    """Whether it implements what a trait declares, such as `drop`."""
    block = node.parent.parent if node.parent is not None else None
    return block is not None and block.type == "impl_item" and field(block, "trait") is not None


def _bound(node: Node) -> Iterator[str]:
    part = field(node, "pattern") or (node if node.type in {"closure_parameters", "match_pattern"} else None)
    return (node_text(found) for found in descend(part) if found.type == "identifier") if part else iter(())
