"""The learning curve of an SOP on the screen: `sops stats NAME`."""

from __future__ import annotations

import shutil
import sys
from argparse import Namespace
from collections.abc import Callable, Sequence
from dataclasses import asdict

from config import Config
from memory.history import RepositoryError
from memory.sops.curve import Counts, SopRun, SopStats, count
from ui import event_text as describe
from ui.command import JSON, Argument, command
from ui.lists import Column, print_json, print_table
from ui.sanitise import one_line
from ui.sops.changes import changes
from ui.sops.sops import find
from ui.words import say, says

SHOWN_RUNS = 20  # of the table: the first one and the newest; --json has all
MAX_CHART_COLUMNS = 60
LEAST_COLUMNS_OF_ALL = 140  # of a terminal, for the whole table
LEVELS = "▁▂▃▄▅▆▇█"
NOTHING = "·"


@command("sops stats", Argument("sop"), JSON)
def stats(args: Namespace, config: Config) -> int:
    """`sops stats NAME`: per run its lane and what it took; a chart; what was saved. `args`: sop, json."""
    sop = find(config, args.sop)
    runs = SopStats(config.home).runs(sop.name)
    counts = count(runs, _went_back(config, sop.name))
    if args.json:
        rows = [{**asdict(run), "tokens": run.tokens} for run in runs]
        about = {"sop": sop.name, "status": sop.status, "version": sop.version}
        print_json({**about, "runs": rows, "totals": asdict(counts)})
        return 0
    print(f"{sop.name} {sop.version} · {sop.status}")
    if not runs:
        print(say("stats_none", name=sop.name))
        return 0
    _print_runs(_shown(runs))
    if len(runs) > SHOWN_RUNS:
        print(say("stats_more", n=len(runs) - SHOWN_RUNS))
    for lines in (chart(runs), _totals(counts)):
        print()
        print("\n".join(lines))
    return 0


def _went_back(config: Config, name: str) -> int:
    """Return the version that the last rollback made; 0 where there was none, or no history is kept."""
    try:
        found = changes(config).history(name)
    except RepositoryError:
        return 0
    return next((each.version for each in found if each.restores), 0)


def _print_runs(runs: Sequence[SopRun]) -> None:
    """All columns where there is room for them, and in a pipe; else those that tell the most."""
    is_narrow = sys.stdout.isatty() and shutil.get_terminal_size().columns < LEAST_COLUMNS_OF_ALL
    shown = [
        place
        for place, column in enumerate(_columns())
        if not is_narrow or column.title in _telling()
    ]
    rows = [_row(run) for run in runs]
    print_table(
        [_columns()[place] for place in shown],
        [[row[place] for place in shown] for row in rows],
        "",
    )


def _telling() -> set[str]:
    return {
        say(key)
        for key in (
            "column.run",
            "stats_lane",
            "stats_calls",
            "stats_tokens",
            "stats_time",
            "stats_outcome",
        )
    }


def _columns() -> Sequence[Column]:
    outcomes = {
        _outcome("done"): "green",
        _outcome("failed"): "red",
        _outcome("diverged"): "yellow",
    }
    numbers = (
        "column.turns",
        "stats_calls",
        "stats_tokens",
        "stats_fresh",
        "stats_cached",
        "stats_output",
    )
    return (
        Column(say("column.run"), "cyan"),
        Column(say("column.version"), right=True),
        Column(say("stats_lane"), styles={_lane("rote"): "green"}),
        *(Column(say(key), right=True) for key in (*numbers, "column.cost", "stats_time")),
        Column(say("stats_outcome"), styles=outcomes),
        Column(say("column.task"), grows=True),
    )


def _shown(runs: list[SopRun]) -> list[SopRun]:
    return runs if len(runs) <= SHOWN_RUNS else [runs[0], *runs[1 - SHOWN_RUNS :]]


def _row(run: SopRun) -> list[str]:
    numbers = (run.turns, run.model_calls, run.tokens, run.fresh, run.cached, run.output)
    taken = [
        *(f"{number:,}" for number in numbers),
        describe.money(run.cost) or "–",
        describe.seconds(run.seconds),
    ]
    version = str(run.version or "–")
    said = one_line(f"{run.task} [{run.stopped}]" if run.stopped else run.task, 200)
    return [run.run, version, _lane(run.lane), *taken, _outcome(run.outcome), said]


def _lane(lane: str) -> str:
    return say(f"stats_lane_{lane}")


def _outcome(outcome: str) -> str:
    """An outcome in words; one that a later version may know better stays as it is."""
    for key in (f"stats_outcome_{outcome}", f"status.{outcome}"):
        if says(key):
            return say(key)
    return outcome


def chart(runs: Sequence[SopRun]) -> list[str]:
    """Return what each run took, first to last: a line of bars for calls, tokens and seconds, with the first and last value."""
    from rich.cells import cell_len, set_cell_size

    measures: list[tuple[str, Callable[[SopRun], float], Callable[[float], str]]] = [
        ("stats_calls", lambda run: run.model_calls, lambda value: f"{value:,.0f}"),
        ("stats_tokens", lambda run: run.tokens, lambda value: f"{value:,.0f}"),
        ("stats_time", lambda run: run.seconds, describe.seconds),
    ]
    title_width = max(cell_len(say(key)) for key, _, _ in measures)
    columns = max(8, min(MAX_CHART_COLUMNS, shutil.get_terminal_size().columns - title_width - 30))
    lines = []
    for key, measure, written in measures:
        values = [measure(run) for run in runs]
        ends = (
            written(values[0])
            if len(values) == 1
            else f"{written(values[0])} → {written(values[-1])}"
        )
        lines.append(f"{set_cell_size(say(key), title_width)}  {bars(values, columns)}  {ends}")
    return lines


def bars(values: Sequence[float], columns: int) -> str:
    """One bar for each value, as high as it is; more values than columns are taken together, but never the first."""
    top = max(values, default=0)
    return "".join(_bar(value, top) for value in _together(values, columns))


def _bar(value: float, top: float) -> str:
    return LEVELS[min(len(LEVELS) - 1, int(value / top * len(LEVELS)))] if value > 0 else NOTHING


def _together(values: Sequence[float], columns: int) -> Sequence[float]:
    if len(values) <= columns:
        return values
    later, room = values[1:], columns - 1
    groups = [later[len(later) * n // room : len(later) * (n + 1) // room] for n in range(room)]
    return [values[0], *(sum(group) / len(group) for group in groups)]


def _totals(counts: Counts) -> list[str]:
    lines = []
    if counts.rote_rate is not None:
        share = f"{int(counts.rote_rate * 100)}%"
        lines.append(say("stats_runs", n=counts.runs, successes=counts.successes, share=share))
    if counts.failures:
        kinds = [f"{n} {say(f'stats_kind_{kind}')}" for kind, n in counts.failures.items()]
        lines.append(say("stats_kinds", kinds=" · ".join(kinds)))
    if counts.failures_in_row:
        lines.append(say("stats_failures", n=counts.failures_in_row))
    if counts.saved is not None:
        saved = counts.saved
        parts = [say("stats_saved_tokens", tokens=f"{saved.tokens:,}"), _duration(saved.seconds)]
        parts += [describe.money(saved.cost)] if saved.cost > 0 else []
        lines.append(say("stats_saved", run=counts.first, saved=" · ".join(parts)))
    if counts.break_even is not None:
        lines.append(say("stats_paid", n=counts.break_even, unit=say(f"stats_unit_{counts.unit}")))
    elif counts.first is not None:
        lines.append(say("stats_not_paid", unit=say(f"stats_unit_{counts.unit}")))
    return lines


def _duration(seconds: float) -> str:
    return describe.seconds(seconds) if seconds >= 0 else f"−{describe.seconds(-seconds)}"
