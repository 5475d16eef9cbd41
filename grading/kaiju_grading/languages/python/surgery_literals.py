"""Literals altered in place: same token, same length, another value that no result can equal as well."""

import ast
import hashlib
import io
import re
import string
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass

from kaiju_grading.languages.python.surgery_pool import NUMBER, RUNS, Pool, form_of
from kaiju_grading.languages.python.surgery_source import Source

_VOWELS, _CONSONANTS = "aeiou", "".join(char for char in string.ascii_lowercase if char not in "aeiou")
_CLASSES = (string.digits, _VOWELS, _CONSONANTS, _VOWELS.upper(), _CONSONANTS.upper())
_ESCAPE = re.compile(
    r"\\(?:N\{[^}]*\}|x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|[0-7]{1,3}|.)", re.DOTALL
)
_PERCENT = re.compile(r"%(?:\([^)]*\))?[-#0 +]*[0-9*]*(?:\.[0-9*]+)?[a-zA-Z%]")
_BRACES = re.compile(r"\{\{|\}\}|\{[^{}]*\}")
_STRING = re.compile(r"(?P<prefix>[a-zA-Z]*)(?P<quote>\"\"\"|'''|\"|')")

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


def edits(source: Source, node: ast.Constant, reading: Reading) -> list[Edit]:
    """Alterations of one constant; empty when none is certain to differ."""
    if isinstance(node.value, bool):
        start, end = source.span(node)
        return [Edit(start, end, str(not node.value), weak=True)]
    if not isinstance(node.value, int | float | str | bytes):
        return []
    pool = Pool.of(source)
    found: list[Edit] = []
    for start, token in _tokens(source, node):
        make = _in_number if isinstance(node.value, int | float) else _in_text
        place = _Place(f"{source.secret}:{source.path}:{start}", token, start, reading, node.lineno)
        found += make(place, pool)
    return found


def _tokens(source: Source, node: ast.Constant) -> Iterator[tuple[int, str]]:
    """(offset, text) of each token: adjacent strings are one constant of several tokens."""
    start, end = source.span(node)
    text = source.data[start:end].decode()
    lines = [0, *(match.end() for match in re.finditer(r"\r\n|\r|\n", text))]
    try:
        # Parentheses make line breaks between adjacent strings harmless.
        tokens = list(tokenize.generate_tokens(io.StringIO(f"({text})", newline="").readline))
    except (tokenize.TokenError, SyntaxError):
        return
    for token in tokens:
        if token.type in {tokenize.NUMBER, tokenize.STRING}:
            line, column = token.start
            position = lines[line - 1] + column - (1 if line == 1 else 0)
            yield start + len(text[:position].encode()), token.string


@dataclass(frozen=True, slots=True)
class _Place:
    """A token, where it stands, and how its value is read."""

    key: str
    token: str
    start: int
    reading: Reading
    line: int

    def edit(self, place: int, old: str, new: str) -> Edit:
        """`new` in the place of `old`, which starts at a character of the token."""
        start = self.start + len(self.token[:place].encode())
        return Edit(start, start + len(old.encode()), new)


def _in_number(place: _Place, pool: Pool) -> list[Edit]:
    token = place.token
    if not re.fullmatch(r"[0-9][0-9_]*(?:\.[0-9_]*)?(?:[eE][-+]?[0-9]+)?|\.[0-9_]+", token):
        return []
    alike = [
        other for other in pool.others(token, NUMBER, place.line) if _far_apart(token, other, place.reading)
    ]
    if alike and (len(token) == 1 or token[0] != "0"):
        chosen = (alike[_draw(place.key, f"number{variant}", len(alike))] for variant in range(VARIANTS))
        return _distinct([place.edit(0, token, other) for other in chosen])
    return _other_digits(place)


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
    return _distinct(found)


def _far_apart(old: str, new: str, reading: Reading) -> bool:
    """Further than twice what the comparison allows on either side."""
    try:
        before, after = float(old), float(new)
    except (ValueError, OverflowError):
        return False
    allowed = max(reading.absolute, reading.relative * max(abs(before), abs(after)))
    return abs(before - after) > 2 * allowed


def _in_text(place: _Place, pool: Pool) -> list[Edit]:
    opening = _STRING.match(place.token)
    if opening is None or "f" in opening["prefix"].lower():
        return []
    first, last = opening.end(), len(place.token) - len(opening["quote"])
    body = place.token[first:last]
    hidden = [] if "r" in opening["prefix"].lower() else list(_ESCAPE.finditer(body))
    hidden += [match for mask in place.reading.masks for match in mask.finditer(body)]
    closed = {first + index for match in hidden for index in range(match.start(), match.end())}
    return _other_words(place, pool, closed, (first, last)) or _other_letters(place, closed, (first, last))


def _other_words(place: _Place, pool: Pool, closed: set[int], body: tuple[int, int]) -> list[Edit]:
    """Words and numbers of the text that become others of the file."""
    options = [
        (match.start(), match[0], pool.others(match[0], form_of(match[0]), place.line))
        for match in RUNS.finditer(place.token, *body)
        if closed.isdisjoint(range(match.start(), match.end()))
        and (match[0].isdigit() or not place.reading.digits_only)
    ]
    options = [option for option in options if option[2]]
    found = []
    for variant in range(VARIANTS if options else 0):
        start, run, others = options[_draw(place.key, f"run{variant}", len(options))]
        found.append(place.edit(start, run, others[_draw(place.key, f"word{variant}", len(others))]))
    return _distinct(found)


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
    return _distinct(found)


def _class(char: str) -> str:
    return next((members for members in _CLASSES if char in members), "")


def _other(char: str, members: str, key: str) -> str:
    """Another member, as a rotation: every altered value has exactly one origin, so none can be ruled out."""
    step = 1 + _draw(key, "step", len(members) - 1)
    return members[(members.index(char) + step) % len(members)]


def _draw(key: str, purpose: str, below: int) -> int:
    """A number that is the same for every preparation of this release, and unrelated to the value there."""
    return int.from_bytes(hashlib.sha256(f"{key}:{purpose}".encode()).digest()[:8], "big") % below


def _distinct(found: list[Edit]) -> list[Edit]:
    return list(dict.fromkeys(found))


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


def value_edits(source: Source, node: ast.expr, reading: Reading = EXACT) -> list[Edit]:
    """Alterations of an expected value, at different places of it first."""
    found: list[list[Edit]] = []
    for leaf, leaf_reading in leaves(node, reading):
        altered = edits(source, leaf, leaf_reading)
        found += [altered] if altered else []
        if len(found) == MAX_LEAVES:
            break
    return [variants[rank] for rank in range(VARIANTS) for variants in found if rank < len(variants)]
