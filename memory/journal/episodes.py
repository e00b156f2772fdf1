"""Groups the turns of a session into episodes: turns that belong together, with the time of their
scene and a summary.

A long silence ends an episode. The time of the scene is what its turns speak of, else when they
were said. The summary is made of its own sentences. It has no vector: recall takes the nearest of
its turns (memory/recall/features.py). Source: seed 003 P3.6.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta

from memory.journal.store import Episode, Store
from memory.journal.turns import Turn
from text.words import cut

LONG_GAP = timedelta(hours=2)
MAX_TURNS = 60
BATCH = 2000  # turns in one transaction, so that others can write between
SUMMARY_SENTENCES = 3
MAX_SUMMARY_CHARS = 400
MAX_SCENE = timedelta(days=62)  # what speaks of a longer time names no scene
_SENTENCES = re.compile(r"[^.!?。！？\n]+[.!?。！？]*")


def update(store: Store, sessions: Sequence[str]) -> None:
    """Group the turns of these sessions that have no episode yet. The last episode of a session may
    still grow."""
    for session in sessions:
        loose = store.without_episode(session)
        for at in range(0, len(loose), BATCH):
            some = loose[at : at + BATCH]
            touched, members = _beside(store, session, some)
            # without the lock: who speaks goes first
            made = _made(store, session, [*some, *members])
            with store.writing():
                taken = store.episode_of(some)
                if taken or _beside(store, session, some) != (
                    touched,
                    members,
                ):  # by another process meanwhile
                    some = [number for number in some if number not in taken]
                    if not some:
                        continue
                    touched, members = _beside(store, session, some)
                    made = _made(store, session, [*some, *members])
                for number in touched:
                    store.drop_episode(number)
                for episode, numbers in made:
                    store.put_episode(episode, numbers)


def _beside(store: Store, session: str, loose: Sequence[int]) -> tuple[list[int], list[int]]:
    """Return the episodes that turns without one may belong to, and their members."""
    times = [turn.at for turn in store.turns(loose, session).values()]
    touched = store.episodes_between(min(times) - LONG_GAP, max(times) + LONG_GAP, session)
    return touched, [number for episode in touched for number in store.members(episode)]


def _made(store: Store, session: str, numbers: Iterable[int]) -> list[tuple[Episode, list[int]]]:
    """Return the episodes that turns make, each with its members."""
    turns = store.turns(numbers, session)
    order = sorted(turns, key=lambda number: (turns[number].at, number))
    groups = grouped([turns[number] for number in order])
    return [
        (_episode([turns[order[at]] for at in group]), [order[at] for at in group])
        for group in groups
    ]


def grouped(turns: Sequence[Turn]) -> list[list[int]]:
    """Group the turns of one session, given in the order in which they were said; return the places
    of each group."""
    groups: list[list[int]] = []
    for place, turn in enumerate(turns):
        is_new = not groups or turn.at - turns[place - 1].at >= LONG_GAP
        if is_new or len(groups[-1]) >= MAX_TURNS:
            groups.append([])
        groups[-1].append(place)
    return groups


def _episode(turns: Sequence[Turn]) -> Episode:
    start, end = turns[0].at, turns[-1].at
    scene_start, scene_end = scene(turns)
    importance = max(turn.importance for turn in turns)
    people = tuple(dict.fromkeys(turn.who for turn in turns))
    return Episode(
        0, turns[0].session, start, end, scene_start, scene_end, summary(turns), importance, people
    )


def scene(turns: Sequence[Turn]) -> tuple[datetime, datetime]:
    """Return the time that turns speak of: from the first to the last that they mention; else when
    they were said."""
    spoken = (each for turn in turns for each in turn.mentioned)
    closed = ((each.start, each.end) for each in spoken if each.start and each.end)
    short = [(start, end) for start, end in closed if end - start <= MAX_SCENE]
    starts, ends = zip(*short or [(turns[0].at, turns[-1].at)], strict=True)
    return min(starts), max(ends)


def summary(turns: Sequence[Turn]) -> str:
    """Return the sentences that say most, in their order, each with who said it."""
    sentences = [
        (turn.who, sentence.strip())
        for turn in turns
        for sentence in _SENTENCES.findall(turn.text[:2000])
        if sentence.strip() and not sentence.rstrip().endswith(("?", "？"))
    ]
    if not sentences:
        return " ".join(turns[0].text.split())[:MAX_SUMMARY_CHARS]
    weights = [len(set(cut(text))) for _, text in sentences]
    best = sorted(
        sorted(range(len(sentences)), key=lambda at: (-weights[at], at))[:SUMMARY_SENTENCES]
    )
    said = " ".join(f"{sentences[at][0]}: {' '.join(sentences[at][1].split())}" for at in best)
    return said if len(said) <= MAX_SUMMARY_CHARS else said[: MAX_SUMMARY_CHARS - 1] + "…"
