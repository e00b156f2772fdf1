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
from collections.abc import Iterable, Sequence
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
from memory.recall.vectors import Vectors, load, saved
from memory.recall.words import learn, vocabulary
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
        self.lines: Vectors = Vectors(vectors.model, vectors.dimension)
        self.sessions: dict[str, tuple[int, frozenset[int]]] = {}


class Near(NamedTuple):
    """Hold what is near to a question in meaning: `best`, number → cosine, and the means to ask for
    others."""

    best: dict[int, float]
    vectors: Vectors
    lines: Vectors  # of what was written down
    questions: NDArray[np.float32]  # (n, dimension): as a statement, each sentence as asked

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
        found = np.zeros((len(numbers), len(self.questions)))
        alike = np.zeros(len(numbers))
        for kept in (self.vectors, self.lines):
            there, vectors = kept.rows(numbers)
            # In double precision: the order in which numbers are added up must not show.
            cosines = vectors.astype(np.float64) @ self.questions.T.astype(np.float64)
            found[there] = (cosines - mean) / deviation
            alike[there] = cosines[:, 0]
        return Meaning(found[:, 0], found[:, 1:].max(axis=1), alike)


def near(
    store: Store, question: Question, session: str | None, embedder: Embedder, count: int
) -> Near | None:
    """Return what is near to a question; None while nothing has a vector. Its words that nobody has
    said get theirs along the way (recall_words.py). Raises EmbeddingError."""
    opened = _vectors(store, embedder.name)
    if opened is None:
        return None
    texts = list(dict.fromkeys((question.stated, *question.parts)))
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
    questions = vectors[[0, *map(texts.index, question.parts)]]
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
    if store.readonly or store.only is not None:
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
    found = load(_file(store), model, _backend() or Vectors)
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
    """Add what has got its vector since; None while nothing has one."""
    lines = line_vectors(store, model)
    opened = opened or _begun(store, model, lines)
    if opened is None:
        return None
    kept, last = opened.vectors, opened.through
    rows = store.embeddings(model, after=last)
    while some := list(islice(rows, ROWS)):
        numbers, vectors = _of_size(dict(some), kept.dimension)
        kept.add(numbers, vectors)
        opened.unsaved += len(numbers)
        last = some[-1][0]
    opened.lines = Vectors(model, kept.dimension, *_of_size(lines, kept.dimension))
    if store.waiting("embedding") == 0:
        opened.through = last
        _save(store, opened)
    return opened


def _begun(store: Store, model: str, lines: dict[int, bytes]) -> _Opened | None:
    """Return an empty index for vectors of the size that the first has; None while there is
    none."""
    first = next((data for _, data in store.embeddings(model)), None)
    first = first or next(iter(lines.values()), None)
    if first is None:
        return None
    return _Opened((_backend() or Vectors)(model, len(first) // 4), 0, 0)


def _save(store: Store, opened: _Opened) -> None:
    """Write the file of vectors where it lacks many; else it is made again from the rows."""
    is_ours = store.only is None and not store.readonly
    if is_ours and opened.unsaved >= SAVE_AT:
        with contextlib.suppress(OSError):
            opened.vectors.save(_file(store), _stamp(store, opened.vectors.numbers()))
            opened.unsaved = 0


def _of_size(
    kept: dict[int, bytes], dimension: int
) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    """Return the numbers and the vectors of those that have so many dimensions."""
    import numpy as np

    rows = {number: data for number, data in kept.items() if len(data) == dimension * 4}
    numbers = np.fromiter(rows, np.int64, len(rows))
    return numbers, np.frombuffer(b"".join(rows.values()), "<f4").reshape(len(rows), dimension)
