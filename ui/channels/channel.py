"""The interface of a channel: what comes in, what goes out, and what may go wrong on the way.

A channel knows its service and nothing of runs. Its methods block; each is called from a thread of
its own.

    SopwithError
    ├── TryLater  the service asks for patience, or cannot be reached: the same again after `seconds`
    └── Refused   the service will never take this
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, Protocol

from config import SopwithError


class TryLater(SopwithError):
    """Not now."""

    def __init__(self, seconds: float, key: str, /, **values: object) -> None:
        super().__init__(key, **values)
        self.seconds = seconds


class Refused(SopwithError):
    """Never."""


@dataclass(frozen=True, slots=True)
class Incoming:
    """One message, or the press of a button. `id` is unique in its channel: the same one again is
    the same message."""

    id: str
    chat: str
    who: str  # the sender, by the service's own number or name
    name: str = ""  # as people read it
    text: str = ""
    message: str = ""  # by which the service knows it, for replies and reactions
    is_private: bool = True
    is_addressed: bool = True  # private, a mention of the agent, or a reply to it
    files: tuple[tuple[str, str], ...] = ()  # (what `fetch` takes, name)
    press: str = ""  # what the pressed button carries


class Button(NamedTuple):
    """Hold what is shown on it, and what its press brings back."""

    label: str
    press: str


Take = Callable[[Sequence[Incoming], str], None]


class Channel(Protocol):
    """One way to talk. `owner` is the sender whose private chat is the main session."""

    name: str
    owner: str

    def listen(self, take: Take, position: str, stop: threading.Event) -> None:
        """Hand over what comes in until `stop` is set. `take` returns once messages and position
        are on the disk."""
        ...

    def send(
        self, key: str, chat: str, text: str, buttons: Sequence[Button], reply_to: str
    ) -> None:
        """Send a message; `key` is the same when it is tried again. Raises TryLater, Refused."""
        ...

    def react(self, chat: str, message: str, emoji: str) -> None:
        """Put an emoji on a message, where the service has that. Raises TryLater, Refused."""
        ...

    def pressed(self, press: Incoming, text: str) -> None:
        """Say what came of a pressed button, and take the buttons away. Raises TryLater,
        Refused."""
        ...

    def fetch(self, file: str, folder: Path, name: str) -> Path:
        """Bring a file of a message into a folder. Raises TryLater, Refused."""
        ...

    def has_owner(self, chat: str) -> bool:
        """Return True when the owner is in this group. Raises TryLater, Refused."""
        ...
