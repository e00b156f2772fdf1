"""Make runs of what is said in a channel, and say there what comes of them. The same for every
channel.

The owner's private chat is the main session: fragments are joined, what is said to a run at work
steers it, a question is answered by the next message, leave is given by buttons. A group is a
shared session: who is not addressed hears nothing, and one answer goes to what was said together.
Nobody else is let in. All that waits on the owner waits in the inbox, so a restart loses nothing.
Everything here runs in the server's event loop. Source: seeds 000 and 004 §1.2.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import Any

from config import Config, SopwithError
from memory.inbox import Answer, Entry, Inbox, InboxError
from memory.logs import read_events, summarise
from models.base import Event
from runs.control.remote import say_to, stop
from safety.secrets import without
from ui.channels.channel import Button, Channel, Incoming, Refused, TryLater
from ui.channels.letters import ended, is_emoji, line_of, pieces, shown
from ui.channels.store import Store, Talk
from ui.web.live import Child, TooMuchWork, Work
from ui.web.live.marks import begun_for
from ui.words import say, words_of

QUIET_SECONDS = 1.5  # after the last message, before they are one request
LONGEST_SECONDS = 8.0  # that messages are gathered
LOOK_SECONDS = 2.0
CUT_OFF_SECONDS = 120.0  # until an interrupted run that nobody goes on with is told
TAKEN, DONE = "👀", "👍"


class Desk:
    """One channel at work."""

    def __init__(self, config: Config, channel: Channel, work: Work, cwd: Path) -> None:
        self._config, self._home, self._cwd = config, config.home, cwd
        self._channel, self._work = channel, work
        self.store = Store(config.home / "channels", channel.name)
        self._inbox = Inbox(config.home)
        self._cut_off: dict[str, float] = {}
        self.wake = asyncio.Event()
        if not self.store.place("since"):
            self.store.note("since", str(time.time()))
        work.heard.append(self._heard)

    def is_let_in(self, message: Incoming) -> bool:
        """Return True for the owner, and in a group of the owner for what is said to the agent.
        Called by the listener."""
        is_owner = message.who == self._channel.owner
        if message.is_private or message.press:
            return is_owner and message.is_private
        return message.is_addressed and (is_owner or self._channel.has_owner(message.chat))

    async def run(self) -> None:
        """Work until cancelled."""
        await self._recover()
        while True:
            self.wake.clear()
            await self._look()
            with suppress(TimeoutError):
                await asyncio.wait_for(self.wake.wait(), self._pause())

    async def _look(self) -> None:
        for messages in list(self.store.new().values()):
            await self._take(messages)
        for talk in self.store.talks("open"):
            await self._do(talk)
        for talk in self.store.talks("resume"):
            await self._go_on(talk)
        for talk in self.store.talks("begun"):
            await self._settle(talk)
        self._tell_waiting()

    def _pause(self) -> float:
        """Return the seconds until the next look, where nothing wakes it."""
        rows = [row for messages in self.store.new().values() for row in messages]
        return min([LOOK_SECONDS, *(max(0.05, at + QUIET_SECONDS - time.time()) for at, _ in rows)])

    # Coming in

    async def _take(self, messages: Sequence[tuple[float, Incoming]]) -> None:
        """Do the presses and commands of a chat at once; join the rest when nothing more comes."""
        rest: list[tuple[float, Incoming]] = []
        for at, message in messages:
            if message.press:
                await self._pressed(message)
            elif message.text.strip().split("@")[0].lower() in ("/stop", "/start", "/help"):
                self._command(message)
            else:
                rest.append((at, message))
        if not rest:
            return
        is_quiet = time.time() - rest[-1][0] >= QUIET_SECONDS
        if is_quiet or time.time() - rest[0][0] >= LONGEST_SECONDS:
            await self._join([message for _, message in rest])

    async def _join(self, messages: list[Incoming]) -> None:
        last = messages[-1]
        if last.is_private:
            self.store.note("owner chat", last.chat)
            lines = [each.text for each in messages if each.text.strip()]
        else:
            lines = [line_of(each.name, each.text) for each in messages]
        self.store.open_talk(messages, "\n".join(lines))
        if not last.is_private:
            await self._react(last.chat, last.message, TAKEN)

    def _command(self, message: Incoming) -> None:
        text = say("channels.help")
        if message.text.strip().lower().startswith("/stop"):
            is_owner = message.who == self._channel.owner
            text = self._stop(message.chat) if is_owner else say("channels.owner_only")
        with self.store.step():
            if text:
                self._put(f"message.{message.id}", message.chat, text)
            self.store.taken([message.id])

    def _stop(self, chat: str) -> str:
        """Stop what works or waits in a chat; "" where the end of a run will say so."""
        working = self.store.talks("begun", chat=chat)
        for talk in working:
            if not self._work.stop(talk.run):
                stop(self._config, talk.run)
        waiting = self.store.talks("waiting", "resume", chat=chat)
        for talk in waiting:
            stop(self._config, talk.run)
            self.store.set(talk, "done")
        if working:
            return ""
        return say("channels.stopped" if waiting else "channels.nothing_runs")

    async def _pressed(self, message: Incoming) -> None:
        """Give or refuse leave, once, for exactly what the button stood under."""
        id, _, word = message.press.partition(" ")[2].rpartition(":")
        text = say("channels.gone")
        if self.store.knows(f"entry.{id}"):
            text = self._decided(id, word)
        with suppress(TryLater, Refused):
            await asyncio.to_thread(self._channel.pressed, message, text)
        self.store.taken([message.id])

    def _decided(self, id: str, word: str) -> str:
        try:
            entry = self._inbox.get(id)
        except InboxError:
            summary = summarise(self._home, id.partition(".")[0])
            is_cancelled = summary is not None and summary.status == "cancelled"
            return say("channels.cancelled" if is_cancelled else "channels.decided")
        before = [(talk, talk.state) for talk in self.store.talks_of(entry.run)]
        for talk, _ in before:  # first: after a kill the press comes again, and finds the entry
            self.store.set(talk, "resume")
        try:
            self._inbox.answer(entry, Answer("approve" if word == "yes" else "deny"))
        except InboxError as error:
            for talk, state in before:
                self.store.set(talk, state)
            return words_of(error)
        return say("channels.approved" if word == "yes" else "channels.denied")

    # Doing it

    async def _do(self, talk: Talk) -> None:
        """Answer what is asked, steer the run at work, or begin a run."""
        entries = {each.run: each for each in self._inbox.list() if each.kind == "question"}
        for waiting in self.store.talks("waiting", chat=talk.chat):
            if waiting.run in entries:
                self._answer(talk, waiting, entries[waiting.run])
                return
        working = self.store.talks("beginning", "begun", "resume", chat=talk.chat)
        if not working:
            await self._begin(talk)
        elif working[0].state == "begun" and talk.files == "[]":
            run = working[0].run
            self.store.set(talk, "said", run)
            if not say_to(self._config, run, talk.text):
                self.store.set(talk, "open", "")  # it has just ended

    def _answer(self, talk: Talk, waiting: Talk, entry: Entry) -> None:
        """Hand the owner's word to the run that waits; after a kill on the way it is found unheard,
        and handed over again."""
        with self.store.step():
            self.store.set(talk, "said", waiting.run)
            self.store.set(waiting, "resume")
        try:
            self._inbox.answer(entry, Answer("answer", without(self._config, talk.text)))
        except InboxError:
            self.store.set(talk, "open", "")

    async def _begin(self, talk: Talk) -> None:
        self.store.set(talk, "beginning")
        group = self._group(talk)
        options: dict[str, Any] = {"cwd": str(self._cwd), "message": self._mark(talk)}
        if group:
            options |= {"session": f"shared:{group}", "rote": False}
        try:
            files = await self._fetched(talk) if talk.is_private else []
            task = talk.text.strip() or say("channels.only_files")
            order = {"do": "start", "task": task, "files": files, "alone": True, "options": options}
            run = await self._work.begin(order, group)
        except (TooMuchWork, TryLater):
            self.store.set(talk, "open")  # the next look tries again
        except SopwithError as error:
            self._finish(talk, f"talk.{talk.id}", words_of(error))
        else:
            self.store.set(talk, "begun", run)

    async def _fetched(self, talk: Talk) -> list[str]:
        folder = self._home / "channels" / "files" / f"{self._channel.name}-{talk.id}"
        found = []
        for number, (file, name) in enumerate(json.loads(talk.files), 1):
            safe = Path(name).name.lstrip(".")[-80:] or "file"
            path = await asyncio.to_thread(self._channel.fetch, file, folder / str(number), safe)
            found.append(str(path))
        return found

    async def _go_on(self, talk: Talk) -> None:
        order = {"do": "resume", "run": talk.run, "alone": True}
        try:
            await self._work.begin(order, self._group(talk))
        except TooMuchWork:
            return
        except SopwithError:  # somebody else goes on with it, or it is over: its log says how
            pass
        self.store.set(talk, "begun")

    def _group(self, talk: Talk) -> str:
        return "" if talk.is_private else f"{self._channel.name}-{talk.chat}"

    # Going out

    def _heard(self, child: Child, event: Event) -> None:
        if event["type"] == "run_ended":
            self.wake.set()

    async def _settle(self, talk: Talk) -> None:
        """Say how a run has ended, or what it waits for."""
        if self._is_at_work(talk.run):
            return
        summary = await asyncio.to_thread(summarise, self._home, talk.run)
        status = summary.status if summary else "interrupted"
        if status == "interrupted":
            since = self._cut_off.setdefault(talk.run, time.monotonic())
            if time.monotonic() - since >= CUT_OFF_SECONDS:
                self._finish(talk, f"{talk.run}.cut", say("channels.cut_off", run=talk.run))
        elif status != "working":
            events = await asyncio.to_thread(lambda: list(read_events(self._home, talk.run)))
            await self._say_end(talk, status, events)

    async def _say_end(self, talk: Talk, status: str, events: Sequence[Event]) -> None:
        text, last = ended(self._config, events[-1]), events[-1]
        is_thumb = not talk.is_private and status == "done"
        is_reaction = is_thumb and is_emoji(text)
        with self.store.step():
            self._settle_said(talk.run, events)
            if status == "waiting":
                for entry in self._inbox.list():
                    if entry.run == talk.run:
                        self._put_entry(talk, entry)
                self.store.set(talk, "waiting")
            else:
                key = f"{talk.run}.{last.get('turns')}.{last['status']}"
                self._finish(talk, key, "" if is_reaction else text)
        if is_thumb:
            await self._react(talk.chat, talk.message, text.strip() if is_reaction else DONE)

    def _settle_said(self, run: str, events: Sequence[Event]) -> None:
        """Open again what was said to a run and is not in its log: it ended before it could read
        that."""
        heard = [_words(each["text"]) for each in events if each["type"] in ("steered", "answered")]
        for told in self.store.talks("said"):
            if told.run == run:
                text = _words(without(self._config, told.text))
                is_heard = any(text in each for each in heard)
                self.store.set(told, "done" if is_heard else "open", run if is_heard else "")

    def _put_entry(self, talk: Talk, entry: Entry) -> None:
        buttons: list[Button] = []
        if entry.kind == "confirmation" and talk.is_private:
            words = ("yes", "no")
            buttons = [Button(say(f"channels.{word}"), f"{entry.id}:{word}") for word in words]
        self._put(f"entry.{entry.id}", talk.chat, shown(self._config, entry), buttons)

    def _tell_waiting(self) -> None:
        """Put to the owner what unattended runs wait for."""
        chat, since = self.store.place("owner chat"), float(self.store.place("since"))
        for entry in self._inbox.list() if chat else ():
            at = datetime.fromisoformat(entry.at).timestamp() + 1  # it is cut to the second
            is_old = at < since or self.store.knows(f"entry.{entry.id}")
            is_meant = entry.kind in ("question", "confirmation") and entry.session == "main"
            if is_old or not is_meant or self._is_at_work(entry.run):
                continue
            message = Incoming(id="", chat=chat, who=self._channel.owner)
            with self.store.step():
                if not self.store.talks_of(entry.run):
                    self.store.open_talk([message], "", entry.run, "waiting")
                self._put_entry(self.store.talks_of(entry.run)[0], entry)

    def _is_at_work(self, run: str) -> bool:
        child = self._work.children.get(run)
        return child is not None and not child.is_over

    def _finish(self, talk: Talk, key: str, text: str) -> None:
        with self.store.step():
            self.store.set(talk, "done")
            if text:
                self._put(key, talk.chat, text, (), "" if talk.is_private else talk.message)

    def _put(
        self, key: str, chat: str, text: str, buttons: Sequence[Button] = (), reply_to: str = ""
    ) -> None:
        found = pieces(text)
        for number, piece in enumerate(found, 1):
            is_last = number == len(found)
            self.store.put(f"{key}:{number}", chat, piece, buttons if is_last else (), reply_to)
        self.wake.set()

    async def _react(self, chat: str, message: str, emoji: str) -> None:
        with suppress(TryLater, Refused):
            await asyncio.to_thread(self._channel.react, chat, message, emoji)

    # After a kill

    async def _recover(self) -> None:
        """Find the runs that were begun and not noted, and tell of messages that may not have
        arrived."""
        for talk in self.store.talks("beginning"):
            run = await asyncio.to_thread(begun_for, self._home, self._mark(talk))
            self.store.set(talk, "begun" if run else "open", run)
        for key, text in self.store.unsure():
            told = say("channels.unsure", channel=self._channel.name, text=text[:500])
            id = f"{self._channel.name}-{key.replace(':', '-')}"
            self._inbox.add(Entry(id=id, run="", kind="notice", text=told))

    def _mark(self, talk: Talk) -> str:
        return f"{self._channel.name}:{talk.id}"


def _words(text: str) -> str:
    """Return a text as it is compared: on its way to a run its line breaks become spaces."""
    return " ".join(text.split())
