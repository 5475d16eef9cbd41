"""Journals: a ledger as plain text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date

from tally.amounts import Amount, AmountError
from tally.ledger import Entry, Ledger, LedgerError, Posting

_HEAD = re.compile(r"(\d{4}-\d{2}-\d{2})\s+(.*)")
_TAG = re.compile(r"\s#([\w-]+)")
_POSTING = re.compile(r"(\S+)(?:\s{2,}(.+))?")


class JournalError(ValueError):
    """A journal that cannot be read. `line` counts from 1."""

    def __init__(self, line: int, message: str) -> None:
        super().__init__(f"line {line}: {message}")
        self.line = line


@dataclass(frozen=True)
class _Block:
    """A head line and the indented lines below it, with their numbers."""

    number: int
    head: str
    body: tuple[tuple[int, str], ...]


def _blocks(text: str) -> Iterator[_Block]:
    """Yield the blocks of a journal; `;` begins a comment, empty lines part nothing and mean nothing."""
    number, head, body = 0, "", list[tuple[int, str]]()
    for index, raw in enumerate(text.splitlines(), start=1):
        line = raw.split(";", 1)[0].rstrip()
        if not line:
            continue
        if line[0] in " \t":
            if not head:
                raise JournalError(index, "a posting before the first entry")
            body.append((index, line.strip()))
            continue
        if head:
            yield _Block(number, head, tuple(body))
        number, head, body = index, line, []
    if head:
        yield _Block(number, head, tuple(body))


def _entry(block: _Block) -> Entry:
    """One entry; the posting without an amount takes what is missing."""
    match = _HEAD.fullmatch(block.head)
    if match is None:
        raise JournalError(block.number, f"expected a date and a text: {block.head!r}")
    try:
        day = date.fromisoformat(match[1])
    except ValueError as error:
        raise JournalError(block.number, f"no such day: {match[1]}") from error
    tags = frozenset(_TAG.findall(f" {match[2]}"))
    text = _TAG.sub("", f" {match[2]}").strip()
    postings: list[Posting] = []
    open_account: tuple[int, int, str] | None = None
    for number, line in block.body:
        account, amount = _posting(number, line)
        if amount is not None:
            postings.append(Posting(account, amount))
        elif open_account is None:
            open_account = (number, len(postings), account)
        else:
            raise JournalError(number, "only one posting may leave its amount out")
    if open_account is None:
        return Entry(day, text, tuple(postings), tags)
    number, place, account = open_account
    rest = Entry(day, text, tuple(postings), tags).remainder()
    if not rest:
        raise JournalError(number, "nothing is left for the posting without an amount")
    postings[place:place] = [Posting(account, rest[currency]) for currency in sorted(rest)]
    return Entry(day, text, tuple(postings), tags)


def _posting(number: int, line: str) -> tuple[str, Amount | None]:
    match = _POSTING.fullmatch(line)
    if match is None:
        raise JournalError(number, f"expected an account, two spaces and an amount: {line!r}")
    try:
        return match[1], Amount.parse(match[2]) if match[2] else None
    except AmountError as error:
        raise JournalError(number, str(error)) from error


def load(text: str) -> Ledger:
    """Read a journal (see docs/journal.md for the format). Raises JournalError with the number of the line.

    An entry that the ledger refuses is an error of its head line.
    """
    ledger = Ledger()
    for block in _blocks(text):
        entry = _entry(block)
        try:
            ledger.add(entry)
        except LedgerError as error:
            raise JournalError(block.number, str(error)) from error
    return ledger


def dump(ledger: Ledger) -> str:
    """Write a ledger as a journal that `load` reads as the same entries.

    The head is the date, the text and the tags in sorted order; each posting is indented by four spaces, amounts
    are right-aligned within the whole journal, two spaces after the longest account. An empty line parts entries;
    the text ends in a line feed, and is empty for an empty ledger.
    """
    every = list(ledger.postings())
    left = max((len(posting.account) for posting in every), default=0)
    right = max((len(str(posting.amount)) for posting in every), default=0)
    entries = []
    for entry in ledger.entries:
        head = " ".join([str(entry.day), entry.text, *(f"#{tag}" for tag in sorted(entry.tags))])
        lines = [
            f"    {posting.account.ljust(left)}  {str(posting.amount).rjust(right)}" for posting in entry.postings
        ]
        entries.append("\n".join([head, *lines]) + "\n")
    return "\n".join(entries)
