import pytest
from bookkeeping import entry, minors, texts

from tally import Amount, Ledger, LedgerError


@pytest.fixture
def ledger() -> Ledger:
    result = Ledger()
    result.add(entry(3, "rent", ("expenses:rent", 80000), ("assets:bank", -80000)))
    result.add(entry(1, "opening", ("assets:bank", 200000), ("equity", -200000)))
    result.add(entry(3, "food", ("expenses:food", 2500), ("assets:cash", -2500), tags=("weekly",)))
    return result


def test_entries_are_sorted_by_day(ledger):
    assert texts(ledger) == ["opening", "rent", "food"]


def test_entries_of_one_day_keep_their_order(ledger):
    ledger.add(entry(3, "late", ("assets:cash", 1), ("equity", -1)))
    ledger.add(entry(2, "early", ("assets:cash", 1), ("equity", -1)))
    assert texts(ledger) == ["opening", "early", "rent", "food", "late"]


def test_an_entry_must_balance(ledger):
    with pytest.raises(LedgerError, match=r"missing -0\.01 EUR"):
        ledger.add(entry(4, "wrong", ("assets:cash", 100), ("equity", -99)))
    assert texts(ledger) == ["opening", "rent", "food"]


def test_an_entry_has_two_postings():
    with pytest.raises(LedgerError, match="two postings"):
        Ledger().add(entry(1, "lonely", ("assets", 0)))


@pytest.mark.parametrize("account", ["", "a::b", ":a", "a b", "a.b", "a:-"])
def test_account_names_are_checked(account):
    with pytest.raises(LedgerError, match="not an account"):
        Ledger().add(entry(1, "odd", (account, 1), ("equity", -1)))


def test_accounts_may_have_hyphens_and_digits():
    ledger = Ledger()
    ledger.add(entry(1, "fine", ("assets:bank-2:joint_account", 1), ("equity", -1)))
    assert ledger.accounts() == ["assets", "assets:bank-2", "assets:bank-2:joint_account", "equity"]


def test_remainder():
    missing = entry(1, "open", ("assets", 100), ("equity", -30)).remainder()
    assert [str(amount) for amount in missing.values()] == ["-0.70 EUR"]


def test_remainder_of_a_balanced_entry():
    assert entry(1, "even", ("assets", 5), ("equity", -5)).remainder() == {}


def test_accounts_include_those_above(ledger):
    assert ledger.accounts() == [
        "assets",
        "assets:bank",
        "assets:cash",
        "equity",
        "expenses",
        "expenses:food",
        "expenses:rent",
    ]


def test_postings_of_an_account(ledger):
    assert minors(ledger, "assets:bank") == [200000, -80000]


def test_postings_below_an_account(ledger):
    assert minors(ledger, "assets") == [200000, -80000, -2500]
    assert minors(ledger, "asset") == []


def test_all_postings(ledger):
    assert minors(ledger, "") == [200000, -200000, 80000, -80000, 2500, -2500]


def test_balance_in_a_currency(ledger):
    assert ledger.balance("assets:bank", "EUR").minor == 120000
    assert ledger.balance("assets", "EUR").minor == 117500
    assert ledger.balance("assets", "USD").minor == 0


def test_balance_in_every_currency(ledger):
    ledger.add(entry(9, "gift", ("assets:cash", 700), ("equity", -700), currency="CHF"))
    balance = ledger.balance("assets:cash")
    assert list(balance) == ["CHF", "EUR"]
    assert balance["CHF"].minor == 700


def test_balance_of_nothing(ledger):
    assert ledger.balance("liabilities") == {}


def test_running_balance(ledger):
    days = [(day.day, amount.minor) for day, amount in ledger.running("assets", "EUR")]
    assert days == [(1, 200000), (3, 117500)]


def test_running_balance_of_nothing(ledger):
    assert list(ledger.running("assets", "USD")) == []


def test_tags(ledger):
    assert [item.text for item in ledger.tagged("weekly")] == ["food"]
    assert ledger.tagged("monthly") == []


def test_a_batch_is_kept(ledger):
    with ledger.batch() as same:
        same.add(entry(5, "one", ("assets:cash", 1), ("equity", -1)))
        same.add(entry(6, "two", ("assets:cash", 2), ("equity", -2)))
    assert texts(ledger)[-2:] == ["one", "two"]


def test_a_batch_is_taken_back(ledger):
    with pytest.raises(LedgerError), ledger.batch():
        ledger.add(entry(2, "one", ("assets:cash", 1), ("equity", -1)))
        ledger.add(entry(6, "bad", ("assets:cash", 2), ("equity", -1)))
    assert texts(ledger) == ["opening", "rent", "food"]
    assert ledger.balance("assets", "EUR") == Amount(117500, "EUR")
