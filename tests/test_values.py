"""Values in a text: each kind is read with its place and its normal form, in both languages."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from tests.rows import cases
from text.values import cardinal, chinese_number, ordinal, spoken_year, values_in


@cases
def test_values_are_read_with_their_kind(text: str, found: list[str]) -> None:
    values = values_in(text)
    assert [f"{each.kind} {each.value} {each.unit}".rstrip() for each in values] == found
    assert all(text[each.start : each.end] == each.text for each in values)


@given(st.text(max_size=200))
def test_no_text_breaks_the_reader_and_no_value_lies_in_another(text: str) -> None:
    values = values_in(text)
    assert all(one.end <= two.start for one, two in pairwise(values))


def test_number_words_are_read() -> None:
    assert [cardinal(each) for each in ("twenty-three", "a hundred and five", "6")] == [23, 105, 6]
    assert [ordinal(each) for each in ("third", "twenty-first", "23rd")] == [3, 21, 23]
    assert [spoken_year(each) for each in ("nineteen ninety-nine", "two thousand six")] == [
        1999,
        2006,
    ]
    said = ("二十三", "两千零五", "二〇二四", "廿三", "三万五千")
    assert [chinese_number(each) for each in said] == [23, 2005, 2024, 23, 35_000]
