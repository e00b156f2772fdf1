"""Say what each run of an SOP cost and how it ended: the learning curve, derived from the run logs
alone.

What a run came to is kept in the index of the run logs (memory/logs/index.py). Source: seed 002 §2;
docs/learning.md.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from functools import lru_cache
from itertools import takewhile
from pathlib import Path

from memory.logs.index import uses
from memory.sops.curve.sop_runs import SopRun, read_run, taught

LAST = 10  # outcomes in a count
FAILURES = (
    "failed",
    "limit",
    "diverged",
)  # a run that was cancelled or waits says nothing of its SOP


@dataclass(frozen=True, slots=True)
class Saved:
    """Hold what the runs after the first one took less than if each had been like it; below 0 when
    they took more."""

    tokens: int
    seconds: float
    cost: float  # USD


@dataclass(frozen=True, slots=True)
class Counts:
    """How an SOP does. `runs` are those after teaching; `last` are outcomes, newest first.

    `first`: the run that the others are held against: the first one that taught it or that a model
    did.
    """

    runs: int
    rote_rate: float | None
    successes: int
    failures_in_row: int
    last: list[str]
    first: str | None = None
    saved: Saved | None = None
    failures: dict[str, int] = field(default_factory=dict)  # how many of each kind
    by_rote: int = 0  # runs that a replay did to the end


class SopStats:
    """The counts of one home folder."""

    def __init__(self, home: Path) -> None:
        self._home = home

    def runs(self, name: str) -> list[SopRun]:
        """Return the runs of an SOP and those that taught it, oldest first."""
        return self._with_teaching(name, self._uses(name))

    def counts(self, name: str, version: int | None = None) -> Counts:
        """Return how an SOP does, or one version of it."""
        rows = self.runs(name)
        if version is not None:
            rows = [row for row in rows if version == row.version or row.lane == "teach"]
        return count(rows)

    def of_all(self) -> dict[str, Counts]:
        """Return how each SOP does that was ever done by rote."""
        found: dict[str, list[SopRun]] = {}
        for row in self._uses(""):
            found.setdefault(row.sop, []).append(row)
        done = {
            name: rows for name, rows in found.items() if any(row.lane == "rote" for row in rows)
        }
        return {name: count(self._with_teaching(name, rows)) for name, rows in done.items()}

    def _uses(self, name: str) -> list[SopRun]:
        found = uses(self._home, name, self._line)
        return [_of_line(line) for line in found if line]

    def _line(self, run: str) -> str:
        row = read_run(self._home, run)
        return json.dumps(asdict(row), ensure_ascii=False) if row else ""

    def _with_teaching(self, name: str, found: list[SopRun]) -> list[SopRun]:
        known = {row.run for row in found}
        rows = [*found, *taught(self._home, name, known)]
        return sorted(rows, key=lambda row: (row.at, row.run))


@lru_cache(maxsize=20_000)
def _of_line(line: str) -> SopRun:
    return SopRun(**json.loads(line))


def count(rows: Iterable[SopRun], since: int = 0) -> Counts:
    """Return the counts of some runs of one SOP, oldest first. `since`: the version from which
    failures in a row count."""
    ordered = list(rows)
    uses = [row for row in ordered if row.lane != "teach"]
    by_rote = sum(row.is_by_rote for row in uses)
    kinds = Counter(row.kind for row in uses)
    del kinds[""]
    first = next((row for row in ordered if row.is_model_lesson), None)
    return Counts(
        runs=len(uses),
        rote_rate=_share(by_rote, len(uses)),
        successes=sum(row.outcome == "done" for row in uses),
        failures_in_row=_failures_in_row(uses, since),
        last=[row.outcome for row in reversed(uses[-LAST:])],
        first=first.run if first else None,
        saved=_saved(first, uses),
        failures=dict(kinds),
        by_rote=by_rote,
    )


def _share(part: int, whole: int) -> float | None:
    return round(part / whole, 3) if whole else None


def _saved(first: SopRun | None, uses: Sequence[SopRun]) -> Saved | None:
    """Return what the runs after the first took less. One that brought nothing gains nothing, and
    still had its price."""
    later = uses[uses.index(first) + 1 :] if first in uses else uses
    if first is None or not later:
        return None
    done = sum(row.status == "done" for row in later)
    return Saved(
        tokens=first.tokens * done - sum(row.tokens for row in later),
        seconds=round(first.seconds * done - sum(row.seconds for row in later), 3),
        cost=round(first.cost * done - sum(row.cost for row in later), 6),
    )


def _failures_in_row(uses: Sequence[SopRun], since: int) -> int:
    counted = [row.outcome for row in reversed(uses) if (row.version or 0) >= since]
    judged = [outcome in FAILURES for outcome in counted if outcome in (*FAILURES, "done")]
    return len(list(takewhile(bool, judged)))
