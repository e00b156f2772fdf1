"""Learn the weights of recall from questions of several kinds, and score each conversation by what
the others teach.

    python -m bench.learn [--data DIR]          recall@5/10/25/50 of conversations that were held
                                                out, by collection
    python -m bench.learn [--data DIR] --write  the same, then the weights of all, into
                                                assets/recall_weights.json
    python -m bench.learn --without NAME…       the same without features: one that changes less
                                                than noise can go

Each collection counts as the square root of its questions, so that the largest does not decide
alone. Each question is asked of its own conversation, and of one journal that holds all of them:
`together`. The simple way beside it is the plain sum of keywords and meaning.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from bench.places import DATA
from bench.recall import CUTS, OWN, Conversation, conversations, written
from bench.talks import LOCOMO, MADIAL, memories
from memory.journal.store import Store
from memory.recall import ranking
from memory.recall.candidates import candidates
from models.embeddings import EmbeddedModel, Embedder

STEPS = 200
LAMBDA = 4e-3  # how strongly weights are held near 0
SEVERAL = 0.75  # a question with n answers counts n ** 0.75
SIMPLE = {"own": 1.0, "near": 1.0}
WAYS = ("words_and_meaning", "words")

Numbers = np.ndarray[Any, np.dtype[Any]]


class Example(NamedTuple):
    """A question as the learner sees it: a row of numbers for each turn that is weighed, and which
    are answers."""

    rows: Numbers
    is_answer: Numbers
    answers: int  # there may be more than those that are weighed


class Talk(NamedTuple):
    """A conversation's examples; `names` are those of the columns, `number` is the
    conversation's."""

    number: int
    collection: str
    names: list[str]
    examples: list[Example]


def collections(data: Path) -> Iterator[tuple[str, Conversation]]:
    """Give the conversations of all collections that are there."""
    for file in sorted(OWN.glob("*.json")):
        yield from ((file.stem, talk) for talk in conversations(file))
    if (data / LOCOMO).exists():
        yield from (("locomo", talk) for talk in conversations(data / LOCOMO))
    if (data / MADIAL).exists():
        yield from (("madial", talk) for talk in memories(data / MADIAL))
        whole = memories(data / MADIAL, is_whole=True)
        yield from (("madial dialogue", talk) for talk in whole)


def examined(found: Sequence[tuple[str, Conversation]], made: Embedder, way: str) -> list[Talk]:
    """Return what the learner sees of each conversation, in its own journal and together with all
    others."""
    embedder = made if way == "words_and_meaning" else None
    talks: list[Talk] = []
    marked = [_marked(talk, number) for number, (_, talk) in enumerate(found)]
    everything = Conversation([turn for talk in marked for turn in talk.turns], [], marked[0].now)
    with tempfile.TemporaryDirectory() as folder:
        whole = written(Path(folder, "together"), everything, made)
        for number, (name, talk) in enumerate(found):
            alone = written(Path(folder, str(number)), talk, made)
            talks.append(_examined(number, name, talk, alone, embedder))
            talks.append(_examined(number, "together", marked[number], whole, embedder))
            alone.close()
        whole.close()
    return talks


def _marked(talk: Conversation, number: int) -> Conversation:
    """Return a conversation that can stand beside others: in a session of its own, with ids of its
    own."""
    turns = [
        turn._replace(id=f"{number}/{turn.id}", session=f"shared:{number}") for turn in talk.turns
    ]
    questions = [
        each._replace(answers=frozenset(f"{number}/{id}" for id in each.answers))
        for each in talk.questions
    ]
    return Conversation(turns, questions, talk.now)


def _examined(
    number: int, name: str, talk: Conversation, store: Store, embedder: Embedder | None
) -> Talk:
    names: list[str] = []
    examples: list[Example] = []
    for question in talk.questions:
        seen, _ = candidates(store, question.text, talk.now, embedder=embedder)
        if seen is None:
            continue
        names = [name for name in seen.features if name not in ranking.BY_HAND]
        rows = np.stack([seen.features[name] for name in names], axis=1).astype(np.float32)
        is_answer = np.array([turn.id in question.answers for turn in seen.rows.turns])
        examples.append(Example(rows, is_answer, len(question.answers)))
    return Talk(number, name, names, examples)


def learned(talks: Sequence[Talk], columns: Sequence[int]) -> Numbers:
    """Return weights under which answers stand above all other turns: softmax of each answer
    against them, by Adam."""
    sizes = {talk.collection: 0 for talk in talks}
    for talk in talks:
        sizes[talk.collection] += len(talk.examples)
    useful = [
        (each, sizes[talk.collection] ** -0.5)
        for talk in talks
        for each in talk.examples
        if each.is_answer.any() and not each.is_answer.all()
    ]
    rows = np.concatenate([each.rows[:, columns] for each, _ in useful])
    is_answer = np.concatenate([each.is_answer for each, _ in useful])
    lengths = [len(each.is_answer) for each, _ in useful]
    starts, question = np.cumsum([0, *lengths[:-1]]), np.repeat(np.arange(len(lengths)), lengths)
    answers = np.add.reduceat(is_answer.astype(float), starts)
    counts = answers**SEVERAL * np.array([weight for _, weight in useful])
    counts /= counts.sum() * answers
    weights, slope, square = (np.zeros(rows.shape[1]) for _ in range(3))
    for step in range(1, STEPS + 1):
        scores = (rows @ weights.astype(np.float32)).astype(float)
        powers = np.exp(scores - np.maximum.reduceat(scores, starts)[question])
        others = np.where(is_answer, 0.0, powers)
        below = np.add.reduceat(others, starts)[question] + powers
        shares = np.add.reduceat(np.where(is_answer, 1 / below, 0.0), starts)
        push = np.where(is_answer, powers / below - 1, others * shares[question]) * counts[question]
        gradient = 2 * LAMBDA * weights + rows.T @ push.astype(np.float32)
        slope, square = 0.9 * slope + 0.1 * gradient, 0.99 * square + 0.01 * gradient**2
        rate = 0.1 * min(1.0, 40 / step**0.8)
        weights -= rate * (slope / (1 - 0.9**step)) / (np.sqrt(square / (1 - 0.99**step)) + 1e-8)
    return weights


def shares(examples: Sequence[Example], weights: Numbers, columns: Sequence[int]) -> list[Numbers]:
    """Return recall@5, 10, 25, 50 of each question."""
    found = []
    for each in examples:
        order = np.argsort(-(each.rows[:, columns] @ weights), kind="stable")
        hits = np.cumsum(each.is_answer[order])
        found.append(np.array([hits[min(cut, len(hits)) - 1] / each.answers for cut in CUTS]))
    return found


def held_out(talks: Sequence[Talk], columns: Sequence[int]) -> dict[str, list[float]]:
    """Return recall by collection, each conversation asked with what the others teach."""
    found: dict[str, list[Numbers]] = {}
    for number in {talk.number: None for talk in talks}:
        weights = learned([talk for talk in talks if talk.number != number], columns)
        for talk in talks:
            if talk.number == number:
                found.setdefault(talk.collection, []).extend(
                    shares(talk.examples, weights, columns)
                )
    return _means(found)


def simple(talks: Sequence[Talk]) -> dict[str, list[float]]:
    """Return recall by collection of the plain sum of keywords and meaning."""
    found: dict[str, list[Numbers]] = {}
    for talk in talks:
        names = [name for name in SIMPLE if name in talk.names]
        weights = np.array([SIMPLE[name] for name in names])
        columns = [talk.names.index(name) for name in names]
        found.setdefault(talk.collection, []).extend(shares(talk.examples, weights, columns))
    return _means(found)


def _means(found: Mapping[str, Sequence[Numbers]]) -> dict[str, list[float]]:
    return {
        name: [round(100 * float(each), 1) for each in np.mean(rows, axis=0)]
        for name, rows in found.items()
    }


def main() -> int:
    """Run it."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, default=DATA, help="folder of the collections")
    parser.add_argument("--without", nargs="*", default=[], help="features that are left out")
    parser.add_argument("--write", action="store_true", help="write the weights of all of it")
    options = parser.parse_args()
    made = EmbeddedModel()
    kept: dict[str, Any] = {}
    how: dict[str, Any] = {"command": "python -m bench.learn --write", "model": made.name}
    for way in WAYS:
        talks = examined(list(collections(options.data)), made, way)
        names = [name for name in talks[0].names if name not in options.without]
        columns = [talks[0].names.index(name) for name in names]
        how[way] = {"held out": held_out(talks, columns), "simple": simple(talks)}
        print(f"{way}, {len(names)} features", json.dumps(how[way], indent=1), flush=True)
        weights = learned(talks, columns).tolist()
        kept[way] = {name: round(each, 3) for name, each in zip(names, weights, strict=True)}
    if options.write:
        text = json.dumps({"learned": how, "weights": kept}, indent=1, ensure_ascii=False)
        ranking.WEIGHTS.write_text(text + "\n", "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
