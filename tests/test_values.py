"""Values in a text: each kind is read with its place and its normal form, in both languages."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from text.values import cardinal, chinese_number, ordinal, spoken_year, values_in


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("move *.pdf from ~/Downloads to /data/old", ["glob *.pdf", "path ~/Downloads", "path /data/old"]),
        ("files over 1.5 GB in Downloads", ["quantity 1.5 GB", "folder DOWNLOAD"]),
        ("把下载里大于10MB的文件移到“旧文件”", ["folder DOWNLOAD", "quantity 10 MB", "text 旧文件"]),
        ("return #W3502364 for $120.50", ["id #W3502364", "quantity 120.50 USD"]),
        ("rename report.csv to Reports/2024/report.csv", ["path report.csv", "path Reports/2024/report.csv"]),
        ("'my file.txt', `a b` and 「两个字」", ["text my file.txt", "text a b", "text 两个字"]),
        ('open "/tmp/a b"', ["text /tmp/a b"]),
        ('open "/tmp/ab"', ["path /tmp/ab"]),
        ("mail bob@example.org, see https://a.b/c.", ["email bob@example.org", "url https://a.b/c"]),
        ("on 2026年1月5日 or 2026-01-06", ["date 2026-01-05", "date 2026-01-06"]),
        ("twenty-five items, 2,000 rows and/or 三周", ["number 25", "number 2000", "quantity 3 week"]),
        ("桌面上的前三个文件", ["folder DESKTOP", "number 3"]),
        ("order AB-123-9 of K100234", ["id AB-123-9", "id K100234"]),
        ("it can and may be the one", []),
    ],
)  # fmt: skip
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
