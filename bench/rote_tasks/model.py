"""The bench's model, behind a real endpoint: it words drafts, chooses among cards, and does no task.

Words: paraphrases.py. Choosing: it understands what a request of a task means, as a capable model does, and says so with
its values when that SOP is on the cards; it never says "none": for what nothing covers, and for near misses, it takes the
task that the request was made from, or else the first card. So what it may do right is an upper bound, and what it may do
wrong is the worst case: the guards alone keep it off.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable
from typing import Any

from bench.rote_tasks.base import Task, Values
from bench.rote_tasks.paraphrases import proposed
from tests.scripted_server import Answer

NAME = re.compile(r"^([a-z0-9]+(?:-[a-z0-9]+)*): ", re.MULTILINE)
DRAFT = re.compile(r"<draft>\s*(\{.*\})\s*</draft>", re.DOTALL)


class Model:
    """Answers what the product asks it. `meant`: the SOP and its parameters that the next request is made from;
    `counts`: how often it was asked for what, "author" or "choose"; `tokens`: the same, in tokens of the prompts."""

    def __init__(self, tasks: dict[str, Task], count_tokens: Callable[[str], int]) -> None:
        self.tasks, self._count = tasks, count_tokens
        self.meant: tuple[str, Values] | None = None
        self.counts: Counter[str] = Counter()
        self.tokens: Counter[str] = Counter()

    def __call__(self, body: dict[str, Any], number: int) -> Answer:
        """The endpoint's script."""
        asked = str(body["messages"][-1]["content"])
        if draft := DRAFT.search(asked):
            said = json.loads(draft[1])
            return self._answer("author", asked, proposed(self.tasks[said["name"]], said))
        if '{"facts"' in asked:
            return self._answer("facts", asked, '{"facts": []}')
        if '{"sop": "none"}' in asked:
            return self._answer("choose", asked, self.chosen(asked))
        return Answer(text="I leave that to others.")

    def _answer(self, kind: str, prompt: str, text: str) -> Answer:
        self.counts[kind] += 1
        self.tokens[kind] += self._count(prompt) + self._count(text)
        return Answer(text=text)

    def chosen(self, asked: str) -> str:
        """What it says about a request with cards; this counts for nothing."""
        cards = NAME.findall(asked)
        name, values = self.meant or ("", {})
        chosen = name if name in cards else cards[0] if cards else "none"
        return json.dumps(
            {"sop": chosen, "parameters": values if chosen == name else {}}, ensure_ascii=False
        )
