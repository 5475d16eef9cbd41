"""Expected exceptions: another one that tests expect as well, and that the code under test does not raise."""

import ast
import builtins
import hashlib
import re

from kaiju_grading.languages.python.surgery_flow import RAISES, called_name
from kaiju_grading.languages.python.surgery_literals import Reading
from kaiju_grading.languages.python.surgery_source import Defined, Source
from kaiju_grading.suite import Site, SiteKind

_COMMON = ("AttributeError", "IndexError", "KeyError", "RuntimeError", "TypeError", "ValueError")
"""What tests everywhere expect most."""
_TOGETHER = (frozenset({"AttributeError", "KeyError"}), frozenset({"OSError", "ValueError"}))
"""Pairs that one class often derives from."""
_CHOICES = 2
_MIN_TEXT = 5
"""Characters of an expected message: less may stand in any message beside what was expected."""
_ESCAPED = re.compile(r"\\\W")
PLAIN_PATTERN = Reading(masks=(_ESCAPED,))
"""How `message_of` is compared: characters that stand for themselves, and others behind a backslash."""


def raised_sites(defined: Defined, exception: ast.expr) -> list[Site]:
    """Built-in exceptions, neither bases nor subclasses of the expected one: first what the file expects too.

    All are conditional: a class can derive from both.
    """
    source = defined.source
    if not is_builtin(exception) and not _is_library_class(defined, exception):
        return []
    start, end = source.span(exception)
    seed = hashlib.sha256(f"{source.secret}:{source.path}:{start}".encode()).digest()
    used, common = (_suited(exception, names) for names in (expected_builtins(source), _COMMON))
    others = [*_rotated(used, seed[0])[:1], *_rotated(common, seed[1])]
    chosen = list(dict.fromkeys(others))[:_CHOICES]
    return [Site(source.path, start, end, name, SiteKind.RAISES, conditional=True) for name in chosen]


def message_of(call: ast.Call) -> ast.Constant | None:
    """The text that `raises(..., match=text)` looks for; None when it is a pattern that several texts match.

    Another text is found only where both stand in one message: nothing that a library says.
    """
    given = [keyword.value for keyword in call.keywords if keyword.arg == "match"]
    found = call.args[1:2] if called_name(call) == "assertRaisesRegex" else given
    node = found[0] if found else None
    if not isinstance(node, ast.Constant) or not isinstance(node.value, str) or len(node.value) < _MIN_TEXT:
        return None
    return node if re.search(r"[\\^$.|?*+()\[\]{}]", _ESCAPED.sub("", node.value)) is None else None


def is_builtin(node: ast.expr) -> bool:
    """Whether it names a built-in exception; among library's own errors another built-in one stands out."""
    return isinstance(node, ast.Name) and _builtin(node.id) is not None


def expected_builtins(source: Source) -> tuple[str, ...]:
    """Built-in exceptions that this file expects, sorted."""
    calls = (node for node in ast.walk(source.tree) if isinstance(node, ast.Call))
    expected = [call.args[0] for call in calls if called_name(call) in RAISES and call.args]
    return tuple(sorted({node.id for node in expected if isinstance(node, ast.Name) and is_builtin(node)}))


def _builtin(name: str) -> type[Exception] | None:
    kind = getattr(builtins, name, None)
    return kind if isinstance(kind, type) and issubclass(kind, Exception) else None


def _is_library_class(defined: Defined, node: ast.expr) -> bool:
    """Whether it is written like a class, and is no variable of the test."""
    if isinstance(node, ast.Attribute):
        return isinstance(node.value, ast.Name | ast.Attribute) and _is_class_name(node.attr)
    if not isinstance(node, ast.Name) or not _is_class_name(node.id) or hasattr(builtins, node.id):
        return False
    inside = list(ast.walk(defined.function))
    stored = {item.id for item in inside if isinstance(item, ast.Name) and isinstance(item.ctx, ast.Store)}
    given = {item.arg for item in inside if isinstance(item, ast.arg)}
    return node.id not in stored | given


def _is_class_name(name: str) -> bool:
    return re.fullmatch(r"[A-Z]\w*[a-z]\w*", name) is not None


def _suited(exception: ast.expr, names: tuple[str, ...]) -> list[str]:
    """Those that no usual class derives from together with the expected one."""
    expected = _builtin(exception.id) if isinstance(exception, ast.Name) else None
    if expected is None:
        return list(names)
    others = {name: kind for name in names if (kind := _builtin(name)) is not None}
    return [
        name
        for name, kind in others.items()
        if not issubclass(kind, expected)
        and not issubclass(expected, kind)
        and frozenset({kind.__name__, expected.__name__}) not in _TOGETHER
    ]


def _rotated(names: list[str], by: int) -> list[str]:
    at = by % len(names) if names else 0
    return [*names[at:], *names[:at]]
