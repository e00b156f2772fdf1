"""Everything that the routes of one server share, and how what they say becomes an answer."""

from __future__ import annotations

import asyncio
import shutil
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from config import Config, SopwithError
from memory.inbox import InboxError, NoSuchEntry
from memory.logs import RunLogError, find_run
from memory.logs.reading import NoSuchRun
from models.base import Event
from ui.channels import Channels
from ui.web.access import Access, NotSignedIn, TooManyTries
from ui.web.filter import Filter
from ui.web.guard import Place
from ui.web.live.errands import Errands
from ui.web.live.hub import Hub, Message
from ui.web.live.tail import Tail
from ui.web.live.work import Child, NotAsked, NotBegun, TooMuchWork, Work
from ui.web.worded import worded
from ui.words import in_words

AWAY_SECONDS = 60.0  # a tab that is loaded anew comes back by then
MAX_EDGES = 5_000  # in one look at the graph
GRAPH_SECONDS = 3.0  # between two looks at the graph, while a tab shows it
SETTLE_SECONDS = 3.0  # after a run, until what the journal has put off is worked off
KEPT_UPLOAD_SECONDS = 86_400.0


class NotThere(SopwithError):
    """There is no such thing."""


class Conflict(SopwithError):
    """It is not as the page thought."""


class TooLarge(SopwithError):
    """More than is taken at once."""


STATUSES: tuple[tuple[type[SopwithError], int, str], ...] = (  # the first that fits
    (NotSignedIn, 401, "not_signed_in"),
    (TooManyTries, 429, "busy"),
    (TooMuchWork, 429, "busy"),
    (TooLarge, 413, "too_large"),
    (NotThere, 404, "not_found"),
    (NotAsked, 404, "not_found"),
    (NoSuchRun, 404, "not_found"),
    (NoSuchEntry, 404, "not_found"),
    (Conflict, 409, "conflict"),
    (NotBegun, 409, "conflict"),
    (InboxError, 409, "conflict"),
    (RunLogError, 409, "conflict"),
    (SopwithError, 422, "bad_request"),
)


@dataclass
class Site:
    """One server. `cwd`: where its runs work; `touched`: told whenever somebody does something."""

    config: Config
    access: Access
    place: Place
    cwd: Path
    version: str
    touched: Callable[[], None] = lambda: None
    _away: asyncio.TimerHandle | None = field(default=None, init=False)
    _settle: asyncio.TimerHandle | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        self.clean = Filter(self.config, {"page token": self.access.token})
        self.hub = Hub(lambda message: self.clean(worded(message)))
        self.work = Work(self.config, self.hub)
        self.errands = Errands(self.config, self.hub, self.cwd)
        is_ours = self.work.children.__contains__
        self.tail = Tail(
            self.config.home,
            self.hub,
            is_ours,
            self.work.tell_changed,
            self.touched,
            self.work.has_begun,
        )
        self.work.heard.append(self._heard)
        self.channels = Channels(self.config, self.work, self.cwd)
        self._tasks: list[asyncio.Task[None]] = []

    async def open(self) -> None:
        """Begins to listen; goes on with what was cut off."""
        self.loop = asyncio.get_running_loop()
        self.tail.open()
        await asyncio.to_thread(_tidy, self.home / "web" / "uploads")
        self._tasks.append(asyncio.create_task(self._go_on()))
        self._tasks.append(asyncio.create_task(self._follow_graph()))
        self.channels.open()

    async def close(self) -> None:
        """Stops listening; runs go on by themselves."""
        await self.channels.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self.tail.close()
        await self.errands.close()
        await self.work.close()

    @property
    def address(self) -> str:
        """Where the page is."""
        return f"http://{self.place.name}"

    def said(self, text: str) -> str:
        """One of our own texts in the language that is spoken here."""
        return in_words(text)

    def call(self, do: Callable[..., Any], *given: Any) -> Any:
        """Does something of the event loop from a thread, and gives what came of it."""

        async def doing() -> Any:
            return do(*given)

        return asyncio.run_coroutine_threadsafe(doing(), self.loop).result(10)

    def tell(self, message: Message, holder: str) -> None:
        """Sends a message to the tabs of one browser, from a thread."""

        def telling() -> None:
            for tab in self.hub.tabs:
                if tab.holder == holder:
                    self.hub.tell(tab, message)

        self.loop.call_soon_threadsafe(telling)

    def let_go(self, holder: str) -> None:
        """Closes the tabs of a browser or program that may not come in any more, from a thread."""

        def closing() -> None:
            for tab in self.hub.tabs:
                if tab.holder == holder:
                    tab.finish()

        self.loop.call_soon_threadsafe(closing)

    async def graph_snapshot(self, given: Message) -> Message:
        """The graph as a tab wants it."""

        def look() -> Message:
            from memory.graph import Wanted, opened

            graph = opened(self.home)
            try:
                wanted, limit = given.get("predicates"), given.get("limit")
                predicates = (
                    [str(each) for each in wanted] if isinstance(wanted, list) and wanted else None
                )
                limit = max(1, min(limit, MAX_EDGES)) if isinstance(limit, int) else 500
                shown: Message = graph.snapshot(Wanted(predicates=predicates), limit)
                return shown
            finally:
                graph.close()

        return await asyncio.to_thread(look)

    async def _follow_graph(self) -> None:
        """Tells the tabs that show the graph what has changed in it. Looks only while there is such a tab."""
        version = ""
        while True:
            await asyncio.sleep(GRAPH_SECONDS)
            tabs = [tab for tab in self.hub.tabs if tab.graph is not None]
            if not tabs:
                version = ""
                continue
            with suppress(SopwithError, OSError):
                if not version:
                    version = (await self.graph_snapshot({"limit": 1}))["version"]
                    continue
                news = await asyncio.to_thread(self._graph_changes, version)
                version = news["version"]
                for tab in tabs if news["patch"] or news["reset"] else ():
                    if news["reset"]:
                        shown = await self.graph_snapshot(tab.graph or {})
                        self.hub.tell(tab, {"type": "graph_snapshot", **shown})
                    else:
                        self.hub.tell(tab, {"type": "graph_patch", **news})

    def _graph_changes(self, version: str) -> Message:
        from memory.graph import opened

        graph = opened(self.home)
        try:
            news: Message = graph.changes(version)
            return news
        finally:
            graph.close()

    async def _go_on(self) -> None:
        with suppress(OSError):
            await self.work.go_on()

    def _heard(self, child: Child, event: Event) -> None:
        if event["type"] == "asked_now" and not child.group:
            self.ask_of_nobody()
        elif event["type"] == "run_ended":  # once for several that end one after the other
            if self._settle is not None:
                self._settle.cancel()
            self._settle = asyncio.get_running_loop().call_later(SETTLE_SECONDS, self._settle_now)

    def _settle_now(self) -> None:
        self._settle = None
        self._tasks = [task for task in self._tasks if not task.done()]
        self._tasks.append(asyncio.create_task(self.work.settle()))

    @property
    def home(self) -> Path:
        """The home folder."""
        return self.config.home

    def find(self, run: str) -> str:
        """The whole id of a run. Raises NoSuchRun."""
        return find_run(self.home, run)

    def somebody_came(self) -> None:
        """A tab of the owner is open."""
        if self._away is not None:
            self._away.cancel()
            self._away = None

    def somebody_left(self) -> None:
        """When no tab is open for a while, what is asked waits in the inbox."""
        if not self.hub.tabs and self._away is None:
            loop = asyncio.get_running_loop()
            self._away = loop.call_later(AWAY_SECONDS, self._nobody_is_there)

    def ask_of_nobody(self) -> None:
        """A question has come: with no tab open it will not be answered here."""
        if not self.hub.tabs:
            self.somebody_left()

    def _nobody_is_there(self) -> None:
        self._away = None
        if not self.hub.tabs:
            self.work.nobody_is_there()


def _tidy(folder: Path) -> None:
    """Removes what was attached and never sent, and the empty folders of what was."""
    for each in folder.iterdir() if folder.is_dir() else ():
        with suppress(OSError):
            if not any(each.iterdir()) or each.stat().st_mtime < time.time() - KEPT_UPLOAD_SECONDS:
                shutil.rmtree(each)


def status_of(error: SopwithError) -> tuple[int, str]:
    """The HTTP status and the kind of an error."""
    return next((status, kind) for known, status, kind in STATUSES if isinstance(error, known))


def found(thing: Any, text: str) -> Any:
    """The thing, if there is one. Raises NotThere."""
    if thing is None:
        raise NotThere(text)
    return thing
