import pytest

from tally import Expression, ExpressionError, evaluate, postfix, tokens


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1 + 2 * 3", 7),
        ("(1 + 2) * 3", 9),
        ("10 - 3 - 2", 5),
        ("2 ^ 3 ^ 2", 512),
        ("-2 ^ 2", -4),
        ("2 ^ -1", 0.5),
        ("7 / 2", 3.5),
        ("8 / 2", 4),
        ("-7 % 3", 2),
        ("--3", 3),
        ("2 * -3", -6),
        ("1.5 + 1", 2.5),
        ("max(1, min(5, 3)) * 2", 6),
        ("abs(-4)", 4),
        ("round(2.5) + round(3.5)", 6),
    ],
)
def test_value(text, expected):
    assert evaluate(text) == expected


def test_tokens_have_positions():
    assert list(tokens("12+ ab*(1.5)")) == [("12", 0), ("+", 2), ("ab", 4), ("*", 6), ("(", 7), ("1.5", 8), (")", 11)]


def test_tokens_of_nothing():
    assert list(tokens("   ")) == []


def test_tokens_come_one_by_one():
    stream = tokens("1 $")
    assert next(stream) == ("1", 0)
    with pytest.raises(ExpressionError) as caught:
        next(stream)
    assert caught.value.position == 2


def test_postfix_order():
    assert postfix("1 + 2 * x") == ["1", "2", "x", "*", "+"]
    assert postfix("(1 + 2) * x") == ["1", "2", "+", "x", "*"]


def test_postfix_of_powers_and_signs():
    assert postfix("2 ^ 3 ^ 2 - -x * 4") == ["2", "3", "2", "^", "^", "x", "~", "4", "*", "-"]


def test_postfix_of_functions():
    assert postfix("max(a, b + 1)") == ["a", "b", "1", "+", "max"]


def test_names_have_values():
    assert evaluate("2 * x + y_1", x=4, y_1=0.5) == 8.5


def test_a_name_without_value():
    with pytest.raises(ExpressionError, match="no value for 'y'"):
        evaluate("x + y", x=1)


@pytest.mark.parametrize("text", ["1 / 0", "1 % (2 - 2)", "0 ^ -1"])
def test_division_by_zero(text):
    with pytest.raises(ExpressionError, match="division by zero"):
        evaluate(text)


@pytest.mark.parametrize(
    ("text", "position"),
    [("", 0), ("1 +", 3), ("1 2", 2), ("(1", 2), ("1)", 1), ("* 3", 0), ("min(1)", 5), ("abs(1, 2)", 5), ("max", 3)],
)
def test_errors_have_positions(text, position):
    with pytest.raises(ExpressionError) as caught:
        postfix(text)
    assert caught.value.position == position


def test_the_message_names_the_token():
    with pytest.raises(ExpressionError) as caught:
        postfix("(1 + 2]")
    assert str(caught.value) == "unexpected ']' at 6"


def test_an_expression_is_evaluated_many_times():
    expression = Expression("n * (n + 1) / 2")
    assert [expression.value({"n": n}) for n in range(5)] == [0, 1, 3, 6, 10]


def test_names_in_order_of_appearance():
    assert Expression("b + a * b - max(c, 1)").names == ["b", "a", "c"]


def test_text_can_be_set():
    expression = Expression("1 + 1")
    expression.text = "2 * 4"
    assert expression.text == "2 * 4"
    assert expression.value() == 8


def test_a_bad_text_changes_nothing():
    expression = Expression("1 + 1")
    with pytest.raises(ExpressionError):
        expression.text = "1 +"
    assert expression.text == "1 + 1"
    assert expression.value() == 2
