"""Literals altered in place: the same kind of token, with another value that no result can equal as well."""

import ast
import hashlib
import re
import string
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from kaiju_grading.languages.python.surgery_options import Option, Token, options, weighed
from kaiju_grading.languages.python.surgery_pool import Pool, pool_of, tokens
from kaiju_grading.languages.python.surgery_source import Source

_VOWELS, _CONSONANTS = "aeiou", "".join(char for char in string.ascii_lowercase if char not in "aeiou")
_CLASSES = (string.digits, _VOWELS, _CONSONANTS, _VOWELS.upper(), _CONSONANTS.upper())
_PERCENT = re.compile(r"%(?:\([^)]*\))?[-#0 +]*[0-9*]*(?:\.[0-9*]+)?[a-zA-Z%]")
_BRACES = re.compile(r"\{\{|\}\}|\{[^{}]*\}")
_FINE = 1 << 53
"""Steps of a share that is drawn."""

VARIANTS = 2
"""Alterations offered for one token."""
MAX_LEAVES = 12
"""Literals looked at in one expression: tables can be long, a few sites are enough."""


@dataclass(frozen=True, slots=True)
class Edit:
    """A replacement of bytes in a source."""

    start: int
    end: int
    text: str
    weak: bool = False


Refused = Callable[[Edit], bool]
"""Whether an edit is of no use, and another one of the same literal is looked for."""


@dataclass(frozen=True, slots=True)
class Reading:
    """How a literal is compared, which says how far apart two versions have to be."""

    absolute: float = 0.0
    relative: float = 0.0
    digits_only: bool = False
    """A text that is read as a number."""
    masks: tuple[re.Pattern[str], ...] = ()
    """Parts of a text that are instructions, not content."""


EXACT = Reading()


def edits(source: Source, node: ast.Constant, reading: Reading, refused: Refused) -> list[Edit]:
    """Alterations of one constant; empty when none is certain to differ."""
    if isinstance(node.value, bool):
        start, end = source.span(node)
        flipped = Edit(start, end, str(not node.value), weak=True)
        return [] if refused(flipped) else [flipped]
    if not isinstance(node.value, int | float | str | bytes):
        return []
    pool = pool_of(source)
    found: list[Edit] = []
    for start, text in tokens(source, node):
        make = _in_number if isinstance(node.value, int | float) else _in_text
        token = Token(text, start, reading.masks, reading.digits_only)
        place = _Place(f"{source.secret}:{source.path}:{start}", token, reading, refused)
        found += make(place, pool)
    return found


@dataclass(frozen=True, slots=True)
class _Place:
    """A token, where it stands, and how its value is read."""

    key: str
    literal: Token
    reading: Reading
    refused: Refused

    @property
    def token(self) -> str:
        return self.literal.text

    def edit(self, place: int, old: str, new: str) -> Edit:
        """`new` in the place of `old`, which starts at a character of the token."""
        start = self.literal.start + len(self.token[:place].encode())
        return Edit(start, start + len(old.encode()), new)


def _drawn(place: _Place, found: list[tuple[Option, float]]) -> list[Edit]:
    """Other values of one place of the token: several must not tell the real one by where they stand."""
    made = [(place.edit(one.start, place.token[one.start : one.end], one.new), one) for one, _ in found]
    useless = {one for edit, one in made if place.refused(edit)}
    found = [one for one in found if one[0] not in useless]
    edits = []
    for variant in range(VARIANTS):
        if not found:
            break
        option = _weighted(place.key, f"option{variant}", found)
        edits.append(place.edit(option.start, place.token[option.start : option.end], option.new))
        found = [one for one in found if one[0].place == option.place and one[0].new != option.new]
    return edits


def _weighted(key: str, purpose: str, found: list[tuple[Option, float]]) -> Option:
    """One of them, as often as it counts."""
    left = _draw(key, purpose, _FINE) / _FINE * sum(weight for _, weight in found)
    for option, weight in found:
        left -= weight
        if left < 0:
            return option
    return found[-1][0]


def _in_number(place: _Place, pool: Pool) -> list[Edit]:
    if not re.fullmatch(r"[0-9][0-9_]*(?:\.[0-9_]*)?(?:[eE][-+]?[0-9]+)?|\.[0-9_]+", place.token):
        return []
    found = [one for one in options(pool, place.literal) if _far_apart(place.token, one.new, place.reading)]
    return _drawn(place, weighed(pool, found)) or _other_digits(place)


def _other_digits(place: _Place) -> list[Edit]:
    token = place.token
    mantissa = re.split("[eE]", token)[0]
    is_float = not token.replace("_", "").isdigit()
    places = [index for index, char in enumerate(mantissa) if char.isdigit()]
    significant = [index for index in places if mantissa[index] != "0"] or places[-1:]
    found = []
    for variant in range(VARIANTS):
        digit = significant[0] if is_float else places[_draw(place.key, f"place{variant}", len(places))]
        leading = digit == significant[0] and len(places) > 1 and mantissa[digit] != "0"
        char = _other(token[digit], "123456789" if leading else string.digits, f"{place.key}:{variant}")
        if _far_apart(token, token[:digit] + char + token[digit + 1 :], place.reading):
            found.append(place.edit(digit, token[digit], char))
    return _distinct(place, found)


def _far_apart(old: str, new: str, reading: Reading) -> bool:
    """Further than twice what the comparison allows on either side."""
    try:
        before, after = float(old), float(new)
    except (ValueError, OverflowError):
        return False
    allowed = max(reading.absolute, reading.relative * max(abs(before), abs(after)))
    return abs(before - after) > 2 * allowed


def _in_text(place: _Place, pool: Pool) -> list[Edit]:
    first, last = place.literal.body()
    if first == 0:
        return []
    found = options(pool, place.literal)
    return _drawn(place, weighed(pool, found)) or _other_letters(place, place.literal.closed(), (first, last))


def _other_letters(place: _Place, closed: set[int], body: tuple[int, int]) -> list[Edit]:
    """Where the file has nothing alike: one digit, else one letter, becomes another."""
    token = place.token
    usable = [index for index in range(*body) if index not in closed and _class(token[index])]
    digits = [index for index in usable if token[index].isdigit()]
    places = digits or ([] if place.reading.digits_only else usable)
    found = []
    for variant in range(VARIANTS if places else 0):
        letter = places[_draw(place.key, f"place{variant}", len(places))]
        char = _other(token[letter], _class(token[letter]), f"{place.key}:{variant}")
        found.append(place.edit(letter, token[letter], char))
    return _distinct(place, found)


def _class(char: str) -> str:
    return next((members for members in _CLASSES if char in members), "")


def _other(char: str, members: str, key: str) -> str:
    """Another member, as a rotation: every altered value has exactly one origin, so none can be ruled out."""
    step = 1 + _draw(key, "step", len(members) - 1)
    return members[(members.index(char) + step) % len(members)]


def _draw(key: str, purpose: str, below: int) -> int:
    """A number that is the same for every preparation of this release, and unrelated to the value there."""
    return int.from_bytes(hashlib.sha256(f"{key}:{purpose}".encode()).digest()[:8], "big") % below


def _distinct(place: _Place, found: list[Edit]) -> list[Edit]:
    return list(dict.fromkeys(edit for edit in found if not place.refused(edit)))


def leaves(node: ast.expr, reading: Reading = EXACT) -> Iterator[tuple[ast.Constant, Reading]]:
    """The constants of an expression whose change is certain to change what it equals.

    Displays may hold other expressions beside a constant: the same place then holds different values.
    """
    match node:
        case ast.Constant():
            yield node, reading
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant() as operand):
            yield operand, reading
        case ast.List() | ast.Tuple() if not any(isinstance(item, ast.Starred) for item in node.elts):
            for item in node.elts:
                yield from leaves(item, reading)
        case ast.Set() if is_plain(node):
            for item in node.elts:
                yield from leaves(item, reading)
        case ast.Dict() if _plain_keys(node):
            for value in node.values:
                yield from leaves(value, reading)
        case ast.Call():
            yield from _call_leaves(node, reading)
        case ast.BinOp():
            yield from _operation_leaves(node, reading)


def is_plain(node: ast.expr) -> bool:
    """Whether an expression is constants and displays only."""
    try:
        ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return False
    return True


def _plain_keys(node: ast.Dict) -> bool:
    keys = [key.value for key in node.keys if isinstance(key, ast.Constant)]
    return len(keys) == len(node.keys) == len(set(keys))


def _call_leaves(node: ast.Call, reading: Reading) -> Iterator[tuple[ast.Constant, Reading]]:
    name = node.func.id if isinstance(node.func, ast.Name) else ""
    if isinstance(node.func, ast.Attribute):
        yield from _method_leaves(node, node.func, reading)
    elif name == "dict" and not node.args and all(keyword.arg for keyword in node.keywords):
        for keyword in node.keywords:
            yield from leaves(keyword.value, reading)
    elif len(node.args) == 1 and not node.keywords:
        argument = node.args[0]
        if name in {"frozenset", "list", "set", "tuple", "OrderedDict"} and is_plain(argument):
            yield from leaves(argument, reading)
        elif name == "Decimal" and isinstance(argument, ast.Constant):
            yield argument, Reading(digits_only=True)
    if name == "approx":
        yield from _approx_leaves(node)


def _method_leaves(
    node: ast.Call, method: ast.Attribute, reading: Reading
) -> Iterator[tuple[ast.Constant, Reading]]:
    """Methods of a text constant: their result is a text that keeps the altered character."""
    owner = method.value
    if method.attr == "approx" and isinstance(owner, ast.Name) and owner.id == "pytest":
        yield from _approx_leaves(node)
    elif isinstance(owner, ast.Constant) and isinstance(owner.value, str):
        if method.attr == "join" and len(node.args) == 1 and isinstance(node.args[0], ast.List | ast.Tuple):
            if is_plain(node.args[0]):
                yield from leaves(node.args[0], reading)
        elif method.attr == "format":
            yield owner, Reading(masks=(_BRACES,))
        elif method.attr == "encode":
            yield owner, reading


def _operation_leaves(node: ast.BinOp, reading: Reading) -> Iterator[tuple[ast.Constant, Reading]]:
    left, right = node.left, node.right
    if not isinstance(left, ast.Constant) or not isinstance(left.value, str):
        return
    if isinstance(node.op, ast.Mod):
        yield left, Reading(masks=(_PERCENT,))
    elif isinstance(node.op, ast.Mult | ast.Add) and isinstance(right, ast.Constant) and right.value:
        yield left, reading


def _approx_leaves(node: ast.Call) -> Iterator[tuple[ast.Constant, Reading]]:
    """`approx` allows 1e-6 of the expected value or 1e-12, unless it says otherwise."""
    given = {keyword.arg: keyword.value for keyword in node.keywords}
    if len(node.args) != 1 or not set(given) <= {"abs", "rel", "nan_ok"}:
        return
    tolerances = {name: _number(given[name]) for name in ("abs", "rel") if name in given}
    if None in tolerances.values():
        return
    absolute, relative = tolerances.get("abs") or 1e-12, tolerances.get("rel") or 1e-6
    yield from leaves(node.args[0], Reading(absolute=absolute, relative=relative))


def _number(node: ast.expr) -> float | None:
    value = node.value if isinstance(node, ast.Constant) else None
    return float(value) if isinstance(value, int | float) else None


def value_edits(
    source: Source, node: ast.expr, reading: Reading = EXACT, refused: Refused = lambda _: False
) -> list[Edit]:
    """Alterations of an expected value, at different places of it first."""
    found: list[list[Edit]] = []
    for leaf, leaf_reading in leaves(node, reading):
        altered = edits(source, leaf, leaf_reading, refused)
        found += [altered] if altered else []
        if len(found) == MAX_LEAVES:
            break
    return [variants[rank] for rank in range(VARIANTS) for variants in found if rank < len(variants)]
