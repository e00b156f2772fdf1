"""The learning curve of an SOP on the screen: `sops stats NAME`."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Sequence
from dataclasses import asdict

from config import Config
from memory.history import RepositoryError
from memory.sops.curve import Counts, SopRun, SopStats, count
from ui import event_text as describe
from ui.command import JSON, Argument, command
from ui.lists import columns, print_json, print_table, worded
from ui.sanitise import one_line
from ui.sops.changes import changes
from ui.sops.sops import find
from ui.words import say, says

SHOWN_RUNS = 20  # of the table: the first one and the newest; --json has all


@command("sops stats", Argument("sop"), JSON)
def stats(args: Namespace, config: Config) -> int:
    """`sops stats NAME`: per run its lane and what it took, then what was saved. `args`: sop, json."""
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
    print()
    print("\n".join(_totals(counts)))
    return 0


def _went_back(config: Config, name: str) -> int:
    """Return the version that the last rollback made; 0 where there was none, or no history is kept."""
    try:
        found = changes(config).history(name)
    except RepositoryError:
        return 0
    return next((each.version for each in found if each.restores), 0)


def _print_runs(runs: Sequence[SopRun]) -> None:
    said = "run:cyan stats_lane turns> stats_calls> stats_tokens> stats_time> stats_outcome task*"
    styles = {"stats_lane": worded("stats_lane_"), "stats_outcome": worded("status.")}
    styles["stats_outcome"] |= worded("stats_outcome_")
    print_table(columns(said, **styles), [_row(run) for run in runs], "")


def _shown(runs: list[SopRun]) -> list[SopRun]:
    return runs if len(runs) <= SHOWN_RUNS else [runs[0], *runs[1 - SHOWN_RUNS :]]


def _row(run: SopRun) -> list[str]:
    numbers = [f"{number:,}" for number in (run.turns, run.model_calls, run.tokens)]
    said = one_line(f"{run.task} [{run.stopped}]" if run.stopped else run.task, 200)
    took = describe.seconds(run.seconds)
    return [run.run, _lane(run.lane), *numbers, took, _outcome(run.outcome), said]


def _lane(lane: str) -> str:
    return say(f"stats_lane_{lane}")


def _outcome(outcome: str) -> str:
    """An outcome in words; one that a later version may know better stays as it is."""
    for key in (f"stats_outcome_{outcome}", f"status.{outcome}"):
        if says(key):
            return say(key)
    return outcome


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
