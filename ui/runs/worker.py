"""Many machines on the screen: `worker`, and sending a task to where workers take it (`run --queue`)."""

from __future__ import annotations

import sys
from argparse import Namespace
from dataclasses import asdict
from typing import Any

from config import Config
from runs.notify import delivering
from runs.queues import queue_of
from ui.command import JSON, LIMIT, Option, command
from ui.lists import print_list
from ui.sanitise import one_line
from ui.words import in_words, say, tell_error

SHOWN = 50  # tasks of a list


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
        key: one_line(in_words(value)) if isinstance(value, str) else value
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


def fetched(run: str, config: Config) -> str | None:
    """The id of a shared run whose log was brought here to be read; None when there is none of this id."""
    if config.queue is None:
        return None
    return run if queue_of(config).copied(config, run) else None
