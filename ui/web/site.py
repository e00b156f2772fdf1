"""Everything that the routes of one server share, and how what they say becomes an answer."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from config import Config, SopwithError
from memory.inbox import InboxError, NoSuchEntry
from memory.runlog import NoSuchRun, RunLogError, find_run
from runs.assemble import Agent
from ui.web.access import Access, NotSignedIn, TooManyTries
from ui.web.filter import Filter
from ui.web.guard import Place
from ui.web.hub import Hub
from ui.web.jobs import Jobs
from ui.web.tail import Tail
from ui.web.work import NotAsked, NotBegun, TooMuchWork, Work

AWAY_SECONDS = 60.0  # a tab that is loaded anew comes back by then


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
    """One server. `cwd`: where its runs work; `idle`: told whenever somebody does something."""

    config: Config
    access: Access
    place: Place
    cwd: Path
    touched: Callable[[], None] = lambda: None
    _away: asyncio.TimerHandle | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        self.clean = Filter(self.config, {"page token": self.access.token, "page password": self.access.password})
        self.hub = Hub(self.clean)
        self.work = Work(self.config, self.hub)
        self.jobs = Jobs(self.config, self.hub)
        self.tail = Tail(self.config.home, self.hub, self.work.children.__contains__, self.work.tell_changed)

    @cached_property
    def agent(self) -> Agent:
        """For what is looked up; runs have their own."""
        return Agent(self.config)

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


def status_of(error: SopwithError) -> tuple[int, str]:
    """The HTTP status and the kind of an error."""
    return next((status, kind) for known, status, kind in STATUSES if isinstance(error, known))


def found(thing: Any, text: str) -> Any:
    """The thing, if there is one. Raises NotThere."""
    if thing is None:
        raise NotThere(text)
    return thing
