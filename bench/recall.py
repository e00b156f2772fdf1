"""How many of the turns that answer a question recall finds, against keywords alone and meaning
alone, and how fast.

    python bench/recall.py [--data FILE]       recall@5/10/25/50 by category, each of three ways,
                                               with times
    python bench/recall.py --size 100000       the same of one conversation among so many turns;
                                               CPU, memory, writing

The data is in LoCoMo's form (bench/recall_data/ has our own small set). Everything goes the way of
the product: turns are written into a journal, what is put off is worked off, questions are asked of
its index.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
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
from models.embeddings import EmbeddedModel, Embedder
from text.time import find
from text.words import asked

OWN = Path(__file__).parent / "recall_data"
CUTS = (5, 10, 25, 50)
DATED = "dated"  # questions that name a time, whatever their category
CATEGORIES = {1: "multi-hop", 2: "when", 3: "open", 4: "single-hop", 5: "adversarial"}


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


def conversations(file: Path) -> list[Conversation]:
    """Return the conversations of a file in LoCoMo's form."""
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
    """Return a journal that holds a conversation, with everything that is put off done; its index,
    open."""
    with Memory(home, embedder=embedder) as memory:
        memory.write(talk.turns)
        if not memory.flush(600):
            raise SystemExit("what is put off was not done in ten minutes")
    return Store(home / "journal" / "memory.sqlite3")


def share(found: Sequence[str], answers: frozenset[str], cut: int) -> float:
    """Return the share of the answers among the first `cut` that were found."""
    return len(answers & set(found[:cut])) / len(answers)


def question_is_dated(question: Asked, now: datetime) -> bool:
    """Return True if a question names a time."""
    return bool(find(question.text, now))


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
        """Count one question."""
        row = [share(found, question.answers, cut) for cut in CUTS]
        for category in ("all", question.category, *([DATED] if is_dated else [])):
            self.shares[way][category].append(row)
        self.seconds[way].append(seconds)

    def mean(self, way: str, category: str = "all") -> list[float]:
        """Recall@5, 10, 25, 50 in percent."""
        return [round(100 * float(each), 1) for each in np.mean(self.shares[way][category], axis=0)]

    def show(self) -> None:
        """Print it."""
        print(f"{'':20}{'':12}{'questions':>10}" + "".join(f"{f'R@{cut}':>8}" for cut in CUTS))
        for way, by_category in self.shares.items():
            for category, rows in by_category.items():
                means = "".join(f"{each:8.1f}" for each in self.mean(way, category))
                print(f"{way:20}{category:12}{len(rows):10}{means}")
            if any(self.seconds[way]):
                half, most = np.percentile(self.seconds[way], [50, 95])
                print(f"{way:20}CPU p50 {1000 * half:.1f} ms, p95 {1000 * most:.1f} ms")


def measure(talks: Iterable[Conversation], embedder: Embedder) -> Table:
    """Ask everything, each of three ways."""
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
                is_dated = question_is_dated(question, talk.now)
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


def main() -> int:
    """Run it."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--data", type=Path, action="append", help="a file in LoCoMo's form (default: our own)"
    )
    parser.add_argument(
        "--size", type=int, default=0, help="among so many turns of others, with times"
    )
    options = parser.parse_args()
    embedder = EmbeddedModel()
    files = options.data or sorted(OWN.glob("*.json"))
    talks = [talk for file in files for talk in conversations(file)]
    if options.size:
        from bench.size import among

        among(talks, options.size, embedder)
    else:
        measure(talks, embedder).show()
    return 0


if __name__ == "__main__":
    sys.exit(main())
