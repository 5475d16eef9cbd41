import pytest
from bookkeeping import minors, texts

from tally import JournalError, dump, load

SIMPLE = """\
2024-01-05 Groceries #food
    expenses:food   30.00 EUR
    assets:cash
"""


def test_load_reads_entries_in_order_of_day(household):
    assert texts(load(household)) == ["Opening balance", "Groceries at the market", "Trip to Basel", "Salary"]


def test_load_reads_amounts(household):
    assert minors(load(household), "expenses:food") == [2340, 660]


def test_balances(household):
    ledger = load(household)
    assert str(ledger.balance("assets:bank", "EUR")) == "3,087.50 EUR"
    assert str(ledger.balance("assets:cash", "EUR")) == "20.00 EUR"
    assert str(ledger.balance("assets", "CHF")) == "-80.00 CHF"


def test_the_open_posting_takes_what_is_missing():
    assert minors(load(SIMPLE), "assets:cash") == [-3000]


def test_the_open_posting_takes_every_currency(household):
    trip = load(household).entries[2]
    assert [str(posting.amount) for posting in trip.postings] == ["80.00 CHF", "12.50 EUR", "-80.00 CHF", "-12.50 EUR"]


def test_the_open_posting_keeps_its_place():
    ledger = load("2024-01-01 x\n  a\n  b  1 EUR\n")
    assert [posting.account for posting in ledger.entries[0].postings] == ["a", "b"]


def test_tags_are_taken_out_of_the_text(household):
    market = load(household).entries[1]
    assert market.text == "Groceries at the market"
    assert sorted(market.tags) == ["food", "weekly"]


def test_a_tag_may_be_inside_the_text():
    assert texts(load(SIMPLE.replace("Groceries", "Groceries #big at"))) == ["Groceries at"]


def test_comments_and_empty_lines_mean_nothing():
    text = "; start\n\n" + SIMPLE.replace("30.00 EUR", "30.00 EUR ; cheap").replace("    assets", "\n\tassets")
    assert minors(load(text), "") == [3000, -3000]


def test_nothing_is_an_empty_ledger():
    assert load("; only a comment\n").entries == []


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("\nGroceries\n", 2, "expected a date"),
        ("2024-02-30 x\n", 1, "no such day: 2024-02-30"),
        ("  a  1 EUR\n", 1, "before the first entry"),
        ("2024-01-01 x\n  a 1 EUR\n", 2, "two spaces"),
        ("2024-01-01 x\n  a  1 ABC\n", 2, "unknown currency"),
        ("2024-01-01 x\n  a  1 EUR\n  b\n  c\n", 4, "only one posting"),
        ("2024-01-01 x\n  a  1 EUR\n  b  -1 EUR\n  c\n", 4, "nothing is left"),
        ("\n\n2024-01-01 x\n  a  1 EUR\n  b  -2 EUR\n", 3, "does not balance"),
        ("2024-01-01 x\n  a  0 EUR\n", 1, "two postings"),
    ],
)
def test_errors_name_the_line(text, line, message):
    with pytest.raises(JournalError, match=message) as caught:
        load(text)
    assert caught.value.line == line


def test_the_message_begins_with_the_line():
    with pytest.raises(JournalError) as caught:
        load("x")
    assert str(caught.value) == "line 1: expected a date and a text: 'x'"


def test_dump():
    assert dump(load(SIMPLE)) == (
        "2024-01-05 Groceries #food\n    expenses:food   30.00 EUR\n    assets:cash    -30.00 EUR\n"
    )


def test_dump_aligns_the_whole_journal(household):
    lines = dump(load(household)).splitlines()
    assert lines[0] == "2024-01-01 Opening balance"
    assert lines[1] == "    assets:bank           1,000.00 EUR"
    assert lines[5] == "2024-01-05 Groceries at the market #food #weekly"
    assert lines[6] == "    expenses:food:fresh      23.40 EUR"


def test_dump_parts_entries_with_empty_lines(household):
    assert dump(load(household)).count("\n\n") == 3


def test_dump_of_nothing():
    assert dump(load("")) == ""


def test_dump_is_read_back(household):
    ledger = load(household)
    assert load(dump(ledger)).entries == ledger.entries
    assert len(ledger.entries) == 4
