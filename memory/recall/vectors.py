"""Vectors by number: the nearest to a question, exactly; kept in a file beside the index that can
be made anew from it.

numpy searches a file that is mapped into memory (100,000 vectors of 512 in 20 ms), or FAISS, with
the same answers, when it is installed and asked for.
Approximate indexes lose most answers under a narrow filter, so there is none. Source: seed 003
P3.7; figures "Recall".
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memory.files import write_atomic

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]
    Numbers = NDArray[np.int64]

SAMPLE = 500  # vectors from which the spread of similarities is told
DIGITS = 5  # of a cosine; the same vector may differ behind, by the place where it lies
_HEADER_BYTES = 4096


class Vectors:
    """Vectors of length 1, each with a number: a file mapped into memory, and behind it what was
    added since. `model` made them; they have `dimension` numbers each."""

    def __init__(self, model: str, dimension: int, numbers: Any = (), vectors: Any = None) -> None:
        import numpy as np

        self.model, self.dimension = model, dimension
        self._sample: Floats | None = None
        self._numbers: Numbers = np.asarray(numbers, np.int64)
        self._kept: Floats = np.zeros((0, dimension), np.float32) if vectors is None else vectors
        self._room: Floats = np.empty((0, dimension), np.float32)  # half of it may be empty

    def has_any(self) -> bool:
        """Return True unless it is empty."""
        return len(self._numbers) > 0

    def spread(self, questions: Floats) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Mean and standard deviation of the cosines of all vectors to each question (m,
        dimension), from a sample.

        The sample is chosen by what the vectors are, so that a rebuild, which numbers turns anew,
        gives the same.
        """
        import numpy as np

        if self._sample is None:
            self._sample = _some(np.concatenate([_some(self._kept), _some(self._added)]))
        cosines = self._sample.astype(np.float64) @ questions.T.astype(np.float64)
        return cosines.mean(axis=0), np.maximum(cosines.std(axis=0), 1e-6)

    @property
    def _added(self) -> Floats:
        return self._room[: len(self._numbers) - len(self._kept)]

    def add(self, numbers: Numbers, vectors: Floats) -> None:
        """Add vectors (n, dimension). Those whose number is there stay: what was said never
        changes."""
        import numpy as np

        is_new = ~np.isin(numbers, self._numbers)
        numbers, vectors = numbers[is_new], vectors[is_new]
        before = self._added
        total = len(before) + len(numbers)
        if total > len(self._room):
            self._room = np.empty((2 * total, self.dimension), np.float32)
            self._room[: len(before)] = before
        self._room[len(before) : total] = vectors
        self._numbers = np.concatenate([self._numbers, numbers])
        if self._sample is not None:
            self._sample = _some(np.concatenate([self._sample, vectors]))

    def numbers(self) -> Numbers:
        """Return all numbers, ascending."""
        import numpy as np

        return np.sort(self._numbers)

    def nearest(
        self, question: Floats, count: int, within: Iterable[int] | None = None
    ) -> tuple[Numbers, Floats]:
        """Return the numbers nearest to one vector (dimension,), and how near: the cosine, highest
        first. `within`: only these."""
        import numpy as np

        if within is None:
            numbers = self._numbers
            cosines = np.concatenate([self._kept @ question, self._added @ question])
        else:
            chosen = np.unique(np.fromiter(within, np.int64))
            there, vectors = self.rows(chosen)
            numbers, cosines = chosen[there], vectors @ question
        cosines = cosines.round(DIGITS)
        if count < len(numbers):
            best = _highest(cosines, count)
            numbers, cosines = numbers[best], cosines[best]
        order = np.lexsort((numbers, -cosines))
        return numbers[order], cosines[order]

    def rows(self, numbers: Iterable[int]) -> tuple[NDArray[np.bool_], Floats]:
        """Return which of the numbers are there, and the vectors of those, in their order."""
        import numpy as np

        wanted = np.fromiter(numbers, np.int64)
        if not len(self._numbers):
            return np.zeros(len(wanted), bool), self._room[:0]
        order = np.argsort(self._numbers, kind="stable")
        places = np.searchsorted(self._numbers, wanted, sorter=order)
        places = order[np.minimum(places, len(order) - 1)]
        there = self._numbers[places] == wanted
        return there, self._at(places[there])

    def _at(self, places: Numbers) -> Floats:
        import numpy as np

        kept = len(self._kept)
        found = np.empty((len(places), self.dimension), np.float32)
        found[places < kept] = self._kept[places[places < kept]]
        found[places >= kept] = self._room[places[places >= kept] - kept]
        return found

    def save(self, path: Path, stamp: str = "") -> None:
        """Write them, whole or not at all. `stamp` says what they were made from."""
        import numpy as np

        count = len(self._numbers)
        header = {"model": self.model, "dimension": self.dimension, "count": count, "stamp": stamp}
        first = json.dumps(header).encode().ljust(_HEADER_BYTES)
        order = np.argsort(self._numbers, kind="stable")
        blocks = (self._at(order[at : at + 4096]).tobytes() for at in range(0, count, 4096))
        write_atomic(path, (first, self._numbers[order].tobytes(), *blocks))


def load(path: Path, model: str, kind: type[Vectors] = Vectors) -> tuple[Vectors, str] | None:
    """Return the vectors in a file and their stamp, mapped into memory, to be searched by one kind.
    None for a file that is torn, or of another model."""
    import numpy as np

    try:
        with path.open("rb") as file:
            header = json.loads(file.read(_HEADER_BYTES))
        count, dimension, stamp = (
            int(header["count"]),
            int(header["dimension"]),
            str(header["stamp"]),
        )
        if (
            header["model"] != model
            or path.stat().st_size != _HEADER_BYTES + count * (8 + 4 * dimension)
            or not count
        ):
            return None
        numbers = np.fromfile(path, np.int64, count, offset=_HEADER_BYTES)
        shape = (count, dimension)
        vectors = np.memmap(path, np.float32, "r", offset=_HEADER_BYTES + 8 * count, shape=shape)
    except (OSError, ValueError, KeyError, TypeError):
        return None
    if (np.diff(numbers) <= 0).any():
        return None
    return kind(model, dimension, numbers, np.asarray(vectors)), stamp


def saved(path: Path) -> int:
    """Return how many vectors a file says it holds; 0 where there is none."""
    try:
        with path.open("rb") as file:
            return int(json.loads(file.read(_HEADER_BYTES))["count"])
    except (OSError, ValueError, KeyError, TypeError):
        return 0


class FaissVectors(Vectors):
    """The same, searched by FAISS, exactly: a flat index with numbers."""

    LIBRARY, FILE = "faiss", "faiss.index"

    def __init__(self, model: str, dimension: int, numbers: Any = (), vectors: Any = None) -> None:
        super().__init__(model, dimension, numbers, vectors)
        self._faiss = import_module("faiss")
        self._index = self._faiss.IndexIDMap2(self._faiss.IndexFlatIP(dimension))
        self._index.add_with_ids(self._kept, self._numbers)

    def add(self, numbers: Numbers, vectors: Floats) -> None:
        """See Vectors."""
        before = len(self._numbers)
        super().add(numbers, vectors)
        new = self._numbers[before:]
        self._index.add_with_ids(self.rows(new)[1], new)

    def nearest(
        self, question: Floats, count: int, within: Iterable[int] | None = None
    ) -> tuple[Numbers, Floats]:
        """See Vectors."""
        import numpy as np

        if within is None:
            cosines, numbers = self._index.search(question[None, :], max(1, count))
        else:
            selector = self._faiss.IDSelectorBatch(np.unique(np.fromiter(within, np.int64)))
            parameters = self._faiss.SearchParameters(sel=selector)
            cosines, numbers = self._index.search(
                question[None, :], max(1, count), params=parameters
            )
        is_real = numbers[0] >= 0
        numbers, cosines = numbers[0][is_real][:count], cosines[0][is_real][:count]
        order = np.lexsort((numbers, -cosines))
        return numbers[order], cosines[order]


def _some(vectors: Floats) -> Floats:
    """Return SAMPLE of the vectors, the same ones in whatever order they come."""
    import numpy as np

    bits = np.ascontiguousarray(vectors[:, 0]).view(np.uint32).astype(np.uint64)
    keys = (bits * 2_654_435_761) % (1 << 32)
    return vectors[np.argsort(keys, kind="stable")[:SAMPLE]]


def _highest(cosines: Floats, count: int) -> Numbers:
    """Return the places of the `count` highest; of equal ones at the end none, so that numbers do
    not decide."""
    import numpy as np

    next_one = -np.partition(-cosines, count)[count]
    above = np.nonzero(cosines > next_one)[0]
    return above if len(above) else np.argsort(-cosines, kind="stable")[:count]
