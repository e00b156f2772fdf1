"""The vectors of a journal's turns, kept beside its index, and what in it is near to a question.

The file (`journal/vectors.f32`; `journal/faiss.index` where FAISS is installed and
`SOPWITH_VECTORS=faiss` asks for it) is derived: one that does not fit the rows is made anew from
them. A store that is open for one session makes its own in memory, so that it never maps what was
said elsewhere. Source: seed 003 P3.7, P4.3.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Collection, Iterable, Sequence
from functools import cache
from importlib.util import find_spec
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple
from weakref import WeakKeyDictionary

from memory.journal.lock import JournalError
from memory.journal.store import Store, text_hash
from memory.journal.sync import VECTORS
from memory.recall.features import Meaning
from memory.recall.question import Question, asked_words
from memory.recall.vectors import ExactVectors, Vectors, load, saved
from memory.recall.words import MODELS, learn, vocabulary
from memory.recall.written import SETTING, line_vectors
from text import plugin

if TYPE_CHECKING:
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

    from models.embeddings import Embedder

ROWS = 2000  # read at once
SAVE_AT = 500  # vectors that are not in the file yet
LINES = 20  # of what was written down, the nearest
LOOK_AGAIN_SECONDS = 1.0
_opened: WeakKeyDictionary[Store, _Opened] = WeakKeyDictionary()


class _Opened:
    """The vectors of a store, and up to where its rows have been looked at."""

    def __init__(self, vectors: Vectors, through: int, unsaved: int) -> None:
        self.vectors, self.through, self.unsaved = vectors, through, unsaved
        self.state: tuple[int, int, str] = (-1, -1, "")
        self.looked_at = 0.0
        self.lines: Vectors = ExactVectors(vectors.model, vectors.dimension)
        self.sessions: dict[str, tuple[int, frozenset[int]]] = {}


class Near(NamedTuple):
    """Hold what is near to a question in meaning: `best`, number → cosine, and the means to ask for
    others."""

    best: dict[int, float]
    vectors: Vectors
    lines: Vectors  # of what was written down
    questions: NDArray[np.float32]  # (2, dimension): as a statement, as it was asked

    def nearest_cosine(self, without: Collection[int] = ()) -> float:
        """Return how near the nearest is; 1 for a model of which it is not known what is near."""
        cosines = (each for number, each in self.best.items() if number not in without)
        return max(cosines, default=0.0) if self.vectors.model in MODELS else 1.0

    def nearest(self, numbers: Iterable[int], count: int) -> list[int]:
        """Return those of some turns that are nearest."""
        return [
            int(number) for number in self.vectors.nearest(self.questions[0], count, numbers)[0]
        ]

    def of(self, numbers: Sequence[int]) -> Meaning:
        """Return how near each of some turns is, in standard deviations; 0 for those that have no
        vector."""
        import numpy as np

        compared = self.vectors if self.vectors.has_any() else self.lines
        mean, deviation = compared.spread(self.questions)
        found = np.zeros((len(numbers), 2))
        for kept in (self.vectors, self.lines):
            there, vectors = kept.rows(numbers)
            # In double precision: the order in which numbers are added up must not show.
            cosines = vectors.astype(np.float64) @ self.questions.T.astype(np.float64)
            found[there] = (cosines - mean) / deviation
        return Meaning(found[:, 0], found[:, 1])


def near(
    store: Store, question: Question, session: str | None, embedder: Embedder, count: int
) -> Near | None:
    """Return what is near to a question; None while nothing has a vector. Its words that nobody has
    said get theirs along the way (recall_words.py). Raises EmbeddingError."""
    opened = _vectors(store, embedder.name)
    if opened is None:
        return None
    texts = list(dict.fromkeys((question.stated, question.first)))
    known = vocabulary(embedder.name)
    words = known.unknown(store, asked_words(question)) if known else []
    vectors = embedder.embed([*texts, *words], is_awaited=True)
    if vectors.shape[1] != opened.vectors.dimension:  # another model under the same name
        if not store.readonly and store.only is None:
            _opened.pop(store, None)
            with contextlib.suppress(OSError, JournalError):  # the next question tries it again
                _file(store).unlink(missing_ok=True)
                store.renew_embeddings(embedder.name, vectors.shape[1] * 4)
        return None
    if known and words:
        known.add(words, vectors[len(texts) :])
    questions = vectors[[0, len(texts) - 1]]
    within = _of_session(store, opened, session)
    best = opened.vectors.nearest(questions[0], count, within)
    lines = opened.lines.nearest(questions[0], LINES if session is None else 0)
    found = _paired(*best) | _paired(*lines)
    return Near(found, opened.vectors, opened.lines, questions)


def embed(store: Store, embedder: Embedder, keys: Sequence[str]) -> None:
    """Make the vectors of texts that wait for one, and of their words. Raises EmbeddingError,
    JournalError."""
    texts = store.texts(keys)
    learn(store, embedder, texts.values())
    new = {key: text for key, text in texts.items() if store.embedding(key, embedder.name) is None}
    rows = zip(new, embedder.embed(list(new.values())), strict=True)
    store.put_embeddings(
        embedder.name, {key: vector.astype("<f4").tobytes() for key, vector in rows}
    )
    store.finish("embedding", keys)
    if not store.waiting("embedding"):
        _keep(store, embedder.name)


def _keep(store: Store, model: str) -> None:
    """Write the file of vectors where it lacks many, so that no question waits for it."""
    if store.readonly or store.only is not None or _backend():
        return
    if store.last() - saved(_file(store)) >= SAVE_AT:
        _vectors(store, model)
        _opened.pop(store, None)


def _paired(numbers: NDArray[np.int64], cosines: NDArray[np.float32]) -> dict[int, float]:
    return dict(zip(numbers.tolist(), cosines.tolist(), strict=True))


def _of_session(store: Store, opened: _Opened, session: str | None) -> frozenset[int] | None:
    """Return the turns of one session; None for all that the store may read."""
    if session is None:
        return None
    total = store.total(session)
    known = opened.sessions.get(session)
    if known is None or known[0] != total:
        known = opened.sessions[session] = (total, frozenset(store.numbers(session)))
    return known[1]


def _vectors(store: Store, model: str) -> _Opened | None:
    """Return the vectors of a store as they are now; what was embedded since is added."""
    opened = _opened.get(store)
    if opened is None or opened.vectors.model != model:
        opened = _from_file(store, model)
    state = (store.last(), store.waiting("embedding"), store.setting(SETTING))
    if opened is None or (
        opened.state != state and time.monotonic() - opened.looked_at > LOOK_AGAIN_SECONDS
    ):
        opened = _with_new(store, model, opened)
        if opened is None:
            return None
        opened.state, opened.looked_at = state, time.monotonic()
    _opened[store] = opened
    return opened


def _from_file(store: Store, model: str) -> _Opened | None:
    if store.only is not None:
        return None
    backend = _backend()
    found = (backend.load if backend else load)(_file(store), model)
    if found is None:
        return None
    vectors, stamp = found
    numbers = vectors.numbers()
    if stamp != _stamp(store, numbers):
        return None
    return _Opened(vectors, int(numbers[-1]) if store.waiting("embedding") == 0 else 0, 0)


def _backend() -> Any:
    """Return the index that SOPWITH_VECTORS names, where its library is installed; None: our
    own."""
    return _named(os.environ.get("SOPWITH_VECTORS", ""))


@cache
def _named(name: str) -> Any:
    found = plugin.one("vectors", name) if name and plugin.has("vectors", name) else None
    return found if found and find_spec(found.LIBRARY) else None


def _file(store: Store) -> Path:
    backend = _backend()
    return store.path.with_name(backend.FILE if backend else VECTORS)


def _stamp(store: Store, numbers: NDArray[np.int64]) -> str:
    """Tell whether numbers still stand for the same turns: a hash over some of their texts."""
    some = [int(numbers[len(numbers) * part // 8]) for part in range(8)] + [int(numbers[-1])]
    turns = store.turns(some)
    return text_hash("\n".join(f"{number} {turn.id} {turn.text}" for number, turn in turns.items()))


def _with_new(store: Store, model: str, opened: _Opened | None) -> _Opened | None:
    import numpy as np

    last, added = opened.through if opened else 0, 0
    rows = store.embeddings(model, after=last)
    while some := list(islice(rows, ROWS)):
        if opened is None:
            opened = _Opened(_empty(model, len(some[0][1]) // 4), 0, 0)
        size = opened.vectors.dimension * 4
        some = [(number, data) for number, data in some if len(data) == size]
        if some:
            numbers = np.array([number for number, _ in some], np.int64)
            data = b"".join(data for _, data in some)
            opened.vectors.add(numbers, np.frombuffer(data, "<f4").reshape(len(some), -1))
            added, last = added + len(some), some[-1][0]
    lines = line_vectors(store, model)
    if opened is None and lines:
        opened = _Opened(_empty(model, len(next(iter(lines.values()))) // 4), 0, 0)
    if opened is None:
        return None
    _take_lines(opened, lines)
    opened.unsaved += added
    if store.waiting("embedding") == 0:
        opened.through = last
    if opened.unsaved >= SAVE_AT and opened.through and store.only is None and not store.readonly:
        with contextlib.suppress(OSError):  # it is made again from the rows
            opened.vectors.save(_file(store), _stamp(store, opened.vectors.numbers()))
            opened.unsaved = 0
    return opened


def _take_lines(opened: _Opened, lines: dict[int, bytes]) -> None:
    import numpy as np

    size = opened.vectors.dimension * 4
    rows = {number: data for number, data in lines.items() if len(data) == size}
    numbers = np.fromiter(rows, np.int64, len(rows))
    vectors = np.frombuffer(b"".join(rows.values()), "<f4").reshape(
        len(rows), opened.vectors.dimension
    )
    opened.lines = ExactVectors(opened.vectors.model, opened.vectors.dimension, numbers, vectors)


def _empty(model: str, dimension: int) -> Vectors:
    found: Vectors = (_backend() or ExactVectors)(model, dimension)
    return found
