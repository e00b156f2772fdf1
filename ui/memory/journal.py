"""The journal on the screen: `memory search|show|import|rebuild`, and its part of `memory
check`."""

from __future__ import annotations

import os
import sys
import time
from argparse import Namespace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from config import Config, SopwithError
from memory.home import MAIN
from memory.journal.api import Memory
from memory.journal.sync import check, rebuild
from memory.journal.turns import Found, Recalled, Turn
from models.embeddings import embedder
from safety.secrets import Redactor, held_values
from ui.command import JSON, LIMIT, NOW, Argument, Option, command
from ui.lists import print_json
from ui.sanitise import clean, one_line
from ui.words import say, words_of

SHOWN = 10
SETTLE_SECONDS = 0.3  # what was put off a moment ago is found too, when it is little
FEW, FEW_SECONDS = 200, 5.0  # turns, and how long they are waited for at most
STALLED_SECONDS = 60.0  # an endpoint that does not answer; the rest is done another time
MAX_BAD = 20  # lines of what was left out
MAX_TEXT_CHARS = 600
_TURN = ("id", "who", "text", "source", "session", "timezone", "importance")
AROUND = 2  # turns before and after the one that is shown
SESSION = Option("--session", "S", key="opt.only-session")


class NotInJournal(SopwithError):
    """There is no such turn."""

    exit_code = 2


def opened(config: Config) -> Memory:
    """Return the owner's journal. Raises JournalError."""
    made, held = embedder(config.embeddings), held_values(config, os.environ)
    return Memory(
        config.home, MAIN, embedder=made, redact=Redactor(held).redact, graph=config.graph
    )


def opened_without_meaning(config: Config) -> Memory:
    """Return the same to read from and to work off what needs no vectors. Raises JournalError."""
    return Memory(config.home, MAIN, graph=config.graph)


@command("memory search", Argument("text", "+"), LIMIT, NOW, SESSION, JSON)
def search(args: Namespace, config: Config) -> int:
    """`memory search TEXT`. `args`: text, limit, now, session, json."""
    now, text = args.now or datetime.now().astimezone(), " ".join(args.text)
    recall = recalled(config, text, now, args.limit or SHOWN, args.session)
    if args.json:
        return print_json(results_as_json(recall))
    if not recall.results:
        print(say("journal_near" if recall.near else "journal_nothing"))
    for found in recall.shown:
        print(_lines(found.turn, found.why))
    if recall.degraded:
        missing = say("journal_and").join(say(f"journal_without_{e}") for e in recall.degraded)
        print(say("journal_degraded", what=missing), file=sys.stderr)
    return 0


def recalled(
    config: Config, text: str, now: datetime, limit: int, session: str | None = None
) -> Recalled:
    """Return what was said about something, best first, and what recall had to do without."""
    with opened(config) as memory:
        if not memory.flush(FEW_SECONDS if memory.waiting() <= FEW else SETTLE_SECONDS):
            memory.rest()
        found = memory.retrieve(text, now, limit, session)
        lacks = {*found.degraded, "index"} if memory.problem else found.degraded
        return found._replace(degraded=sorted(lacks))


@command("memory show", Argument("turn", "?"), SESSION, JSON)
def show(args: Namespace, config: Config) -> int:
    """`memory show [ID]`: what the journal holds, or one turn and what was said around it. `args`:
    turn, session, json."""
    with opened(config) as memory:
        if args.turn:
            return _show_turn(memory, args)
        held = memory.overview(args.session)
    if args.json:
        print_json({**held, "first": iso(held["first"]), "last": iso(held["last"])})
    elif not held["turns"]:
        print(say("journal_empty"))
    else:
        first, last = (f"{held[key].astimezone():%Y-%m-%d}" for key in ("first", "last"))
        print(say("journal_holds", n=held["turns"], first=first, last=last, days=held["days"]))
        print(say("journal_waiting", n=sum(held["waiting"].values())))
    if held["problem"]:
        print(words_of(held["problem"]), file=sys.stderr)
    return 0


def _show_turn(memory: Memory, args: Namespace) -> int:
    turn = memory.turn(args.turn, args.session)
    if turn is None:
        raise NotInJournal(say("journal_no_turn", id=one_line(args.turn, 80)))
    around = memory.around(turn, AROUND)
    if args.json:
        return print_json(
            {"turn": turn_as_json(turn), "around": [turn_as_json(each) for each in around]}
        )
    for each in around:
        print(_lines(each, ""))
    return 0


@command("memory import", Argument("file"), JSON)
def import_(args: Namespace, config: Config) -> int:
    """`memory import FILE`. `args`: file, json."""
    from memory.journal.imports import import_file

    with opened(config) as memory:
        done = import_file(
            memory, Path(args.file).expanduser(), memory.redact, _progress("journal_reading")
        )
        if memory.problem:
            print(words_of(memory.problem), file=sys.stderr)
        _work_off(memory)
    if args.json:
        bad = [{"place": place, "why": why} for place, why in done.bad]
        return print_json({"added": done.added, "known": done.known, "bad": bad})
    for place, why in done.bad[:MAX_BAD]:
        print(
            say("journal_bad", place=one_line(place, 120), why=one_line(words_of(why), 200)),
            file=sys.stderr,
        )
    if len(done.bad) > MAX_BAD:
        print(say("journal_more_bad", n=len(done.bad) - MAX_BAD), file=sys.stderr)
    print(say("journal_imported", n=done.added, known=done.known, bad=len(done.bad)))
    return 0 if done.added or done.known or not done.bad else 1


@command("memory rebuild", JSON)
def rebuild_(args: Namespace, config: Config) -> int:
    """`memory rebuild`. `args`: json."""
    count = rebuild(config.home, _progress("journal_reading"))
    with opened(config) as memory:
        _work_off(memory)
        problem = memory.problem
    if args.json:
        print_json({"turns": count})
    else:
        print(say("journal_rebuilt", n=count))
    if problem:
        print(words_of(problem), file=sys.stderr)
    return 1 if problem else 0


def problems(config: Config) -> list[str]:
    """Return what `memory check` finds wrong with the journal."""
    return [say(problem.key, about=one_line(problem.about, 300)) for problem in check(config.home)]


def _work_off(memory: Memory) -> None:
    """Wait for vectors, times and episodes, and say how much is left."""
    left, until = -1, time.monotonic() + STALLED_SECONDS
    while not memory.flush(2.0) and time.monotonic() < until:
        if (now := memory.waiting()) != left:
            left, until = now, time.monotonic() + STALLED_SECONDS
            print(say("journal_working", n=left), file=sys.stderr)


def _progress(key: str) -> Any:
    """Say how far it is, once a second at most."""
    told = -1.0

    def tell(done: int) -> None:
        nonlocal told
        if told < 0 or time.monotonic() - told >= 1:
            told = time.monotonic()
            print(say(key, n=done), file=sys.stderr)

    return tell


def _lines(turn: Turn, why: str) -> str:
    at = turn.at.astimezone()
    head = f"{at:%Y-%m-%d %H:%M}  {one_line(turn.who, 40)}  {one_line(turn.source, 80)}"
    if why:
        head += f"  ({one_line(words_of(why), 120)})"
    is_long = len(turn.text) > MAX_TEXT_CHARS
    text = clean(turn.text[: MAX_TEXT_CHARS - 1] + "…" if is_long else turn.text)
    return head + "\n" + "\n".join("    " + line for line in text.splitlines())


def results_as_json(recall: Recalled) -> dict[str, Any]:
    """Return what recall found for machines; `sure` is false where nothing fits, and the results
    are the nearest."""
    rows = [found_as_json(each) for each in recall.shown]
    return {"results": rows, "degraded": recall.degraded, "sure": recall.is_sure}


def found_as_json(found: Found) -> dict[str, Any]:
    """Return what recall found for machines."""
    more = {"episode": found.episode, "score": found.score, "why": found.why}
    return turn_as_json(found.turn) | more


def turn_as_json(turn: Turn) -> dict[str, Any]:
    """Return a turn for machines."""
    return {
        **{name: getattr(turn, name) for name in _TURN},
        "at": iso(turn.at),
        "mentioned": [[iso(each.start), iso(each.end)] for each in turn.mentioned],
        "run": turn.run or None,
        "tags": list(turn.tags),
    }


def iso(at: datetime | None) -> str | None:
    """Return a time for machines: UTC, ISO 8601."""
    return None if at is None else at.astimezone(UTC).isoformat().replace("+00:00", "Z")
