"""Write a notice from a run log: job, outcome, result or question, changes, and how to undo them."""

from __future__ import annotations

from collections.abc import Container
from typing import NamedTuple

from config import Config, Lang
from context.phrases import in_words
from memory.inbox import Inbox
from memory.logs import read_events
from memory.usage import Totals
from models.base import Event
from safety.secrets import without
from text.sentences import joined, say

MAX_RESULT_CHARS = 800
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
    return Notice(id, title, without(config, in_words(reason, config.lang)))


def trial(lang: Lang) -> Notice:
    """Return the message of `notify test`."""
    return Notice("", words(lang, "test-title"), words(lang, "test"))


def words(lang: Lang, key: str, **values: object) -> str:
    """Return the sentence `notice.KEY`."""
    return say(lang, f"notice.{key}", **values)


def _result(last: Event, lang: Lang) -> str:
    text = str(last.get("result") or "").strip()
    if last["status"] != "done":
        text = joined(lang, last["said"]) if last.get("said") else in_words(text, lang)
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
