"""Quarters, halves and seasons of a year in English."""

from __future__ import annotations

import re

from text.time import spans
from text.time.english.words import rule, two_digits
from text.time.grammar import Place
from text.time.spans import Now, Span


@rule("nth_quarter", "quarter_word", "'the'? ordinal 'quarter'")
def _nth_quarter(_place: Place, nth: int) -> tuple[int, int] | None:
    return (nth * 3 - 2, 3) if 1 <= nth <= 4 else None


@rule("nth_quarter", "half_word", "'the'? ordinal 'half'")
def _nth_half(_place: Place, nth: int) -> tuple[int, int] | None:
    return (nth * 6 - 5, 6) if nth in (1, 2) else None


@rule("nth_quarter", "'the'? 'last quarter'", "'the'? 'last half'")
def _last_quarter(place: Place) -> tuple[int, int]:
    return (10, 3) if "quarter" in place.said.lower() else (7, 6)


@rule("period", "nth_quarter 'of|in|,|-|/'? said_year", "nth_quarter last_digits")
def _quarter_of_year(_place: Place, quarter: tuple[int, int], year: int) -> Span:
    return spans.months_span(year, *quarter, "quarter")


@rule("period", "quarter_digits")
def _quarter_digits(_place: Place, said: str) -> Span:
    digits = re.findall(r"\d+", said)
    year, nth = (int(each) for each in sorted(digits, key=len, reverse=True))
    months = 3 if "q" in said.lower() else 6
    return spans.months_span(
        two_digits(year) if year < 100 else year, nth * months - months + 1, months, "quarter"
    )


@rule("period", "year ',|-|/|'s'? nth_quarter")
def _year_quarter(_place: Place, year: int, quarter: tuple[int, int]) -> Span:
    return spans.months_span(year, *quarter, "quarter")


@rule("period", "nth_quarter 'of' 'the year'")
def _quarter_of_this_year(place: Place, quarter: tuple[int, int]) -> Span:
    return spans.months_span(place.now.today.year, *quarter, "quarter")


@rule("period", "nth_quarter 'of' period")
def _half_of(_place: Place, part: tuple[int, int], period: Span) -> Span | None:
    if part[1] != 6 or period.unit not in ("month", "week", "quarter", "season", "decade"):
        return None
    return spans.part_of(period, "early" if part[0] == 1 else "late")


@rule("period", "nth_quarter")
def _quarter(place: Place, quarter: tuple[int, int]) -> Span | None:
    if re.match(r"h|.*half|(?:the )?last", place.said, re.I) or not re.match(
        r"q[1-4]|.*quarter", place.said, re.I
    ):
        return None
    return spans.yearly(place.now, lambda year: spans.months_span(year, *quarter, "quarter"))


@rule("period", "'the'? season 'of|in|,|'s'? said_year")
def _season_of_year(_place: Place, month: int, year: int) -> Span:
    return spans.months_span(year, month, 3, "season")


@rule("period", "said_year ','? 'in' 'the'? season")
def _year_and_season(_place: Place, year: int, month: int) -> Span:
    return spans.months_span(year, month, 3, "season")


@rule("period", "shift season")
def _shifted_season(place: Place, shift: int, month: int) -> Span:
    today = place.now.today
    if place.said.lower().startswith("this past"):
        return spans.yearly(
            Now(place.now.aware, True), lambda year: spans.months_span(year, month, 3, "season")
        )
    if month == 12:  # it begins in one year and ends in the next
        shift -= today.month <= (3 if shift == 0 and place.now.past else 2)
    return spans.months_span(today.year + shift, month, 3, "season")


@rule("period", "shift 'year's|years' season")
def _season_of_shifted_year(place: Place, shift: int, month: int) -> Span:
    return spans.months_span(place.now.today.year + shift, month, 3, "season")


@rule("period", "'the'? season 'before last'")
def _season_before_last(place: Place, month: int) -> Span:
    return spans.months_span(place.now.today.year - 2, month, 3, "season")


@rule("period", "'the'? season")
def _season(place: Place, month: int) -> Span | None:
    if place.precedes(_SEASONS_BEHIND):
        return spans.yearly(place.now, lambda year: spans.months_span(year, month, 3, "season"))
    if not place.follows(_SEASON_BEFORE) and not place.said.lower().startswith("the "):
        return None
    if (
        place.said.lower().startswith("the ")
        and not place.follows(_SEASON_BEFORE)
        and place.said.lower() != "the summer"
    ):
        return None
    return spans.yearly(place.now, lambda year: spans.months_span(year, month, 3, "season"))


_SEASONS_BEHIND = re.compile(
    r"\s*(?:,|&|and|or)\s+(?:the\s+)?(?:spring|summer|fall|autumn|winter)\s+(?:of\s+|in\s+)?(?:\d{4}\b|last year|this year)",
    re.I,
)
_SEASON_BEFORE = re.compile(
    r"\b(?:in|since|during|until|till|before|after|early|late|mid-?|over|last|this)\s*(?:the\s+)?$",
    re.I,
)
