"""The turns of the journal in SQLite: to be found by words, by time, by meaning; episodes; what is
still to be done.

Derived from the originals (memory/journal/originals.py) and kept in step with them by
memory/journal/api.py. A turn is named by a number here, which is quick and holds for this file
only; its id is unique in a session. Times are microseconds since 1970, UTC. Every question keeps to the session that the store was opened
for. Source: seed 003 P3.2; figures "Recall".
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import sqlite3
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from functools import cache
from itertools import accumulate
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeVar

from memory.journal.lock import JournalError, JournalTooNew, WriterLock
from memory.journal.turns import Turn
from text.time import TimeRange
from text.words import cut

Axis = Literal["said", "mentioned"]
INDEX = "memory.sqlite3"  # beside the originals
VERSION = 5  # of its tables
_TABLES = Path(__file__).parents[2] / "assets" / "memory" / "journal.sql"  # a step a version
MAX_TERMS = 16  # of a question; the rarest ones
RARE = 1000  # turns in which a term may stand to be scored wherever it stands
MOST_RANKED = 20_000  # turns that are scored for a question; 14 ms
LEAST_TERMS = 2
GROWN = 1.01  # so much larger, what is known of a journal's frequent terms is counted again
MAX_NEAR_CHARS = 2_000
NEAR_SECONDS = 4 * 3600  # what was said longer ago does not belong to a turn
BUSY_SECONDS = 20.0
MAX_WAIT_SECONDS = 3600.0  # before something that failed is tried again
BEGINNING, END = -(1 << 62), 1 << 62  # the open sides of a range
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_CHUNK = 2000  # values in one statement
_FOUND = TypeVar("_FOUND")


class Episode(NamedTuple):
    """Turns that belong together. `start` and `end`: when they were said; `scene_start`,
    `scene_end`: the time that they speak of, or else the same. `number` is given by the store (0 in
    a new one)."""

    number: int
    session: str
    start: datetime
    end: datetime
    scene_start: datetime
    scene_end: datetime
    summary: str
    importance: int = 5
    participants: tuple[str, ...] = ()


def text_hash(text: str) -> str:
    """Return what an embedding is filed under, and what shows that a text was changed."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]


class Store:
    """The file at `path`. `only`: the one session that may be read (None: all, for the owner).

    `readonly` changes nothing on the disk; a file that is not there is then empty. Raises
    JournalError, JournalTooNew.
    """

    def __init__(
        self,
        path: Path,
        *,
        readonly: bool = False,
        only: str | None = None,
        lock: WriterLock | None = None,
    ) -> None:
        self.path, self.readonly, self.only = path, readonly, only
        self.lock = lock or WriterLock(path.parent)
        self._inode = 0
        # The last number when they were counted, term → turns; session → the same, turns.
        self._frequent: tuple[int, dict[str, int]] = (0, {})
        self._totals: dict[str, tuple[int, int]] = {}
        try:
            self._database = self._open_to_read() if readonly else self._open()
        except sqlite3.Error as error:
            raise self._broken(error) from error

    # writing: each takes part in the transaction that is open, or is one by itself

    @contextlib.contextmanager
    def writing(self) -> Iterator[None]:
        """Open a transaction, alone among all writers; nothing of it is kept when it fails. Raises
        JournalError."""
        with self.lock:
            if self._database.in_transaction:
                yield
                return
            try:
                self._follow()
                self._database.execute("BEGIN IMMEDIATE")
                yield
                self._database.execute("COMMIT")
            except sqlite3.Error as error:
                self._roll_back()
                raise self._broken(error) from error
            except BaseException:
                self._roll_back()
                raise

    def add(self, turns: Iterable[Turn]) -> list[int]:
        """Add turns, in the order in which they were said; return their numbers. One that is there
        already stays as it is."""
        with self.writing():
            return [self._add(turn) for turn in turns]

    def set_mentioned(self, number: int, ranges: Iterable[TimeRange]) -> None:
        """Say which times a turn speaks of."""
        with self.writing():
            self._run("DELETE FROM mentioned WHERE number = ?", (number,))
            rows = [
                (number, micros(each.start, BEGINNING), micros(each.end, END), _kept(each.text))
                for each in ranges
            ]
            self._database.executemany("INSERT INTO mentioned VALUES (?, ?, ?, ?)", rows)

    def put_embeddings(self, model: str, vectors: Mapping[str, bytes]) -> None:
        """Keep vectors (float32, little-endian) by the hash of their text; they are due no more."""
        with self.writing():
            rows = [(text, model, vector) for text, vector in vectors.items()]
            self._database.executemany("INSERT OR REPLACE INTO embeddings VALUES (?, ?, ?)", rows)
            self.finish("embedding", vectors)

    def renew_embeddings(self, model: str, size: int) -> None:
        """Set the size of the vectors of a model in bytes; drop those of another size and make them
        due again."""
        with self.writing():
            self.run(
                "DELETE FROM embeddings WHERE model = ? AND length(vector) <> ?", (model, size)
            )
            self.enqueue("embedding", self.without_embedding(model))

    def put_episode(self, episode: Episode, members: Iterable[int]) -> int:
        """Add an episode (number 0) or replace it; its members leave the episode they were in.
        Return its number."""
        times = (episode.start, episode.end, episode.scene_start, episode.scene_end)
        row = (
            episode.number or None,
            episode.session,
            *(micros(each) for each in times),
            _kept(episode.summary),
        )
        row += (episode.importance, json.dumps(episode.participants), text_hash(episode.summary))
        with self.writing():
            number = int(
                self._run(
                    f"INSERT OR REPLACE INTO episodes VALUES ({'?, ' * 10}NULL)", row
                ).lastrowid
                or 0
            )
            self._run("DELETE FROM episode_members WHERE episode = ?", (number,))
            rows = [(member, number) for member in members]
            self._database.executemany("INSERT OR REPLACE INTO episode_members VALUES (?, ?)", rows)
            self.enqueue("graph", [str(number)])
            return number

    def drop_episode(self, number: int) -> None:
        """Forget an episode; its turns stay."""
        with self.writing():
            self._run("DELETE FROM episodes WHERE number = ?", (number,))
            self._run("DELETE FROM episode_members WHERE episode = ?", (number,))
            self.finish("graph", [str(number)])

    def touch(self, numbers: Iterable[int], at: datetime) -> None:
        """Write down when turns were last read."""
        with self.writing():
            rows = [(micros(at), number) for number in numbers]
            self._database.executemany("UPDATE turns SET last_accessed = ? WHERE number = ?", rows)

    # the queues: kind → keys; "times" by number, "embedding" by hash of the text, "episode" by
    # session, "graph" by episode

    def enqueue(self, kind: str, keys: Iterable[str]) -> None:
        """Queue a piece of work; what waits already stays as it is."""
        with self.writing():
            rows = [(kind, key) for key in keys]
            self._database.executemany(
                "INSERT OR IGNORE INTO queue (kind, key) VALUES (?, ?)", rows
            )

    def due(self, kind: str, limit: int = 100, now: float | None = None) -> list[str]:
        """Return what may be done now, those that never failed first."""
        at = time.time() if now is None else now
        asked = "SELECT key FROM queue WHERE kind = ? AND not_before <= ? ORDER BY attempts, key LIMIT ?"
        return self._column(asked, (kind, at, limit))

    def finish(self, kind: str, keys: Iterable[str]) -> None:
        """Mark it as done."""
        with self.writing():
            self._database.executemany(
                "DELETE FROM queue WHERE kind = ? AND key = ?", [(kind, key) for key in keys]
            )

    def postpone(
        self, kind: str, keys: Iterable[str], error: str, now: float | None = None
    ) -> None:
        """Mark it as failed: it waits 2 s, then twice as long each time, an hour at most."""
        at = time.time() if now is None else now
        with self.writing():
            self._database.executemany(
                "UPDATE queue SET attempts = attempts + 1, error = ?,"
                " not_before = ? + min(?, 1 << (1 + min(attempts, 20))) WHERE kind = ? AND key = ?",
                [(error[:500], at, MAX_WAIT_SECONDS, kind, key) for key in keys],
            )

    def waiting(self, kind: str) -> int:
        """Return how much is still to be done of one kind, now or later."""
        return int(self._column("SELECT count(*) FROM queue WHERE kind = ?", (kind,))[0])

    def soonest(self, kinds: Sequence[str]) -> float | None:
        """Return when the next of these kinds may be done, in seconds since 1970; None when none
        waits."""
        asked = "SELECT not_before FROM queue WHERE kind IN ({}) ORDER BY not_before LIMIT 1"
        return next((float(at) for (at,) in self.among(asked, kinds)), None)

    # reading

    def count(self, session: str | None = None) -> int:
        """Return how many turns there are."""
        where, values = self._said_in(session)
        return int(self._rows(f"SELECT count(*) FROM turns WHERE {where}", values)[0][0])

    def total(self, session: str | None = None) -> int:
        """Return the same for who asks often, with the lines that were written down. No turn is
        ever removed, so the highest number tells how many there are."""
        last, only = self.last(), session or self.only
        if only is None:
            return last + int(self._rows("SELECT count(*) FROM turns WHERE number < 0", ())[0][0])
        if self._totals.get(only, (-1, 0))[0] != last:
            self._totals[only] = (last, self.count(session))
        return self._totals[only][1]

    def last(self) -> int:
        """Return the highest number of a turn, of whatever session; 0 while there is none."""
        return max(0, int(self._rows("SELECT coalesce(max(number), 0) FROM turns", ())[0][0]))

    def extent(self, session: str | None = None) -> dict[str, datetime | None]:
        """Return when the first and the last turn were said."""
        where, values = self._said_in(session)
        first, last = self._rows(f"SELECT min(at), max(at) FROM turns WHERE {where}", values)[0]
        times = {"first": first, "last": last}
        return {name: None if at is None else moment_of(at) for name, at in times.items()}

    def queues(self) -> dict[str, int]:
        """Return how much is still to be done of each kind."""
        return dict(self._rows("SELECT kind, count(*) FROM queue GROUP BY kind", ()))

    def number(self, session: str | None, id: str) -> int | None:
        """Return the number of a turn; of all sessions, the one that was kept last."""
        where, values = self._within(session)
        asked = f"SELECT number FROM turns WHERE {where} AND id = ? ORDER BY number DESC LIMIT 1"
        return next(iter(self._column(asked, (*values, _kept(id)))), None)

    def turns(self, numbers: Iterable[int], session: str | None = None) -> dict[int, Turn]:
        """Return turns by their numbers, in the order asked for, without those of other
        sessions."""
        wanted = list(dict.fromkeys(numbers))
        where, values = self._within(session)
        asked = (
            "SELECT number, id, session, who, text, at, timezone, run, importance, emotion, source"
            f" FROM turns WHERE number IN ({{}}) AND {where}"
        )
        rows = {row[0]: row for row in self.among(asked, wanted, values)}
        spoken: dict[int, list[TimeRange]] = {}
        asked = "SELECT number, start, end, text FROM mentioned WHERE number IN ({}) ORDER BY rowid"
        for number, start, end, text in self.among(asked, wanted):
            said = TimeRange(moment_of(start), moment_of(end), _given(text))
            spoken.setdefault(number, []).append(said)
        tags: dict[int, list[str]] = {}
        for number, tag in self.among("SELECT number, tag FROM tags WHERE number IN ({})", wanted):
            tags.setdefault(number, []).append(_given(tag))
        return {
            number: _turn(rows[number], tuple(tags.get(number, ())), tuple(spoken.get(number, ())))
            for number in wanted
            if number in rows
        }

    def numbers(self, session: str | None = None) -> list[int]:
        """Return all turns, in the order in which they were said."""
        where, values = self._said_in(session)
        return self._column(f"SELECT number FROM turns WHERE {where} ORDER BY at, number", values)

    def documents(self, terms: Iterable[str]) -> dict[str, int]:
        """In how many turns each term stands; a term that stands nowhere is left out. Counting
        takes as long as there are turns, so frequent ones are counted again only when there are
        more turns by a hundredth."""
        last = self.last()
        if last > GROWN * self._frequent[0]:
            self._frequent = (last, {})
        known = self._frequent[1]
        wanted = list(dict.fromkeys(terms))
        new = [term for term in wanted if term not in known]
        found = dict(self.among("SELECT term, doc FROM vocabulary WHERE term IN ({})", new))
        known |= {term: turns for term, turns in found.items() if turns > RARE}
        return {term: turns for term in wanted if (turns := found.get(term) or known.get(term))}

    def keyword_ranks(
        self,
        terms: Sequence[str],
        limit: int = 100,
        session: str | None = None,
        weights: tuple[float, float] = (1.0, 0.6),
        near: Sequence[str] = (),
    ) -> list[tuple[int, float]]:
        """Return the turns with the highest BM25, best first: (number, score), the score above 0.

        `terms` come from text.words.asked. `weights`: of a turn's own words, and of those of the
        turn before and the speaker. `near`: only turns that have all of these there. Else the
        rarest terms are looked up, so many that about MOST_RANKED turns are scored: a term that
        stands in very many tells little.
        """
        rare = self._looked_up(terms, is_bounded=not near)
        if not rare:
            return []
        where, values = self._within(session)
        joined = "words JOIN turns ON turns.number = words.rowid"
        match = " OR ".join(f'"{term}"' for term in rare)
        if near:
            match = f"{_all_near(near)} AND ({match})"
        asked = "SELECT words.rowid, bm25(words, ?, ?) AS score FROM {} WHERE words MATCH ? AND {} ORDER BY score{} LIMIT ?"
        sought = (*weights, match, *values, limit + 1)
        first = asked.format("words" if where == "1" else joined, where, "")
        found = [(number, -score) for number, score in self._rows(first, sought)]
        if len(found) > limit and found[limit - 1][1] == found[limit][1]:
            # of equal ones the newest, so that row numbers decide nothing
            by_time = asked.format(joined, where, ", turns.at DESC, turns.id")
            found = [(number, -score) for number, score in self._rows(by_time, sought)]
        return found[:limit]

    def _looked_up(self, terms: Sequence[str], *, is_bounded: bool) -> list[str]:
        """Return the rarest of the terms; where it is bounded, so many that few enough turns are
        scored."""
        known = self.documents(term for term in terms if '"' not in term)
        rare = sorted(known, key=lambda term: known[term])[:MAX_TERMS]
        if not is_bounded:
            return rare
        sums = list(accumulate(known[term] for term in rare))
        fitting = sum(seen <= MOST_RANKED for seen in sums)
        return rare[: max(LEAST_TERMS, fitting)]

    def with_near(self, terms: Sequence[str], limit: int) -> list[int]:
        """Return the turns that have all of these as their speaker or in the turn before."""
        if not terms or self.only is not None:
            return []
        asked = "SELECT rowid FROM words WHERE words MATCH ? ORDER BY rowid DESC LIMIT ?"
        return self._column(asked, (_all_near(terms), limit))

    def beside(self, numbers: Iterable[int]) -> dict[int, tuple[int | None, int | None]]:
        """Return the turns before and after each of some, in its session and by time. Lines that
        were written down have none."""
        one = "SELECT o.number FROM turns o WHERE o.session = t.session AND (o.at, o.number) {} (t.at, t.number)"
        before = one.format("<") + " ORDER BY o.at DESC, o.number DESC LIMIT 1"
        after = one.format(">") + " ORDER BY o.at, o.number LIMIT 1"
        asked = f"SELECT t.number, ({before}), ({after}) FROM turns t WHERE t.number IN ({{}})"
        said = [number for number in numbers if number > 0]
        return {number: (first, second) for number, first, second in self.among(asked, said)}

    def neighbours(self, number: int, before: int = 1, after: int = 1) -> list[int]:
        """Return the turns around one, of the same session, in the order in which they were said,
        without itself."""
        where, values = self._within(None)
        found = self._rows(
            f"SELECT session, at FROM turns WHERE number = ? AND {where}", (number, *values)
        )
        if not found:
            return []
        place = (found[0][0], found[0][1], number)
        asked = "SELECT number FROM turns WHERE session = ? AND (at, number) {0} (?, ?) ORDER BY at {1}, number {1} LIMIT ?"
        earlier = self._column(asked.format("<", "DESC"), (*place, before))
        return [*reversed(earlier), *self._column(asked.format(">", "ASC"), (*place, after))]

    def turns_between(
        self,
        start: datetime | None,
        end: datetime | None,
        axis: Axis = "said",
        session: str | None = None,
        limit: int = 10_000,
    ) -> list[int]:
        """Return the turns that were said from `start` to before `end`, or that speak of a time
        which overlaps it; by time."""
        where, values = self._within(session)
        since, until = micros(start, BEGINNING), micros(end, END)
        if axis == "said":
            asked = f"SELECT number FROM turns WHERE at >= ? AND at < ? AND {where} ORDER BY at, number LIMIT ?"
            rows = self._rows(asked, (since, until, *values, limit))
        else:
            asked = (
                "SELECT DISTINCT turns.number, at FROM mentioned JOIN turns USING (number)"
                f" WHERE start < ? AND end > ? AND {where} ORDER BY at, turns.number LIMIT ?"
            )
            rows = self._rows(asked, (until, since, *values, limit))
        return [row[0] for row in rows]

    def said_between(self, start: datetime, end: datetime, limit: int = 10_000) -> list[int]:
        """Return the turns said from `start` to before `end`, without the lines that were written
        down."""
        found = self.turns_between(start, end, limit=limit)
        return [number for number in found if number > 0]

    def embedding(self, hash: str, model: str) -> bytes | None:
        """Return the vector of a text (float32, little-endian)."""
        asked = "SELECT vector FROM embeddings WHERE hash = ? AND model = ?"
        return next(iter(self._column(asked, (hash, model))), None)

    def embeddings(self, model: str, after: int = 0) -> Iterator[tuple[int, bytes]]:
        """Yield the vectors of the turns above a number that have one: (number, float32
        little-endian), by number."""
        where, values = self._within(None)
        asked = (
            "SELECT number, vector FROM turns CROSS JOIN embeddings USING (hash)"
            f" WHERE model = ? AND number > ? AND {where} ORDER BY number"
        )
        yield from self._asking(asked, (model, after, *values))

    def without_embedding(self, model: str) -> list[str]:
        """Return the hashes of the texts that this model has not seen."""
        asked = "SELECT hash FROM turns EXCEPT SELECT hash FROM embeddings WHERE model = ?"
        return self._column(asked, (model,))

    def texts(self, hashes: Iterable[str]) -> dict[str, str]:
        """Return the texts of turns that hashes stand for."""
        rows = self.among("SELECT hash, text FROM turns WHERE hash IN ({})", hashes)
        return {key: _given(text) for key, text in rows}

    def last_accessed(self, numbers: Iterable[int]) -> dict[int, datetime]:
        """Return when turns were last read; those that never were are left out."""
        asked = "SELECT number, last_accessed FROM turns WHERE number IN ({}) AND last_accessed IS NOT NULL"
        rows = self.among(asked, numbers)
        return {number: _EPOCH + timedelta(microseconds=at) for number, at in rows}

    def episodes(
        self, numbers: Iterable[int] | None = None, session: str | None = None
    ) -> list[Episode]:
        """Return the episodes by their numbers, or all of them, by time."""
        where, values = self._within(session)
        asked = (
            "SELECT number, session, start, end, scene_start, scene_end, summary, importance, participants"
            f" FROM episodes WHERE {where}"
        )
        if numbers is None:
            rows = self._rows(asked, values)
        else:
            rows = list(self.among(f"{asked} AND number IN ({{}})", numbers, before=values))
        return sorted(map(_episode, rows), key=lambda each: (each.start, each.number))

    def episode_of(self, numbers: Iterable[int]) -> dict[int, int]:
        """Turn → episode; turns that are in none are left out."""
        asked = "SELECT number, episode FROM episode_members WHERE number IN ({})"
        return dict(self.among(asked, numbers))

    def members(self, episode: int) -> list[int]:
        """Return the turns of an episode, in the order in which they were said."""
        where, values = self._within(None)
        asked = f"SELECT number FROM episode_members JOIN turns USING (number) WHERE episode = ? AND {where} ORDER BY at, number"
        return self._column(asked, (episode, *values))

    def without_episode(self, session: str) -> list[int]:
        """Return the turns that are in no episode yet, in the order in which they were said."""
        where, values = self._within(session)
        asked = f"SELECT number FROM turns WHERE {where} AND number NOT IN (SELECT number FROM episode_members) ORDER BY at, number"
        return self._column(asked, values)

    def episodes_between(self, start: datetime, end: datetime, session: str) -> list[int]:
        """Return the episodes of a session that overlap a time, by time."""
        where, values = self._within(session)
        asked = f"SELECT number FROM episodes WHERE start < ? AND end >= ? AND {where} ORDER BY start, number"
        return self._column(asked, (micros(end), micros(start), *values))

    def all_embeddings(self) -> Iterator[tuple[str, dict[str, bytes]]]:
        """Yield all vectors, some at a time: the model and hash → vector."""
        for hash, model, vector in self._asking("SELECT hash, model, vector FROM embeddings", ()):
            yield model, {hash: vector}

    def damage(self) -> str:
        """Return what SQLite finds wrong with the file, or where its parts are out of step; "" when
        nothing is."""
        found = [line for line in self._column("PRAGMA quick_check(5)") if line != "ok"]
        turns, words = self._rows(
            "SELECT (SELECT count(*) FROM turns), (SELECT count(*) FROM words_docsize)", ()
        )[0]
        if turns != words:
            found.append(f"{turns} turns, words of {words}")
        strays = "SELECT count(*) FROM mentioned WHERE number NOT IN (SELECT number FROM turns)"
        lost = "SELECT count(*) FROM episode_members WHERE episode NOT IN (SELECT number FROM episodes)"
        stale = "SELECT count(*) FROM embeddings WHERE hash NOT IN (SELECT hash FROM turns UNION SELECT hash FROM episodes)"
        for what, asked in (("times", strays), ("episode members", lost), ("vectors", stale)):
            if count := self._rows(asked, ())[0][0]:
                found.append(f"{count} {what} of nothing")
        return "; ".join(found)

    # which originals are in it

    def originals(self, names: Sequence[str] | None = None) -> dict[str, int]:
        """File → how many of its bytes have been taken in; of all files, or of these."""
        if names is None:
            return dict(self._rows("SELECT name, size FROM originals", ()))
        return dict(self.among("SELECT name, size FROM originals WHERE name IN ({})", names))

    def set_original(self, name: str, size: int) -> None:
        """Note that so many bytes of a file are in the index."""
        with self.writing():
            self._run("INSERT OR REPLACE INTO originals VALUES (?, ?)", (name, size))

    def setting(self, name: str) -> str:
        """Return something that is remembered of the index itself; "" when it was never set."""
        found = self._rows("SELECT value FROM settings WHERE name = ?", (name,))
        return found[0][0] if found else ""

    def set_setting(self, name: str, value: str) -> None:
        """Remember it."""
        with self.writing():
            self._run("INSERT OR REPLACE INTO settings VALUES (?, ?)", (name, value))

    def close(self) -> None:
        """Let go of the file. Closing the last connection writes the WAL into it, so it is done
        alone as well."""
        if self.readonly:
            self._database.close()
            return
        try:
            with self.lock:
                self._database.close()
        except (
            JournalError
        ):  # somebody writes for long, or the folder is gone: the WAL stays, which is sound
            self._database.close()

    # for what is kept beside the turns (memory/graph)

    def ask(self, asked: str, values: Iterable[Any] = ()) -> list[Any]:
        """Return the rows that a statement gives. It must keep to the session by itself
        (`only`)."""
        return self._rows(asked, values)

    def run(self, asked: str, *rows: Iterable[Any]) -> None:
        """Run a statement that changes something, for each of the rows."""
        with self.writing():
            self._database.executemany(asked, [tuple(row) for row in rows] or [()])

    def put(self, number: int, turn: Turn) -> None:
        """Keep a turn, or a line that was written down, under a number; its times and its vector
        are due."""
        words = (turn.id, turn.who, turn.text)
        row = (number, turn.session, *map(_kept, words), micros(turn.at), turn.timezone)
        row += (turn.run, turn.importance, _kept(turn.emotion), turn.source, text_hash(turn.text))
        columns = (
            "number, session, id, who, text, at, timezone, run, importance, emotion, source, hash"
        )
        self._run(f"INSERT INTO turns ({columns}) VALUES ({', '.join('?' * 12)})", row)
        self._database.executemany(
            "INSERT OR IGNORE INTO tags VALUES (?, ?)", [(number, _kept(tag)) for tag in turn.tags]
        )
        self.enqueue("times", [str(number)])
        self.enqueue("embedding", [text_hash(turn.text)])

    def index(self, number: int, own: str, near: str, *, add: bool = True) -> None:
        """Put the words of a text and of what stands near it into the index; or take them out."""
        start = (
            "(rowid, own, near) VALUES (" if add else "(words, rowid, own, near) VALUES ('delete', "
        )
        self._run(f"INSERT INTO words {start}?, ?, ?)", (number, _cut(own), _cut(near)))

    # inside

    def _add(self, turn: Turn) -> int:
        if self.only not in (None, turn.session):
            raise ValueError(f"this store is for {self.only}")
        known = self.number(turn.session, turn.id)
        if known is not None:
            return known
        number = self.last() + 1  # lines that were written down have numbers below 0
        self.put(number, turn)
        self.set_mentioned(number, turn.mentioned)
        before, after = self.beside([number])[number]
        if after is not None and self.setting("near"):
            self._index(after, before, add=False)
            self._index(after, number)
        self._index(number, before)
        self.enqueue("episode", [turn.session])
        return number

    def _index(self, number: int, before: int | None, *, add: bool = True) -> None:
        """Index a turn with the speaker and the turn before it; or take it out."""
        turns = self.turns([number] if before is None else [number, before])
        turn, near = turns[number], turns[number].who
        if before is not None and turn.at - turns[before].at <= timedelta(seconds=NEAR_SECONDS):
            near += f" {turns[before].text[:MAX_NEAR_CHARS]}"
        self.index(number, turn.text, near, add=add)

    def _within(self, session: str | None) -> tuple[str, tuple[str, ...]]:
        """Return the condition that keeps a question to a session; a store for one session knows no
        other. A store for one session knows no other."""
        if self.only is not None:
            if session not in (None, self.only):
                return "0", ()
            session = self.only
        return ("1", ()) if session is None else ("session = ?", (session,))

    def _said_in(self, session: str | None) -> tuple[str, tuple[str, ...]]:
        """Return the same, without the lines that were written down (memory/recall/written.py)."""
        where, values = self._within(session)
        return f"{where} AND number > 0", values

    def _rows(self, asked: str, values: Iterable[Any]) -> list[Any]:
        return self._try(lambda: self._database.execute(asked, tuple(values)).fetchall())

    def _column(self, asked: str, values: Iterable[Any] = ()) -> list[Any]:
        return [value for (value,) in self._rows(asked, values)]

    def among(
        self,
        asked: str,
        wanted: Iterable[Any],
        after: Iterable[Any] = (),
        *,
        before: Iterable[Any] = (),
    ) -> Iterator[Any]:
        """Yield the rows of a question whose `{}` stands for any of the values wanted, some at a
        time."""
        values = list(wanted)
        for at in range(0, len(values), _CHUNK):
            some = values[at : at + _CHUNK]
            marks = ", ".join("?" * len(some))
            yield from self._rows(asked.format(marks), (*before, *some, *after))

    def _asking(self, asked: str, values: Iterable[Any]) -> Iterator[Any]:
        rows = self._try(lambda: self._database.execute(asked, tuple(values)))
        while some := self._try(lambda: rows.fetchmany(_CHUNK)):
            yield from some

    def _run(self, asked: str, values: Iterable[Any]) -> sqlite3.Cursor:
        return self._database.execute(asked, tuple(values))

    def _try(self, question: Callable[[], _FOUND]) -> _FOUND:
        try:
            return question()
        except sqlite3.Error as error:
            raise self._broken(error) from error

    def _follow(self) -> None:
        """Open the file again when another one has taken its place."""
        if not self.readonly and self._inode != _inode(self.path):
            self._database.close()
            self._database = self._open()

    def _open(self) -> sqlite3.Connection:
        try:
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            why = error.strerror or error
            raise JournalError(
                "error.journal.journal-cannot-written-2", path=self.path.parent, error=why
            ) from error
        with self.lock:
            database = sqlite3.connect(
                self.path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False
            )
            try:
                version(database)  # a newer one is left as it is
                database.execute("PRAGMA journal_mode = WAL")
                # a row that a power cut takes is made from its line again
                database.execute("PRAGMA synchronous = NORMAL")
                bring_up_to_date(database)
            except BaseException:
                database.close()
                raise
        self.path.chmod(0o600)
        self._inode = _inode(self.path)
        return database

    def _open_to_read(self) -> sqlite3.Connection:
        """Open the file without changing it: one of an older version is read from a copy in
        memory."""
        database = self._connected_to_read() if self.path.exists() else None
        if database is not None and version(database) == VERSION:
            return database
        copy = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
        if database is not None:
            with contextlib.closing(database):
                database.backup(copy)
        bring_up_to_date(copy)
        return copy

    def _connected_to_read(self) -> sqlite3.Connection:
        """Open the file as it is; where no WAL can be made beside it, as if nobody wrote into it.
        Raises sqlite3.Error."""
        address = self.path.absolute().as_uri()
        with contextlib.suppress(sqlite3.OperationalError):
            return self._connected(f"{address}?mode=ro")
        return self._connected(f"{address}?immutable=1")

    def _connected(self, address: str) -> sqlite3.Connection:
        database = sqlite3.connect(
            address, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False, uri=True
        )
        try:
            version(database)
        except BaseException:
            database.close()
            raise
        return database

    def _roll_back(self) -> None:
        if self._database.in_transaction:
            with contextlib.suppress(sqlite3.Error):
                self._database.execute("ROLLBACK")

    def _broken(self, error: sqlite3.Error) -> JournalError:
        return JournalError("error.journal.journal-index-cannot-used", path=self.path, error=error)


def _turn(row: tuple[Any, ...], tags: tuple[str, ...], mentioned: tuple[TimeRange, ...]) -> Turn:
    _, id, session, who, text, at, timezone, run, importance, emotion, source = row
    said = _EPOCH + timedelta(microseconds=at)
    if not (type(id) is type(who) is type(text) is type(emotion) is str):  # a lone surrogate in it
        id, who, text, emotion = map(_given, (id, who, text, emotion))
    return Turn(
        id, session, who, text, said, timezone, run, importance, tags, emotion, mentioned, source
    )


def _episode(row: tuple[Any, ...]) -> Episode:
    number, session, *times, summary, importance, participants = row
    start, end, scene_start, scene_end = (_EPOCH + timedelta(microseconds=at) for at in times)
    people = tuple(json.loads(participants))
    return Episode(
        number, session, start, end, scene_start, scene_end, _given(summary), importance, people
    )


def _all_near(terms: Sequence[str]) -> str:
    """Ask FTS5 for the turns that have all of these terms beside their own words."""
    return " AND ".join(f'near : "{term}"' for term in terms)


def _inode(path: Path) -> int:
    try:
        return path.stat().st_ino
    except OSError:
        return 0


def _cut(text: str) -> str:
    return " ".join(cut(text))


def micros(moment: datetime | None, open: int = 0) -> int:
    """Return a time as the tables hold it; `open` where there is none."""
    return open if moment is None else (moment - _EPOCH) // timedelta(microseconds=1)


def moment_of(micros: int) -> datetime | None:
    """Return a time of the tables; None for the open side of a range."""
    return None if micros in (BEGINNING, END) else _EPOCH + timedelta(microseconds=micros)


def _kept(text: str) -> str | bytes:
    """Return it as SQLite takes it: a text with lone surrogates is kept as bytes."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogatepass")
    return text


def _given(kept: str | bytes) -> str:
    return kept if isinstance(kept, str) else kept.decode("utf-8", "surrogatepass")


def bring_up_to_date(database: sqlite3.Connection) -> None:
    """Take the steps that the file lacks, each whole or not at all. Raises JournalTooNew,
    sqlite3.Error."""
    for number in range(version(database) + 1, VERSION + 1):
        database.executescript(
            f"BEGIN IMMEDIATE; {_steps()[number]} PRAGMA user_version = {number}; COMMIT;"
        )


@cache
def _steps() -> list[str]:
    return _TABLES.read_text("utf-8").split("\n-- step\n")


def version(database: sqlite3.Connection) -> int:
    """Return the version of a file. Raises JournalTooNew for one that is not known here."""
    found = int(database.execute("PRAGMA user_version").fetchone()[0])
    if found > VERSION:
        raise JournalTooNew("error.journal.journal-made-newer-sopwith", found=found, known=VERSION)
    return found
