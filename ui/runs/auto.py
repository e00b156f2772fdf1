"""Autonomous mode on the screen: `auto`, a line for each thing that happens."""

from __future__ import annotations

import signal
import sys
import threading
from argparse import Namespace
from types import FrameType
from typing import Any

from config import Config
from runs.auto import Autonomous
from runs.notify import delivering
from ui import event_text as describe
from ui.command import JSON, Option, amount, command, span
from ui.lists import print_json
from ui.sanitise import one_line
from ui.words import in_words, say, tell_error

NO_MODEL, INTERRUPTED = 5, 130


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
        ended, left = _told(told, "ended"), _told(told, "left")
        why = [{"title": each["title"], "why": each["why"]} for each in left]
        print_json({"items": ended, "left": why, "why": closed["why"], "cost": closed["cost"]})
    if closed["why"] == "stopped":
        return INTERRUPTED
    return NO_MODEL if closed["why"] == "no_model" and not closed["items"] else 0


def _told(told: list[dict[str, Any]], what: str) -> list[dict[str, Any]]:
    found = [dict(each) for each in told if each["what"] == what]
    for each in found:
        del each["what"]
    return found


def _line(told: dict[str, Any]) -> str:
    what, cost = told["what"], _cost(told.get("cost", 0.0))
    if what in ("begun", "resumed"):
        return say(
            f"auto.{what}",
            number=f"R{told['number']:02}",
            title=one_line(told["title"], 200),
            run=told["run"],
        )
    if what == "ended":
        about = {
            "number": f"R{told['number']:02}",
            "status": told["status"],
            "report": told["report"],
        }
        return say("auto.ended", cost=cost, **about)
    if what == "planned":
        titles = "; ".join(one_line(title, 80) for title in told["titles"])
        return say("auto.planned", titles=titles or say("auto.no_plan"), cost=cost)
    if what == "left":
        return say(
            "auto.left", title=one_line(told["title"], 200), why=say(f"auto.why_{told['why']}")
        )
    if what == "failed":
        return say("auto.failed", reason=one_line(in_words(told["reason"]), 400))
    return say("auto.closed", why=say(f"auto.why_{told['why']}"), n=told["items"], cost=cost)


def _cost(usd: float) -> str:
    """Return what it cost, where it cost something."""
    return f" · {describe.money(usd)}" if usd > 0 else ""
