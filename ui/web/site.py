"""Everything that the routes of one server share, and how what they say becomes an answer."""

from __future__ import annotations

import asyncio
import shutil
import time
from collections.abc import Sequence
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
from ui.web.access import Access, NotSignedIn, Place, TooManyTries
from ui.web.filter import Filter, worded
from ui.web.live.errands import Errands
from ui.web.live.hub import Hub
from ui.web.live.tail import GraphWatch, Tail
from ui.web.live.work import Child, NotAsked, NotBegun, TooMuchWork, Work
from ui.words import language

AWAY_SECONDS = 60.0  # a tab that is loaded anew comes back by then
SETTLE_SECONDS = 3.0  # after a run, until what the journal has put off is worked off
KEPT_UPLOAD_SECONDS = 86_400.0


class NotThere(SopwithError):
    """There is no such thing."""


class Conflict(SopwithError):
    """It is not as the page thought."""


class TooLarge(SopwithError):
    """More than is taken at once."""


class Unsupported(SopwithError):
    """Refuse what a program asks for, by name, and is not to be had here."""


class OnlyReads(SopwithError):
    """The token of a program lets it change nothing."""


STATUSES: tuple[tuple[type[SopwithError], int, str], ...] = (  # the first that fits
    (NotSignedIn, 401, "not_signed_in"),
    (TooManyTries, 429, "busy"),
    (TooMuchWork, 429, "busy"),
    (TooLarge, 413, "too_large"),
    (Unsupported, 400, "invalid_request_error"),
    (OnlyReads, 403, "permission_error"),
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
    """One server. `cwd`: where its runs work."""

    config: Config
    access: Access
    place: Place
    cwd: Path
    version: str
    _away: asyncio.TimerHandle | None = field(default=None, init=False)
    _settle: asyncio.TimerHandle | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        self.clean = Filter(self.config, {"page token": self.access.token})
        self.hub = Hub(lambda message: self.clean(worded(message)))
        self.work = Work(self.config, self.hub)
        self.errands = Errands(self.config, self.hub, self.cwd)
        self.graph = GraphWatch(self.config.home, self.hub)
        self.tail = Tail(self.config.home, self.hub, self.work)
        self.work.heard.append(self._heard)
        self.channels = Channels(self.config, self.work, self.cwd)
        self._tasks: list[asyncio.Task[None]] = []

    async def open(self) -> None:
        """Begin to listen; go on with what was cut off."""
        self.tail.open()
        await asyncio.to_thread(_tidy, self.home / "web" / "uploads")
        self._tasks.append(asyncio.create_task(self.work.go_on()))
        self._tasks.append(asyncio.create_task(self.graph.follow()))
        self.channels.open()

    async def close(self) -> None:
        """Stop listening; runs go on by themselves."""
        await self.channels.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self.tail.close()
        await self.errands.close()
        await self.work.close()

    async def said_by(self, words: Sequence[str], text: str = "", **more: bool) -> str:
        """Return what a command of ours says. Raises CommandFailed."""
        return (await self.errands.said_by(words, text, **more)).strip()

    def errand(self, what: str, about: str, words: Sequence[str]) -> dict[str, str]:
        """Begin a command that takes a while, and return what a route answers then."""
        return {"errand": self.errands.begin(what, about, words)}

    def spoken(self) -> Config:
        """Return the settings in the language that is spoken here and now."""
        return self.config.but(lang="zh" if language() == "zh" else "en")

    def _heard(self, child: Child, event: Event) -> None:
        if event["type"] == "asked_now" and not child.group:
            self.somebody_left()
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
        """Return the home folder."""
        return self.config.home

    def find(self, run: str) -> str:
        """Return the whole id of a run. Raises NoSuchRun."""
        return find_run(self.home, run)

    def somebody_came(self) -> None:
        """Note that a tab of the owner is open."""
        if self._away is not None:
            self._away.cancel()
            self._away = None

    def somebody_left(self) -> None:
        """Move what is asked to the inbox when no tab is open for a while. Called for each
        question, too."""
        if not self.hub.tabs and self._away is None:
            loop = asyncio.get_running_loop()
            self._away = loop.call_later(AWAY_SECONDS, self._nobody_is_there)

    def _nobody_is_there(self) -> None:
        self._away = None
        if not self.hub.tabs:
            self.work.nobody_is_there()


def _tidy(folder: Path) -> None:
    """Remove what was attached and never sent, and the empty folders of what was."""
    for each in folder.iterdir() if folder.is_dir() else ():
        with suppress(OSError):
            if not any(each.iterdir()) or each.stat().st_mtime < time.time() - KEPT_UPLOAD_SECONDS:
                shutil.rmtree(each)


def status_of(error: SopwithError) -> tuple[int, str]:
    """Return the HTTP status and the kind of an error."""
    return next((status, kind) for known, status, kind in STATUSES if isinstance(error, known))


def found(thing: Any, text: str) -> Any:
    """Return the thing, if there is one. Raises NotThere."""
    if not thing:
        raise NotThere(text)
    return thing
