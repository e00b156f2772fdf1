"""Open the channels of config.yaml beside the page: each listens in a thread, and sends in order,
one message at a time."""

from __future__ import annotations

import asyncio
import json
import sqlite3
import threading
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from config import Config, SopwithError
from text.plugin import found
from ui.channels.channel import Button, Channel, Incoming, Refused, TryLater
from ui.channels.desk import Desk
from ui.web.live import Work
from ui.words import tell_error

IDLE_SECONDS = 0.5  # between two looks for something to send
LATER_SECONDS = 5.0  # after a failure of this machine
FAILURES = (SopwithError, OSError, sqlite3.Error)  # of this machine: a full disk, a locked file
CLOSING_SECONDS = 10.0  # for a message that is being sent


def configured(config: Config) -> Iterator[Channel]:
    """Yield the channels of config.yaml, and those of plugins: `channel.NAME`, called with the
    config."""
    if config.channels.telegram:
        from ui.channels.telegram import Telegram

        yield Telegram(config.channels.telegram)
    if config.channels.webhook:
        from ui.channels.webhook import Webhook

        yield Webhook(config.channels.webhook)
    for make in found("channel", config.plugins).values():
        yield make(config)


class Channels:
    """All channels of one server."""

    def __init__(self, config: Config, work: Work, cwd: Path) -> None:
        self._config, self._work, self._cwd = config, work, cwd
        self._open: list[_Open] = []

    def open(self) -> None:
        """Begin to listen. In the event loop."""
        for channel in configured(self._config):
            self._open.append(_Open(channel, Desk(self._config, channel, self._work, self._cwd)))

    async def close(self) -> None:
        """Stop listening and sending; what waits is kept."""
        await asyncio.gather(*(each.close() for each in self._open))
        self._open.clear()


class _Open:
    """One channel: its listener, its desk and its sender."""

    def __init__(self, channel: Channel, desk: Desk) -> None:
        self._channel, self._desk = channel, desk
        self._stop, self._loop = threading.Event(), asyncio.get_running_loop()
        self._listener = threading.Thread(target=self._listen, name=channel.name, daemon=True)
        self._listener.start()
        self._at_desk = asyncio.create_task(self._kept_up(desk.run))
        self._sender = asyncio.create_task(self._kept_up(self._send))

    def _listen(self) -> None:
        """Listen until the channel has no more to say; what cannot be kept now comes again."""

        def take(messages: Sequence[Incoming], position: str) -> None:
            let_in = [each for each in messages if self._desk.is_let_in(each)]
            self._desk.store.take_in(let_in, position)
            with suppress(RuntimeError):  # the loop has ended
                self._loop.call_soon_threadsafe(self._desk.wake.set)

        while not self._stop.is_set():
            try:
                self._channel.listen(take, self._desk.store.place("position"), self._stop)
            except FAILURES as error:
                tell_error(error)
                self._stop.wait(LATER_SECONDS)
            else:
                return

    async def _kept_up(self, work: Callable[[], Awaitable[None]]) -> None:
        """Say what went wrong and go on: a full disk is no reason to fall silent for ever."""
        while not self._stop.is_set():
            try:
                await work()
            except FAILURES as error:
                tell_error(error)
                await asyncio.sleep(LATER_SECONDS)

    async def _send(self) -> None:
        store = self._desk.store
        while not self._stop.is_set():
            letter = store.next()
            if letter is None:
                await asyncio.sleep(IDLE_SECONDS)
                continue
            store.sent(letter, "trying")
            try:
                buttons = [Button(*each) for each in json.loads(letter.buttons)]
                given = letter.key, letter.chat, letter.text, buttons, letter.reply_to
                await asyncio.to_thread(self._channel.send, *given)
                store.sent(letter, "sent")
            except TryLater as later:
                store.sent(letter, "waiting")
                await asyncio.sleep(later.seconds)
            except Refused as error:
                store.sent(letter, "refused")
                tell_error(error)

    async def close(self) -> None:
        """End all three, the sender after the message that it is at."""
        self._stop.set()
        self._at_desk.cancel()
        await asyncio.wait({self._sender}, timeout=CLOSING_SECONDS)
        self._sender.cancel()
        await asyncio.gather(self._at_desk, self._sender, return_exceptions=True)
        self._desk.store.close()
