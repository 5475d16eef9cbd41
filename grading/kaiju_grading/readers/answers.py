"""Answers of a compiled test program: lines `SLOT KIND VALUE`, written by code that is not trusted."""

import re
from collections.abc import Mapping

from kaiju_grading import plain
from kaiju_grading.outcome import Answer
from kaiju_grading.readers import values

MAX_ANSWERS = 20_000
"""Of one process; later ones are not read."""
_LINE = re.compile(
    rb"([0-9a-f]{1,40}) (?:(-)|t ([0-9a-f]*)|i (-?[0-9]{1,40})|f ([0-9eE.+-]{1,40}|[+-]?[Ii]nf|NaN))\n"
)

Answers = Mapping[str, tuple[Answer, ...]]


def read_answers(said: bytes) -> Answers:
    """By key of the question. Total: a line of another form is none."""
    found: dict[str, dict[Answer, None]] = {}
    for number, line in enumerate(values.lines(said)):
        match = _LINE.fullmatch(line)
        if match is None:
            continue
        if number == MAX_ANSWERS:
            break
        found.setdefault(match[1].decode(), {})[_answer(match)] = None
    return {key: tuple(answers) for key, answers in found.items()}


def _answer(match: re.Match[bytes]) -> Answer:
    _, opaque, text, whole, number = match.groups()
    try:
        if opaque is not None:
            return Answer()
        if text is not None:
            return Answer(plain.encode(_text(bytes.fromhex(text.decode()))))
        return Answer(plain.encode(int(whole) if whole is not None else float(number)))
    except ValueError:  # too long, or hexadecimal digits that are no bytes
        return Answer()


def _text(data: bytes) -> str | bytes:
    """Bytes where it is no text: in Go it need not be one."""
    try:
        return data.decode()
    except UnicodeDecodeError:
        return data
