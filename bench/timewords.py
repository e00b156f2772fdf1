"""Measure which time ranges are found exactly, and where silence is kept, beside dateparser or a
few regular expressions.

    python bench/timewords.py [--misses] [--ours]          our own collections (tests/time_cases)
    python bench/timewords.py --data FILE [--half tune|held]  sentences of a public specification

In our own collections a text is right when all its ranges are, and no other is found. Sentences of
the specification name readings, the past one first: each must be found from its first moment to its
last, where a range may name its last day, month or year or leave it out, and a time of day may last
up to an hour. `--half` is a split by a hash: what is held out is looked at for its score only. The
baseline gives moments, no ranges: it is right when each lies within what is meant.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import NamedTuple
from zoneinfo import ZoneInfo

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from text.time import find

CASES = Path(__file__).resolve().parent.parent / "tests" / "time_cases"
NOW = datetime(2026, 3, 11, 15, 20, tzinfo=ZoneInfo("Asia/Shanghai"))
GOALS = {
    "en": 90.0,
    "en_new_york": 85.0,
    "en_london": 75.0,
    "en_leap_day": 75.0,
    "en_questions": 70.0,
    "zh": 90.0,
    "zh_sunday": 85.0,
    "zh_new_year": 80.0,
    "zh_leap_day": 80.0,
    "zh_questions": 80.0,
    "mixed": 80.0,
    "silent": 92.0,
}
Ranges = list[tuple[datetime | None, datetime | None]]
_POINT = re.compile(
    r"(?:(\d{4})(?:-(\d\d))?(?:-(\d\d))?|(\d\d)-(\d\d))(?:T(\d\d)(?::(\d\d))?(?::(\d\d))?)?"
)


class Case(NamedTuple):
    """A text of a collection, the ranges that it means, UTC, and when it is said."""

    text: str
    meant: Ranges
    now: datetime


def point(said: str, now: datetime = NOW) -> tuple[datetime, datetime] | None:
    """From its beginning to its end what `2026-03`, `03-10` or `03-10T17` names, local; None for
    nothing."""
    found = _POINT.fullmatch(said)
    if not found:
        return None
    year, month, day, this_month, this_day, hour, minute, second = (
        int(part) if part else None for part in found.groups()
    )
    if this_month:
        year, month, day = now.year, this_month, this_day
    start = datetime(year or 1, month or 1, day or 1, hour or 0, minute or 0, second or 0)
    if month is None:
        return start, start.replace(year=start.year + 1)
    if day is None:
        return start, start.replace(year=start.year + month // 12, month=month % 12 + 1)
    length = {hour: timedelta(hours=1), None: timedelta(days=1)}[hour]
    if minute is not None:
        length = timedelta(minutes=1) if second is None else timedelta(seconds=1)
    return start, start + length


def meant(said: str, now: datetime = NOW) -> Ranges:
    """Return the ranges that a line of a collection names, UTC; "-" names none."""
    if said == "-":
        return []
    ranges: Ranges = []
    for each in (part.strip() for part in said.split(";")):
        first, slash, last = each.partition("/")
        begin, end = point(first, now), point(last, now)
        start = begin[0] if begin else None
        stop = (end[0] if end else None) if slash else (begin[1] if begin else None)
        ranges.append((_utc(start, now), _utc(stop, now)))
    return ranges


def _utc(local: datetime | None, now: datetime = NOW) -> datetime | None:
    return local.replace(tzinfo=now.tzinfo).astimezone(UTC) if local else None


def collection(name: str) -> Iterator[Case]:
    """Yield the texts of a collection, which ranges they mean, and when they are said: its first
    line, or `NOW`."""
    lines = (CASES / f"{name}.txt").read_text("utf-8").splitlines()
    said_at = re.match(r"# now: (\S+) ([\w/]+)", lines[0])
    now = (
        datetime.fromisoformat(said_at[1]).replace(tzinfo=ZoneInfo(said_at[2])) if said_at else NOW
    )
    for line in lines:
        if line and not line.startswith("#"):
            text, equals, said = line.rpartition(" = ") if name != "silent" else (line, "", "")
            yield Case(text, meant(said, now) if equals else [], now)


def is_held_out(text: str) -> bool:
    """Return True for the third that is looked at for its score only."""
    return hashlib.sha256(text.encode()).digest()[0] % 3 == 0


def ours(text: str, now: datetime = NOW) -> Ranges:
    """Return what text/time finds."""
    return [(each.start, each.end) for each in find(text, now)]


_SIMPLE = (
    (r"\d{4}-\d\d?-\d\d?", lambda now, said: datetime.fromisoformat(said)),
    (r"\byesterday\b|昨天", lambda now, said: now - timedelta(days=1)),
    (r"\btoday\b|今天", lambda now, said: now),
    (r"\btomorrow\b|明天", lambda now, said: now + timedelta(days=1)),
    (r"\b\d+(?= days? ago)|\d+(?=天前)", lambda now, said: now - timedelta(days=int(said))),
    (r"\b\d+(?= weeks? ago)|\d+(?=周前)", lambda now, said: now - timedelta(weeks=int(said))),
    (r"\blast week\b|上周", lambda now, said: now - timedelta(weeks=1)),
    (r"\blast month\b|上个?月", lambda now, said: now.replace(day=1) - timedelta(days=1)),
    (r"\blast year\b|去年", lambda now, said: now.replace(year=now.year - 1, day=1)),
    (r"\b(?:19|20)\d\d\b|(?:19|20)\d\d(?=年)", lambda now, said: now.replace(year=int(said), day=1)),
)  # fmt: skip


def simple(text: str, now: datetime = NOW) -> Ranges:
    """Return what ten regular expressions find: moments."""
    found: Ranges = []
    for pattern, read in _SIMPLE:
        for match in re.finditer(pattern, text, re.IGNORECASE):
            try:
                found.append((_utc(read(now, match[0]).replace(tzinfo=None), now), None))
            except ValueError:
                continue
    return found


def is_right(name: str, found: Ranges, wanted: Ranges) -> bool:
    """Return True for an exact match with ours; for moments, when they lie within."""
    if name == "ours":
        return found == wanted
    return len(found) == len(wanted) and all(
        moment is not None and start is not None and end is not None and start <= moment < end
        for (moment, _), (start, end) in zip(found, wanted, strict=True)
    )


def measured(
    name: str, finder: Callable[[str, datetime], Ranges], cases: list[Case], *, shown: bool
) -> tuple[float, float]:
    """Return the percentage right, and p95 of the milliseconds a text takes."""
    right = 0
    took: list[float] = []
    for text, wanted, now in cases:
        began = time.thread_time()  # of the processor: other programs run beside
        found = finder(text, now)
        took.append((time.thread_time() - began) * 1000)
        if is_right(name, found, wanted):
            right += 1
        elif shown:
            print(f"  {text}\n    meant {_shown(wanted, now)}\n    found {_shown(found, now)}")
    return 100 * right / len(cases), statistics.quantiles(took, n=20)[18]


def _shown(ranges: Ranges, now: datetime) -> str:
    local = [
        "/".join(str(side.astimezone(now.tzinfo))[:19] if side else "" for side in each)
        for each in ranges
    ]
    return "; ".join(local) or "nothing"


def _moment(said: str) -> datetime | None:
    if said.startswith(("0001", "9999")):
        return None
    return datetime.fromisoformat(said).replace(tzinfo=UTC)


def _is_reading(found: tuple[datetime | None, datetime | None], reading: list[str]) -> bool:
    """Return True for the same stretch of time; see the head of this file for what is left open."""
    kind, start, end = reading[0], _moment(reading[1]), _moment(reading[2])
    if found[0] != start:
        return False
    if kind == "datetime":
        return found[1] is not None and start is not None and found[1] - start <= timedelta(hours=1)
    ends = {end}
    if end and "range" in kind:
        ends |= {end + timedelta(days=1), end + timedelta(seconds=1), end + timedelta(minutes=1)}
        ends |= {end + timedelta(hours=1), (end.replace(day=1) + timedelta(days=32)).replace(day=1)}
        ends |= {end.replace(year=end.year + 1)} if (end.month, end.day) != (2, 29) else set()
    return found[1] in ends


def specified(
    file: Path, half: str, finder: Callable[[str, datetime], Ranges], *, shown: bool
) -> dict[str, list[int]]:
    """Right and all sentences of the specification, by language; `silent`: those without any
    time."""
    scores: dict[str, list[int]] = {}
    for case in json.loads(file.read_text("utf-8"))["cases"]:
        is_left_out = not case["now"] or (not case["items"] and case["other"])
        if is_left_out or (half and is_held_out(case["text"]) != (half == "held")):
            continue
        found = finder(case["text"], datetime.fromisoformat(case["now"][:26]).replace(tzinfo=UTC))
        wanted = [item["readings"][0] for item in case["items"]]
        is_right = all(any(_is_reading(each, one) for each in found) for one in wanted)
        if case["whole"] and not case["other"]:
            is_right = is_right and len(found) <= len(wanted)
        score = scores.setdefault(case["lang"] if wanted else "silent", [0, 0])
        score[0] += is_right
        score[1] += 1
        if shown and not is_right:
            print(f"  {case['text']}\n    meant {wanted}\n    found {_shown(found, NOW)}")
    return scores


def main() -> int:
    """Print a table; return 1 when a goal is missed."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, help="sentences of the specification")
    parser.add_argument("--half", choices=("tune", "held"), default="")
    parser.add_argument("--misses", action="store_true", help="show what was wrong")
    parser.add_argument("--ours", action="store_true", help="without the baseline")
    args = parser.parse_args()
    finders: dict[str, Callable[[str, datetime], Ranges]] = {"ours": ours}
    if not args.ours:
        finders["simple"] = simple
    if args.data:
        for name, finder in finders.items():
            shown = args.misses and name == "ours"
            for language, (right, all_) in specified(
                args.data, args.half, finder, shown=shown
            ).items():
                print(f"{name:12}{language:8}{all_:6}{100 * right / all_:8.1f} %")
        return 0
    missed = False
    print(f"{'':12}{'texts':>6}" + "".join(f"{name + ' %':>14}{'p95 ms':>9}" for name in finders))
    for name, goal in GOALS.items():
        cases = list(collection(name))
        ours("yesterday 昨天")
        rates = {
            each: measured(each, finder, cases, shown=args.misses and each == "ours")
            for each, finder in finders.items()
        }
        print(
            f"{name:12}{len(cases):6}"
            + "".join(f"{rate:14.1f}{took:9.2f}" for rate, took in rates.values()),
            flush=True,
        )
        missed = missed or rates["ours"][0] < goal or rates["ours"][1] > 5
    return int(missed)


if __name__ == "__main__":
    sys.exit(main())
