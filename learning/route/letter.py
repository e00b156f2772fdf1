"""Match a request against a wording to the letter: the same words and signs in between, and what
stands in the slots."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

from learning.route.place import Where, words
from learning.route.typed import is_cautious, read
from replay.procedure import Procedure
from replay.wordings import SLOT

_ONE = r"[^\s,;\"“”「」]+?"  # of one word
_SOME = r"[^\n,;!?\"“”「」]{1,80}?"
_END = r"[\s.!?。！？]*"


def to_the_letter(request: str, wording: str, procedure: Procedure, where: Where) -> Any:
    """Return the values of a request that is this wording; None where it is not. Case and spaces do
    not count."""
    pattern, names = _pattern(wording)
    found = re.fullmatch(pattern, " ".join(request.split()), re.IGNORECASE) if names else None
    if found is None:
        return None
    values = {
        name: _value(found[n], procedure.parameters[name], shape, where)
        for n, (name, shape) in enumerate(names, 1)
    }
    return None if None in values.values() else values


@lru_cache(maxsize=4096)
def _pattern(wording: str) -> tuple[str, tuple[tuple[str, str], ...]]:
    """Return the pattern of a wording and its slots; none for one with choices, which only looks
    for words."""
    if "[" in wording:
        return "", ()
    pieces = SLOT.split(" ".join(wording.split()))
    text, names = re.escape(pieces[0]), []
    for name, shape, behind in zip(pieces[1::3], pieces[2::3], pieces[3::3], strict=True):
        own = _SOME if shape else _ONE
        text += rf"(\"[^\"]+\"|“[^”]+”|「[^」]+」|{own}){re.escape(behind)}"
        names.append((name, shape or ""))
    return text + _END, tuple(names)


def _value(text: str, schema: Any, shape: str, where: Where) -> Any:
    if text[0] in '"“「':
        return text[1:-1]
    if schema["type"] != "string" or "format" in schema or "enum" in schema:
        return read(text, schema, shape, where)
    if text in schema.get("examples", ()):
        return text
    is_more = is_cautious(text) if shape else text.lower() in words()["everyone"]
    return None if is_more else text
