"""Find the words of a turn that mean much the same as words of the question ("animal", "turtle"),
by vectors of single words.

The installed model makes them behind, once for each word that is said (memory/journal/api.py); they
stand in the index. For languages with spaces only: pairs of characters are no words. Source: seed
003 P4.3; figures "Recall".
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import chain
from typing import TYPE_CHECKING

from memory.journal.store import Store
from memory.recall.question import Question, asked_words
from text.words import words_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from memory.recall.features import Rows
    from models.embeddings import Embedder

    Numbers = NDArray[np.float64]

MODELS = {"use-multilingual-3"}  # of which the vectors of single words are good, and cost nothing
# the cosine, without what all words have in common, from which two words are alike
LEAST_ALIKE = 0.15
MOST_KNOWN = 100_000  # words in memory, 50 MB
MOST_TEXTS = 20_000  # of which it is known where their words are, 10 MB
_SCALE = 512.0  # a vector is kept in one byte a number


def learn(store: Store, embedder: Embedder, texts: Iterable[str]) -> None:
    """Make vectors of the words that have none yet. Raises EmbeddingError, JournalError."""
    if embedder.name not in MODELS:
        return
    words = dict.fromkeys(word for text in texts for word in words_of(text))
    new = list(words.keys() - {word for word, _ in _kept(store, embedder.name, list(words))})
    if new:
        rows = zip(new, _small(embedder.embed(new)), strict=True)
        store.run(
            "INSERT OR REPLACE INTO word_vectors VALUES (?, ?, ?)",
            *((word, embedder.name, vector.tobytes()) for word, vector in rows),
        )


class Words:
    """The vectors of words that were asked for so far, of one model. For all threads."""

    def __init__(self, model: str) -> None:
        self._model = model
        self._lock = threading.Lock()
        self._forget()

    def unknown(self, store: Store, words: Sequence[str]) -> list[str]:
        """Return those of which there is no vector; what the index has of them is read first."""
        with self._lock:
            if len(self._places) > MOST_KNOWN:
                self._forget()
            self._read(store, words)
            return [word for word in words if word not in self._places]

    def add(self, words: Sequence[str], vectors: NDArray[np.float32]) -> None:
        """Take vectors (n, dimension) of words that nobody has said."""
        with self._lock:
            self._add(words, _small(vectors))

    def alike(self, store: Store, asked: Sequence[str], texts: Sequence[str]) -> Numbers:
        """(words asked, texts): how much the nearest word of each text is like the word asked, 0 to
        1."""
        import numpy as np

        found = np.zeros((len(asked), len(texts)))
        with self._lock:
            self._read(store, asked)
            said = self._said(store, texts)
            places, vectors, lengths = (
                self._places,
                self._vectors,
                np.array([len(each) for each in said]),
            )
            every = np.concatenate(said) if said else np.zeros(0, int)
            column = np.zeros(len(places) + 1, int)
            column[every] = 1
            used = np.nonzero(column)[0]
            column[used] = np.arange(len(used))
            wanted = [at for at, word in enumerate(asked) if word in places]
            if not wanted or not used.any():
                return found
            there = vectors[used].astype(np.float32)
            here = vectors[[places[asked[at]] for at in wanted]].astype(np.float32)
        common = there.sum(axis=0) / np.count_nonzero(used)  # the vector at 0 is 0
        here = _unit(here - common)
        squares = np.einsum("ij,ij->i", there, there) - 2 * (there @ common) + common @ common
        cosines = (there @ here.T - here @ common) / np.sqrt(np.maximum(squares, 1e-6))[:, None]
        cosines[used == 0] = 0
        starts = (np.cumsum(lengths) - lengths)[lengths > 0]
        best = np.zeros((len(texts), len(wanted)))
        best[lengths > 0] = np.maximum.reduceat(cosines[column[every]], starts, axis=0)
        found[wanted] = np.clip((best.T - LEAST_ALIKE) / (1 - LEAST_ALIKE), 0, 1)
        return found

    def _forget(self) -> None:
        import numpy as np

        self._places: dict[str, int] = {}  # from 1 on; 0 is that of words without a vector
        self._vectors: NDArray[np.int8] = np.zeros((0, 0), np.int8)
        self._texts: dict[str, NDArray[np.int64]] = {}  # the places of its words

    def _said(self, store: Store, texts: Sequence[str]) -> list[NDArray[np.int64]]:
        """Return the places of each text's words."""
        new = {text: words_of(text) for text in texts if text not in self._texts}
        self._read(store, list(dict.fromkeys(chain.from_iterable(new.values()))))
        made = {text: self._places_of(words) for text, words in new.items()}
        said = [made[text] if text in made else self._texts[text] for text in texts]
        if len(self._texts) + len(made) > MOST_TEXTS:
            self._texts.clear()
        # the words that have no vector yet get theirs soon
        self._texts |= {text: each for text, each in made.items() if each.all()}
        return said

    def _places_of(self, words: Sequence[str]) -> NDArray[np.int64]:
        import numpy as np

        return np.array([self._places.get(word, 0) for word in words], int)

    def _read(self, store: Store, words: Sequence[str]) -> None:
        import numpy as np

        rows = list(_kept(store, self._model, [word for word in words if word not in self._places]))
        if rows:
            data = np.frombuffer(b"".join(vector for _, vector in rows), np.int8)
            self._add([word for word, _ in rows], data.reshape(len(rows), -1))

    def _add(self, words: Sequence[str], vectors: NDArray[np.int8]) -> None:
        import numpy as np

        count = len(self._places) + 1
        if count + len(words) > len(self._vectors):
            room = np.zeros((max(1024, 2 * (count + len(words))), vectors.shape[1]), np.int8)
            if self._places:
                room[:count] = self._vectors[:count]
            self._vectors = room
        self._vectors[count : count + len(words)] = vectors
        self._places |= {word: count + at for at, word in enumerate(words)}


@lru_cache(maxsize=4)
def vocabulary(model: str) -> Words | None:
    """Return the words of a model; None for one whose vectors of single words are not to be had."""
    return Words(model) if model in MODELS else None


def alike(store: Store, model: str, question: Question, rows: Rows) -> Numbers | None:
    """(words of the question, rows), 0 to 1; None where there is nothing to compare."""
    known, asked = vocabulary(model), asked_words(question)
    if known is None or not asked:
        return None
    return known.alike(store, asked, [turn.text for turn in rows.turns])


def _kept(store: Store, model: str, words: Sequence[str]) -> Iterator[tuple[str, bytes]]:
    asked = "SELECT word, vector FROM word_vectors WHERE word IN ({}) AND model = ?"
    return store.among(asked, words, (model,))


def _small(vectors: NDArray[np.float32]) -> NDArray[np.int8]:
    import numpy as np

    result: NDArray[np.int8] = np.clip(np.rint(vectors * _SCALE), -127, 127).astype(np.int8)
    return result


def _unit(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    import numpy as np

    result: NDArray[np.float32] = vectors / np.maximum(
        np.linalg.norm(vectors, axis=1, keepdims=True), 1e-6
    )
    return result
