"""Vectors by number: the nearest to a question, exactly; kept in a file beside the index that can be made anew from it.

One base class, two implementations that give the same answers: numpy, over a file that is mapped into memory (100,000
vectors of 512 in 20 ms), and FAISS when it is installed and asked for. Approximate indexes lose most answers under a
narrow filter, so there is none. Source: seed 003 P3.7; figures "Recall".
"""

from __future__ import annotations

import contextlib
import json
from abc import ABC, abstractmethod
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


class Vectors(ABC):
    """Vectors of length 1, each with a number. `model` made them; they have `dimension` numbers each."""

    def __init__(self, model: str, dimension: int) -> None:
        self.model, self.dimension = model, dimension
        self._sample: Floats | None = None

    @abstractmethod
    def add(self, numbers: Numbers, vectors: Floats) -> None:
        """Adds vectors (n, dimension), or puts them in the place of those that have these numbers."""

    @abstractmethod
    def numbers(self) -> Numbers:
        """All numbers, ascending."""

    @abstractmethod
    def nearest(
        self, question: Floats, count: int, within: Iterable[int] | None = None
    ) -> tuple[Numbers, Floats]:
        """The numbers nearest to one vector (dimension,), and how near: the cosine, highest first. `within`: only these."""

    @abstractmethod
    def of(self, numbers: Iterable[int]) -> dict[int, Floats]:
        """Vectors by number; those that are not there are left out."""

    def rows(self, numbers: Iterable[int]) -> tuple[NDArray[np.bool_], Floats]:
        """Return which of the numbers are there, and the vectors of those, in their order."""
        import numpy as np

        wanted = list(numbers)
        found = self.of(wanted)
        vectors = [found[number] for number in wanted if number in found]
        there = np.array([number in found for number in wanted], bool)
        return there, np.stack(vectors) if vectors else np.zeros((0, self.dimension), np.float32)

    @abstractmethod
    def save(self, path: Path, stamp: str = "") -> None:
        """Writes them, whole or not at all. `stamp` says what they were made from."""

    def has_any(self) -> bool:
        """Return True unless it is empty."""
        return len(self._chosen()) > 0

    def _chosen(self) -> Floats:
        """Return the sample."""
        if self._sample is None:
            self._sample = _some(self._all())
        return self._sample

    @abstractmethod
    def _all(self) -> Floats:
        """Return all vectors, in any order."""

    def _grow_sample(self, vectors: Floats, *, is_new: bool) -> None:
        """Take in vectors that are added; where some take another's place the sample is chosen again."""
        import numpy as np

        if self._sample is not None:
            self._sample = _some(np.concatenate([self._sample, vectors])) if is_new else None

    def spread(self, questions: Floats) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Mean and standard deviation of the cosines of all vectors to each question (m, dimension), from a sample.

        The sample is chosen by what the vectors are, so that a rebuild, which numbers turns anew, gives the same.
        """
        import numpy as np

        cosines = self._chosen().astype(np.float64) @ questions.T.astype(np.float64)
        return cosines.mean(axis=0), np.maximum(cosines.std(axis=0), 1e-6)


class ExactVectors(Vectors):
    """With numpy: a file mapped into memory, and what was added since."""

    def __init__(
        self, model: str, dimension: int, numbers: Any = (), vectors: Any = None, room: int = 0
    ) -> None:
        """`room`: for so many vectors, added in ascending order, memory is taken once."""
        import numpy as np

        super().__init__(model, dimension)
        self._numbers: Numbers = np.asarray(numbers, np.int64)
        self._vectors: Floats = np.zeros((0, dimension), np.float32) if vectors is None else vectors
        self._new: dict[int, Floats] = {}
        self._room: Floats = np.empty((room, dimension), np.float32)

    def add(self, numbers: Numbers, vectors: Floats) -> None:
        """See Vectors."""
        import numpy as np

        total = len(self._numbers) + len(numbers)
        is_behind = len(numbers) > 0 and (not len(self._numbers) or numbers[0] > self._numbers[-1])
        self._grow_sample(vectors, is_new=is_behind and not self._new)
        if (
            is_behind
            and not self._new
            and total <= len(self._room)
            and (np.diff(numbers) > 0).all()
        ):
            self._room[total - len(numbers) : total] = vectors
            self._numbers, self._vectors = (
                np.concatenate([self._numbers, numbers]),
                self._room[:total],
            )
            return
        self._new |= dict(zip(map(int, numbers), vectors, strict=True))
        if len(self._new) > 256 + len(self._numbers) // 8:
            self._merge()

    def numbers(self) -> Numbers:
        """See Vectors."""
        import numpy as np

        return np.union1d(self._numbers, np.fromiter(self._new, np.int64, len(self._new)))

    def nearest(
        self, question: Floats, count: int, within: Iterable[int] | None = None
    ) -> tuple[Numbers, Floats]:
        """See Vectors."""
        import numpy as np

        if within is None:
            numbers, cosines = self._numbers, self._vectors @ question
        else:
            chosen = np.unique(np.fromiter(within, np.int64))
            places = np.searchsorted(self._numbers, chosen)
            is_here = places < len(self._numbers)
            is_here[is_here] = self._numbers[places[is_here]] == chosen[is_here]
            numbers, cosines = chosen[is_here], self._vectors[places[is_here]] @ question
        if self._new:
            allowed = set(self._new) if within is None else set(self._new) & set(chosen.tolist())
            is_old = ~np.isin(numbers, np.fromiter(self._new, np.int64, len(self._new)))
            added = np.array(sorted(allowed), np.int64)
            more = np.array([self._new[number] @ question for number in added.tolist()], np.float32)
            numbers, cosines = (
                np.concatenate([numbers[is_old], added]),
                np.concatenate([cosines[is_old], more]),
            )
        cosines = cosines.round(DIGITS)
        if count < len(numbers):
            best = _highest(cosines, count)
            numbers, cosines = numbers[best], cosines[best]
        order = np.lexsort((numbers, -cosines))
        return numbers[order], cosines[order]

    def _all(self) -> Floats:
        self._merge()
        return self._vectors

    def of(self, numbers: Iterable[int]) -> dict[int, Floats]:
        """See Vectors."""
        import numpy as np

        wanted = np.fromiter(numbers, np.int64)
        places = np.searchsorted(self._numbers, wanted)
        found: dict[int, Floats] = {}
        for number, place in zip(wanted.tolist(), places.tolist(), strict=True):
            if number in self._new:
                found[number] = self._new[number]
            elif place < len(self._numbers) and self._numbers[place] == number:
                found[number] = self._vectors[place]
        return found

    def rows(self, numbers: Iterable[int]) -> tuple[NDArray[np.bool_], Floats]:
        """See Vectors."""
        import numpy as np

        if self._new or not len(self._numbers):
            return super().rows(numbers)
        wanted = np.fromiter(numbers, np.int64)
        places = np.minimum(np.searchsorted(self._numbers, wanted), len(self._numbers) - 1)
        there = self._numbers[places] == wanted
        return there, self._vectors[places[there]]

    def save(self, path: Path, stamp: str = "") -> None:
        """See Vectors."""
        self._merge()
        header = {
            "model": self.model,
            "dimension": self.dimension,
            "count": len(self._numbers),
            "stamp": stamp,
        }
        first = json.dumps(header).encode().ljust(_HEADER_BYTES)
        blocks = (
            self._vectors[at : at + 4096].tobytes() for at in range(0, len(self._numbers), 4096)
        )
        write_atomic(path, (first, self._numbers.tobytes(), *blocks))

    def _merge(self) -> None:
        import numpy as np

        if not self._new:
            return
        everything = self.numbers()
        merged = np.empty((len(everything), self.dimension), np.float32)
        merged[np.searchsorted(everything, self._numbers)] = self._vectors
        added = np.fromiter(self._new, np.int64, len(self._new))
        merged[np.searchsorted(everything, added)] = np.stack(list(self._new.values()))
        self._numbers, self._vectors, self._new = everything, merged, {}
        self._room = merged[:0]


def load(path: Path, model: str) -> tuple[ExactVectors, str] | None:
    """The vectors in a file and their stamp, mapped into memory. None for a file that is torn, or of another model."""
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
    return ExactVectors(model, dimension, numbers, np.asarray(vectors)), stamp


def saved(path: Path) -> int:
    """Return how many vectors a file says it holds; 0 where there is none."""
    try:
        with path.open("rb") as file:
            return int(json.loads(file.read(_HEADER_BYTES))["count"])
    except (OSError, ValueError, KeyError, TypeError):
        return 0


class FaissVectors(Vectors):
    """With FAISS, exactly: a flat index with numbers, searched within a batch of them."""

    LIBRARY, FILE = "faiss", "faiss.index"

    def __init__(self, model: str, dimension: int) -> None:
        super().__init__(model, dimension)
        self._faiss = import_module("faiss")
        self._index = self._faiss.IndexIDMap2(self._faiss.IndexFlatIP(dimension))

    def add(self, numbers: Numbers, vectors: Floats) -> None:
        """See Vectors."""
        self._grow_sample(vectors, is_new=self._index.remove_ids(numbers) == 0)
        self._index.add_with_ids(vectors, numbers)

    def numbers(self) -> Numbers:
        """See Vectors."""
        import numpy as np

        found: Numbers = np.sort(self._faiss.vector_to_array(self._index.id_map))
        return found

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

    def _all(self) -> Floats:
        flat = self._faiss.downcast_index(self._index.index)
        found: Floats = flat.reconstruct_n(0, flat.ntotal)
        return found

    def of(self, numbers: Iterable[int]) -> dict[int, Floats]:
        """See Vectors."""
        found: dict[int, Floats] = {}
        for number in numbers:
            with contextlib.suppress(RuntimeError):  # it is not there
                found[number] = self._index.reconstruct(number)
        return found

    def save(self, path: Path, stamp: str = "") -> None:
        """See Vectors. What it was made from stands in a small file beside it, which names the index by its bytes."""
        data = self._faiss.serialize_index(self._index).tobytes()
        write_atomic(path, data)
        header = {
            "model": self.model,
            "dimension": self.dimension,
            "stamp": stamp,
            "sha256": _hash(data),
        }
        write_atomic(path.with_suffix(".json"), json.dumps(header))

    @classmethod
    def load(cls, path: Path, model: str) -> tuple[FaissVectors, str] | None:
        """The index in a file and its stamp; None for a file that is torn, of another model, or not the one described."""
        import numpy as np

        try:
            header = json.loads(path.with_suffix(".json").read_text("utf-8"))
            data = path.read_bytes()
            if header["model"] != model or header["sha256"] != _hash(data):
                return None
            found = cls(model, int(header["dimension"]))
            found._index = found._faiss.deserialize_index(np.frombuffer(data, np.uint8))
        except (OSError, ValueError, KeyError, TypeError, RuntimeError):
            return None
        return found, str(header["stamp"])


def _some(vectors: Floats) -> Floats:
    """Return SAMPLE of the vectors, the same ones in whatever order they come."""
    import numpy as np

    bits = np.ascontiguousarray(vectors[:, 0]).view(np.uint32).astype(np.uint64)
    keys = (bits * 2_654_435_761) % (1 << 32)
    return vectors[np.argsort(keys, kind="stable")[:SAMPLE]]


def _highest(cosines: Floats, count: int) -> Numbers:
    """Return the places of the `count` highest; of equal ones at the end none, so that numbers do not decide."""
    import numpy as np

    next_one = -np.partition(-cosines, count)[count]
    above = np.nonzero(cosines > next_one)[0]
    return above if len(above) else np.argsort(-cosines, kind="stable")[:count]


def _hash(data: bytes) -> str:
    import hashlib

    return hashlib.sha256(data).hexdigest()
