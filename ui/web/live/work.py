"""The runs that the page has begun, each in a process of its own (ui/web/live/child.py): started,
spoken to, stopped, listened to.

Everything here runs in the server's event loop.
"""

from __future__ import annotations

import asyncio
import json
import signal
import subprocess
import sys
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from config import Config, Message, SopwithError
from memory.logs import RunSummary, read_events, summarise
from models.base import Event
from ui.web.live import marks
from ui.web.live.hub import Hub

ROOT = Path(__file__).resolve().parents[3]
START = "import sys; sys.path[:0] = [sys.argv.pop(1)]; from ui.web.live.child import main; sys.exit(main())"
BEGIN_SECONDS = 120.0  # until the first event: a model may be asked first which SOP is meant
MAX_LINE_BYTES = 64_000_000
MAX_AT_WORK = 8
RECENT = 200  # runs whose logs nobody else reads out to the tabs
CHANGING = ("run_started", "run_resumed", "turn_started", "run_ended")  # how a run stands
MAX_TEXT_CHARS = 400_000  # of what is being said


class NotBegun(SopwithError):
    """The run could not begin; the text is the owner's."""


class TooMuchWork(SopwithError):
    """As many runs as may are at work."""


class NotAsked(SopwithError):
    """Nobody asks this any more."""


@dataclass
class Child:
    """One process, which goes on when the server ends, and its run."""

    process: subprocess.Popen[bytes]
    lines: asyncio.StreamReader  # its events
    orders: asyncio.WriteTransport
    hearing: asyncio.ReadTransport
    group: str = ""  # of a channel, which it answers
    run: str = ""
    said: str = ""  # what is being said, until it is logged whole
    asked: dict[str, dict[str, Any]] = field(default_factory=dict)  # what it waits for an answer to
    unheard: list[str] = field(default_factory=list)  # said to the run, and not read by it yet
    is_over: bool = False  # the run has ended, and the process puts things away

    def send(self, words: dict[str, Any]) -> None:
        """Hand it a line."""
        if not self.orders.is_closing():
            self.orders.write(json.dumps(words).encode() + b"\n")

    async def ended(self) -> None:
        """Wait until the process has ended."""
        while self.process.poll() is None:
            await asyncio.sleep(0.02)

    def let_go(self) -> None:
        """Close both pipes; the process goes on."""
        self.orders.close()
        self.hearing.close()


class Work:
    """All runs at work for the page. `heard` is told every event of each, after the hub."""

    def __init__(self, config: Config, hub: Hub) -> None:
        self._config, self._hub = config, hub
        self.children: dict[str, Child] = {}
        self.heard: list[Callable[[Child, Event], None]] = []
        self._readers: set[asyncio.Task[None]] = set()
        self._recent: deque[str] = deque(maxlen=RECENT)  # runs begun here
        self._beginning = 0

    async def begin(self, order: dict[str, Any], group: str = "") -> str:
        """Start what is ordered (ui/web/live/child.py) and return the id of its run. Raises
        NotBegun, TooMuchWork."""
        if len(self.children) + self._beginning >= MAX_AT_WORK:
            raise TooMuchWork("error.ui-web.runs-work", count=MAX_AT_WORK)
        self._beginning += 1
        try:
            return await self._begin(order, group)
        finally:
            self._beginning -= 1

    async def _begin(self, order: dict[str, Any], group: str) -> str:
        child = await self._started(group)
        is_new = order["do"] != "resume"
        mark = {} if is_new else marks.read(self._config.home, order["run"])
        begun: dict[str, Any] = {key: mark[key] for key in ("options", "alone") if key in mark}
        child.send({**begun, **order, "group": group})
        first: asyncio.Future[Event] = asyncio.get_running_loop().create_future()
        self._keep(asyncio.create_task(self._listen(child, first)))
        try:
            event = await asyncio.wait_for(asyncio.shield(first), BEGIN_SECONDS)
        except TimeoutError:
            child.process.kill()
            raise NotBegun("error.web.not-begun") from None
        if event["type"] == "not_started":
            raise NotBegun(event["text"])
        return child.run

    async def _started(self, group: str) -> Child:
        """Start a process. A transport of asyncio would kill it when the server ends."""
        loop = asyncio.get_running_loop()
        process = subprocess.Popen(
            [sys.executable, "-c", START, str(ROOT), str(self._config.home), self._config.lang],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,  # Ctrl-C at the server is not meant for it
        )
        lines = asyncio.StreamReader(limit=MAX_LINE_BYTES)
        protocol = asyncio.StreamReaderProtocol(lines)
        hearing, _ = await loop.connect_read_pipe(lambda: protocol, process.stdout)
        orders, _ = await loop.connect_write_pipe(asyncio.BaseProtocol, process.stdin)
        return Child(process, lines, orders, hearing, group)

    async def _listen(self, child: Child, first: asyncio.Future[Event]) -> None:
        with suppress(ValueError):  # a line beyond all bounds: the log has it
            async for line in child.lines:
                event: Event = json.loads(line)
                if event.get("run") and not child.run:
                    child.run = event["run"]
                    self._recent.append(child.run)
                    self.children[child.run] = child
                if not first.done():
                    first.set_result(event)
                if child.run:
                    await self._take(child, event)
        await child.ended()
        if not first.done():
            text = Message("error.web.ended")
            first.set_result({"type": "not_started", "text": text})
        if child.run:
            self.children.pop(child.run, None)
            for id in list(child.asked):
                await self._take(child, {"type": "asked_over", "id": id})
            if not child.is_over:
                await self.tell_changed(child.run)

    async def _take(self, child: Child, event: Event) -> None:
        kind = event["type"]
        if kind == "text":
            child.said = (child.said + event["delta"])[-MAX_TEXT_CHARS:]
        elif kind in ("turn_started", "text_reset", "model_called"):
            child.said = ""
        elif kind == "asked_now":
            event["asked"]["run"] = child.run
            child.asked[event["asked"]["id"]] = event["asked"]
        elif kind == "steered" and child.unheard:
            child.unheard.pop(0)
        elif kind == "run_ended":
            child.is_over = True
            self._say_again(child, event["status"])
        elif kind == "asked_over":
            child.asked.pop(event["id"], None)
        self._tell(child, event)
        if kind in CHANGING:
            await self.tell_changed(child.run)

    def _tell(self, child: Child, event: Event) -> None:
        if not child.group:
            self._hub.publish(event)
        for hear in self.heard:
            hear(child, event)

    def _say_again(self, child: Child, status: str) -> None:
        """Make what was said too late to be read the next task of the conversation."""
        if child.unheard and status not in ("cancelled", "waiting") and not child.group:
            self._keep(
                asyncio.create_task(self._begin_after(child.run, "\n\n".join(child.unheard)))
            )
        child.unheard = []

    def _keep(self, task: asyncio.Task[None]) -> None:
        self._readers.add(task)
        task.add_done_callback(self._readers.discard)

    async def _begin_after(self, run: str, text: str) -> None:
        home = self._config.home
        opening = await asyncio.to_thread(lambda: next(read_events(home, run), {}))
        previous = [*(opening.get("previous") or ()), run]
        order = {"do": "start", "task": text, "previous": previous, "after": run, "files": []}
        options = {"cwd": opening.get("cwd"), **marks.read(home, run).get("options", {})}
        try:
            await self.begin({**order, "options": options})
        except (NotBegun, TooMuchWork) as error:  # the page gives the words back
            self._hub.publish({"type": "not_heard", "run": run, "text": text, "why": str(error)})

    def has_begun(self, run: str) -> bool:
        """Return True for a run that was begun here, also after its end."""
        return run in self._recent

    async def tell_changed(self, run: str) -> None:
        """Tell the tabs how a run stands now."""
        summary = await asyncio.to_thread(summarise, self._config.home, run)
        if summary is not None and not summary.trial:
            self._hub.publish({"type": "run_changed", "run": run, "summary": row(summary)})

    async def settle(self) -> None:
        """Work off what the journal has put off, in a process that ends with it: vectors, episodes
        and graph take memory."""
        child = await self._started("")
        child.send({"do": "settle"})
        try:
            await child.ended()
        finally:
            child.process.kill()  # does nothing to one that has ended
            child.process.wait()
            child.let_go()

    def say(self, run: str, text: str) -> bool:
        """Say something to a run; False when it is not at work here."""
        if (child := self._at_work(run)) is not None:
            child.unheard.append(text)
            child.send({"say": text})
        return child is not None

    def stop(self, run: str) -> bool:
        """Stop a run as Ctrl-C would; False when it is not at work here."""
        if (child := self._at_work(run)) is not None:
            with suppress(ProcessLookupError):
                child.process.send_signal(signal.SIGINT)
        return child is not None

    def _at_work(self, run: str) -> Child | None:
        child = self.children.get(run)
        return None if child is None or child.is_over else child

    def answer(self, id: str, words: dict[str, Any]) -> dict[str, Any]:
        """Hand the owner's word to the run that asks; return what was asked. Raises NotAsked."""
        for child in self.children.values():
            if id in child.asked:
                asked = child.asked.pop(id)
                child.send({"id": id, **words})
                return asked
        raise NotAsked("error.ui-web.nobody-asks-any-more")

    def waiting(self) -> list[dict[str, Any]]:
        """Return what is asked now."""
        own = [child for child in self.children.values() if not child.group]
        return [asked for child in own for asked in child.asked.values()]

    def nobody_is_there(self) -> None:
        """Let what is asked wait in the inbox from now on."""
        for asked in self.waiting():
            self.children[asked["run"]].send({"id": asked["id"], "later": True})

    async def go_on(self) -> None:
        """Go on with the page's runs that were cut off by the machine's end or a kill."""
        for run, mark in await asyncio.to_thread(lambda: list(marks.cut_off(self._config.home))):
            with suppress(SopwithError, OSError):
                order = {"do": "resume", "run": run, "tries": mark.get("tries", 0) + 1}
                await self.begin(order, mark.get("group", ""))

    async def close(self) -> None:
        """Stop listening; the runs go on by themselves, and their questions wait in the inbox."""
        for reader in list(self._readers):
            reader.cancel()
        await asyncio.gather(*self._readers, return_exceptions=True)
        for child in self.children.values():
            child.let_go()


def row(summary: RunSummary) -> dict[str, Any]:
    """Return a run as a list shows it."""
    return {key: value for key, value in asdict(summary).items() if key != "trial"}
