"""`--dry-run`: do a command in a stage, show what it would change and what it answers, and throw it
away."""

from __future__ import annotations

import json
import sys
from argparse import Namespace
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

from config import Config, SopwithError
from models.base import Event
from safety.changes import Change
from safety.paths import Places
from sandbox.stage import Rehearsal
from sandbox.undo import StageError
from tools.staged import lines, listed
from tools.staged.rehearsing import rehearsed
from ui.lists import print_json
from ui.sanitise import one_line
from ui.terminal.text_screen import EventsScreen, PlainScreen
from ui.words import say, words_of

LAUNCHER = Path(__file__).resolve().parents[2] / "launch.py"
OF_THIS_PROCESS = ("--json", "--events")


class NoDryRun(SopwithError):
    """This machine, or this command, cannot be tried."""

    exit_code = 2


class Heard(NamedTuple):
    """The sum of the events of a dry run."""

    result: str
    refused: list[dict[str, str]]
    asked: list[dict[str, str]]


def rehearse(words: Sequence[str], args: Namespace, config: Config) -> int:
    """Do the command of these words in a stage. Raises NoDryRun."""
    if any(getattr(args, name, False) for name in ("queue", "parallel")):
        raise NoDryRun(say("dry.not_queued"))
    cwd = getattr(args, "cwd", None) or Path.cwd()
    try:
        places = Places.of(config.safety.roots, config.home, Path.home(), cwd)
        stage = Rehearsal([*places.roots], config.home)
    except StageError as error:
        raise NoDryRun(say("dry.no_stage", reason=words_of(error))) from error
    with closing(stage):
        code, heard = _followed(stage, words, args)
        changes = stage.look().changes.changes
    if args.json or args.events:
        print_json({"changes": listed(changes), **heard._asdict()})
    else:
        _show(changes, heard)
    return code


def _show(changes: Sequence[Change], heard: Heard) -> None:
    print(say("dry.would" if changes else "dry.nothing"))
    for line in lines(changes, most=len(changes)):
        print(one_line(line, 400))
    for key in ("asked", "refused"):
        for each in getattr(heard, key):
            print(one_line(say(f"dry.{key}", **each), 400))


def _followed(stage: Rehearsal, words: Sequence[str], args: Namespace) -> tuple[int, Heard]:
    """Run the command and show its events. Returns its exit code and what was heard."""
    end = list(words).index("--") if "--" in words else len(words)
    kept = [word for word in words[:end] if word not in OF_THIS_PROCESS]
    python = [sys.executable, "-B", str(LAUNCHER), *kept, "--events", *words[end:]]
    with rehearsed(stage, python, Path.cwd()) as started:
        heard = _heard(map(json.loads, started.stdout or ()), args)
    return started.returncode, heard


def _heard(events: Iterator[Event], args: Namespace) -> Heard:
    heard = Heard("", [], [])
    screen = EventsScreen() if args.events else PlainScreen()
    for event in events:
        heard = _taken(heard, event)
        if not args.json:
            screen.show(event)
    return heard


def _taken(heard: Heard, event: Event) -> Heard:
    if event["type"] == "run_ended":
        return heard._replace(result=event["result"])
    if event["type"] == "confirm":
        heard.asked.append({"tool": event["tool"], "reason": event["reason"]})
    elif event["type"] == "tool_ended":
        why = _refused(event)
        heard.refused.extend([] if why is None else [{"tool": event["tool"], "reason": why}])
    return heard


def _refused(event: Event) -> str | None:
    """Return why a call was refused, or what a script has asked the network for in vain."""
    if event["status"] == "refused":
        return str(event.get("reason", ""))
    data: Any = event["data"]
    network = data.get("network") if isinstance(data, dict) else ""
    return str(network) if network else None
