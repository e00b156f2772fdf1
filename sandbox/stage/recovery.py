"""Bring to an end what a kill in the middle of a call, a commit or an undo has left."""

from __future__ import annotations

from pathlib import Path

from config import Message
from sandbox.undo import commits, entries
from sandbox.undo.entries import Entry
from sandbox.undo.steps import Interfered, Step, Stuck, do_all

NOBODYS = ("probe", "dry-run")  # entries in the place of a run, of which nothing is to stay


def recover(home: Path) -> list[str]:
    """Bring to an end what a kill has left: returns a line on each. Entries that somebody works on
    are left alone."""
    said = []
    for mark in entries.marks(home):
        entry = entries.load(home / "undo" / mark.number) if mark.state == "busy" else None
        if entry and entry.state in entries.FINAL:
            entry.write()  # it was killed before its mark
        elif entry:
            line, run = _recovered(entry), entry.record["run"]
            said += [line] if run not in NOBODYS else []
        if entry:
            entry.close()
    return said


def _recovered(entry: Entry) -> str:
    call = Message("error.recovered.call", run=entry.record["run"], call=entry.record["call"])
    if entry.state == "direct":
        from sandbox.stage import direct, images

        images.collect(entry)
        direct.finish(entry)
        return Message("error.recovered.recorded", call=call)
    if entry.state == "open":
        entry.remove()
        return Message("error.recovered.stopped", call=call)
    steps = [Step.read(fields) for fields in entry.record["steps"]]
    try:
        if entry.state == "working":
            do_all(steps)
    except Stuck as error:
        return Message("error.recovered.stuck", call=call, error=error, folder=entry.folder)
    except (Interfered, OSError) as error:
        entry.write(state="waiting")
        entry.remove()
        return Message("error.recovered.taken-back", call=call, error=error)
    commits.finish(entry, steps)
    for number in entry.record.get("undoes", ()):
        if undone := entries.load(entry.folder.parent / number):
            undone.write(state="undone")
            undone.close()
    return f"{call}: its changes were made whole"
