"""Shared chats: a link with its own key opens one chat of a shared session, and nothing else of this home.

Several messages in a row are one request. While the agent works on it, what is said joins its run; what came too late is the
next one. Kept in `web/shared.json` (hashes, no key) and `shared/<id>/chat.jsonl`. Everything here runs in the event loop.
Source: seed 004 §1.2.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import secrets
import time
import unicodedata
from collections import deque
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from config import SopwithError
from memory.files import write_atomic
from models.base import Event
from ui.sanitise import one_line
from ui.web.live.hub import Hub, Tab
from ui.web.live.work import Child, Work
from ui.words import say

QUIET_SECONDS = 1.5  # after the last message, before the agent is asked
LONGEST_SECONDS = 8.0  # that messages are gathered
TYPING_SECONDS = 0.25
SHOWN = 500  # messages, to somebody who comes in
PEOPLE = 20  # names that a chat lets in when its owner does not say
A_MINUTE, TOGETHER = 30, 120  # messages of one person, and of all together, in a minute
JOINS = 20  # that come in, in a minute
MAX_NAME = 40
AGENT = "Sopwith"


class SharedError(SopwithError):
    """The chat is closed, or this is not its key."""


class Crowded(SopwithError):
    """More people, or more messages, than the chat takes."""


@dataclass
class Kept:
    """Hold what is kept of a chat. `people`: hash of the cookie → name."""

    id: str
    title: str
    made: str
    key: str  # its hash
    is_open: bool = True
    most: int = PEOPLE  # names
    people: dict[str, str] = field(default_factory=dict)


class SharedChat:
    """One chat at work."""

    def __init__(
        self,
        kept: Kept,
        home: Path,
        work: Work,
        clean: Callable[[Any], Any],
        keep: Callable[[], None],
    ) -> None:
        self.kept, self._work, self._keep = kept, work, keep
        self._file = home / "shared" / kept.id / "chat.jsonl"
        self.hub = Hub(clean)
        self.said = self._read()
        self._heap: list[tuple[str, str]] = []  # said, and not handed to a run yet
        self._unheard: list[tuple[str, str]] = []  # said to the run at work, and not read by it yet
        self._first = 0.0
        self._timer: asyncio.TimerHandle | None = None
        self._typing: asyncio.TimerHandle | None = None
        self._rates: dict[
            str, deque[float]
        ] = {}  # when each said something; "": all, and " ": who came to the door
        self._tasks: set[asyncio.Task[None]] = set()
        self._is_beginning = False

    @property
    def child(self) -> Child | None:
        """The run at work."""
        children = self._work.children.values()
        return next(
            (child for child in children if child.group == self.kept.id and not child.is_over), None
        )

    def people(self) -> list[str]:
        """The names of those who are in."""
        return sorted({tab.holder for tab in self.hub.tabs if tab.holder})

    def join(self, key: str, name: str, before: str = "") -> str:
        """Lets somebody in; gives the value of their cookie. Who is in already, as the cookie `before` says, takes another
        name. Raises SharedError, Crowded."""
        if not self.kept.is_open or not secrets.compare_digest(_hash(key), self.kept.key):
            raise SharedError("error.ui-web.chat-closed-link-old")
        self._count(" ", JOINS)
        self.kept.people.pop(_hash(before), None)
        if len(self.kept.people) >= self.kept.most:
            raise Crowded("error.ui-web.chat-full-takes-people", count=self.kept.most)
        cookie, wanted = secrets.token_urlsafe(32), plain_name(name)
        taken, number = {AGENT.lower(), *(each.lower() for each in self.kept.people.values())}, 2
        unique = wanted
        while unique.lower() in taken:
            unique, number = f"{wanted} {number}", number + 1
        self.kept.people[_hash(cookie)] = unique
        self._keep()
        return cookie

    def name_of(self, cookie: str) -> str | None:
        """Return who holds a cookie; None when it is nobody's of this chat."""
        return self.kept.people.get(_hash(cookie)) if cookie else None

    def leave(self, cookie: str) -> None:
        """Takes the cookie back."""
        self.kept.people.pop(_hash(cookie), None)
        self._keep()

    def enter(self, tab: Tab, epoch: str | None, seq: int | None) -> None:
        """A tab opens."""
        self.hub.join(tab, epoch, seq)
        self._tell_people()

    def exit(self, tab: Tab) -> None:
        """A tab closes."""
        self.hub.leave(tab)
        self._tell_people()

    def say(self, name: str, text: str) -> None:
        """Somebody says something. Raises SharedError, and Crowded for more than may be said."""
        if not self.kept.is_open:
            raise SharedError("error.ui-web.chat-closed-link-old")
        self._count(name, A_MINUTE)
        self._count("", TOGETHER)
        now = time.monotonic()
        self._write(name, text, is_agent=False)
        self._heap.append((name, text))
        self._first = self._first or now
        if self._timer is not None:
            self._timer.cancel()
        wait = max(0.0, min(QUIET_SECONDS, self._first + LONGEST_SECONDS - now))
        self._timer = asyncio.get_running_loop().call_later(wait, self._hand_over)

    def _count(self, who: str, most: int) -> None:
        now, rate = time.monotonic(), self._rates.setdefault(who, deque(maxlen=most))
        if len(rate) == most and rate[0] > now - 60:
            raise Crowded("error.ui-web.lot-one-minute")
        rate.append(now)
        if len(self._rates) > 500:  # names come and go
            self._rates = {
                each: times for each, times in self._rates.items() if times[-1] > now - 60
            }

    def close(self) -> None:
        """The owner ends it: nobody comes in any more, and those who are in are told."""
        self.kept.is_open = False
        self.kept.people.clear()
        self._heap.clear()
        self._unheard.clear()
        if (child := self.child) is not None:
            self._work.stop(child.run)
        self._keep()
        self.hub.publish({"type": "closed"})
        for tab in self.hub.tabs:
            tab.finish()

    def heard(self, child: Child, event: Event) -> None:
        """An event of the run that answers."""
        kind = event["type"]
        if kind == "text" and self._typing is None:
            self._typing = asyncio.get_running_loop().call_later(TYPING_SECONDS, self._tell_typing)
        elif kind == "steered":
            self._unheard = [each for each in self._unheard if line_of(each) not in event["text"]]
        elif kind == "asked_now" and event["asked"]["kind"] == "question":
            candidates = event["asked"]["candidates"]
            self._write(
                AGENT,
                "\n".join([event["asked"]["text"], *(f"- {each}" for each in candidates)]),
                is_agent=True,
            )
        elif kind == "run_ended":
            if event["status"] == "done":
                self._write(AGENT, str(event["result"]), is_agent=True)
            elif event["status"] != "cancelled" and self.kept.is_open:
                self._write(AGENT, say("web.no_answer"), is_agent=True)
            self._heap, self._unheard = [*self._unheard, *self._heap], []
            if self._heap and self._timer is None:
                self._timer = asyncio.get_running_loop().call_later(QUIET_SECONDS, self._hand_over)

    def _hand_over(self) -> None:
        """Hand what was gathered to whoever waits for it: a question, the run at work, or a new one."""
        self._timer = None
        child = self.child
        if not self._heap:
            return
        if self._is_beginning:
            self._timer = asyncio.get_running_loop().call_later(QUIET_SECONDS, self._hand_over)
            return
        heap, self._heap, self._first = self._heap, [], 0.0
        text = "\n".join(map(line_of, heap))
        if child is not None and child.asked:
            self._work.answer(next(iter(child.asked)), {"answer": text})
        elif child is not None:
            self._unheard += heap
            for each in heap:
                self._work.say(child.run, line_of(each))
        else:
            self._is_beginning = True
            task = asyncio.create_task(self._begin(text))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _begin(self, text: str) -> None:
        options = {"session": f"shared:{self.kept.id}", "rote": False}
        try:
            await self._work.begin({"do": "start", "task": text, "options": options}, self.kept.id)
        except SopwithError:  # the owner's matter: those who are here read no more than that
            self._write(AGENT, say("web.no_answer"), is_agent=True)
        finally:
            self._is_beginning = False

    def _tell_typing(self) -> None:
        self._typing = None
        if (child := self.child) is not None and child.said:
            self.hub.publish({"type": "typing", "text": child.said[-4_000:]})

    def _tell_people(self) -> None:
        self.hub.publish({"type": "people", "people": self.people()})

    def _write(self, who: str, text: str, *, is_agent: bool) -> None:
        """A message is on the disk before anybody sees it."""
        said = {
            "n": len(self.said) + 1,
            "at": _now(),
            "who": who,
            "text": text,
            "is_agent": is_agent,
        }
        self._file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        descriptor = os.open(
            self._file, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600
        )
        try:
            os.write(descriptor, json.dumps(said).encode() + b"\n")
            os.fdatasync(descriptor)
        finally:
            os.close(descriptor)
        self.said.append(said)
        self.hub.publish({"type": "said", **said})

    def _read(self) -> list[dict[str, Any]]:
        try:
            lines = self._file.read_bytes().split(b"\n")
        except OSError:
            return []
        found = []
        for line in lines:
            try:
                found.append(json.loads(line))
            except ValueError:  # torn by a crash
                continue
        return found


class SharedChats:
    """The shared chats of one home folder."""

    def __init__(self, home: Path, work: Work, clean: Callable[[Any], Any]) -> None:
        self._home, self._work, self._clean = home, work, clean
        self._file = home / "web" / "shared.json"
        self.chats: dict[str, SharedChat] = {}
        for kept in self._read():
            self._take_in(kept)
        work.heard.append(self._heard)

    def open(self, title: str, most: int = PEOPLE) -> tuple[SharedChat, str]:
        """A new chat for so many people, and the key that its link carries."""
        chat = self._take_in(
            Kept(secrets.token_hex(5), one_line(title, 120).strip() or "…", _now(), "", most=most)
        )
        return chat, self.new_key(chat)

    def new_key(self, chat: SharedChat) -> str:
        """A key that lets people in; the one before does not any more. Who is in stays in."""
        key = secrets.token_urlsafe(24)
        chat.kept.key = _hash(key)
        self._keep()
        return key

    def _take_in(self, kept: Kept) -> SharedChat:
        chat = SharedChat(kept, self._home, self._work, self._clean, self._keep)
        self.chats[kept.id] = chat
        return chat

    def _heard(self, child: Child, event: Event) -> None:
        if (chat := self.chats.get(child.group)) is not None:
            chat.heard(child, event)

    def _keep(self) -> None:
        self._file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        kept = [asdict(chat.kept) for chat in self.chats.values()]
        write_atomic(self._file, json.dumps(kept, indent=1), mode=0o600)

    def _read(self) -> list[Kept]:
        try:
            return [Kept(**given) for given in json.loads(self._file.read_text("utf-8"))]
        except (OSError, ValueError, TypeError):
            return []


def line_of(said: tuple[str, str]) -> str:
    """As the agent reads it. Further lines are set in: nobody puts words into another's mouth."""
    return f"{said[0]}: " + "\n    ".join(said[1].splitlines())


def plain_name(name: str) -> str:
    """A name that is what it looks like: no letters that are not seen, and no colon, behind which others would speak."""
    seen = (
        each for each in unicodedata.normalize("NFKC", name) if unicodedata.category(each) != "Cf"
    )
    return one_line("".join(seen).replace(":", " "), MAX_NAME).strip() or "?"


def _hash(secret: str) -> str:
    return hashlib.sha256(secret.encode("utf-8", "replace")).hexdigest()


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
