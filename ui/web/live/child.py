"""One run for the page, in a process of its own: the order and the owner's words come as lines of
JSON, events go out so.

A process, not a thread: it is stopped by a signal like any run, a tool that takes it down takes
nothing else with it, and it goes on when the server is killed. Then nobody is there to be asked,
and what it asks waits in the inbox.

In:  {"do": "start"|"sop"|"resume", …: see `_begin`}, or {"do": "settle"}: what the journal has put
     off; then {"say"}, {"id", "answer"|"decision"|"later"}
Out: events (docs/events.md), and {"type": "asked_now", "asked"}, {"type": "asked_over", "id"},
{"type": "not_started", "text", "code"}
"""

from __future__ import annotations

import json
import os
import queue
import signal
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path
from typing import Any

from config import SopwithError, load
from handler import Approval, Confirmation, Owner
from memory.journal.api import work_off
from models.base import Event
from models.embeddings import embedder
from runs.assemble import Agent, Options
from runs.control.bounds import AbsentOwner, RefusingOwner
from runs.control.steering import STOPS
from runs.run import Run
from ui.lists import as_json
from ui.terminal import Screen, show
from ui.web.live import marks
from ui.words import reasons_in_each, use, words_of

SETTLE_SECONDS = 60.0  # for what the journal has put off
_SECRET = "secret"
_SHOWN = ("id", "tool", "args", "reason", "risk", "preview")  # of a confirmation


class Line(Screen):
    """The way to the server. Once nobody reads it any more, what is written is lost and the run
    goes on."""

    def __init__(self) -> None:
        self._is_open = True

    def show(self, event: Event) -> None:
        """Send one event."""
        if not self._is_open:
            return
        try:
            sys.stdout.buffer.write(as_json(event).encode("utf-8", "replace") + b"\n")
            sys.stdout.buffer.flush()
        except BrokenPipeError:
            self._is_open = False
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)


@dataclass
class PageOwner:
    """The owner at the page: asks through the line and waits; None once nobody is there, so that
    the inbox has it."""

    line: Line
    words: queue.SimpleQueue[dict[str, Any] | None] = field(default_factory=queue.SimpleQueue)
    _is_gone: bool = False
    _secrets: int = 0

    def ask(self, id: str, question: str, candidates: list[str]) -> str | None:
        """Put a question."""
        asked = {"id": id, "kind": "question", "text": question, "candidates": candidates}
        said = self._asked(asked)
        return str(said["answer"]) if said and "answer" in said else None

    def confirm(self, confirmation: Confirmation) -> Approval | None:
        """Ask for leave, with the whole effect."""
        shown = {name: getattr(confirmation, name) for name in _SHOWN}
        shown["changes"] = list(confirmation.changes)
        # each tab has its own language
        words = reasons_in_each(confirmation.said, confirmation.reason)
        about = {"kind": "confirmation", "text": confirmation.reason, "words": words}
        said = self._asked({**shown, **about})
        if not said or said.get("decision") not in ("once", "run", "no"):
            return None
        return Approval(said["decision"], str(said.get("reason") or ""))

    def secret(self, question: str) -> str | None:
        """Ask for a password; what is answered stands in no event."""
        self._secrets += 1
        id = f"{os.getpid()}.{self._secrets}"
        said = self._asked({"id": id, "kind": _SECRET, "text": question})
        return str(said["answer"]) if said and said.get("answer") else None

    def _asked(self, what: dict[str, Any]) -> dict[str, Any] | None:
        """Put it and wait for the word on it; words on what was asked before are passed over."""
        if self._is_gone:
            return None
        empty = {**dict.fromkeys(_SHOWN, ""), "args": {}, "changes": [], "candidates": []}
        at = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        self.line.show({"type": "asked_now", "asked": {**empty, **what, "at": at}})
        try:
            while (said := self.words.get()) is not None:
                if said.get("id") == what["id"]:
                    return None if said.get("later") else said
            self._is_gone = True
            return None
        finally:
            self.line.show({"type": "asked_over", "id": what["id"]})


def main() -> int:
    """Read the order, do the run, return its exit code. Arguments: home folder, language."""
    home, lang = Path(sys.argv[1]), "zh" if sys.argv[2] == "zh" else "en"
    use(lang)
    line, lines = Line(), _lines()
    try:
        config = load(home, "zh" if lang == "zh" else "en", os.environ)
        agent = Agent(config)
        if config.models:  # it takes half a second to load: now, before there is something to do
            import_module("models.endpoint.model")
        order = next(lines, None)
        if order is None:
            return 0
        if order["do"] == "settle":
            work_off(home, lambda: embedder(config.embeddings), SETTLE_SECONDS, config.graph)
            return 0
        owner = PageOwner(line)
        present: Owner = AbsentOwner() if order.get("alone") else owner
        asked = RefusingOwner(present) if order.get("group") else present  # a group allows nothing
        run = _begin(agent, order, asked)
    except SopwithError as error:
        line.show({"type": "not_started", "text": words_of(error), "code": error.exit_code})
        return error.exit_code
    threading.Thread(target=_listen, args=(lines, owner, run), daemon=True).start()
    marks.write(home, run.id, order)
    show(run, line, asked)
    for number in STOPS:
        signal.signal(number, signal.SIG_IGN)  # all is done: what is put away now is not cut short
    return run.exit_code


def _begin(agent: Agent, order: dict[str, Any], owner: Owner) -> Run:
    """`start`: task, after, files, options; `sop`: name, values, options; `resume`: run, say.
    Raises SopwithError."""
    options = _options(order)
    if order["do"] == "resume":
        return agent.resume(order["run"], options, owner, order.get("say") or None)
    if order["do"] == "sop":
        return agent.run_sop(order["name"], order["values"], options, owner)
    return agent.start(order["task"], options, owner, tuple(order.get("previous") or ()))


def _options(order: dict[str, Any]) -> Options:
    given = order.get("options") or {}
    named = {name: given[name] for name in ("session", "model", "persona") if given.get(name)}
    is_own = not order.get("after") and not order.get("earlier")
    return Options(
        **named,
        approve="never" if order.get("group") else "ask",
        rote=given.get("rote", True),
        earlier=order.get("earlier", ""),
        window=is_own,  # a conversation has its own earlier tasks
        named=bool(order.get("group")),
        cwd=Path(given.get("cwd") or Path.cwd()),
        files=tuple(map(Path, order.get("files", ()))),
    )


def _lines() -> Iterator[dict[str, Any]]:
    """Yield what the server sends, until it is gone. Not through `sys.stdin`: a thread that waits
    there disturbs the end."""
    held = b""
    while piece := os.read(0, 65_536):
        held += piece
        *whole, held = held.split(b"\n")
        yield from map(json.loads, whole)


def _listen(lines: Iterator[dict[str, Any]], owner: PageOwner, run: Run) -> None:
    """Take what comes from the server until it is gone."""
    for said in lines:
        if "say" in said:
            run.steer(str(said["say"]))
        else:
            owner.words.put(said)
    owner.words.put(None)


if __name__ == "__main__":
    sys.exit(main())
