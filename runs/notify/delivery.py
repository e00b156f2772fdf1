"""Deliver what the outbox holds: one process at a time, outside the quiet hours, again after a failure."""

from __future__ import annotations

import fcntl
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from pathlib import Path

from config import Config, SopwithError
from memory.inbox import Entry, Inbox
from runs.notify.notices import Notice, words
from runs.notify.outbox import Delivery, Outbox, key_of, now
from runs.notify.senders import load, problem, tried
from runs.schedule.waiting import Waiter

AGAIN_SECONDS = 30.0  # after a look that failed
LAST_SECONDS = 20.0  # for what is left at the end of a command


def deliver(config: Config) -> None:
    """Send what may be sent now. Raises OutboxError; ConfigError where the package is missing."""
    outbox = Outbox(config)
    is_empty = not config.notify.urls or not outbox.folder.is_dir()
    if is_empty or quiet_until(config, datetime.now()):
        return
    with _alone(outbox.folder):
        _deliver(config, outbox)


def _deliver(config: Config, outbox: Outbox) -> None:
    for cut in outbox.unsure():
        _tell(config, cut, "unsure")
    urls = {key_of(url): url for url in config.notify.urls}
    for delivery in outbox.waiting():
        load()  # before it counts as tried: a kill meanwhile loses nothing
        outbox.set(delivery, "trying")
        if tried(urls[delivery.url], Notice(delivery.id, delivery.title, delivery.body)):
            outbox.set(delivery, "sent")
        elif not outbox.put_off(delivery):
            _tell(config, delivery, "undelivered")


def _tell(config: Config, delivery: Delivery, what: str) -> None:
    """Leave in the inbox what may not have reached the owner."""
    text = f"{words(config.lang, what, title=delivery.title)}\n{delivery.body}"
    id = f"notice-{key_of(delivery.id + delivery.url)}"
    Inbox(config.home).add(Entry(id=id, run="", kind="notice", text=text))


def quiet_until(config: Config, at: datetime) -> datetime | None:
    """Return the end of the quiet hours that hold at a local time; None outside of them."""
    if not config.notify.quiet:
        return None
    start, end = (_minute(part) for part in config.notify.quiet.split("-"))
    here = at.hour * 60 + at.minute
    is_quiet = start <= here < end if start <= end else here >= start or here < end
    if not is_quiet:
        return None
    until = at.replace(hour=end // 60, minute=end % 60, second=0, microsecond=0)
    return until if until > at else until + timedelta(days=1)


def _minute(text: str) -> int:
    hour, minute = text.strip().split(":")
    return int(hour) * 60 + int(minute)


class Deliverer:
    """Deliver beside what makes notices: woken by each new one, at the end of the quiet hours, for the next attempt."""

    def __init__(self, config: Config) -> None:
        self._config, self._outbox = config, Outbox(config)

    def run(self, stop: threading.Event) -> None:
        """Work until `stop` is set. Raises ConfigError where nothing can be sent."""
        if not self._config.notify.urls:
            return
        if found := problem(self._config):
            raise found
        self._outbox.news.mkdir(parents=True, exist_ok=True, mode=0o700)
        with Waiter([self._outbox.news]) as waiter:
            waiter.wake_at(stop)
            while not stop.is_set():
                waiter.wait(*self._next_look())

    def _next_look(self) -> tuple[datetime | None, float | None]:
        """Deliver, and return until when to sleep: a local time, or seconds."""
        try:
            deliver(self._config)
            until, due = quiet_until(self._config, datetime.now()), self._outbox.next_due()
        except SopwithError:
            return None, AGAIN_SECONDS
        if until is not None:
            return until.astimezone(), None
        return None, None if due is None else max(0.5, due - now())


@contextmanager
def delivering(config: Config, told: Callable[[SopwithError], None]) -> Iterator[None]:
    """Deliver while the block works, and once at its end; `told` hears why nothing can be sent."""
    stop = threading.Event()

    def work() -> None:
        try:
            Deliverer(config).run(stop)
            deliver(config)
        except SopwithError as error:
            told(error)

    thread = threading.Thread(target=work, name="notify", daemon=True)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join(LAST_SECONDS)


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Hold the lock of the one process that delivers."""
    lock = os.open(folder / ".lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
    finally:
        os.close(lock)
