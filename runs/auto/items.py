"""Choose the next item of autonomous mode: an open one of the to-do list, else one that a model
plans by the SOP's value rule.

Never the same item twice in a row, nor twice in one session; one that has failed three times is
left until its owner has changed it, or done. Without a model only what an SOP does by rote is
taken, and the rest is said to be left.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from learning.route import Remembered, choose
from memory.home import MAIN
from memory.reader import reader_for
from memory.tasks import Task, Tasks
from runs.assemble import Agent
from runs.auto.ledger import WAITS, Attempt
from runs.learning import asked

SOP = "autonomous-operation"  # whose rule says what is worth doing
TRIES = 3
MOST_PLANNED = 3
LEAST_VALUE = 4  # of 9
SHOWN_ATTEMPTS = 30


class Item(NamedTuple):
    """Something to do. `key` changes with its words; `todo` is its number in the to-do list, 0 for
    what was planned; `request` what of it is the owner's own words."""

    key: str
    title: str
    task: str
    request: str
    todo: int = 0


class Left(NamedTuple):
    """An item that is not taken, and why: "no_model", "failed"."""

    item: Item
    why: str


def of_todo(task: Task) -> Item:
    """Return an item of the to-do list."""
    words = f"{task.title}\n\n{task.description}" if task.description else task.title
    return Item(f"todo:{task.id}:{_hash(words)}", task.title, words, words, task.id)


def from_list(
    agent: Agent, attempts: Sequence[Attempt], session: str, cwd: Path
) -> Iterator[Item | Left]:
    """Yield the open items of the to-do list that may be taken now, the most urgent first. Raises
    as memory/tasks/todo.py does."""
    has_model = bool(agent.config.models)
    known = None if has_model else Remembered(agent.config.home).with_wordings(agent.sops.all())
    for task in Tasks(agent.config.home).open():
        item = of_todo(task)
        if task.status != "open" or not _may_be_taken(item, attempts, session):
            continue
        ends = [attempt.status for attempt in attempts if attempt.item == item.key]
        if len([end for end in ends if end not in ("done", WAITS)]) >= TRIES:
            yield Left(item, "failed")
        elif known is not None and choose(item.task, known, cwd, Path.home()).match is None:
            yield Left(item, "no_model")
        else:
            yield item


def planned(
    agent: Agent, attempts: Sequence[Attempt], session: str, cwd: Path
) -> tuple[list[Item], float]:
    """Return what a model finds worth doing, best first, and what asking it has cost, USD. Raises
    ModelError."""
    reply = asked(agent, "auto", cwd, _prompt(agent, attempts, cwd))
    was_done = {attempt.item for attempt in attempts}
    items = [item for item in _read(reply.text) if _may_be_taken(item, attempts, session)]
    return [item for item in items if item.key not in was_done][:MOST_PLANNED], reply.usage.cost


def _prompt(agent: Agent, attempts: Sequence[Attempt], cwd: Path) -> str:
    sop, home, lang = agent.sops.get(SOP), agent.config.home, agent.config.lang
    done = [f"{each.title}: {each.status or 'begun'}" for each in attempts[-SHOWN_ATTEMPTS:]]
    return agent.prompts.text(
        "plan_auto",
        rules=sop.body(lang) if sop else "",
        facts=reader_for(home, MAIN).facts_index() or "-",
        sops=_listed(agent.sops.header_lines(lang, seeds=False)),
        todo=_listed(task.title for task in Tasks(home).open()),
        done=_listed(done),
        folder=cwd,
        most=MOST_PLANNED,
    )


def _listed(lines: Iterable[str]) -> str:
    return "\n".join(f"- {line}" for line in lines) or "-"


def _may_be_taken(item: Item, attempts: Sequence[Attempt], session: str) -> bool:
    own = [attempt for attempt in attempts if attempt.item == item.key]
    if not own:
        return True
    is_last, waits = own[-1] is attempts[-1], WAITS in [attempt.status for attempt in own]
    return not (is_last or waits or session in [attempt.session for attempt in own])


def _read(text: str) -> list[Item]:
    """Return the items of a model's reply, those of too little value left out, best first; none of
    one that is no list."""
    found = re.search(r"\[.*\]", text, re.DOTALL)
    try:
        rows = json.loads(found[0]) if found else []
    except ValueError:
        return []
    valued = filter(None, map(_valued, rows if isinstance(rows, list) else []))
    return [item for _, item in sorted(valued, key=lambda each: -each[0])]


def _valued(row: object) -> tuple[int, Item] | None:
    """Return an item of a model's list with its value; None for what is no item, or worth too
    little."""
    match row:
        case {"title": str(title), "task": str(task), **rest}:
            title, task = " ".join(title.split())[:200], task.strip()[:4000]
        case _:
            return None
    value = _points(rest.get("new")) * _points(rest.get("lasting"))
    if "" in (title, task) or value < LEAST_VALUE:
        return None
    return value, Item(f"plan:{_hash(title.casefold())}", title, task, "")


def _points(value: object) -> int:
    return min(3, max(0, value)) if type(value) is int else 0  # true is no number


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:12]
