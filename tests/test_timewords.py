"""Time words: each collection is read right, clocks change and days leap, and no text whatever
breaks the reading."""

import json
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from bench.timewords import GOALS, NOW, collection, ours
from launch import main
from tests.rows import cases
from text.time import find
from text.time.rules import language

BERLIN = ZoneInfo("Europe/Berlin")


def local(text: str, now: datetime, *, past: bool = True) -> list[str]:
    """Return the ranges on the speaker's clock, as "start/end"."""
    sides = [[each.start, each.end] for each in find(text, now, past=past)]
    return [
        "/".join(
            f"{side.astimezone(now.tzinfo):%Y-%m-%dT%H:%M}".removesuffix("T00:00") if side else ""
            for side in pair
        )
        for pair in sides
    ]


@pytest.mark.parametrize("name", GOALS)
def test_collection_is_read_right(name: str) -> None:
    cases = list(collection(name))
    wrong = [text for text, meant, now in cases if ours(text, now) != meant]
    assert 100 - 100 * len(wrong) / len(cases) >= GOALS[name], wrong


@cases
def test_of_two_readings_the_one_that_is_asked_for_is_given(
    text: str, past: str, coming: str
) -> None:
    assert local(text, NOW) == [past]
    assert local(text, NOW, past=False) == [coming]


@cases
def test_what_stands_in_a_list_shares_its_day_week_month_or_year(
    text: str, ranges: list[str]
) -> None:
    assert local(text, NOW) == ranges


def test_the_next_day_counts_from_the_day_spoken_of_and_from_today_without_one() -> None:
    assert local("on May 3 we flew, the next day we met", NOW) == [
        "2025-05-03/2025-05-04",
        "2025-05-04/2025-05-05",
    ]
    assert local("上周五到的,当晚就走了", NOW) == [
        "2026-03-06/2026-03-07",
        "2026-03-06T16:00/2026-03-06T20:00",
    ]
    assert local("the next day", NOW) == ["2026-03-12/2026-03-13"]
    assert local("当晚 第二天", NOW) == []


def test_day_of_a_clock_change_is_23_or_25_hours_long() -> None:
    now = datetime(2026, 10, 26, 12, tzinfo=BERLIN)
    (autumn,) = find("yesterday", now)
    (spring,) = find("2026年3月29日", now)
    assert autumn.start and autumn.end and autumn.end - autumn.start == timedelta(hours=25)
    assert spring.start and spring.end and spring.end - spring.start == timedelta(hours=23)


def test_timezone_of_the_speaker_decides_what_day_it_is() -> None:
    moment = datetime(2026, 3, 11, 23, 30, tzinfo=UTC)
    assert local("today", moment) == ["2026-03-11/2026-03-12"]
    assert local("今天", moment.astimezone(ZoneInfo("Asia/Tokyo"))) == ["2026-03-12/2026-03-13"]
    (said,) = find("at 5pm EST on March 3, 2026", moment)
    assert said.start == datetime(2026, 3, 3, 22, tzinfo=UTC)


def test_what_was_written_is_given_back_with_its_range() -> None:
    assert [each.text for each in find("Was it YESTERDAY or last  Friday?", NOW)] == [
        "YESTERDAY",
        "last  Friday",
    ]
    assert [each.text for each in find("是上週三還是前天？", NOW)] == ["上週三", "前天"]


ALPHABET = st.sampled_from(
    [
        *"0123456789/-:.,'年月日号点周上下前后个半一二三十天 aApm",
        "last ",
        "Friday ",
        "of ",
        "May ",
        "the ",
        "to ",
        "2024",
    ]
)


@settings(max_examples=150, deadline=None)
@given(st.one_of(st.text(max_size=60), st.lists(ALPHABET, max_size=14).map("".join)))
@example("9999年12月31日之后")
@example("in 9999999 years")
@example("\ud800 yesterday \x00")
@example("İ yesterday ǅ 昨天")
@example("1/1/1 00:00-99:99 周八 13月32日")
@example("'; DROP TABLE turns; -- \"NEAR(昨天*)")
def test_no_text_breaks_the_reading_and_ranges_are_ordered(text: str) -> None:
    for now in (NOW, datetime(1, 1, 2, tzinfo=UTC), datetime(9999, 12, 30, 23, 59, tzinfo=UTC)):
        for found in find(text, now):
            assert found.start or found.end
            assert found.text in text
            if found.start and found.end:
                assert found.start < found.end
            assert all(side is None or side.utcoffset() == timedelta() for side in found[:2])


@pytest.mark.parametrize("name", ["en", "zh"])
def test_every_part_of_a_rule_is_a_word_or_a_rule(name: str) -> None:
    grammar = language(name).grammar
    assert grammar.openings("time").pattern


def test_memory_when_says_ranges_as_json_and_in_words(capsys: pytest.CaptureFixture[str]) -> None:
    command = ["memory", "when", "since last Friday, or in May", "--now", "2026-03-11T15:20+08:00"]
    assert main([*command, "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {
        "ranges": [
            {"start": "2026-03-05T16:00:00+00:00", "end": None, "text": "since last Friday"},
            {
                "start": "2025-04-30T16:00:00+00:00",
                "end": "2025-05-31T16:00:00+00:00",
                "text": "May",
            },
        ]
    }
    assert main(command) == 0
    assert capsys.readouterr().out.splitlines() == [
        "from 2026-03-06 00:00 on  since last Friday",
        "2025-05-01 00:00 to 2025-06-01 00:00  May",
    ]
    assert main(["memory", "when", "五个苹果"]) == 0
    assert capsys.readouterr().out.strip()
