"""Show the inbox: `inbox list|answer|approve|deny|dismiss`. An answer lets its run go on, here and
now."""

from __future__ import annotations

from argparse import Namespace
from dataclasses import asdict
from datetime import datetime
from typing import Any, Literal

from config import Config
from memory.inbox import Answer, Entry, Inbox
from memory.logs import summarise
from runs.control.remote import stop
from safety.secrets import without
from ui.command import JSON, RUN_OPTIONS, Argument, command
from ui.event_text import entry_text
from ui.lists import print_json
from ui.sanitise import one_line, visible
from ui.words import say


@command("inbox list", JSON)
def list_(args: Namespace, config: Config) -> int:
    """`inbox list`."""
    entries = Inbox(config.home).list()
    if args.json:
        return print_json({"inbox": [as_json(entry, config) for entry in entries]})
    for entry in entries:
        _print(entry, as_json(entry, config)["task"])
    if not entries:
        print(say("inbox.none"))
    return 0


def as_json(entry: Entry, config: Config) -> dict[str, Any]:
    """Return an entry for machines, with the task of the run that waits, if one does."""
    found = summarise(config.home, entry.run) if entry.run else None
    return asdict(entry) | {"task": found.task if found else ""}


def _print(entry: Entry, task: str) -> None:
    print(f"{one_line(entry.id)} · {datetime.fromisoformat(entry.at).astimezone():%Y-%m-%d %H:%M}")
    if task:
        print("  " + say("inbox.task", task=one_line(task, 200)))
    print("  " + visible(entry_text(entry)).strip().replace("\n", "\n  "))
    for number, candidate in enumerate(entry.candidates, 1):
        print(f"    {number}. {one_line(candidate)}")
    for name, value in entry.args.items():
        text = visible("\n".join(map(str, value)) if isinstance(value, list) else str(value))
        print(f"    {one_line(name, 60)}: " + text.replace("\n", "\n      "))
    if entry.changes:
        print("    " + visible(entry.shown.partition("\n\n")[0]).replace("\n", "\n    "))
    if entry.is_expired:
        print("  " + say("inbox.expired", hours=f"{entry.hours:g}"))
    key = "inbox.how_proposal" if entry.kind == "notice" and entry.command else _HOW[entry.kind]
    print("  " + say(key, id=one_line(entry.id), command=one_line(entry.command, 500)))


_HOW = {
    "question": "inbox.how_answer",
    "confirmation": "inbox.how_approve",
    "proposal": "inbox.how_proposal",
    "notice": "inbox.how_notice",
}


@command("inbox answer", Argument("entry"), Argument("text", "+"), *RUN_OPTIONS)
def answer(args: Namespace, config: Config) -> int:
    """`inbox answer ENTRY TEXT`; the number of a candidate means the candidate."""
    entry = Inbox(config.home).get(args.entry)
    text = " ".join(args.text).strip()
    numbered = {str(number): each for number, each in enumerate(entry.candidates, 1)}
    return _settle(args, config, entry, "answer", numbered.get(text, text))


@command("inbox approve", Argument("entry"), Argument("text", "*"), *RUN_OPTIONS)
def approve(args: Namespace, config: Config) -> int:
    """`inbox approve ENTRY`."""
    return _settle(args, config, Inbox(config.home).get(args.entry), "approve", " ".join(args.text))


@command("inbox deny", Argument("entry"), Argument("text", "*"), *RUN_OPTIONS)
def deny(args: Namespace, config: Config) -> int:
    """`inbox deny ENTRY [REASON]`; the reason is read by the model."""
    inbox = Inbox(config.home)
    entry = inbox.get(args.entry)
    if entry.kind in ("proposal", "notice"):  # no run waits for it
        inbox.remove(entry.id)
        return 0
    return _settle(args, config, entry, "deny", " ".join(args.text))


@command("inbox dismiss", Argument("entry"))
def dismiss(args: Namespace, config: Config) -> int:
    """`inbox dismiss ENTRY`: takes the entry away; a run that waits for it is cancelled."""
    inbox = Inbox(config.home)
    entry = inbox.get(args.entry)
    waits = entry.kind in ("question", "confirmation")
    was_waiting = waits and stop(config, entry.run)
    inbox.remove(entry.id)
    print(say("inbox.cancelled" if was_waiting else "inbox.dismissed", run=entry.run))
    return 0


def _settle(
    args: Namespace,
    config: Config,
    entry: Entry,
    decision: Literal["answer", "approve", "deny"],
    text: str,
) -> int:
    """Record the owner's word on disk, then go on with the run; the exit code is the run's."""
    from ui.terminal import go_on

    Inbox(config.home).answer(entry, Answer(decision, without(config, text)))
    return go_on(args, config, entry.run)
