import unittest
from fractions import Fraction

import pytest

from tally import Quantity, UnitError, parse_unit


@pytest.mark.parametrize(
    ("text", "unit", "expected"),
    [
        ("36 km/h", "m/s", "10 m/s"),
        ("1 mi", "km", "1.60934 km"),
        ("90 min", "h", "1.5 h"),
        ("2 d", "h", "48 h"),
        ("-2.5m", "cm", "-250 cm"),
        ("1/3 h", "min", "20 min"),
        ("1 lb", "g", "453.592 g"),
        ("12 in", "ft", "1 ft"),
        ("1 kg*m/s^2", "g*km/s^2", "1 g*km/s^2"),
        ("3", "", "3"),
    ],
)
def test_conversion(text, unit, expected):
    assert str(Quantity.parse(text).to(unit)) == expected


def test_a_unit_has_a_factor():
    assert parse_unit("km").factor == 1000
    assert parse_unit("t").factor == 1000
    assert parse_unit("g").factor == Fraction(1, 1000)


def test_a_unit_has_powers():
    assert parse_unit("kg*m^2/s^2").powers == (("length", 2), ("mass", 1), ("time", -2))


def test_powers_that_cancel_out_are_left_out():
    assert parse_unit("m/km").powers == ()
    assert parse_unit("m*s/m").powers == (("time", 1),)


def test_division_is_from_left_to_right():
    assert parse_unit("m/s*s").powers == (("length", 1),)
    assert parse_unit("m/s/s").powers == (("length", 1), ("time", -2))


def test_negative_powers():
    assert parse_unit("s^-1").powers == (("time", -1),)


def test_a_symbol_wins_over_a_prefix():
    assert parse_unit("min").factor == 60
    assert parse_unit("ms").factor == Fraction(1, 1000)


def test_white_space_is_ignored():
    assert parse_unit(" km / h ").text == "km/h"


def test_empty_text_is_a_bare_number():
    assert parse_unit("  ").powers == ()


@pytest.mark.parametrize("text", ["parsec", "kmi", "m//s", "m^", "m^1.5", "5m", "kmin", "*m"])
def test_bad_units(text):
    with pytest.raises(UnitError):
        parse_unit(text)


@pytest.mark.parametrize("text", ["", "m", "1,5 m", "1 2 m", "--1 m"])
def test_bad_quantities(text):
    with pytest.raises(UnitError):
        Quantity.parse(text)


def test_the_unknown_unit_is_named():
    with pytest.raises(UnitError, match="unknown unit: 'parsec'"):
        parse_unit("m/parsec")


class ArithmeticTest(unittest.TestCase):
    def setUp(self):
        self.metre = Quantity.parse("1 m")

    def test_sum_has_the_unit_of_the_left_side(self):
        self.assertEqual(str(self.metre + Quantity.parse("5 cm")), "1.05 m")
        assert str(Quantity.parse("5 cm") + self.metre) == "105 cm"

    def test_product_joins_the_units(self):
        self.assertEqual(str(self.metre * Quantity.parse("3 kg")), "3 m*kg")
        assert (self.metre * Quantity.parse("3 kg")).unit.powers == (("length", 1), ("mass", 1))

    def test_product_with_a_bare_number(self):
        assert str(self.metre * Quantity.parse("3")) == "3 m"

    def test_order(self):
        self.assertTrue(Quantity.parse("99 cm") < self.metre)
        self.assertFalse(Quantity.parse("101 cm") < self.metre)

    def test_dimensions_do_not_mix(self):
        with self.assertRaises(UnitError):
            self.metre + Quantity.parse("1 s")
        with self.assertRaisesRegex(UnitError, "cannot convert 'm' to 's'"):
            self.metre.to("s")

    def test_values_are_exact(self):
        assert Quantity.parse("1/3 h").to("s").value == 1200
        assert Quantity.parse("0.1 m").value == Fraction(1, 10)
