"""Plain data: what is written is read again, compared as `==` would, and nothing else gets in."""

import json
from collections import OrderedDict, namedtuple
from enum import IntEnum

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kaiju_grading.plain import MAX_CHARS, MAX_DEPTH, MAX_PARTS, NotPlain, decode, encode, kind, normal, same

KEYS = (
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text() | st.binary(max_size=9)
)
PLAIN = st.recursive(
    KEYS,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.lists(inner, max_size=4).map(tuple)
        | st.dictionaries(KEYS, inner, max_size=4)
        | st.frozensets(KEYS, max_size=4)
    ),
    max_leaves=12,
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=9),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from(["float", "bytes", "tuple", "set", "dict", "x"]), inner, max_size=2)
    ),
    max_leaves=12,
)


@settings(deadline=None)
@given(value=PLAIN)
def test_plain_data_is_read_as_it_was_written(value: object) -> None:
    text = encode(value)

    assert decode(text) == value
    assert type(decode(text)) is type(value)
    assert same(normal(json.loads(text)), text)


@settings(deadline=None)
@given(one=PLAIN, other=PLAIN)
def test_values_are_the_same_exactly_where_python_holds_them_equal(one: object, other: object) -> None:
    assert same(encode(one), encode(other)) is (one == other)
    assert same(encode([one]), encode([one]))


EQUAL = [
    *((1, 1.0), (1, True), (0.0, -0.0), (2**80, float(2**80)), ([1, 2.0], [1.0, 2])),
    *(({"a": 1, "b": 2}, {"b": 2, "a": 1}), ({1, 2}, frozenset({2, 1})), ({1: "x"}, {True: "x"})),
]
UNEQUAL = [
    *((1, "1"), (b"a", "a"), ([1], (1,)), ({}, []), (None, False), ("a", "A"), (float("nan"), float("nan"))),
    *(([], ()), ({1}, [1]), (0.1, 0.1 + 2**-55 * 2)),
]


@pytest.mark.parametrize(("one", "other"), EQUAL)
def test_what_equals_across_types_counts_as_right(one: object, other: object) -> None:
    assert same(encode(one), encode(other))


@pytest.mark.parametrize(("one", "other"), UNEQUAL)
def test_what_only_looks_alike_does_not(one: object, other: object) -> None:
    assert not same(encode(one), encode(other))


Point = namedtuple("Point", "x y")


class Colour(IntEnum):
    RED = 1


@pytest.mark.parametrize(
    "value",
    [object(), Point(1, 2), Colour.RED, OrderedDict(), 1j, bytearray(b"x"), range(3), [object()], int],
)
def test_the_grader_itself_takes_exact_base_types_alone(value: object) -> None:
    with pytest.raises(NotPlain):
        encode(value)


def nested(depth: int) -> list[object]:
    return [nested(depth - 1)] if depth else []


@pytest.mark.parametrize("value", [nested(MAX_DEPTH + 1), [0] * MAX_PARTS, "x" * MAX_CHARS, {10**9000}])
def test_what_is_too_large_is_not_plain(value: object) -> None:
    with pytest.raises(NotPlain):
        encode(value)
    encode(nested(MAX_DEPTH))


@settings(deadline=None)
@given(packed=JSON)
def test_any_json_is_plain_data_or_refused(packed: object) -> None:
    try:
        text = normal(packed)
    except NotPlain:
        return
    assert same(text, text) or "nan" in text
    assert kind(text)


@pytest.mark.parametrize(
    "packed",
    [
        *(1.5, {}, {"x": 1}, {"float": 1}, {"float": "x"}, {"float": "0x1p99999"}, {"bytes": "abc"}),
        *(
            {"set": [[]]},
            {"dict": [[[], 1]]},
            {"dict": [[1]]},
            {"dict": [1]},
            {"tuple": 1},
            {"set": 1, "x": 1},
        ),
        *([[0] * MAX_PARTS], nested(MAX_DEPTH + 1), "x" * MAX_CHARS, json.loads("[" * 900 + "]" * 900)),
    ],
)
def test_json_of_another_form_or_size_is_refused(packed: object) -> None:
    with pytest.raises(NotPlain):
        normal(packed)


@pytest.mark.parametrize("text", ["", "{", "NaN1", "[" * 100_000, '"' + "\\ud800"])
def test_text_that_is_no_json_is_refused(text: str) -> None:
    with pytest.raises(NotPlain):
        decode(text)
