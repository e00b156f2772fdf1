"""Work that nobody watches, on the screen: `auto`, a line for each thing that happens; `worker`,
for tasks of many machines."""

from __future__ import annotations

import signal
import sys
import threading
from argparse import Namespace
from dataclasses import asdict
from types import FrameType
from typing import Any

from config import Config
from runs.auto import Autonomous
from runs.control.remote import queue_of
from runs.notify import delivering
from ui import event_text as describe
from ui.command import JSON, LIMIT, Option, amount, command, span
from ui.lists import print_json, print_list
from ui.sanitise import one_line
from ui.words import say, tell_error, words_of

NO_MODEL, INTERRUPTED = 5, 130
SHOWN = 50  # tasks of a list


@command(
    "auto",
    Option("--for", "2h", span),
    Option("--max-cost", "USD", amount, key="opt.auto-cost"),
    JSON,
)
def auto(args: Namespace, config: Config) -> int:
    """`auto --for 2h --max-cost USD`. Ctrl-C stops it; what was at work goes on the next time."""
    stop, told = threading.Event(), list[dict[str, Any]]()

    def halt(number: int, _: FrameType | None) -> None:
        stop.set()
        signal.signal(number, signal.SIG_DFL)  # a second one does not wait

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, halt)
    mode = Autonomous(config, minutes=vars(args)["for"], cost_usd=args.max_cost)
    if not config.models:
        print(say("auto.rote_only"), file=sys.stderr)
    with delivering(config, tell_error):
        for each in mode.work(stop):
            told.append(each)
            print(_line(each), file=sys.stderr if args.json else sys.stdout, flush=True)
    closed = told[-1]
    if args.json:
        left = [{"title": each["title"], "why": each["why"]} for each in _of(told, "left")]
        about = {"why": closed["why"], "cost": closed["cost"]}
        print_json({"items": _of(told, "ended"), "left": left, **about})
    if closed["why"] == "stopped":
        return INTERRUPTED
    return NO_MODEL if (closed["why"], closed["items"]) == ("no_model", 0) else 0


def _of(told: list[dict[str, Any]], what: str) -> list[dict[str, Any]]:
    """Return what was told of one kind."""
    found = (dict(each) for each in told)
    return [each for each in found if each.pop("what") == what]


def _line(told: dict[str, Any]) -> str:
    """Say what happened."""
    why, cost = told.get("why"), describe.money(told.get("cost", 0.0))
    titles = [one_line(title, 80) for title in told.get("titles", ())]
    return say(
        f"auto.{told['what']}",
        number=f"R{told.get('number', 0):02}",
        title=one_line(told.get("title", ""), 200),
        titles="; ".join(titles) or say("auto.no_plan"),
        reason=one_line(words_of(told.get("reason", "")), 400),
        why=say(f"auto.why_{why}") if why else "",
        n=told.get("items"),
        cost=f" · {cost}" if cost else "",
        **{key: told.get(key) for key in ("run", "status", "report")},
    )


@command("worker", LIMIT, Option("--list"), Option("--until-empty"), JSON)
def work(args: Namespace, config: Config) -> int:
    """`worker`: takes tasks until it is told to stop; `--list` looks at them from outside."""
    if args.list:
        return _list(args, config)
    queue = queue_of(config)
    queue.counts(config)  # says what is missing before anything begins
    with delivering(config, tell_error):
        queue.Worker(config, _tell).work(until_empty=args.until_empty)
    return 0


def _tell(what: str, details: dict[str, Any]) -> None:
    """Say what a worker does, a line each, on stderr: it belongs to no task's output."""
    said = {
        key: one_line(words_of(value)) if isinstance(value, str) else value
        for key, value in details.items()
    }
    if what == "takes" and details["again"]:
        what = "takes_again"
    print(say(f"worker.{what}", **said), file=sys.stderr, flush=True)


def _list(args: Namespace, config: Config) -> int:
    found = queue_of(config).sent(config, args.limit or SHOWN)
    rows = [
        [each.run, each.status, each.session, each.worker, one_line(each.task, 200)]
        for each in found
    ]
    shown = {"tasks": [asdict(task) for task in found]}
    return print_list(args, shown, "run:cyan status session worker task*", rows, say("worker.none"))
