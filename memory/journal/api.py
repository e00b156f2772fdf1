"""The journal's one way in: what is said is written down at once, what is asked is found, the rest
happens behind it.

`write_turn` returns when the line stands in the original and survives a power cut, and the row is
in the index. When the index cannot be used the line is enough: the row is made from it later. A
shared session's Memory reads its own turns only. Source: seed 003 P1.1.
"""

from __future__ import annotations

import contextlib
import logging
import os
import re
import sys
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from config import GraphConfig
from memory.home import MAIN, Session
from memory.journal.lock import WAIT_SECONDS, JournalError, JournalTooNew, WriterLock
from memory.journal.originals import Journal, file_of
from memory.journal.store import INDEX, Store
from memory.journal.sync import catch_up, date_turns
from memory.journal.turns import Recalled, Turn
from memory.journal.work import Work, Worker
from text import plugin

if TYPE_CHECKING:
    from models.embeddings import Embedder

CLOSE_SECONDS = 1.0
LATER = ("reading",)  # queues that nobody waits for: a model is asked by the daily digest


class Memory:
    """The journal of one home folder, for one session.

    `embedder` makes the vectors (None: recall goes by words). `works_behind`: what is put off is
    worked off by a thread of this process; else by a later one. `wait_seconds`: for others who
    write. `graph`: where a copy of the graph is kept. `redact` hides what is secret before anything
    is written. Raises JournalTooNew.
    """

    def __init__(
        self,
        home: Path,
        session: Session = MAIN,
        *,
        embedder: Embedder | None = None,
        redact: Callable[[str], str] = lambda text: text,
        works_behind: bool = True,
        wait_seconds: float = WAIT_SECONDS,
        graph: GraphConfig | None = None,
    ) -> None:
        self.session = session
        self.problem = ""  # why the index cannot be used; "" while it can
        self.home, self._path = home, home / "journal" / INDEX
        self._embedder, self.redact = embedder, redact
        self._lock = WriterLock(home / "journal", wait_seconds)
        self._journal = Journal(home, self._lock)
        self._is_readonly = _is_readonly(home)
        # to write into: a turn of any session may be taken in that a killed process left
        self._rows = self._open()
        self._store = self._rows if session == MAIN else self._open(only=session.name)
        works: dict[str, Work] = {}
        if works_behind and not self._is_readonly and self._rows is not None:
            works = (
                {"times": date_turns}
                | ({"embedding": _embedding(embedder)} if embedder else {})
                | {"episode": _group}
                | _graph_works(home, self._rows, graph)
            )
        self._worker = Worker(lambda: Store(self._path, lock=self._lock), works)

    def write_turn(
        self,
        text: str,
        *,
        who: str,
        at: datetime | None = None,
        timezone: str = "",
        id: str = "",
        run: str = "",
        importance: int = 5,
        tags: Sequence[str] = (),
    ) -> Turn:
        """Keep what was said. A turn whose id is there already is not written again. `at` is aware
        (default: now), `timezone` the speaker's (default: the one here), `importance` 1 to 10.
        Raises JournalError: it is not kept."""
        said = at or datetime.now(UTC)
        turn = Turn(
            id or f"{said.astimezone(UTC):%Y%m%d-%H%M%S}-{os.urandom(3).hex()}",
            self.session.name,
            who,
            self.redact(text),
            said.astimezone(UTC),
            timezone or local_timezone(),
            run,
            min(10, max(1, importance)),
            tuple(tags),
        )
        written = self.write([turn])
        return written[0] if written else turn

    def write_event(self, text: str, *, run: str = "") -> Turn:
        """Keep an event that nobody said. Raises JournalError."""
        return self.write_turn(text, who="agent", run=run, tags=("event",))

    def write(self, turns: Iterable[Turn]) -> list[Turn]:
        """Keep many turns at once, in the order given; return those that were new. They are not
        redacted here, and their session is the caller's to choose. Raises JournalError."""
        with self._lock:
            new = self._new(turns)
            written = self._journal.append(new) if new else []
            self._put(written)
        self._worker.wake()
        return written

    def turn(self, id: str, session: str | None = None) -> Turn | None:
        """Return one turn by its id; of this session, or for the owner of the one named, or of any:
        recall finds them all."""
        if self._store is None:
            return None
        is_owner = self.session == MAIN
        number = self._store.number(session if is_owner and session else self.session.name, id)
        if number is None and is_owner and session is None:
            number = self._store.number(None, id)
        return None if number is None else self._store.turns([number]).get(number)

    def retrieve(
        self, query: str, now: datetime, k: int = 10, session: str | None = None
    ) -> Recalled:
        """Return the `k` turns that answer a question best, best first. `session`: only what was
        said there."""
        if self._store is None:
            return Recalled([], ["index"])
        _load_numpy()
        from memory.recall import search

        self._take_in_lines(self._store)
        asked = session if self.session == MAIN else self.session.name
        return search(self._store, query, now, k, session=asked, embedder=self._embedder)

    def around(self, turn: Turn, count: int) -> list[Turn]:
        """Return a turn with those before and after it, in the order in which they were said."""
        number = self._store.number(turn.session, turn.id) if self._store else None
        if self._store is None or number is None:
            return [turn]
        numbers = [number, *self._store.neighbours(number, count, count)]
        return sorted(self._store.turns(numbers).values(), key=lambda each: each.at)

    def overview(self, session: str | None = None) -> dict[str, Any]:
        """Return what there is (turns and times of all that may be read, or of one session): turns,
        days, the first and the last time, what waits in each queue, what is wrong; `unread`:
        episodes that a model is to read for the graph."""
        held: dict[str, Any] = {"turns": 0, "first": None, "last": None, "waiting": {}}
        if self._store is not None:
            queues = self._store.queues()
            unread = sum(queues.pop(kind, 0) for kind in LATER)
            held = {
                "turns": self._store.count(session),
                **self._store.extent(session),
                "waiting": queues,
                "unread": unread,
            }
        return {**held, "days": len(self._journal.sizes()), "problem": self.problem}

    def waiting(self) -> int:
        """Return how many turns are still to be worked off: each may wait for its times and for its
        vector."""
        queues = self._store.queues() if self._store else {}
        return max((count for kind, count in queues.items() if kind not in LATER), default=0)

    def flush(self, timeout_seconds: float = 60.0) -> bool:
        """Wait for the work in the background. False when the time was not enough; it goes on
        then."""
        return self._worker.flush(timeout_seconds)

    def rest(self) -> None:
        """End the work in the background after its batch, for as long as this Memory is open."""
        self._worker.stop(CLOSE_SECONDS)

    def close(self) -> None:
        """End the work in the background after its batch; the rest waits on the disk."""
        self._worker.stop(CLOSE_SECONDS)
        for store in {self._store, self._rows}:
            if store is not None:
                store.close()

    def __enter__(self) -> Memory:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # inside

    def _open(self, only: str | None = None) -> Store | None:
        try:
            store = Store(self._path, readonly=self._is_readonly, only=only, lock=self._lock)
            if only is None and not self._is_readonly:
                catch_up(self._journal, store)
                self._take_in_lines(store)
                if self._embedder is not None:
                    _queue_for(self._embedder.name, store)
        except JournalTooNew:
            raise
        except JournalError as error:
            self.problem = str(error)
            return None
        return store

    def _take_in_lines(self, store: Store) -> None:
        """Take in the lines that were written down since (MEMORY.md, facts, notes), for the
        owner."""
        if self.session == MAIN and not self._is_readonly:
            from memory.recall import refresh

            refresh(self.home, store)

    def _new(self, turns: Iterable[Turn]) -> list[Turn]:
        """Return those of the turns that are not there yet, each once. What a killed process left
        in their files is taken in."""
        wanted: dict[tuple[str, str], Turn] = {}
        for turn in turns:
            wanted.setdefault((turn.session, turn.id), turn)  # of two with one id the first is kept
        if self._rows is None:
            return self._unwritten(wanted)
        try:
            catch_up(self._journal, self._rows, {file_of(turn) for turn in wanted.values()})
            return [
                turn
                for (session, id), turn in wanted.items()
                if self._rows.number(session, id) is None
            ]
        except JournalError as error:
            self.problem = str(error)
            return self._unwritten(wanted)

    def _unwritten(self, wanted: dict[tuple[str, str], Turn]) -> list[Turn]:
        """Return those that do not stand in their day's original, for when the index cannot say."""
        days = {file_of(turn) for turn in wanted.values()} & self._journal.sizes().keys()
        there = {
            (entry.turn.session, entry.turn.id)
            for day in days
            for entry in self._journal.entries(day)
        }
        return [turn for key, turn in wanted.items() if key not in there]

    def _put(self, written: Sequence[Turn]) -> None:
        """Index the turns whose lines were written; on failure the index takes them from the lines
        later."""
        if self._rows is None or not written:
            return
        try:
            with self._rows.writing():
                self._rows.add(written)
                for name in {file_of(turn) for turn in written}:
                    self._rows.set_original(name, self._journal.size(name))
            self.problem = ""
        except JournalError as error:
            self.problem = str(error)


def work_off(
    home: Path,
    made: Callable[[], Embedder | None],
    timeout_seconds: float,
    graph: GraphConfig | None = None,
) -> None:
    """Make vectors, times and episodes of new turns, as far as the time allows. Where nothing waits
    nothing is loaded (`made` gives the embedder); what fails waits on, and recall says what it
    lacks."""
    index = home / "journal" / INDEX
    if not index.is_file():
        return
    try:
        store = Store(index, readonly=True)
        try:
            waits = any(store.due(kind, 1) for kind in store.queues() if kind not in LATER)
        finally:
            store.close()
        if waits:
            with Memory(home, embedder=made(), graph=graph) as memory:
                memory.flush(timeout_seconds)
    except JournalError as error:
        logging.getLogger("sopwith.journal").debug("the journal's queues wait: %s", error)


def _load_numpy() -> None:
    """Load numpy with one thread: with more, its matrix library spins on every core, and an
    embedding takes seven times as long on a busy machine. Programs that the agent starts do not
    inherit this."""
    if "numpy" in sys.modules or "OPENBLAS_NUM_THREADS" in os.environ:
        return
    os.environ["OPENBLAS_NUM_THREADS"] = "1"
    try:
        import_module("numpy")
    finally:
        del os.environ["OPENBLAS_NUM_THREADS"]


def local_timezone() -> str:
    """Return the timezone of this machine: its IANA name, or else the offset of now (+08:00)."""
    with contextlib.suppress(OSError):
        name = (
            os.environ.get("TZ", "").lstrip(":")
            or str(Path("/etc/localtime").readlink()).partition("zoneinfo/")[2]
        )
        if re.fullmatch(r"[A-Za-z]+(/[\w+-]+)*", name):
            return name
    offset = datetime.now().astimezone().strftime("%z")
    return f"{offset[:3]}:{offset[3:5]}"


def _queue_for(model: str, store: Store) -> None:
    """Queue what another model has embedded, to be embedded again."""
    if store.setting("embedder") != model:
        with store.writing():
            store.enqueue("embedding", store.without_embedding(model))
            store.set_setting("embedder", model)


def _embedding(embedder: Embedder) -> Work:
    def embed(store: Store, keys: Sequence[str]) -> None:
        _load_numpy()
        from memory.recall import embed as embed_texts

        embed_texts(store, embedder, keys)

    return embed


def _group(store: Store, sessions: Sequence[str]) -> None:
    from memory.journal.episodes import update

    update(store, sessions)


def _graph_works(home: Path, rows: Store, config: GraphConfig | None) -> dict[str, Work]:
    from memory.graph import Graph
    from memory.graph import weave as weave_in

    if config is None:
        return {"graph": weave_in}
    copy = plugin.one("graph", config.kind)(config, home)

    def weave(store: Store, keys: Sequence[str]) -> None:
        weave_in(store, keys)
        # Each its own, so that none is lost while one is sent.
        store.enqueue("neo4j", [store.setting("graph_seq")])

    def send(store: Store, keys: Sequence[str]) -> None:
        seen = Graph(store)
        copy.flush(seen)
        store.set_setting("graph_sent", copy.sent(seen.version()))

    with contextlib.suppress(JournalError):  # busy: the next one does it
        version = Graph(rows).version()
        if rows.setting("graph_sent") != copy.sent(version):  # another server, or never sent
            rows.enqueue("neo4j", [version])
    return {"graph": weave, "neo4j": send}


def _is_readonly(home: Path) -> bool:
    folder = home / "journal" if (home / "journal").is_dir() else home
    return folder.is_dir() and not os.access(folder, os.W_OK)
