from datetime import date

import pytest

from tally import Period, PeriodError


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("2024", "2024-01-01", "2024-12-31"),
        ("2024-Q2", "2024-04-01", "2024-06-30"),
        ("2023-Q4", "2023-10-01", "2023-12-31"),
        ("2024-02", "2024-02-01", "2024-02-29"),
        ("2024-W01", "2024-01-01", "2024-01-07"),
        ("2020-W53", "2020-12-28", "2021-01-03"),
        ("2024-02-29", "2024-02-29", "2024-02-29"),
        ("2024-01-03..2024-02-10", "2024-01-03", "2024-02-10"),
    ],
)
def test_parse(text, first, last):
    period = Period.parse(text)
    assert str(period.first) == first
    assert str(period.last) == last


@pytest.mark.parametrize(
    "text",
    ["", "24", "2024-Q5", "2024-13", "2024-W60", "2023-02-29", "2024-02-10..2024-01-03", "2024-00", "2024-1", "now"],
)
def test_parse_refuses(text):
    with pytest.raises(PeriodError):
        Period.parse(text)


@pytest.mark.parametrize(
    ("first", "last", "text"),
    [
        ("2024-01-01", "2024-12-31", "2024"),
        ("2024-01-01", "2024-03-31", "2024-Q1"),
        ("2024-02-01", "2024-02-29", "2024-02"),
        ("2024-02-01", "2024-04-30", "2024-02-01..2024-04-30"),
        ("2024-01-29", "2024-02-04", "2024-W05"),
        ("2024-01-30", "2024-02-05", "2024-01-30..2024-02-05"),
        ("2024-07-04", "2024-07-04", "2024-07-04"),
    ],
)
def test_text_is_the_shortest(first, last, text):
    assert str(Period(date.fromisoformat(first), date.fromisoformat(last))) == text


def test_length():
    assert len(Period.parse("2024")) == 366
    assert len(Period.parse("2023-02")) == 28
    assert len(Period.parse("2024-W09")) == 7


def test_contains_both_ends():
    period = Period.parse("2024-03")
    days = [date(2024, 2, 29), date(2024, 3, 1), date(2024, 3, 31), date(2024, 4, 1)]
    assert [day in period for day in days] == [False, True, True, False]


def test_between():
    assert str(Period.between(date(2024, 5, 1), date(2024, 5, 31))) == "2024-05"


def test_between_refuses_to_run_backwards():
    with pytest.raises(PeriodError, match="2024-01-01 is before 2024-01-02"):
        Period.between(date(2024, 1, 2), date(2024, 1, 1))


def test_days():
    assert [day.day for day in Period.parse("2024-02-27..2024-03-01").days()] == [27, 28, 29, 1]


def test_every_third_day():
    assert [day.day for day in Period.parse("2024-02-27..2024-03-05").days(3)] == [27, 1, 4]


def test_days_come_one_by_one():
    days = Period.parse("1000-01-01..9999-12-31").days()
    assert [str(next(days)), str(next(days))] == ["1000-01-01", "1000-01-02"]


def test_months():
    period = Period.parse("2023-11-15..2024-02-10")
    assert [str(month) for month in period.months()] == [
        "2023-11-15..2023-11-30",
        "2023-12",
        "2024-01",
        "2024-02-01..2024-02-10",
    ]


def test_months_of_a_single_day():
    assert [str(month) for month in Period.parse("2024-05-05").months()] == ["2024-05-05"]


def test_whole_months_shift_by_months():
    assert str(Period.parse("2024-03").shift(-1)) == "2024-02"
    assert str(Period.parse("2024-03").shift(10)) == "2025-01"
    assert str(Period.parse("2024-Q1").shift(-1)) == "2023-Q4"
    assert str(Period.parse("2024").shift(2)) == "2026"


def test_other_periods_shift_by_days():
    assert str(Period.parse("2024-03-01..2024-03-10").shift(-1)) == "2024-02-20..2024-02-29"
    assert str(Period.parse("2024-W52").shift(1)) == "2025-W01"


def test_overlap():
    assert str(Period.parse("2024-Q1").overlap(Period.parse("2024-03-15..2024-05-01"))) == "2024-03-15..2024-03-31"


def test_no_overlap():
    january, february = Period.parse("2024-01"), Period.parse("2024-02")
    assert january.overlap(february) is None
    assert str(january.overlap(january)) == "2024-01"


def test_of_months():
    assert str(Period.of_months(2023, 12, 2)) == "2023-12-01..2024-01-31"
