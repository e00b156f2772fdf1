"""Vectors by number: the same cases for numpy and, where it is installed, FAISS; files that are
torn or of something else."""

from pathlib import Path

import numpy as np
import pytest

from memory.recall.vectors import FaissVectors, Vectors, load

DIMENSION = 16


def some(count: int, seed: int = 1) -> np.ndarray[tuple[int, int], np.dtype[np.float32]]:
    """Vectors of length 1, always the same ones."""
    made = np.random.default_rng(seed).normal(size=(count, DIMENSION)).astype(np.float32)
    unit: np.ndarray[tuple[int, int], np.dtype[np.float32]] = made / np.linalg.norm(
        made, axis=1, keepdims=True
    )
    return unit


def empty(kind: str) -> Vectors:
    """No vectors yet."""
    return Vectors("m", DIMENSION) if kind == "exact" else FaissVectors("m", DIMENSION)


def again(kind: str, path: Path, model: str = "m") -> tuple[Vectors, str] | None:
    """Return what is in the file."""
    return load(path, model, type(empty(kind)))


@pytest.fixture(params=["exact", "faiss"])
def kind(request: pytest.FixtureRequest) -> str:
    """Each implementation, FAISS where it is installed."""
    pytest.importorskip("faiss" if request.param == "faiss" else "numpy")
    return str(request.param)


def test_nearest_are_those_that_a_full_comparison_finds(kind: str) -> None:
    made, numbers, vectors = empty(kind), np.arange(10, 1010) * 3, some(1000)
    for at in range(0, 1000, 100):
        made.add(numbers[at : at + 100], vectors[at : at + 100])
    for question in some(20, seed=2):
        right = numbers[np.argsort(-(vectors @ question))[:7]]
        found, cosines = made.nearest(question, 7)
        assert found.tolist() == right.tolist()
        assert np.allclose(cosines, np.sort(vectors @ question)[::-1][:7], atol=1e-5)


def test_search_keeps_to_the_numbers_given(kind: str) -> None:
    made, vectors = empty(kind), some(400)
    made.add(np.arange(400), vectors)
    question = some(1, seed=3)[0]
    within = [5, 17, 200, 399, 7_000_000, 17]
    found, _ = made.nearest(question, 10, within)
    assert sorted(found.tolist()) == [5, 17, 200, 399]
    assert made.nearest(question, 10, [])[0].tolist() == []


def test_file_gives_back_what_was_saved_and_takes_more(kind: str, tmp_path: Path) -> None:
    path, made, vectors = tmp_path / "v", empty(kind), some(50)
    made.add(np.arange(50), vectors)
    made.save(path, "stamp")
    found = again(kind, path)
    assert found is not None
    assert found[1] == "stamp"
    found[0].add(np.array([77]), some(1, seed=4))
    assert found[0].numbers().tolist() == [*range(50), 77]
    assert np.allclose(found[0].rows([49, 99])[1], vectors[[49]])
    found[0].save(path, "later")
    later = again(kind, path)
    assert later is not None
    assert len(later[0].numbers()) == 51


@pytest.mark.parametrize("damage", ["cut", "longer", "empty", "other model", "rubbish", "gone"])
def test_file_that_is_torn_or_of_something_else_is_not_used(
    kind: str, tmp_path: Path, damage: str
) -> None:
    path, made = tmp_path / "v", empty(kind)
    made.add(np.arange(50), some(50))
    made.save(path)
    data = path.read_bytes()
    if damage == "gone":
        path.unlink()
    else:
        broken = {
            "cut": data[:-5],
            "longer": data + b"x",
            "empty": b"",
            "rubbish": b"\xff" * len(data),
        }
        path.write_bytes(broken.get(damage, data))
    assert again(kind, path, "n" if damage == "other model" else "m") is None
