"""Read the day or minute of a due date in words: "tomorrow at 5pm", "before Friday", 下周五下午三点.
Source: seed 001 §6.2."""

from __future__ import annotations

import re
from datetime import datetime, timedelta

from config import SopwithError
from text.time.finding import find
from text.time.spans import TimeRange

_HOUR, _DAY = timedelta(hours=1), timedelta(days=1)
_BEFORE = re.compile(
    r"(?:[\s,，:：;；(（]|\b(?:due|by|on|at|for|until|before)\b|截止(?:到|于)?|[在于到])+$",
    re.IGNORECASE,
)
_BEHIND = re.compile(r"^[\s,，:：;；.。!！)）]+|[\s,，:：;；.。!！)）]+$")

_ISO = re.compile(r"\d{4}-\d\d-\d\d(?:T\d\d:\d\d)?")


class NoTime(SopwithError):
    """The words name no time; the message says how to write one."""


def due_of(words: str, now: datetime) -> str:
    """Return a local day or minute in ISO form. `now` is aware, in the owner's timezone. Raises
    NoTime when no time is found."""
    text = words.strip()
    if _is_iso(text):
        return text
    found = [due for each in find(text, now, past=False) if (due := _due(each, now))]
    if not found:
        raise NoTime("error.time.day-found-write-like", text=f"{text[:80]!r}")
    return found[0]


def day_named(text: str, now: datetime) -> str | None:
    """Return the day that all of a text names, in ISO form; a day without a year is the coming
    one."""
    for each in find(text, now, past=False):
        is_whole = each.text.casefold() == text.strip().casefold()
        if is_whole and each.start and _end_of_day(each):
            return _due(each, now).partition("T")[0]
    return None


def _is_iso(text: str) -> bool:
    if not _ISO.fullmatch(text):
        return False
    try:
        datetime.fromisoformat(text)
    except ValueError:
        return False
    return True


def split_due(title: str, now: datetime) -> tuple[str, str]:
    """Return a title without the day or time that it begins or ends with, and that time; "" when it
    does neither.

    Only a coming day, or a time on one: "read 1984" and "plans for May" stay titles.
    """
    for each in find(title, now, past=False):
        end = _end_of_day(each)
        if end is None or end <= now:
            continue
        bare = _BEHIND.sub("", title)
        if bare.casefold().endswith(each.text.casefold()):
            rest = _BEFORE.sub("", bare[: -len(each.text)])
        elif bare.casefold().startswith(each.text.casefold()):
            rest = bare[len(each.text) :]
        else:
            continue
        if rest := _BEHIND.sub("", rest):
            return rest, _due(each, now)
    return title, ""


def moment_of(title: str, now: datetime) -> tuple[str, str]:
    """Return a title and its time as `split_due` does, for what happens at it and not until it:
    "tomorrow morning" is the middle of the morning."""
    rest, due = split_due(title, now)
    if "T" not in due:
        return rest, due
    for each in find(title, now, past=False):
        middle = _middle(each, now)
        if middle > now and _due(each, now) == due:
            return rest, middle.astimezone(now.tzinfo).strftime("%Y-%m-%dT%H:00")
    return rest, due


def _end_of_day(span: TimeRange) -> datetime | None:
    """Return the end of a day, of a part of one, or of "until Friday"; else None."""
    if span.end is None:
        return None
    length = span.end - (span.start or span.end)
    return span.end if length <= _DAY + _HOUR else None


def _middle(span: TimeRange, now: datetime) -> datetime:
    """Return the middle of a stretch of more than an hour; `now` where there is none."""
    if span.start is None or span.end is None:
        return now
    length = span.end - span.start
    return span.start + length / 2 if length > _HOUR else now


def _due(span: TimeRange, now: datetime) -> str:
    """Return the last moment of a stretch of time; of an hour or less its beginning, of whole days
    the last of them."""
    zone = now.tzinfo
    start, end = (moment.astimezone(zone) if moment else None for moment in (span.start, span.end))
    if end is None:
        return start.date().isoformat() if start else ""
    if start is not None and end - start <= _HOUR:
        return start.strftime("%Y-%m-%dT%H:%M")
    if (end.hour, end.minute) == (0, 0):
        return (end - timedelta(minutes=1)).date().isoformat()
    return end.strftime("%Y-%m-%dT%H:%M")
