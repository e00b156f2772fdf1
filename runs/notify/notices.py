"""Write a notice from a run log: job, outcome, result or question, changes, how to undo them; send
it by apprise, which is imported here, at use."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Container
from importlib.util import find_spec
from typing import Any, NamedTuple

from config import Config, ConfigError, Lang
from memory.inbox import Inbox
from memory.logs import read_events
from memory.usage import Totals
from models.base import Event
from safety.secrets import without
from text.sentences import joined, said_in, say

MAX_RESULT_CHARS = 800
MISSING = "error.notify.missing"
KINDS = ("new", "changed", "moved", "gone")


class Notice(NamedTuple):
    """One message. The same id is never sent twice."""

    id: str
    title: str
    body: str


def of_run(config: Config, run: str, job: str) -> Notice | None:
    """Return the notice of a run that has ended or waits; None while it works."""
    events = list(read_events(config.home, run))
    if not events or events[-1]["type"] != "run_ended":
        return None
    last, runs = events[-1], {run, *Totals(events).children}
    lang, status = config.lang, str(last["status"])
    lines = [_result(last, lang), *_asked(config, runs), *_changes(last, run, lang)]
    lines.append(words(lang, "more", run=run))
    title = words(lang, "title", job=_line(job, 80), outcome=say(lang, f"status.{status}"))
    body = "\n".join(filter(None, lines))
    return Notice(f"{run}.{status}.{last['turns']}", without(config, title), without(config, body))


def missed(config: Config, id: str, job: str, reason: str) -> Notice:
    """Return the notice of a due time that passed or failed without a run."""
    title = words(config.lang, "title", job=job, outcome=words(config.lang, "missed"))
    return Notice(id, title, without(config, said_in(config.lang, reason)))


def words(lang: Lang, key: str, **values: object) -> str:
    """Return the sentence `notice.KEY`."""
    return say(lang, f"notice.{key}", **values)


def _result(last: Event, lang: Lang) -> str:
    text = str(last.get("result") or "").strip()
    if last["status"] != "done":
        text = joined(lang, last.get("said", ())) or text
    return text if len(text) <= MAX_RESULT_CHARS else text[:MAX_RESULT_CHARS] + "…"


def _asked(config: Config, runs: Container[str]) -> list[str]:
    """Return how to answer what these runs wait for."""
    open_entries = [entry for entry in Inbox(config.home).list() if entry.run in runs]
    how = {"question": "answer", "confirmation": "approve"}
    return [
        words(config.lang, how[entry.kind], id=entry.id)
        for entry in open_entries
        if entry.kind in how
    ]


def _changes(last: Event, run: str, lang: Lang) -> list[str]:
    counts = last.get("changes") or {}
    told = [say(lang, f"end.{kind}", n=counts[kind]) for kind in KINDS if counts.get(kind)]
    if not told:
        return [words(lang, "no-changes")]
    return [words(lang, "changes", changes=", ".join(told)), words(lang, "undo", run=run)]


def _line(text: str, most: int) -> str:
    line = " ".join(text.split())
    return line if len(line) <= most else line[:most] + "…"


# Sending


def problem(config: Config) -> ConfigError | None:
    """Return what is wrong with `notify`: the package is missing, or an address is none."""
    if not config.notify.urls:
        return None
    if find_spec("apprise") is None:
        return ConfigError(MISSING)
    for index, url in enumerate(config.notify.urls):
        if _sender(url) is None:
            return ConfigError("error.notify.url", index=index)
    return None


def trials(config: Config) -> list[tuple[str, bool]]:
    """Send a message to each address; return the services, and True where it was accepted. Raises
    ConfigError."""
    if not config.notify.urls:
        raise ConfigError("error.notify.none")
    if found := problem(config):
        raise found
    notice = Notice("", words(config.lang, "test-title"), words(config.lang, "test"))
    return [(url.partition("://")[0], tried(url, notice)) for url in config.notify.urls]


def tried(url: str, notice: Notice) -> bool:
    """Send a message; True when it was accepted."""
    sender = _sender(url)
    body = notice.body or notice.title
    return sender is not None and bool(sender.notify(title=notice.title, body=body))


def load() -> Any:
    """Import what sends and return a new, empty sender. Raises ConfigError where the package is
    missing."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # of modules that it imports
            from apprise import Apprise, NotificationManager

            modules: Any = NotificationManager

            modules().load_modules()
            return Apprise()
    except ImportError as error:
        raise ConfigError(MISSING) from error


def _sender(url: str) -> Any:
    log = logging.getLogger("apprise")
    log.setLevel(logging.CRITICAL + 1)  # its lines hold addresses with their tokens
    sender = load()
    return sender if sender.add(url) else None
