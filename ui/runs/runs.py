"""The run log on the screen: `runs list|show|cancel|steer`."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC
from itertools import islice
from typing import Any

from config import Config, SopwithError
from memory.logs import RunSummary, find_run, list_runs, read_events, worker
from memory.logs.reading import RUN_ID
from memory.runlog import SHARED
from memory.working import without_summary
from models.base import Event
from runs.control.remote import queue_of, say_to, stop
from ui import event_text as describe
from ui.command import JSON, LIMIT, Argument, Option, command, moment
from ui.event_text import ended
from ui.lists import as_json, columns, print_json, print_list, print_table, worded
from ui.sanitise import clean, one_line
from ui.terminal import text_screen as plain
from ui.words import say

SHOWN_RUNS = 30  # of a list for people; --limit says otherwise
STATUSES = "working|done|failed|waiting|limit|no_model|cancelled|interrupted|damaged"
MAX_SHOWN_CHARS = 600  # of one result in a trace; --json has it whole


class NotWorking(SopwithError):
    """The run is not at work, so it cannot be spoken to or stopped."""


@command(
    "runs list",
    Argument("search", "*"),
    Option("--status", STATUSES, is_choice=True),
    Option("--since", "ISO", moment, key="opt.runs-since"),
    Option("--sop", "NAME", key="opt.runs-sop"),
    LIMIT,
    JSON,
)
def list_(args: Namespace, config: Config) -> int:
    """Do `runs list [TEXT]`."""
    from memory.logs.index import line_of, lines

    is_filtered = any((args.search, args.status, args.since, args.sop))
    if args.json:
        found = (
            map(line_of, _filtered(args, config)) if is_filtered else lines(config.home, args.limit)
        )
        print('{"runs": [\n' + ",\n".join(islice(found, args.limit)) + "\n]}")
        return 0
    limit = args.limit or SHOWN_RUNS
    runs = _filtered(args, config) if is_filtered else list_runs(config.home, limit + 1)
    shown = columns("run:cyan status turns> cost> task*")
    print_table(shown, [_row(run) for run in runs[:limit]], say("runs.none"))
    if len(runs) > limit:
        print(say("runs.more", limit=limit))
    return 0


def _filtered(args: Namespace, config: Config) -> list[RunSummary]:
    return [run for run in list_runs(config.home) if _is_wanted(run, args)]


def _is_wanted(run: RunSummary, args: Namespace) -> bool:
    """Return True for a run that passes every filter of `runs list`."""
    words = " ".join(args.search).casefold()
    return all(
        (
            args.status in (None, run.status),
            args.sop in (None, run.sop),
            not args.since or run.started >= args.since.astimezone(UTC).isoformat(),
            words in run.task.casefold() or run.run.startswith(words),
        )
    )


def _row(run: RunSummary) -> list[str]:
    how = say("runs.rote") if run.rote else describe.money(run.cost)
    said = run.task.strip().partition("\n")[0]
    task = f"↳ {said}" if run.parent else said  # a helper of a run further down
    return [run.run, run.status, str(run.turns), how, one_line(task, 200)]


@command("runs show", Argument("run"), Option("--network"), JSON)
def show(args: Namespace, config: Config) -> int:
    """Do `runs show RUN`: the trace of a run, readable; with --json every event whole; with
    --network what went where."""
    run = _found(args.run, config)
    if args.network:
        return _show_network(run, args, config)
    events = read_events(config.home, run)
    if args.json:
        return print_json({"run": run, "events": list(events)})
    print(run)
    for event in events:
        for line in trace(event):
            print(line)
    if worker(config.home / "runs" / run):
        print(say("runs.working"))
    return 0


def _found(name: str, config: Config) -> str:
    """Return the run that `name` means. What machines share is brought here first, as far as its
    log is written by now."""
    if config.queue and RUN_ID.fullmatch(name):
        folder = config.home / "runs" / name
        is_remote = (folder / SHARED).exists() or not folder.exists()
        if is_remote and worker(folder) is None and queue_of(config).copied(config, name):
            return name
    return find_run(config.home, name)


def trace(event: Event) -> Iterator[str]:
    """Yield the lines of one event in a trace: what was said, called, answered, and what it
    cost."""
    if lines := _TRACED.get(event["type"]):
        yield from lines(event)
    elif line := plain.progress(event):
        yield "  " + line.replace("\n", "\n  ")


def _trace_opening(event: Event) -> Iterator[str]:
    yield str(event["at"])
    yield say("trace.task", task=clean(str(event["task"])))
    if event.get("parent"):
        yield say("trace.parent", parent=one_line(event["parent"], 60))
    if event.get("models"):
        yield say("trace.models", models=one_line(", ".join(event["models"])))


def _trace_result(event: Event) -> Iterator[str]:
    yield f"  {plain.tool_line(event)}"
    yield from _indented(_result(event.get("data")) if not event.get("reason") else "")


def _trace_decision(event: Event) -> Iterator[str]:
    reason = one_line(str(event.get("reason") or ""))
    yield f"  ← {say('decision.' + event['decision'])} {reason}".rstrip()


def _trace_end(event: Event) -> Iterator[str]:
    yield from _indented(clean(ended(event)).strip(), "")
    yield describe.closing(event)


def _trace_reply(event: Event) -> Iterator[str]:
    parts = [say("trace.turn", turn=event["turn"]), one_line(str(event.get("model", "")), 60)]
    if event.get("kind") not in ("rote", "scripted"):
        parts += [describe.tokens(event), describe.money(event.get("cost", 0.0))]
    parts.append(describe.seconds(event.get("seconds", 0.0)))
    yield ""
    yield " · ".join(filter(None, parts))
    said: dict[str, Any] = event.get("reply") or {}
    if said.get("calls"):  # a reply without a call is the answer, which the end shows
        yield from _indented(clean(without_summary(str(said.get("text") or ""))).strip())


def _result(data: Any) -> str:
    if isinstance(data, dict):
        data = data.get("output") or {
            key: value for key, value in data.items() if value not in (None, "", [], {})
        }
    return clean(data if isinstance(data, str) else as_json(data)).strip() if data else ""


def _indented(text: str, indent: str = "    ") -> Iterator[str]:
    if len(text) > MAX_SHOWN_CHARS and indent:
        left_out = len(text) - MAX_SHOWN_CHARS
        half = MAX_SHOWN_CHARS // 2
        text = f"{text[:half]}\n{say('trace.cut', n=left_out)}\n{text[-half:]}"
    for line in text.splitlines():
        yield indent + line


@command("runs cancel", Argument("run"))
def cancel(args: Namespace, config: Config) -> int:
    """Do `runs cancel RUN`."""
    run = _found(args.run, config)
    if not stop(config, run):
        raise NotWorking(say("runs.ended", run=run))
    print(say("runs.cancelled", run=run))
    return 0


@command("runs steer", Argument("run"), Argument("text", "+"))
def steer(args: Namespace, config: Config) -> int:
    """Do `runs steer RUN TEXT`: speak to a run that another process works on, here or on another
    machine."""
    run = _found(args.run, config)
    if not say_to(config, run, " ".join(args.text)):
        raise NotWorking(say("runs.not_working", run=run))
    print(say("runs.told", run=run))
    return 0


_TRACED: dict[str, Callable[[Event], Iterable[str]]] = {
    "run_started": _trace_opening,
    "model_called": _trace_reply,
    "tool_started": lambda event: [
        f"  → {one_line(event['tool'], 60)} {describe.arguments(event.get('args'))}"
    ],
    "tool_ended": _trace_result,
    "answered": lambda event: [f"  ← {one_line(str(event['text']))}"],
    "confirmed": _trace_decision,
    "run_ended": _trace_end,
}


def _show_network(run: str, args: Namespace, config: Config) -> int:
    """Print a line for each way that the scripts of a run asked for."""
    from sandbox.network import read

    rows = list(read(config.home / "runs" / run))
    heads = columns("at host:cyan* address state sent> received>", state=worded("network."))
    cells = [_cells(row) for row in rows]
    return print_list(args, {"run": run, "network": rows}, heads, cells, say("network.none"))


def _cells(row: dict[str, Any]) -> list[str]:
    host = one_line(f"{row['host']}:{row['port']}", 200)
    state, why = say(f"network.{row['state']}"), one_line(str(row.get("why", "")), 200)
    moved = [f"{row[key]:,}" if key in row else "" for key in ("up", "down")]
    return [row["at"][:19], host, row.get("address") or why, state, *moved]
