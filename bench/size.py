"""Recall and its times where one conversation lies among many turns of others, who speak in the
words of the other talks.

Each word of the others follows the two before it as it does in some talk that is not asked about,
so that common words are as common as in real ones. Called by `python bench/recall.py --size N`.
"""

from __future__ import annotations

import os
import random
import resource
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from functools import partial
from itertools import islice
from pathlib import Path

import numpy as np

from bench.recall import CUTS, Conversation, Table, question_is_dated
from memory.journal.api import Memory
from memory.journal.store import INDEX, Store
from memory.journal.sync import date_turns
from memory.journal.turns import Turn
from memory.recall import embed, search
from models.embeddings import Embedder
from text.words import asked

NAMES = "Ann Bob Carla Dev Elif Femi Greta Hugo Ines Jun Kofi Lena Milo Nora Otto Pia Quinn Rosa Sven Tara"
MOST_WORDS = 60
BATCH = 2000
WRITES = 100
BETWEEN_SECONDS = 0.15  # two turns: long enough that the work behind goes on between them


def among(talks: Sequence[Conversation], count: int, embedder: Embedder) -> None:
    """Print recall of the first conversation alone among `count` turns, its times, and those of
    writing a turn."""
    talk, others = talks[0], talks[1:] or talks
    with tempfile.TemporaryDirectory() as folder:
        home, began = Path(folder), time.process_time()
        fill(home, talk, crowd(others, talk, count - len(talk.turns)), embedder)
        used = resource.getrusage(resource.RUSAGE_SELF)
        print(f"{count} turns written and indexed in {time.process_time() - began:.0f} s of CPU")
        store = Store(home / "journal" / INDEX)
        search(store, "warm", talk.now, embedder=embedder)
        table = Table()
        for question in talk.questions:
            is_dated, started = question_is_dated(question, talk.now), time.process_time()
            found = search(store, question.text, talk.now, max(CUTS), embedder=embedder).results
            seconds = time.process_time() - started
            table.add("recall", question, is_dated, [each.turn.id for each in found], seconds)
            words = store.keyword_ranks(asked(question.text), max(CUTS), weights=(1.0, 0.0))
            turns = store.turns(number for number, _ in words)
            ids = [turns[number].id for number, _ in words]
            table.add("keywords alone", question, is_dated, ids)
        store.close()
        table.show()
        print(f"memory: {used.ru_maxrss // 1024} MB at most")
        _show_writing(home, embedder)


def crowd(talks: Sequence[Conversation], beside: Conversation, count: int) -> Iterator[Turn]:
    """Give `count` turns of people who talk in pairs, on other days than `beside`."""
    luck, names = random.Random(5), NAMES.split()
    follows: dict[tuple[str, str], list[str]] = defaultdict(list)
    said = [turn.text.split() for talk in talks for turn in talk.turns]
    said = [words for words in said if len(words) > 2]
    for words in said:
        for one, two, three in zip(words, words[1:], [*words[2:], ""], strict=False):
            follows[one, two].append(three)
    days = {turn.at.date() for turn in beside.turns}
    at, number = datetime(2019, 1, 1, tzinfo=UTC), 0
    while number < count:
        at += timedelta(hours=5)
        if at.date() in days:
            continue
        pair = luck.sample(names, 2)
        for place in range(min(luck.randint(12, 28), count - number)):
            words = luck.choice(said)[:2]
            while len(words) < MOST_WORDS and (more := luck.choice(follows[words[-2], words[-1]])):
                words = [*words, more]
            when = at + timedelta(seconds=20 * place)
            yield Turn(f"x{number}", "main", pair[place % 2], " ".join(words), when)
            number += 1


def fill(home: Path, talk: Conversation, others: Iterator[Turn], embedder: Embedder) -> None:
    """Write a conversation and others into a journal in the order of time, with all vectors and the
    times of the talk."""
    turns = sorted([*talk.turns, *others], key=lambda turn: turn.at)
    with Memory(home, works_behind=False) as memory:
        for at in range(0, len(turns), BATCH):
            memory.write(turns[at : at + BATCH])
    store = Store(home / "journal" / INDEX)
    while keys := store.due("embedding", BATCH):
        embed(store, embedder, keys)
    date_turns(store, [str(store.number("main", turn.id)) for turn in talk.turns])
    store.close()


def _show_writing(home: Path, embedder: Embedder) -> None:
    disk = [_seconds(lambda: _synced(home / "synced")) for _ in range(WRITES)]
    print(f"a line synced to this disk: wall {_spread([wall for wall, _ in disk])}")
    last = datetime.now(UTC)
    texts = (f"We talked about plan number {number} on the way home" for number in range(10_000))
    for way, works_behind in (("nothing behind", False), ("the work behind at work", True)):
        with Memory(home, embedder=embedder, works_behind=works_behind) as memory:
            seconds = []
            for text in islice(texts, WRITES):
                seconds.append(_seconds(partial(memory.write_turn, text, who="Ann", at=last)))
                time.sleep(BETWEEN_SECONDS)
        walls, times = ([each[part] for each in seconds] for part in (0, 1))
        print(f"write_turn, {way}: wall {_spread(walls)}; CPU {_spread(times)}")


def _seconds(done: Callable[[], object]) -> tuple[float, float]:
    """Return how long it takes: on the clock, and of this thread's CPU."""
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
