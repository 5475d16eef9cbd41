"""Tokens: what expressions of tests are made of, inside of macro calls, too."""

import re
from collections.abc import Iterable

from tree_sitter import Node

from kaiju_grading.languages.rust.surgery_tests import leaves
from kaiju_grading.languages.rust.syntax import descend, text
from kaiju_grading.languages.rust.syntax import field as part

_PLAIN = re.compile(
    rb"Some|Ok|Err|None|Box|Vec|String|Cow|Rc|Arc|vec|from|to_string|to_owned|into|to_vec|as_bytes|as_str|iter"
    rb"|collect|true|false|[ui](8|16|32|64|128|size)|f32|f64|str|char|bool|mut|as|concat"
)
"""Words of an expression that is a value, whatever the library does."""
_MAYBE = frozenset(
    {
        *("if_expression", "match_expression", "for_expression", "while_expression", "loop_expression"),
        *("closure_expression", "async_block", "function_item"),
    }
)
"""What an assertion may stand in and never be reached, or be reached in another place."""
_LEAVING = frozenset({"break_expression", "continue_expression", "return_expression", "try_expression"})
PRINTING = (
    b"format",
    b"println",
    b"print",
    b"eprintln",
    b"eprint",
    b"panic",
    b"write",
    b"writeln",
    b"format_args",
)


def is_number(tokens: list[Node]) -> bool:
    return bool(tokens) and all(token.type in {"-", "float_literal", "integer_literal"} for token in tokens)


def segments(tree: Node) -> list[list[Node]]:
    """The arguments of a macro call: its tokens between commas, but for those of `f::<A, B>()`."""
    found: list[list[Node]] = [[]]
    open_angles = 0
    for token in tree.children[1:-1]:
        if token.type == "<" and (open_angles or not found[-1] or found[-1][-1].type == "::"):
            open_angles += 1
        elif token.type in {">", ">>"}:
            open_angles = max(0, open_angles - len(token.type))
        if token.type == "," and not open_angles:
            found.append([])
        elif token.type not in {"line_comment", "block_comment"}:
            found[-1].append(token)
    return [tokens for tokens in found if tokens]


def flat(arguments: list[list[Node]]) -> list[Node]:
    return [token for tokens in arguments for token in tokens]


def is_plain(tokens: Iterable[Node]) -> bool:
    """Whether the value of an expression is up to the test alone."""
    flat = [leaf for token in tokens for leaf in leaves(token)]
    for place, leaf in enumerate(flat):
        following = flat[place + 1].type if place + 1 < len(flat) else ""
        if leaf.type != "identifier" or _PLAIN.fullmatch(text(leaf)) or following in {":", "::", "{"}:
            continue
        if not text(leaf)[:1].isupper() or following == "!":
            return False
    return True


def is_no_value(tokens: list[Node], place: int) -> bool:
    """A tuple's field, an array's length, the text of a format."""
    before = tokens[place - 1].type if place else ""
    if before in {".", ";"}:
        return True
    return (
        place >= 3 and before == "(" and tokens[place - 2].type == "!" and text(tokens[place - 3]) in PRINTING
    )


def minus(tokens: list[Node], place: int) -> Node | None:
    if place == 0 or tokens[place - 1].type != "-" or not tokens[place].type.startswith(("integer", "float")):
        return None
    before = tokens[place - 2].type if place > 1 else ""
    operand = before.endswith(("identifier", "_literal")) or before in {")", "]", "}", "self"}
    return None if operand else tokens[place - 1]


def _surely_runs(loop: Node) -> bool:
    """Whether a loop goes over an array that is written there, and leaves nothing of its body out."""
    value, body = part(loop, "value"), part(loop, "body")
    if loop.type != "for_expression" or value is None or body is None:
        return False
    array = value.named_children[-1] if value.type == "reference_expression" else value
    written = array.type == "array_expression" and bool(array.named_children)
    return written and not any(node.type in _LEAVING for node in descend(body))


def may_be_skipped(node: Node, function: Node) -> bool:
    around = node.parent
    while around is not None and around.id != function.id:
        if around.type in _MAYBE and not _surely_runs(around):
            return True
        around = around.parent
    return False
