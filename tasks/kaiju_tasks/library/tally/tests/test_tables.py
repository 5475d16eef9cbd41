import pytest

from tally import Column, Grid, Markdown, Plain, Table, TableError, wrap


def prices(*, align="right"):
    return Table(Column("Item"), Column("Price", align)).add("Tea", 3).add("Coffee", 12)


@pytest.mark.parametrize(
    ("text", "width", "lines"),
    [
        ("", 5, [""]),
        ("one two three", 7, ["one two", "three"]),
        ("one two three", 20, ["one two three"]),
        ("  one   two  ", 20, ["one two"]),
        ("abcdefgh", 3, ["abc", "def", "gh"]),
        ("a bcdefg h", 4, ["a", "bcde", "fg h"]),
        ("one\ntwo", 20, ["one", "two"]),
        ("one\n\ntwo", 20, ["one", "", "two"]),
    ],
)
def test_wrap(text, width, lines):
    assert wrap(text, width) == lines


def test_wrap_fills_lines_to_the_limit():
    assert wrap("aa bb cc", 5) == ["aa bb", "cc"]


def test_plain():
    assert prices().render(Plain()) == "Item    Price\n------  -----\nTea         3\nCoffee     12"


def test_plain_has_no_trailing_space():
    table = Table(Column("A"), Column("B")).add("x", None)
    assert table.render(Plain()) == "A  B\n-  -\nx"


def test_grid():
    assert prices().render(Grid()).splitlines() == [
        "+--------+-------+",
        "| Item   | Price |",
        "+--------+-------+",
        "| Tea    |     3 |",
        "| Coffee |    12 |",
        "+--------+-------+",
    ]


def test_markdown():
    assert prices().render(Markdown()).splitlines() == [
        "| Item   | Price |",
        "| :----- | ----: |",
        "| Tea    |     3 |",
        "| Coffee |    12 |",
    ]


def test_markdown_shows_centring():
    assert prices(align="center").render(Markdown()).splitlines()[1] == "| :----- | :---: |"


def test_markdown_columns_have_three_characters():
    assert Table(Column("A")).add(1).render(Markdown()) == "| A   |\n| :-- |\n| 1   |"


def test_markdown_escapes_bars_and_keeps_one_line():
    table = Table(Column("Text", limit=3)).add("a|b\nc d")
    assert table.render(Markdown()).splitlines()[2] == "| a\\|b c d |"


def test_centring_puts_the_odd_space_right():
    assert Column("x", "center").pad("ab", 5) == " ab  "
    assert Column("x", "center").pad("abc", 5) == " abc "


def test_padding():
    assert Column("x").pad("ab", 4) == "ab  "
    assert Column("x", "right").pad("ab", 4) == "  ab"


def test_cells_are_wrapped():
    table = Table(Column("Name", limit=5), Column("N", "right")).add("one two three", 1).add("four", 2)
    assert table.render(Plain()).splitlines() == ["Name   N", "-----  -", "one    1", "two", "three", "four   2"]


def test_titles_are_wrapped():
    assert Table(Column("Unit price", limit=5)).add(7).render(Plain()) == "Unit\nprice\n-----\n7"


def test_a_table_without_rows():
    assert Table(Column("A"), Column("B")).render(Plain()) == "A  B\n-  -"


def test_add_counts_cells():
    table = Table(Column("A"), Column("B"))
    with pytest.raises(TableError, match="expected 2 cells, got 1"):
        table.add(1)
    assert table.rows == []


def test_alignment_can_be_set():
    column = Column("x")
    column.align = "right"
    assert column.align == "right"


def test_a_wrong_alignment_is_refused():
    column = Column("x", "center")
    with pytest.raises(TableError, match="left, right, center"):
        column.align = "middle"
    assert column.align == "center"


@pytest.mark.parametrize("limit", [0, 201, -1])
def test_limits_have_bounds(limit):
    with pytest.raises(TableError, match="limit must be 1 to 200"):
        Column("x", limit=limit)


def test_a_limit_can_be_set():
    column = Column("x")
    assert column.limit == 40
    column.limit = 7
    assert column.limit == 7


def test_columns_do_not_share_limits():
    first, second = Column("a", limit=3), Column("b", limit=9)
    assert [first.limit, second.limit] == [3, 9]


def test_the_bounds_are_on_the_class():
    assert (Column.limit.low, Column.limit.high) == (1, 200)
