"""How many of the turns that answer a question recall finds, against keywords alone and meaning alone, and how fast.

    python bench/recall.py [--data FILE]       recall@5/10/25/50 by category, each of three ways, with times
    python bench/recall.py --data FILE --held  the weights learned anew without the conversation that is asked about
    python bench/recall.py --data FILE --learn the same, then the weights of all of it, into assets/recall_weights.json
    python bench/recall.py --size 100000       time, CPU and memory with as many generated turns; what writing one takes

The data is in LoCoMo's form (bench/recall_data/ has our own small set). Everything goes the way of the product: turns
are written into a journal, what is put off is worked off, questions are asked of its index.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import re
import resource
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

os.environ.setdefault(
    "OPENBLAS_NUM_THREADS", "1"
)  # as the product loads it (memory/journal/api.py)
sys.path.insert(0, str(Path(__file__).parent.parent))

import numpy as np

from memory.journal.api import Memory
from memory.journal.store import Store
from memory.journal.turns import Turn
from memory.recall import ranking as recall
from memory.recall.words import learn
from models.embeddings import EmbeddedModel, Embedder
from text.words import asked

OWN = Path(__file__).parent / "recall_data"
CUTS = (5, 10, 25, 50)
DATED = "dated"  # questions that name a time, whatever their category
CATEGORIES = {1: "multi-hop", 2: "when", 3: "open", 4: "single-hop", 5: "adversarial"}
COMMON = "i we the a to and of went was with my for you it that on in had have really"
LAMBDA = {"words_and_meaning": 5e-3, "words": 2e-3}  # how strongly weights are held near 0
STEPS = 200
WRITES = 100
BETWEEN_SECONDS = 0.15  # two turns: long enough that the work behind goes on between them
SEVERAL = 0.75  # a question with n answers counts n ** 0.75


class Asked(NamedTuple):
    """A question, the ids of the turns that answer it, and its category."""

    text: str
    answers: frozenset[str]
    category: str


class Conversation(NamedTuple):
    """Turns, in order, and what is asked about them; `now` is a little after the last one."""

    turns: list[Turn]
    questions: list[Asked]
    now: datetime


class Examples(NamedTuple):
    """One question as the learner sees it: a row of numbers for each turn that was weighed, and which are answers."""

    rows: np.ndarray[Any, np.dtype[np.float32]]
    is_answer: np.ndarray[Any, np.dtype[np.bool_]]
    numbers: list[int]


def conversations(file: Path) -> list[Conversation]:
    """The conversations of a file in LoCoMo's form."""
    read = json.loads(file.read_text("utf-8"))
    return [
        _conversation(each) for each in (read["conversations"] if isinstance(read, dict) else read)
    ]


def _conversation(raw: dict[str, Any]) -> Conversation:
    talk = raw["conversation"]
    sessions = sorted(
        (key for key in talk if re.fullmatch(r"session_\d+", key)), key=lambda key: int(key[8:])
    )
    turns: list[Turn] = []
    for key in sessions:
        at = datetime.strptime(talk[f"{key}_date_time"], "%I:%M %p on %d %B, %Y").replace(
            tzinfo=UTC
        )
        for place, said in enumerate(talk[key]):
            text = said["text"] + (
                f" [photo: {said['blip_caption']}]" if "blip_caption" in said else ""
            )
            turns.append(
                Turn(
                    said["dia_id"],
                    "main",
                    said["speaker"],
                    text,
                    at + timedelta(seconds=20 * place),
                )
            )
    known = {turn.id for turn in turns}
    questions = []
    for each in raw["qa"]:
        answers = (
            frozenset(found for text in each["evidence"] for found in re.findall(r"D\d+:\d+", text))
            & known
        )
        if answers:
            questions.append(Asked(each["question"], answers, CATEGORIES[each["category"]]))
    return Conversation(turns, questions, max(turn.at for turn in turns) + timedelta(days=1))


def written(home: Path, talk: Conversation, embedder: Embedder) -> Store:
    """A journal that holds a conversation, with everything that is put off done; its index, open."""
    with Memory(home, embedder=embedder) as memory:
        memory.write(talk.turns)
        if not memory.flush(600):
            raise SystemExit("what is put off was not done in ten minutes")
    return Store(home / "journal" / "memory.sqlite3")


def share(found: Sequence[str], answers: frozenset[str], cut: int) -> float:
    """The share of the answers among the first `cut` that were found."""
    return len(answers & set(found[:cut])) / len(answers)


class Table:
    """Recall by way and category."""

    def __init__(self) -> None:
        self.shares: dict[str, dict[str, list[list[float]]]] = defaultdict(
            lambda: defaultdict(list)
        )
        self.seconds: dict[str, list[float]] = defaultdict(list)

    def add(
        self, way: str, question: Asked, is_dated: bool, found: Sequence[str], seconds: float = 0.0
    ) -> None:
        """Counts one question."""
        row = [share(found, question.answers, cut) for cut in CUTS]
        for category in ("all", question.category, *([DATED] if is_dated else [])):
            self.shares[way][category].append(row)
        self.seconds[way].append(seconds)

    def mean(self, way: str, category: str = "all") -> list[float]:
        """Recall@5, 10, 25, 50 in percent."""
        return [round(100 * float(each), 1) for each in np.mean(self.shares[way][category], axis=0)]

    def show(self) -> None:
        """Prints it."""
        print(f"{'':20}{'':12}{'questions':>10}" + "".join(f"{f'R@{cut}':>8}" for cut in CUTS))
        for way, by_category in self.shares.items():
            for category, rows in by_category.items():
                means = "".join(f"{each:8.1f}" for each in self.mean(way, category))
                print(f"{way:20}{category:12}{len(rows):10}{means}")
            if any(self.seconds[way]):
                half, most = np.percentile(self.seconds[way], [50, 95])
                print(f"{way:20}CPU p50 {1000 * half:.1f} ms, p95 {1000 * most:.1f} ms")


def measure(talks: Iterable[Conversation], embedder: Embedder) -> Table:
    """Asks everything, each of three ways."""
    table = Table()
    for talk in talks:
        with tempfile.TemporaryDirectory() as folder:
            store = written(Path(folder), talk, embedder)
            ids = {number: turn.id for number, turn in store.turns(store.numbers()).items()}
            vectors = {
                number: np.frombuffer(data, "<f4")
                for number, data in store.embeddings(embedder.name)
            }
            matrix = np.stack(list(vectors.values()))
            recall.search(store, "warm", talk.now, embedder=embedder)
            for question in talk.questions:
                is_dated = bool(recall._ranges(question.text, talk.now))
                started = time.process_time()
                found = recall.search(
                    store, question.text, talk.now, max(CUTS), embedder=embedder
                ).results
                seconds = time.process_time() - started
                table.add("recall", question, is_dated, [each.turn.id for each in found], seconds)
                words = store.keyword_ranks(asked(question.text), max(CUTS), weights=(1.0, 0.0))
                table.add(
                    "keywords alone", question, is_dated, [ids[number] for number, _ in words]
                )
                cosines = matrix @ embedder.embed([question.text])[0]
                near = [ids[list(vectors)[row]] for row in np.argsort(-cosines)[: max(CUTS)]]
                table.add("meaning alone", question, is_dated, near)
            store.close()
    return table


# learning the weights


def examples(
    talk: Conversation, embedder: Embedder | None, made: Embedder
) -> tuple[list[Examples], list[str], list[recall.Candidates | None]]:
    """Return what the learner sees of a conversation, the features' names, and for each question
    all that is weighed."""
    with tempfile.TemporaryDirectory() as folder:
        store = written(Path(folder), talk, made)
        found: list[Examples] = []
        names: list[str] = []
        weighed: list[recall.Candidates | None] = []
        for question in talk.questions:
            seen, _ = recall.candidates(store, question.text, talk.now, embedder=embedder)
            if seen is None:
                found.append(Examples(np.zeros((0, 0), np.float32), np.zeros(0, bool), []))
                weighed.append(None)
                continue
            names = list(seen.features)
            rows = np.stack([seen.features[name] for name in names], axis=1).astype(np.float32)
            is_answer = np.array([turn.id in question.answers for turn in seen.rows.turns])
            found.append(Examples(rows, is_answer, seen.rows.numbers))
            weighed.append(seen)
        store.close()
    return found, names, weighed


def learned(seen: Sequence[Examples], way: str) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Weights under which answers stand above all other turns: softmax of each answer against them, Adam, no luck in it."""
    useful = [each for each in seen if each.is_answer.any() and not each.is_answer.all()]
    rows = np.concatenate([each.rows for each in useful])
    is_answer = np.concatenate([each.is_answer for each in useful])
    sizes = [len(each.is_answer) for each in useful]
    starts, question = np.cumsum([0, *sizes[:-1]]), np.repeat(np.arange(len(sizes)), sizes)
    answers = np.add.reduceat(is_answer.astype(float), starts)
    counts = answers**SEVERAL / (answers**SEVERAL).sum() / answers
    weights, slope, square = (
        np.zeros(rows.shape[1]),
        np.zeros(rows.shape[1]),
        np.zeros(rows.shape[1]),
    )
    for step in range(1, STEPS + 1):
        scores = (rows @ weights.astype(np.float32)).astype(float)
        powers = np.exp(scores - np.maximum.reduceat(scores, starts)[question])
        others = np.where(is_answer, 0.0, powers)
        below = np.add.reduceat(others, starts)[question] + powers
        shares = np.add.reduceat(np.where(is_answer, 1 / below, 0.0), starts)
        push = np.where(is_answer, powers / below - 1, others * shares[question]) * counts[question]
        gradient = 2 * LAMBDA[way] * weights + rows.T @ push.astype(np.float32)
        slope, square = 0.9 * slope + 0.1 * gradient, 0.99 * square + 0.01 * gradient**2
        rate = 0.1 * min(1.0, 40 / step**0.8)
        weights -= rate * (slope / (1 - 0.9**step)) / (np.sqrt(square / (1 - 0.99**step)) + 1e-8)
    return weights


def held_out(talks: Sequence[Conversation], made: Embedder, *, keep: bool, file: Path) -> None:
    """Learns without each conversation in turn and asks about it; `keep`: then learns from all and writes the weights."""
    kept: dict[str, dict[str, float]] = {}
    tables = Table()
    for way, embedder in (("words_and_meaning", made), ("words", None)):
        each_seen = []
        names: list[str] = []
        for talk in talks:
            seen, names, weighed = examples(talk, embedder, made)
            each_seen.append((talk, seen, weighed))
        for talk, _, weighed in each_seen:
            others = [one for other, rows, _ in each_seen if other is not talk for one in rows]
            weights = (
                dict(zip(names, learned(others, way).tolist(), strict=True))
                if len(talks) > 1
                else {}
            )
            for question, candidates in zip(talk.questions, weighed, strict=True):
                ranked = _ranked(candidates, weights, talk.now) if candidates else []
                tables.add(way, question, bool(candidates and candidates.ranges), ranked)
        final = learned([one for _, rows, _ in each_seen for one in rows], way)
        kept[way] = {
            name: round(float(weight), 3) for name, weight in zip(names, final, strict=True)
        }
    tables.show()
    if keep:
        how: dict[str, Any] = {
            "command": "python bench/recall.py --data FILE --learn",
            "model": made.name,
        }
        how |= {"questions": sum(len(talk.questions) for talk in talks)}
        how |= {"held_out": {way: tables.mean(way) for way in kept}}
        file.write_text(json.dumps({"learned": how, "weights": kept}, indent=1) + "\n", "utf-8")


def _ranked(candidates: recall.Candidates, weights: dict[str, float], now: datetime) -> list[str]:
    scores = sum(
        (weights[name] * values for name, values in candidates.features.items()),
        np.zeros(len(candidates.rows.numbers)),
    )
    return [
        candidates.rows.turns[row].id for row in np.argsort(-scores, kind="stable")[: max(CUTS)]
    ]


# speed


def generated(count: int) -> Iterator[Turn]:
    """Turns of everyday words, always the same ones: two people, a talk of 20 turns every other hour."""
    random = np.random.default_rng(7)
    words = [
        f"{a}{b}{c}"
        for a in ("ba", "mo", "ki", "tu", "re")
        for b in ("lan", "dor", "sim", "vel")
        for c in "abcdefghijklmnopqrst"
    ]
    common = COMMON.split()
    started = datetime(2020, 1, 1, tzinfo=UTC)
    for number in range(count):
        size = int(random.integers(6, 30))
        rare = random.zipf(1.3, size) % len(words)
        text = " ".join(
            words[int(r)] if at % 2 else common[int(r) % len(common)] for at, r in enumerate(rare)
        )
        at = started + timedelta(hours=2 * (number // 20), seconds=20 * (number % 20))
        yield Turn(f"g{number}", "main", ("Ann", "Bob")[number % 2], text, at)


def filled(home: str, count: int) -> None:
    """Makes a journal of generated turns with vectors of no meaning, which take as long to search as others."""
    embedder, turns = EmbeddedModel(), generated(count)
    with Memory(Path(home), works_behind=False) as memory:
        while some := list(islice(turns, 5000)):
            memory.write(some)
    store = Store(Path(home) / "journal" / "memory.sqlite3")
    random = np.random.default_rng(9)
    dimension = embedder.embed(["x"]).shape[1]
    while keys := store.due("embedding", 5000):
        learn(store, embedder, store.texts(keys).values())
        made = random.normal(size=(len(keys), dimension)).astype("<f4")
        made /= np.linalg.norm(made, axis=1, keepdims=True)
        store.put_embeddings(
            embedder.name, {key: row.tobytes() for key, row in zip(keys, made, strict=True)}
        )
    recall.search(store, "warm", datetime.now(UTC), embedder=embedder)
    store.close()


def speed(count: int, embedder: Embedder) -> None:
    """Prints how long questions take with so many turns, embedding included, how much memory, and how long writes take."""
    random = np.random.default_rng(8)
    chosen = {int(number) for number in random.integers(0, count, 100)}
    asked_about = []
    for number, turn in enumerate(generated(count)):
        now = turn.at + timedelta(days=1)
        if number in chosen:
            asked_about.append(turn)
    with tempfile.TemporaryDirectory() as folder:
        started = time.monotonic()
        child = multiprocessing.get_context("spawn").Process(target=filled, args=(folder, count))
        child.start()  # a process of its own, so that its memory is not counted
        child.join()
        store = Store(Path(folder) / "journal" / "memory.sqlite3")
        size = sum(file.stat().st_size for file in Path(folder).rglob("*") if file.is_file())
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        print(f"{count} turns written and indexed in {time.monotonic() - started:.0f} s", end="")
        print(
            f" ({used.ru_utime + used.ru_stime:.0f} s of CPU, {used.ru_maxrss // 1024} MB); {size // 1_000_000} MB on disk"
        )
        recall.search(store, "warm", now, embedder=embedder)
        times, walls = [], []
        for turn in asked_about:
            question = f"When did {turn.who} go with the {' '.join(turn.text.split()[:9])}?"
            began, wall = time.process_time(), time.monotonic()
            recall.search(store, question, now, embedder=embedder)
            times.append(time.process_time() - began)
            walls.append(time.monotonic() - wall)
        print(f"retrieve: CPU {_spread(times)}; wall {_spread(walls)}")
        print(f"memory: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024} MB at most")
        store.close()
        disk = [_seconds(lambda: _synced(Path(folder) / "synced")) for _ in range(WRITES)]
        print(f"a line synced to this disk: wall {_spread([wall for wall, _ in disk])}")
        said = islice(generated(count + 2 * WRITES), count, None)
        for way, works_behind in (("nothing behind", False), ("the work behind at work", True)):
            with Memory(Path(folder), embedder=embedder, works_behind=works_behind) as memory:
                seconds = []
                for turn in islice(said, WRITES):
                    seconds.append(_seconds(partial(memory.write, [turn])))
                    time.sleep(BETWEEN_SECONDS)
            walls, times = ([each[part] for each in seconds] for part in (0, 1))
            print(f"write_turn, {way}: wall {_spread(walls)}; CPU {_spread(times)}")


def _seconds(done: Callable[[], object]) -> tuple[float, float]:
    """How long it takes: on the clock, and of this thread's CPU."""
    wall, began = time.monotonic(), time.thread_time()
    done()
    return time.monotonic() - wall, time.thread_time() - began


def _synced(file: Path) -> None:
    with file.open("ab", buffering=0) as opened:
        opened.write(b"x" * 300)
        os.fdatasync(opened.fileno())


def _spread(seconds: Sequence[float]) -> str:
    half, most = np.percentile(seconds, [50, 95]) * 1000
    return f"p50 {half:.1f} ms, p95 {most:.1f} ms"


def main() -> int:
    """Runs it."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--data", type=Path, action="append", help="a file in LoCoMo's form (default: our own)"
    )
    parser.add_argument(
        "--held", action="store_true", help="learn the weights anew, without what is asked about"
    )
    parser.add_argument("--learn", action="store_true", help="then write the weights of all of it")
    parser.add_argument(
        "--size", type=int, default=0, help="measure speed with so many generated turns"
    )
    options = parser.parse_args()
    embedder = EmbeddedModel()
    if options.size:
        speed(options.size, embedder)
        return 0
    files = options.data or sorted(OWN.glob("*.json"))
    talks = [talk for file in files for talk in conversations(file)]
    if options.held or options.learn:
        held_out(talks, embedder, keep=options.learn, file=recall.WEIGHTS)
    else:
        measure(talks, embedder).show()
    return 0


if __name__ == "__main__":
    sys.exit(main())
