"""Shows what a request would lead to: `sops search TEXT`, which SOPs were looked at, and what was decided. No model is asked."""

from __future__ import annotations

import json
from argparse import Namespace
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

from config import Config
from learning.route import Candidate, Remembered, choose
from models.embeddings import embedder
from ui.command import JSON, Argument, command
from ui.lists import print_list
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
    shown = [as_json(each) for each in choice.candidates]
    found = {"candidates": shown, "decision": choice.decision}
    heads, rows = "sop:cyan score> lane:green parameters reason*", [_row(each) for each in shown]
    print_list(args, found, heads, rows, say("sops.no_candidates"))
    if not args.json:
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


def _row(shown: dict[str, Any]) -> list[str]:
    values = _pairs(shown["parameters"])
    cells = [shown["name"], f"{shown['score']:.2f}", shown["lane"] or "–"]
    return [*cells, one_line(values, MAX_WHY_CHARS), one_line(shown["why"], MAX_WHY_CHARS)]


def _pairs(values: Mapping[str, Any]) -> str:
    return " ".join(f"{name}={json.dumps(values[name], ensure_ascii=False)}" for name in values)
