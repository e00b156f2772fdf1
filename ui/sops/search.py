"""Shows what a request would lead to: `sops search TEXT`, which SOPs were looked at, and what was decided. No model is asked."""

from __future__ import annotations

import json
from argparse import Namespace
from pathlib import Path
from typing import Any

from config import Config
from learning.learned_wordings import with_learned
from learning.routing import Candidate, Choice, choose
from learning.slots import Where
from memory.sops.store import Sop
from ui.command import JSON, Argument, command
from ui.lists import Column, print_json, print_table
from ui.sanitise import one_line
from ui.sops.sops import store
from ui.words import say

MAX_WHY_CHARS = 200


@command("sops search", Argument("text", "+"), JSON)
def search(args: Namespace, config: Config) -> int:
    """`sops search TEXT`: always 0; `decision` says whether it would be done by rote."""
    request, known = " ".join(args.text), with_learned(store(config).all(), config.home)
    choice = choose(request, known, Path.cwd(), Path.home())
    shown = _with_near(_shown(choice), request, known) if choice.match is None else _shown(choice)
    if args.json:
        print_json({"candidates": [as_json(each) for each in shown], "decision": choice.decision})
        return 0
    columns = (
        Column(say("column.sop"), "cyan"),
        Column(say("column.score"), right=True),
        Column(say("column.lane"), "green"),
        Column(say("column.parameters")),
        Column(say("column.reason"), grows=True),
    )
    print_table(columns, [_row(each) for each in shown], say("sops.no_candidates"))
    names = ", ".join(sop.name for sop in choice.hints)
    chosen = choice.match.sop.name if choice.match else names
    print(say(f"sops.decision_{choice.decision}", name=chosen))
    return 0


def _shown(choice: Choice) -> list[Candidate]:
    """The candidates, and the hints that were none: a draft may be what is meant."""
    known = {each.name for each in choice.candidates}
    hints = [
        Candidate(sop.name, 0.0, "", {}, sop.status)
        for sop in choice.hints
        if sop.name not in known
    ]
    return [*choice.candidates, *hints]


def _with_near(shown: list[Candidate], request: str, known: list[Sop]) -> list[Candidate]:
    """The candidates, first those that an owner who is there would be asked about where no model can do it."""
    from learning.near import near

    found = {
        each.sop.name: Candidate(
            each.sop.name, 0.0, "", each.parameters, say("sops.would_be_asked", said=each.said)
        )
        for each in near(request, known, Where(Path.cwd(), Path.home()))
    }
    asked = [
        each._replace(score=next((old.score for old in shown if old.name == name), 0.0))
        for name, each in found.items()
    ]
    return [*asked, *(each for each in shown if each.name not in found)]


def as_json(candidate: Candidate) -> dict[str, Any]:
    """A candidate for machines."""
    return {
        "name": candidate.name,
        "score": candidate.score,
        "lane": candidate.lane or None,
        "parameters": candidate.parameters,
        "why": candidate.why,
    }


def _row(candidate: Candidate) -> list[str]:
    values = " ".join(
        f"{name}={json.dumps(value, ensure_ascii=False)}"
        for name, value in candidate.parameters.items()
    )
    return [
        candidate.name,
        f"{candidate.score:.2f}",
        candidate.lane or "–",
        one_line(values, MAX_WHY_CHARS),
        one_line(candidate.why, MAX_WHY_CHARS),
    ]
