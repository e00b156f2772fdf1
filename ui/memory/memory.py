"""The memory on the screen: `memory facts|check|undo|note`."""

from __future__ import annotations

import os
import re
from argparse import Namespace
from datetime import datetime
from typing import Any

from config import Config, SopwithError
from memory import notes
from memory.facts import Fact, FactRefused, FactStore
from memory.home import MAIN, open_home
from safety.secrets import Redactor, held_values
from ui.command import JSON, Argument, command
from ui.lists import print_json, print_list
from ui.sanitise import one_line
from ui.words import say


class MemoryUsage(SopwithError):
    """Refuse what may not be remembered, or says nothing."""

    exit_code = 2


def store(config: Config) -> FactStore:
    """Return the facts of this home folder."""
    return FactStore(config.home, _redactor(config))


def _redactor(config: Config) -> Redactor:
    return Redactor(held_values(config, os.environ))


@command("memory facts", JSON)
def facts(args: Namespace, config: Config) -> int:
    """`memory facts`. `args`: json."""
    known = store(config).all()
    heads = "memory_column_id:cyan memory_column_section memory_column_day memory_column_source"
    rows, heads = [_row(fact) for fact in known], f"{heads} memory_column_fact*"
    return print_list(args, facts_as_json(known), heads, rows, say("memory_none"))


def facts_as_json(known: list[Fact]) -> dict[str, Any]:
    """Return facts for machines; `due`: it should be looked at again."""
    return {"facts": [_as_json(fact) for fact in known]}


def _as_json(fact: Fact) -> dict[str, Any]:
    return {
        "id": fact.id or None,
        "section": fact.section,
        "text": one_line(fact.text, 1000),
        "day": fact.day or None,
        "source": fact.source,
        "supersedes": fact.supersedes or None,
        "reprobe": fact.reprobe or None,
        "due": fact.is_due,
    }


def _row(fact: Fact) -> list[str]:
    text = one_line(fact.text, 500)
    if fact.reprobe:
        text += " " + say("memory_due" if fact.is_due else "memory_reprobe", day=fact.reprobe)
    return [fact.id or "–", fact.section, fact.day or "–", fact.source, text]


@command("memory check", JSON)
def check(args: Namespace, config: Config) -> int:
    """`memory check`: 0 when facts and journal hold together, 1 when something is wrong. `args`:
    json."""
    from ui.memory.journal import problems

    found = store(config).check(config.lang) + problems(config)
    if args.json:
        print_json({"problems": found})
        return 1 if found else 0
    for line in found:
        print(one_line(line, 500))
    if not found:
        print(say("memory_sound", n=len(store(config).all())))
    return 1 if found else 0


@command("memory undo")
def undo(args: Namespace, config: Config) -> int:
    """`memory undo`: takes back the last change that the agent made to the memory."""
    from memory.change import undo as take_back

    open_home(config.home)
    print(say("memory_undone", change=one_line(take_back(config.home), 300)))
    return 0


@command("memory note", Argument("text", "+"))
def add_note(args: Namespace, config: Config) -> int:
    """`memory note TEXT`: a line in today's note; `[SECTION] text` is a fact, since the owner says
    so."""
    text = " ".join(args.text).strip()
    if not text:
        raise MemoryUsage(say("memory_empty"))
    open_home(config.home)
    if found := re.fullmatch(r"\[([A-Za-z]+)\]\s*(.+)", text, re.DOTALL):
        try:
            fact = store(config).add(found[1].upper(), found[2].strip(), by_owner=True)
        except FactRefused as refused:
            raise MemoryUsage(
                "\n".join(each.said(config.lang) for each in refused.refusals)
            ) from refused
        print(say("memory_kept", id=fact.id, section=fact.section, text=one_line(fact.text)))
        return 0
    at, redact = datetime.now().astimezone(), _redactor(config)
    path = notes.add(
        config.home,
        text,
        kind="instruction",
        session=MAIN,
        run="",
        turn=0,
        at=at,
        lang=config.lang,
        redact=redact,
    )
    print(say("memory_noted", path=path))
    return 0
