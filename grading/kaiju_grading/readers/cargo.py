"""Messages of cargo and rustc, from the JSON lines that `--message-format=json` prints."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from kaiju_grading.report import Problem

_MAX_MESSAGE = 500
"""Characters of one message."""


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
    for record in _records(output):
        reason, target = record.get("reason"), record.get("target")
        if reason == "compiler-message" and isinstance(record.get("message"), dict):
            messages.append(_message(record["message"], _name(target)))
        elif reason == "compiler-artifact" and isinstance(target, dict):
            kind, tested = _kind(target), bool((record.get("profile") or {}).get("test"))
            compiled.append((kind + ("+test" if tested else ""), _name(target)))
            if record.get("executable") and tested:
                programs.append(Artifact(kind, _name(target), str(record["executable"])))
        elif reason == "build-finished":
            finished, succeeded = True, record.get("success") is True
    return CargoReport(tuple(messages), tuple(programs), finished, succeeded, tuple(compiled))


def _records(output: bytes) -> Iterator[dict[str, Any]]:
    for line in output.splitlines():
        try:
            record = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(record, dict):
            yield record


def _kind(target: Mapping[str, Any]) -> str:
    kinds = target.get("kind")
    first = kinds[0] if isinstance(kinds, list) and kinds else ""
    return "lib" if first in {"lib", "rlib", "cdylib", "dylib", "staticlib"} else str(first)


def _name(target: object) -> str:
    return str(target.get("name", "")) if isinstance(target, dict) else ""


def _message(found: Mapping[str, Any], target: str) -> Message:
    code = found.get("code")
    places = sorted(_all_places(found), key=lambda place: not place.primary)
    return Message(
        level=str(found.get("level", "")),
        code=str(code.get("code", "")) if isinstance(code, dict) else "",
        text=str(found.get("message", "")),
        target=target,
        rendered=str(found.get("rendered") or ""),
        places=tuple(places),
    )


def _all_places(found: Mapping[str, Any]) -> Iterator[Place]:
    for span in found.get("spans") or []:
        outer = span
        while isinstance(outer, dict):
            yield _place(outer, primary=bool(span.get("is_primary")))
            outer = (outer.get("expansion") or {}).get("span")
    for child in found.get("children") or []:
        for place in _all_places(child):
            yield Place(place.path, place.line, place.column, primary=False)


def _place(span: Mapping[str, Any], *, primary: bool) -> Place:
    return Place(
        str(span.get("file_name", "")),
        _count(span.get("line_start")),
        _count(span.get("column_start")),
        primary,
    )


def _count(value: object) -> int:
    return value if type(value) is int and value > 0 else 0


def problem(message: Message, sources: frozenset[str]) -> Problem | None:
    """The message as a finding in the first of `sources` that it points to; None when there is none."""
    place = next((place for place in message.places if place.path in sources), None)
    if place is None:
        return None
    shown = message.text[:_MAX_MESSAGE]
    return Problem(
        path=place.path,
        line=place.line,
        column=place.column,
        rule=message.code or "rustc",
        message="".join(char if char.isprintable() else ascii(char)[1:-1] for char in shown),
        severity="warning" if message.level == "warning" else "error",
    )
