"""Recall for a session's runs: a few lines when a run begins, and what the tool `recall` asks for
later.

At a run's start nobody waits for a model to load, so recall goes by words there, and is silent
unless much of the request was spoken of before. A shared session gets an index that knows its own
turns only. Source: seed 000 stage 2; seed 003 P4.5.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from agent_loop import End, Outcome
from config import EmbeddingsConfig, Lang, SopwithError
from memory.home import MAIN, Session
from safety.taint import Origin
from text.sentences import say
from tools.base import Memories

if TYPE_CHECKING:
    from memory.journal.store import Store
    from memory.journal.turns import Turn
    from models.embeddings import Embedder
    from text.time import TimeRange

AT_START = 5  # turns and lines
MOST_SHOWN = 40  # lines of what is known, or of what was asked on a day
MAX_TASK_CHARS = 100
START_CHARS = 3000
ASKED = 12
ASKED_CHARS = 9000
SETTLE_SECONDS = 0.5  # what runs said since is found by meaning too, when it is little
NEAR_SECONDS = 3.0  # the same for a question that nothing else answers


def answered(home: Path, request: str, lang: Lang) -> End | None:
    """Return the end of a run whose request is a question that a line of the memory answers; None
    for all others."""
    from memory.recall import answer

    try:
        found = answer(home, request, datetime.now().astimezone())
    except SopwithError:  # without its memory a run goes on
        return None
    if not found:
        return None
    said = "\n".join(map(str, found))
    if found[0].kind == "nearest":
        said = say(lang, "memory.nearest", lines=said)
    return End("CURRENT_TASK_DONE", Outcome(said), 0)


def near_answers(home: Path, question: str, config: EmbeddingsConfig | None) -> list[str]:
    """Return the lines of the memory that may answer a question, each with its date; most often
    none."""
    from memory.journal.api import work_off
    from memory.recall import answer
    from models.embeddings import embedder

    try:
        made = embedder(config)
        work_off(home, lambda: made, NEAR_SECONDS)
        return [str(each) for each in answer(home, question, datetime.now().astimezone(), made)]
    except SopwithError:
        return []


def known(home: Path, lang: Lang) -> str:
    """Return what the owner has told, newest first."""
    from memory.written import written_files, written_lines

    lines = [line for name in written_files(home) for line in written_lines(home, name)]
    lines = sorted((line for line in lines if not line.by), key=lambda line: line.at, reverse=True)
    texts = [f"- {line.text} [{line.at.astimezone():%Y-%m-%d}]" for line in lines[:MOST_SHOWN]]
    return _listed("recalling.known", texts, lang, n=len(lines))


def done_on(day: TimeRange, home: Path, lang: Lang) -> str:
    """Return what the owner asked for in that time, and how to find the files that changed then."""
    from memory.logs import list_runs

    texts = []
    for each in list_runs(home):
        at = datetime.fromisoformat(each.started).astimezone()
        if each.parent or each.status == "working":
            continue
        if (day.start or at) <= at and (day.end is None or at < day.end):
            texts.append(f"- {at:%Y-%m-%d %H:%M} {' '.join(each.task.split())[:MAX_TASK_CHARS]}")
    return _listed("recalling.day", texts[:MOST_SHOWN], lang, n=len(texts), day=day.text)


def _listed(key: str, lines: Sequence[str], lang: Lang, **values: object) -> str:
    found = key if lines else f"{key}_none"
    return say(lang, found, lines="\n".join(lines), **values)


@dataclass
class Recalling:
    """For the runs of one session in the home folder."""

    home: Path
    session: Session
    embeddings: EmbeddingsConfig | None
    # whose words, beside the owner's, a run had read
    read_by: Callable[[str], Sequence[str]] = lambda run: ()
    recent: Callable[[], Sequence[Turn]] = lambda: ()  # what was said last in the session

    def __post_init__(self) -> None:
        self.path = self.home / "journal" / "memory.sqlite3"
        self.only = None if self.session == MAIN else self.session.name

    @cached_property
    def embedder(self) -> Embedder | None:
        """Return the embedder of the settings."""
        from models.embeddings import embedder

        return embedder(self.embeddings)

    def at_start(self, request: str, most: int | None = AT_START) -> Sequence[str]:
        """Return what was said or written down before that a request is about, the `most` alike, by
        time; most often nothing. What came of other people's words is left out: nobody asked for
        it, and the run would have to be asked about more."""
        store = self._opened()
        if store is None:
            return ()
        from memory.recall import context_lines, relevant, with_names

        try:
            count = AT_START if most is None else most
            meant = with_names(request, self.recent)
            found = relevant(store, meant, 2 * count)
            if not found and meant != request:
                found = relevant(store, request, 2 * count)
        except SopwithError:  # without its memory a run goes on
            return ()
        finally:
            store.close()
        own = [each for each in found if not self._whose(each.turn)]
        return context_lines(own[:count], START_CHARS)

    def asked(self, query: str) -> Memories:
        """Return what answers a question, by talk and time."""
        from memory.journal.api import work_off
        from memory.recall import context_lines, mark_read, search, with_names

        work_off(self.home, lambda: self.embedder, SETTLE_SECONDS)
        store = self._opened()
        if store is None:
            return Memories()
        now = datetime.now().astimezone()
        try:
            meant = with_names(query, self.recent)
            recalled = search(store, meant, now, ASKED, embedder=self.embedder)
        except SopwithError:
            return Memories(degraded=["index"])
        finally:
            store.close()
        found = recalled.results
        mark_read(self.path, self.only, found, now)
        origins = [origin for each in found if (origin := self._whose(each.turn))]
        origin = origins[0] if origins else ""
        return Memories(context_lines(found, ASKED_CHARS), recalled.degraded, origin)

    def _whose(self, turn: Turn) -> str:
        """Return whose words a turn may be, when they are not the owner's. What was said in a group
        is the group's."""
        from memory.journal.turns import WRITTEN

        if turn.who.startswith("shared:"):  # a note that a group's run made
            return Origin.SHARED
        if turn.session not in (MAIN.name, WRITTEN):
            return Origin.SHARED if self.only is None else ""
        if turn.who == "owner":
            return ""
        if not turn.run:
            return Origin.OUTSIDE
        return next(iter(self.read_by(turn.run)), "")

    def _opened(self) -> Store | None:
        from memory.journal.store import Store

        try:
            if self.only is None:
                from memory.recall import refresh

                refresh(self.home)
            if not self.path.is_file():
                return None
            return Store(self.path, readonly=True, only=self.only)
        except SopwithError:
            return None
