"""Add up what runs have used: by day, by model, by SOP."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from datetime import date, datetime, timedelta
from typing import Any

from memory.logs import RunSummary

SHOWN = 20  # rows of a table
FAILED = ("failed", "limit", "no_model", "interrupted", "damaged")


@dataclass(slots=True)
class Used:
    """Tokens and money (USD) of some runs; `rote`: how many of them were done without a model."""

    runs: int = 0
    rote: int = 0
    failed: int = 0
    calls: int = 0
    input: int = 0
    cached: int = 0
    output: int = 0
    cost: float = 0.0

    def add(self, run: RunSummary) -> None:
        """Count one run."""
        self.runs += 1
        self.rote += run.rote
        self.failed += run.status in FAILED
        self.spend({"calls": run.model_calls, **run.tokens, "cost": run.cost})

    def spend(self, used: Mapping[str, float]) -> None:
        """Count tokens and money without a run."""
        self.calls += int(used.get("calls", 0))
        self.input += int(used.get("input", 0))
        self.cached += int(used.get("cached", 0))
        self.output += int(used.get("output", 0))
        self.cost = round(self.cost + used.get("cost", 0.0), 6)


def day_of(run: RunSummary) -> date | None:
    """Return the day on which a run began, by this machine's clock; None for a damaged log."""
    try:
        return datetime.fromisoformat(run.started).astimezone().date()
    except ValueError:
        return None


def since(runs: Iterable[RunSummary], first: date) -> list[tuple[date, RunSummary]]:
    """Return the runs, newest first, that began on this day or later. `runs` come newest first."""
    found = []
    for run in runs:
        day = day_of(run)
        if day is None:
            continue
        if day < first:
            break
        found.append((day, run))
    return found


def by_day(
    runs: Iterable[tuple[date, RunSummary]], first: date, last: date
) -> Iterator[dict[str, Any]]:
    """Yield a row for each day, the first one first, days without a run too."""
    found: dict[date, Used] = {}
    for day, run in runs:
        found.setdefault(day, Used()).add(run)
    for number in range((last - first).days + 1):
        day = first + timedelta(days=number)
        yield {"day": day.isoformat(), **asdict(found.get(day, Used()))}


def by_sop(runs: Iterable[RunSummary]) -> list[dict[str, Any]]:
    """Return a row for each of the SOPs that were used most, the one with the most runs first."""
    found: dict[str, Used] = {}
    for run in runs:
        if run.sop:
            found.setdefault(run.sop, Used()).add(run)
    most = sorted(found.items(), key=lambda each: (-each[1].runs, each[0]))[:SHOWN]
    return [{"sop": name, **asdict(used)} for name, used in most]


def by_model(runs: Iterable[RunSummary]) -> list[dict[str, Any]]:
    """Return a row for each of the dearest models, the dearest first."""
    found: dict[str, Used] = {}
    for run in runs:
        for name, used in run.by_model.items():
            model = found.setdefault(name, Used())
            model.runs += 1
            model.spend(used)
    most = sorted(found.items(), key=lambda each: (-each[1].cost, -each[1].input, each[0]))[:SHOWN]
    return [{"model": name, **asdict(used)} for name, used in most]
