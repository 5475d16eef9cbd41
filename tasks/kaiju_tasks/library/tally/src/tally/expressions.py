"""Arithmetic expressions as text: tokens, postfix order, values."""

from __future__ import annotations

import operator
import re
from collections.abc import Iterator, Mapping

Number = int | float

OPERATORS = {"+": 1, "-": 1, "*": 2, "/": 2, "%": 2, "~": 3, "^": 4}
"""Operators and how strongly they bind; `~` is the unary minus in postfix order."""

FUNCTIONS = {"min": 2, "max": 2, "abs": 1, "round": 1}
"""Functions and how many arguments they take."""

_ONE = {"~": operator.neg, "abs": abs, "round": round}
_TWO = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "%": operator.mod,
    "^": operator.pow,
    "min": min,
    "max": max,
}
_TOKEN = re.compile(r"\s*(\d+\.\d+|\d+|[A-Za-z_]\w*|[-+*/%^(),])")


class ExpressionError(ValueError):
    """An expression that cannot be read or has no value. `position` counts characters from 0."""

    def __init__(self, message: str, position: int = 0) -> None:
        super().__init__(f"{message} at {position}")
        self.position = position


def tokens(text: str) -> Iterator[tuple[str, int]]:
    """Yield each token with the position of its first character.

    Tokens are numbers (`12`, `0.5`), names, operators, brackets and commas; white space parts them.
    Raises ExpressionError, when it gets there, at the first character that belongs to no token.
    """
    position, end = 0, len(text.rstrip())
    while position < end:
        match = _TOKEN.match(text, position)
        if match is None:
            blank = len(text[position:]) - len(text[position:].lstrip())
            raise ExpressionError(f"unexpected {text[position + blank]!r}", position + blank)
        yield match[1], match.start(1)
        position = match.end()


class _Parser:
    """Precedence climbing over the tokens; writes postfix order to `output`."""

    def __init__(self, text: str) -> None:
        self.items = [*tokens(text), ("", len(text.rstrip()))]
        self.index = 0
        self.output: list[str] = []

    def run(self) -> list[str]:
        self.expression(1)
        self.expect("")
        return self.output

    def take(self) -> tuple[str, int]:
        item = self.items[self.index]
        self.index = min(self.index + 1, len(self.items) - 1)
        return item

    def expect(self, wanted: str) -> None:
        token, position = self.take()
        if token != wanted:
            raise ExpressionError(f"expected {wanted or 'the end'!r}, found {token or 'the end'!r}", position)

    def expression(self, lowest: int) -> None:
        self.operand()
        while OPERATORS.get(sign := self.items[self.index][0], 0) >= lowest:
            self.take()
            # Powers group from the right, everything else from the left.
            self.expression(OPERATORS[sign] + (sign != "^"))
            self.output.append(sign)

    def operand(self) -> None:
        token, position = self.take()
        if token == "-":
            self.expression(OPERATORS["~"])
            self.output.append("~")
        elif token == "(":
            self.expression(1)
            self.expect(")")
        elif token in FUNCTIONS:
            self.call(token)
        elif token[:1].isalnum() or token[:1] == "_":
            self.output.append(token)
        else:
            raise ExpressionError(f"expected a value, found {token or 'the end'!r}", position)

    def call(self, function: str) -> None:
        for argument in range(FUNCTIONS[function]):
            self.expect("," if argument else "(")
            self.expression(1)
        self.expect(")")
        self.output.append(function)


def postfix(text: str) -> list[str]:
    """The expression in postfix order: `1 + 2 * x` is `["1", "2", "x", "*", "+"]`, `-x` is `["x", "~"]`.

    `^` binds strongest and groups from the right, then unary minus (so `-2^2` is -4), then `*`, `/` and `%`,
    then `+` and `-`; these group from the left. `2^-1` is allowed. Functions: `min` and `max` of two
    arguments, `abs` and `round` (half to even) of one; their names are never names of values.
    Raises ExpressionError, with the position of the token that does not fit.
    """
    return _Parser(text).run()


def _apply(name: str, stack: list[Number]) -> Number:
    """The value of one operator or function, whose arguments are taken off the stack."""
    if name in _ONE:
        return _ONE[name](stack.pop())
    right, left = stack.pop(), stack.pop()
    if right == 0 and name in ("/", "%") or left == 0 and right < 0 and name == "^":
        raise ExpressionError("division by zero")
    if name == "/" and left % right == 0:
        return left // right
    value: Number = _TWO[name](left, right)
    return value


class Expression:
    """An expression that is read once and evaluated many times."""

    def __init__(self, text: str) -> None:
        self.text = text

    @property
    def text(self) -> str:
        """The expression as it was written. Setting it reads the new text; a bad one changes nothing."""
        return self._text

    @text.setter
    def text(self, text: str) -> None:
        self._order = postfix(text)
        self._text = text

    @property
    def names(self) -> list[str]:
        """The names that need a value, each once, in order of appearance."""
        operators = OPERATORS.keys() | FUNCTIONS.keys()
        return [name for name in dict.fromkeys(self._order) if name not in operators and not name[0].isdigit()]

    def value(self, names: Mapping[str, Number] | None = None) -> Number:
        """The value with these names.

        `/` gives a whole number where it divides without remainder, else a float. Raises ExpressionError
        for a name without a value and for division by zero.
        """
        known = names or {}
        stack: list[Number] = []
        for token in self._order:
            if token in OPERATORS or token in FUNCTIONS:
                stack.append(_apply(token, stack))
            elif token[0].isdigit():
                stack.append(float(token) if "." in token else int(token))
            elif token in known:
                stack.append(known[token])
            else:
                raise ExpressionError(f"no value for {token!r}")
        return stack[0]


def evaluate(text: str, **names: Number) -> Number:
    """The value of an expression: `evaluate("2 * x", x=4)` is 8. Raises ExpressionError."""
    return Expression(text).value(names)
