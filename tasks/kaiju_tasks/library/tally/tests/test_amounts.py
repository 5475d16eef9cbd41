from decimal import Decimal

import pytest

from tally import Amount, AmountError, total


@pytest.mark.parametrize(
    ("text", "minor"),
    [
        ("12.50 EUR", 1250),
        ("  7 EUR ", 700),
        ("-1,234.5 USD", -123450),
        ("+3 JPY", 3),
        ("0.125 KWD", 125),
        ("1,000,000 JPY", 1000000),
    ],
)
def test_parse_reads(text, minor):
    assert Amount.parse(text).minor == minor


@pytest.mark.parametrize("text", ["12.50", "EUR 3", "1,23 EUR", "3.123 EUR", "1.5 JPY", "2 XXX", "", "1. EUR"])
def test_parse_refuses(text):
    with pytest.raises(AmountError):
        Amount.parse(text)


def test_parse_keeps_the_currency():
    assert Amount.parse("5 CHF").currency == "CHF"


def test_an_unknown_currency_is_named():
    with pytest.raises(AmountError, match="unknown currency: ABC"):
        Amount.parse("1 ABC")


def test_number_has_the_digits_of_the_currency():
    assert str(Amount(1250, "EUR").number) == "12.50"
    assert str(Amount(1250, "JPY").number) == "1250"
    assert str(Amount(-5, "KWD").number) == "-0.005"


def test_text_is_grouped():
    assert str(Amount(-123450, "USD")) == "-1,234.50 USD"
    assert str(Amount(1000000, "JPY")) == "1,000,000 JPY"


def test_text_of_less_than_one_unit():
    assert str(Amount(-5, "EUR")) == "-0.05 EUR"


def test_sum_and_difference():
    assert (Amount(150, "EUR") + Amount(275, "EUR")).minor == 425
    assert (Amount(150, "EUR") - Amount(275, "EUR")).minor == -125


def test_currencies_do_not_mix():
    with pytest.raises(AmountError, match="EUR with USD"):
        Amount(1, "EUR") + Amount(1, "USD")
    with pytest.raises(AmountError):
        _ = Amount(1, "EUR") < Amount(1, "USD")


def test_negation():
    assert (-Amount(3, "CHF")).minor == -3


@pytest.mark.parametrize(
    ("minor", "factor", "expected"),
    [(25, "0.1", 2), (35, "0.1", 4), (-25, "0.1", -2), (100, "1.19", 119), (333, "3", 999)],
)
def test_multiplication_rounds_half_to_even(minor, factor, expected):
    assert (Amount(minor, "EUR") * Decimal(factor)).minor == expected


def test_multiplication_by_a_whole_number():
    assert (Amount(199, "USD") * 3).minor == 597


def test_order():
    amounts = [Amount(30, "EUR"), Amount(-10, "EUR"), Amount(20, "EUR")]
    assert [amount.minor for amount in sorted(amounts)] == [-10, 20, 30]


def test_nothing_is_false():
    assert [bool(Amount(minor, "EUR")) for minor in (0, 1, -1)] == [False, True, True]


def test_split_loses_nothing():
    assert [share.minor for share in Amount(1000, "EUR").split([1, 1, 1])] == [334, 333, 333]


def test_split_gives_the_rest_to_the_largest_remainders():
    assert [share.minor for share in Amount(100, "EUR").split([1, 2, 4])] == [14, 29, 57]
    assert [share.minor for share in Amount(5, "EUR").split([3, 3, 3, 0])] == [2, 2, 1, 0]


def test_split_of_a_debt():
    assert [share.minor for share in Amount(-1000, "EUR").split([1, 1, 1])] == [-334, -333, -333]


@pytest.mark.parametrize("weights", [[], [0, 0], [2, -1]])
def test_split_refuses(weights):
    with pytest.raises(AmountError, match="weights"):
        Amount(100, "EUR").split(weights)


def test_total():
    assert total([Amount(1, "EUR"), Amount(2, "EUR")], "EUR").minor == 3
    assert total([], "JPY").minor == 0


def test_total_refuses_another_currency():
    with pytest.raises(AmountError):
        total([Amount(1, "EUR"), Amount(2, "USD")], "EUR")
