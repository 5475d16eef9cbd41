"""Bodies, as stubbing sees them: which hide nothing, which are generators, and what replaces the others."""

import libcst as cst

RAISING = cst.SimpleStatementLine(body=[cst.Raise(exc=cst.Name("NotImplementedError"))])
UNREACHABLE_YIELD = cst.SimpleStatementLine(body=[cst.Expr(cst.Yield())])
DOING_NOTHING = cst.SimpleStatementLine(body=[cst.Pass()])
RAISING_LAMBDA = cst.parse_expression("(_ for _ in ()).throw(NotImplementedError)")
"""A lambda holds an expression, and this is the one that raises."""
_TEXT = (cst.SimpleString, cst.ConcatenatedString)
_CONSTANT = (cst.Name, cst.Integer, cst.Float, cst.Ellipsis, *_TEXT)
_COLLECTION = (cst.List, cst.Tuple, cst.Dict)


def is_trivial_body(body: cst.BaseSuite) -> bool:
    """Only a docstring, `...`, `pass` or `raise NotImplementedError`: there is nothing to hide."""
    for statement in body.body:
        if not isinstance(statement, cst.SimpleStatementLine | cst.BaseSmallStatement):
            return False
        parts = statement.body if isinstance(statement, cst.SimpleStatementLine) else [statement]
        if not all(_is_nothing(part) for part in parts):
            return False
    return True


def is_trivial_lambda(node: cst.Lambda) -> bool:
    """A constant, a name or an empty collection; or already the stub."""
    if isinstance(node.body, _COLLECTION):
        return not node.body.elements
    return isinstance(node.body, _CONSTANT) or node.body.deep_equals(RAISING_LAMBDA)


def has_own_yield(body: cst.BaseSuite) -> bool:
    finder = _YieldFinder()
    body.visit(finder)
    return finder.found


def docstring_of(function: cst.FunctionDef) -> list[cst.SimpleStatementLine]:
    """The docstring's statement, alone on its line; empty when there is none."""
    first = next(iter(function.body.body), None)
    if isinstance(first, cst.SimpleStatementLine):
        small = first.body[0]
        if _is_text(small):
            return [
                first.with_changes(
                    body=[small.with_changes(semicolon=cst.MaybeSentinel.DEFAULT)], leading_lines=()
                )
            ]
    elif first is not None and isinstance(first, cst.BaseSmallStatement) and _is_text(first):
        return [cst.SimpleStatementLine(body=[first.with_changes(semicolon=cst.MaybeSentinel.DEFAULT)])]
    return []


def code_lines(body: cst.BaseSuite) -> int:
    """Lines that are neither blank, comment nor docstring; at least 1."""
    text = cst.Module(body=[]).code_for_node(body)
    first = next(iter(body.body), None)
    if isinstance(first, cst.SimpleStatementLine) and _is_text(first.body[0]):
        documentation = cst.Module(body=[]).code_for_node(first.body[0])
        text = text.replace(documentation, "", 1)
    lines = (line.strip() for line in text.splitlines())
    return max(1, sum(1 for line in lines if line and not line.startswith("#")))


def last_name(node: cst.BaseExpression) -> str:
    """`c` for `a.b.c` and for `a.b.c(...)`."""
    if isinstance(node, cst.Call):
        return last_name(node.func)
    if isinstance(node, cst.Attribute):
        return node.attr.value
    return node.value if isinstance(node, cst.Name) else ""


def _is_nothing(part: cst.BaseSmallStatement) -> bool:
    if isinstance(part, cst.Raise):
        return part.exc is not None and last_name(part.exc) == "NotImplementedError"
    if isinstance(part, cst.Expr):
        return isinstance(part.value, (cst.Ellipsis, *_TEXT))
    return isinstance(part, cst.Pass)


def _is_text(part: cst.BaseSmallStatement) -> bool:
    if not isinstance(part, cst.Expr) or not isinstance(part.value, _TEXT):
        return False
    return isinstance(part.value.evaluated_value, str)


class _YieldFinder(cst.CSTVisitor):
    """Finds a yield of this body, not one of a function, class or lambda in it."""

    def __init__(self) -> None:
        super().__init__()
        self.found = False

    def visit_Yield(self, node: cst.Yield) -> None:
        self.found = True

    def visit_FunctionDef(self, node: cst.FunctionDef) -> bool:
        return False

    def visit_ClassDef(self, node: cst.ClassDef) -> bool:
        return False

    def visit_Lambda(self, node: cst.Lambda) -> bool:
        return False
