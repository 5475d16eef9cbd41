"""Messages of cargo and rustc, from the JSON lines that `--message-format=json` prints."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from kaiju_grading.readers import values
from kaiju_grading.report import Problem

_MAX_MESSAGE = 500
"""Characters of one message."""
_MAX_TEXT = 20_000
"""Characters of anything else: a path, or a message with the source that it quotes."""
_LIBRARIES = frozenset({"lib", "rlib", "cdylib", "dylib", "staticlib"})


@dataclass(frozen=True, slots=True)
class Place:
    """Where a message points to; paths as the compiler names them."""

    path: str
    line: int
    column: int
    primary: bool


@dataclass(frozen=True, slots=True)
class Message:
    """One finding of a compiler or linter."""

    level: str
    code: str
    text: str
    target: str
    """Name of the crate that was being compiled."""
    rendered: str = field(repr=False)
    places: tuple[Place, ...] = ()
    """Primary ones first; of an expanded macro the place of its call as well."""


@dataclass(frozen=True, slots=True)
class Artifact:
    """A test program: the kind (`lib` or `test`) and name of its target, and the file."""

    kind: str
    name: str
    file: str


@dataclass(frozen=True, slots=True)
class CargoReport:
    """What one run of cargo said."""

    messages: tuple[Message, ...]
    programs: tuple[Artifact, ...]
    finished: bool
    """Whether cargo came to its end; it says then whether it succeeded."""
    succeeded: bool
    compiled: tuple[tuple[str, str], ...] = ()
    """Kind and name of every target that was compiled, `lib+test` for a library with its tests."""

    @property
    def errors(self) -> tuple[Message, ...]:
        return tuple(
            message for message in self.messages if message.level.startswith("error") and message.places
        )


def read(output: bytes) -> CargoReport:
    """Total: lines that are no messages are passed over."""
    messages: list[Message] = []
    programs: list[Artifact] = []
    compiled: list[tuple[str, str]] = []
    finished = succeeded = False
    for record in filter(None, map(values.json_object, values.lines(output))):
        reason, target = record.get("reason"), _object(record.get("target"))
        if reason == "compiler-message" and isinstance(record.get("message"), dict):
            messages.append(_message(_object(record["message"]), _name(target)))
        elif reason == "compiler-artifact":
            kind, tested = _kind(target), bool(_object(record.get("profile")).get("test"))
            compiled.append((kind + ("+test" if tested else ""), _name(target)))
            file = values.text(record.get("executable"), _MAX_TEXT)
            if file and tested:
                programs.append(Artifact(kind, _name(target), file))
        elif reason == "build-finished":
            finished, succeeded = True, record.get("success") is True
    return CargoReport(tuple(messages), tuple(programs), finished, succeeded, tuple(compiled))


def _object(value: object) -> Mapping[str, object]:
    return value if isinstance(value, dict) else {}


def _kind(target: Mapping[str, object]) -> str:
    kinds = target.get("kind")
    first = values.text(kinds[0], _MAX_TEXT) if isinstance(kinds, list) and kinds else ""
    return "lib" if first in _LIBRARIES else first


def _name(target: Mapping[str, object]) -> str:
    return values.text(target.get("name"), _MAX_TEXT)


def _message(found: Mapping[str, object], target: str) -> Message:
    # What is attached to a message has places, and nothing attached to itself.
    attached = [place for child in values.objects(found.get("children")) for place in _places(child)]
    own = sorted(_places(found), key=lambda place: not place.primary)
    return Message(
        level=values.text(found.get("level"), _MAX_TEXT),
        code=values.text(_object(found.get("code")).get("code"), _MAX_TEXT),
        text=values.text(found.get("message"), _MAX_TEXT),
        target=target,
        rendered=values.text(found.get("rendered"), _MAX_TEXT),
        places=(*own, *(replace(place, primary=False) for place in attached)),
    )


def _places(found: Mapping[str, object]) -> Iterator[Place]:
    """Of a message: where it points, and where the macros were called that this came from."""
    for span in values.objects(found.get("spans")):
        outer: Mapping[str, object] = span
        while outer:
            yield _place(outer, primary=span.get("is_primary") is True)
            outer = _object(_object(outer.get("expansion")).get("span"))


def _place(span: Mapping[str, object], *, primary: bool) -> Place:
    return Place(
        values.text(span.get("file_name"), _MAX_TEXT),
        values.count(span.get("line_start")),
        values.count(span.get("column_start")),
        primary,
    )


def problem(message: Message, sources: frozenset[str]) -> Problem | None:
    """The message as a finding in the first of `sources` that it points to; None when there is none."""
    place = next((place for place in message.places if place.path in sources), None)
    if place is None:
        return None
    return Problem(
        path=place.path,
        line=place.line,
        column=place.column,
        rule=message.code or "rustc",
        message=values.printable(message.text, _MAX_MESSAGE),
        severity="warning" if message.level == "warning" else "error",
    )
