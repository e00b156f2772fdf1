"""From episodes to the graph: the work of the queues "graph" (by rules, at once) and "reading" (by
a model, now and then).

An episode in which nobody speaks of themselves leaves nothing. What a model has read is kept under
the hash of what it was shown, so that nothing is paid for twice, a rebuild included; where there is
such a reading it stands in place of what rules say. Source: seed 003 P5.3, P5.4.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any

from config import SopwithError
from memory.graph import plain, reading
from memory.graph.corrections import corrected
from memory.graph.shapes import Party, Statement
from memory.graph.writing import Writer
from memory.home import MAIN
from memory.journal.episodes import LONG_GAP
from memory.journal.store import Episode, Store, text_hash
from memory.journal.turns import Turn
from models.errors import ModelError

MENTIONED = 20  # names of one scene
SURE_OF_A_NAME = 0.3
# prompt, JSON schema → what the model says; raises ModelError, SopwithError
Ask = Callable[[str, Mapping[str, Any]], str]


def weave(store: Store, keys: Sequence[str]) -> None:
    """Do the work of the queue "graph" for the episodes of these numbers."""
    writer = Writer(store)
    for number in map(int, keys):
        turns = store.turns(store.members(number))
        if not turns:
            continue
        read = _reading(store, turns)
        found, is_worth_reading = statements(turns, read)
        with store.writing():
            writer.write(turns, corrected(store, found))
            if (
                is_worth_reading
                and read is None
                and next(iter(turns.values())).session == MAIN.name
            ):
                store.enqueue("reading", [str(number)])


def statements(
    turns: Mapping[int, Turn], read: Sequence[reading.Said] | None
) -> tuple[list[Statement], bool]:
    """Return what an episode says, and whether something is at stake in it. `read`: what a model
    found in it."""
    by_rules = [
        statement for number, turn in turns.items() for statement in plain.statements(number, turn)
    ]
    is_at_stake = bool(by_rules) or any(map(plain.is_personal, turns.values()))
    if not is_at_stake:
        return [], False
    found = by_rules if read is None else reading.statements(read, list(turns.items()))
    named = {
        party: statement.number
        for statement in found
        for party in (statement.subject, statement.object)
        if party.kind == "Entity"
    }
    spoken = dict(plain.mentions(list(turns.items()), MENTIONED))
    here = Party("Scene", "", "")
    for party, number in {**named, **spoken}.items():
        found.append(Statement(here, "MENTIONED", party, number, confidence=SURE_OF_A_NAME))
    return found, True


def read(store: Store, ask: Ask, now: datetime, limit: int, prompt: Callable[[str], str]) -> int:
    """Do the work of the queue "reading": let a model read up to `limit` finished episodes, the
    newest first; return how many. `prompt` puts the lines of an episode into words. What fails is
    tried again later."""
    done = 0
    numbers = sorted(map(int, store.due("reading", 1000)), reverse=True)
    for episode in sorted(store.episodes(numbers), key=lambda each: each.end, reverse=True):
        if done >= limit:
            break
        if now - episode.end >= LONG_GAP:
            done += _read(store, ask, episode, prompt)
    gone = set(numbers) - {each.number for each in store.episodes(numbers)}
    store.finish("reading", map(str, gone))
    return done


def _read(store: Store, ask: Ask, episode: Episode, prompt: Callable[[str], str]) -> int:
    turns = store.turns(store.members(episode.number))
    key = str(episode.number)
    if _reading(store, turns) is not None:
        store.finish("reading", [key])
        return 0
    shown = reading.shown(list(turns.values()))
    try:
        said = reading.parsed(ask(prompt(shown), reading.SCHEMA))
    except (ModelError, SopwithError, OSError, ValueError) as error:
        store.postpone("reading", [key], str(error))
        return 1
    kept = json.dumps([each._asdict() for each in said])
    with store.writing():
        store.run("INSERT OR REPLACE INTO graph_readings VALUES (?, ?)", (text_hash(shown), kept))
        store.finish("reading", [key])
        store.enqueue("graph", [key])
    return 1


def _reading(store: Store, turns: Mapping[int, Turn]) -> list[reading.Said] | None:
    if not turns:
        return None
    hash = text_hash(reading.shown(list(turns.values())))
    rows = store.ask("SELECT reply FROM graph_readings WHERE hash = ?", (hash,))
    return [reading.Said(**each) for each in json.loads(rows[0][0])] if rows else None
