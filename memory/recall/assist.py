"""Tell recall from the window whom or what "it" and "she" in a question stand for.

It only helps to find. Who "my sister" is says the graph (memory/graph/aliases.py), which remembers
it for longer. Source: seed 003 P2.5.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from memory.journal.turns import Turn

MAX_HINTS = 2  # the names that were said last; more would hide what is asked for
_REFERS = re.compile(
    r"(?i)\b(?:it|its|they|them|their|he|him|his|she|her|hers|the same|(?:that|this|those|these)(?=\s*(?:[?.!,]|$)))\b"
    r"|[它他她]们?|[那这]个?(?=[是在怎什吗呢？?]|$)"
)


def with_names(question: str, recent: Callable[[], Sequence[Turn]]) -> str:
    """Return the question and behind it the names that it may refer to: "when did we buy it?" → "…
    HP-4200". As it is where it refers to nothing: then nobody asks for what was said last
    (`recent`, the newest last)."""
    if not _REFERS.search(question):
        return question
    names = dict.fromkeys(name for turn in reversed(recent()) for name in _names(turn.text))
    new = [name for name in names if name.casefold() not in question.casefold()]
    return " ".join([question, *new[:MAX_HINTS]])


def _names(text: str) -> Iterator[str]:
    from memory.wording import values

    for value in values(text):
        is_name = value.kind in ("name", "quoted", "path") or (
            value.kind == "word" and value.text[:1].isupper()
        )
        if is_name and len(value.text) > 1:
            yield value.text
