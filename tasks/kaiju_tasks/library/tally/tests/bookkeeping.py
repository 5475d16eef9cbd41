"""Short ways to write entries and to look at a ledger."""

from datetime import date

from tally import Amount, Entry, Ledger, Posting


def entry(day: int, text: str, *postings: tuple[str, int], currency: str = "EUR", tags: tuple[str, ...] = ()) -> Entry:
    """An entry in January 2024; amounts are in smallest units."""
    return Entry(
        date(2024, 1, day),
        text,
        tuple(Posting(account, Amount(minor, currency)) for account, minor in postings),
        frozenset(tags),
    )


def texts(ledger: Ledger) -> list[str]:
    return [item.text for item in ledger.entries]


def minors(ledger: Ledger, account: str) -> list[int]:
    return [posting.amount.minor for posting in ledger.postings(account)]
