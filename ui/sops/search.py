"""Shows what a request would lead to: `sops search TEXT`, which SOPs were looked at, and what was decided. No model is asked."""

from __future__ import annotations

import json
from argparse import Namespace
from functools import partial
from pathlib import Path
from typing import Any

from config import Config
from learning.route import Candidate, Remembered, choose
from models.embeddings import embedder
from ui.command import JSON, Argument, command
from ui.lists import columns, print_json, print_table
from ui.sanitise import one_line
from ui.sops.sops import store
from ui.words import say

MAX_WHY_CHARS = 200


@command("sops search", Argument("text", "+"), JSON)
def search(args: Namespace, config: Config) -> int:
    """`sops search TEXT`: always 0; `decision` says whether it would be done by rote."""
    request = " ".join(args.text)
    known = Remembered(config.home).with_wordings(store(config).all())
    choice = choose(
        request, known, Path.cwd(), Path.home(), embedder=partial(embedder, config.embeddings)
    )
    shown = choice.candidates
    if args.json:
        print_json({"candidates": [as_json(each) for each in shown], "decision": choice.decision})
        return 0
    heads = columns("sop:cyan score> lane:green parameters reason*")
    print_table(heads, [_row(each) for each in shown], say("sops.no_candidates"))
    names = ", ".join(sop.name for sop in choice.hints)
    chosen = choice.match.sop.name if choice.match else names
    print(say(f"sops.decision_{choice.decision}", name=chosen))
    return 0


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
