"""Sopwith with an owner who answers at once, for runs that pass the turn at which only a question
is accepted.

PYTHONPATH=. python bench/ours.py TASK TURNS

Events on stdout, one JSON object a line, as `launch.py run --events` writes them.
"""

from __future__ import annotations

import gc
import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from handler import Approval, Confirmation


class WillingOwner:
    """Answers every question with its first candidate, allows every call."""

    def ask(self, id: str, question: str, candidates: list[str]) -> str | None:
        return candidates[0]

    def confirm(self, confirmation: Confirmation) -> Approval | None:
        from handler import Approval

        return Approval("run")

    def secret(self, question: str) -> str | None:
        return None


def main(task: str, turns: int) -> int:
    from config import find_home, find_lang, load
    from runs.assemble import Agent, Options

    lang = find_lang(None, os.environ)
    agent = Agent(load(find_home(None, os.environ), lang, os.environ))
    run = agent.start(task, Options(max_turns=turns, cwd=Path.cwd()), WillingOwner())
    for event in run.events():
        print(json.dumps(event, ensure_ascii=False), flush=True)
    return run.exit_code


if __name__ == "__main__":
    gc.set_threshold(200_000)  # as launch.py does
    sys.exit(main(sys.argv[1], int(sys.argv[2])))
