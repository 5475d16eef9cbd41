"""A double-entry ledger: entries that balance, accounts that form a tree."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import date
from typing import overload

from tally.amounts import Amount, total


class LedgerError(ValueError):
    """An entry that does not balance, or a wrong account name."""


@dataclass(frozen=True)
class Posting:
    """An amount that goes to an account (or leaves it, when negative)."""

    account: str
    amount: Amount


@dataclass(frozen=True)
class Entry:
    """What happened on one day. `tags` are free words."""

    day: date
    text: str
    postings: tuple[Posting, ...]
    tags: frozenset[str] = field(default=frozenset())

    def remainder(self) -> dict[str, Amount]:
        """What is missing to balance, by currency; empty when the entry balances."""
        sums: dict[str, Amount] = {}
        for posting in self.postings:
            currency = posting.amount.currency
            sums[currency] = sums.get(currency, Amount(0, currency)) - posting.amount
        return {currency: amount for currency, amount in sums.items() if amount}


def check_account(name: str) -> str:
    """Return a good account name: parts of letters, digits, `-` and `_`, joined by `:`. Raises LedgerError."""
    for part in name.split(":"):
        if not part.replace("-", "").replace("_", "").isalnum():
            raise LedgerError(f"not an account: {name!r}")
    return name


class Ledger:
    """Entries in order of day; entries of one day stay in the order they came."""

    def __init__(self) -> None:
        self.entries: list[Entry] = []

    def add(self, entry: Entry) -> None:
        """Take an entry in. Raises LedgerError when it has less than two postings, a wrong account, or a remainder."""
        if len(entry.postings) < 2:
            raise LedgerError(f"{entry.text!r}: an entry needs two postings or more")
        for posting in entry.postings:
            check_account(posting.account)
        if rest := entry.remainder():
            missing = ", ".join(str(amount) for amount in rest.values())
            raise LedgerError(f"{entry.text!r}: does not balance, missing {missing}")
        index = len(self.entries)
        while index and self.entries[index - 1].day > entry.day:
            index -= 1
        self.entries.insert(index, entry)

    @contextmanager
    def batch(self) -> Iterator[Ledger]:
        """All or nothing: when the block raises, the entries are as they were before it; the error goes on."""
        before = list(self.entries)
        try:
            yield self
        except BaseException:
            self.entries[:] = before
            raise

    def postings(self, account: str = "") -> Iterator[Posting]:
        """Yield the postings to an account and everything below it, in order; all of them for an empty name."""
        for entry in self.entries:
            for posting in entry.postings:
                if not account or f"{posting.account}:".startswith(f"{account}:"):
                    yield posting

    def accounts(self) -> list[str]:
        """Every account that was posted to, and the accounts above it, sorted."""
        names = set[str]()
        for posting in self.postings():
            parts = posting.account.split(":")
            names.update(":".join(parts[:count]) for count in range(1, len(parts) + 1))
        return sorted(names)

    @overload
    def balance(self, account: str, currency: str) -> Amount: ...
    @overload
    def balance(self, account: str) -> dict[str, Amount]: ...
    def balance(self, account: str, currency: str | None = None) -> Amount | dict[str, Amount]:
        """What an account and everything below it holds.

        With a currency one amount (zero when nothing was posted), without one a dictionary of every currency
        posted, zeros included, sorted by currency.
        """
        amounts = [posting.amount for posting in self.postings(account)]
        if currency is not None:
            return total((amount for amount in amounts if amount.currency == currency), currency)
        return {
            name: total((amount for amount in amounts if amount.currency == name), name)
            for name in sorted({amount.currency for amount in amounts})
        }

    def running(self, account: str, currency: str) -> Iterator[tuple[date, Amount]]:
        """Yield the balance of an account after each day on which it changed hands, in order of day."""
        balance = Amount(0, currency)
        seen: date | None = None
        for entry in self.entries:
            changes = [
                posting.amount
                for posting in entry.postings
                if f"{posting.account}:".startswith(f"{account}:") and posting.amount.currency == currency
            ]
            if not changes:
                continue
            if seen is not None and entry.day != seen:
                yield seen, balance
            balance, seen = balance + total(changes, currency), entry.day
        if seen is not None:
            yield seen, balance

    def tagged(self, tag: str) -> list[Entry]:
        """The entries that carry a tag."""
        return [entry for entry in self.entries if tag in entry.tags]
