"""Whether the values that stand in a request could be those of an SOP, by their looks: paths, numbers, dates, quoted texts.

Cheap, and no proof of anything: it puts the SOPs that a request may mean before those that it cannot mean.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from learning.reading import HARD_LITERALS
from learning.request import PLAIN
from learning.slots import QUOTES
from replay.parameters import FORMATS
from replay.procedure import Procedure

TAKES = {  # what a value looks like → the kinds of parameters that take it, the first that is free
    "url": ("uri", "url", "text"),
    "email": ("text",),
    "date": ("date", "text"),
    "path": ("path",),
    "file": ("path", "text"),
    "quoted": ("text", "path"),
    "glob": ("text",),
    "code": ("text",),
    "number": ("number", "text"),
}
TYPED = ("path", "number", "date", "url")  # of these a request has as many values as an SOP needs


@lru_cache(maxsize=8)
def values_in(request: str) -> tuple[str, ...]:
    """The kinds of the values that stand in a request, in their order."""
    plain, at, found = request.translate(PLAIN), 0, []
    while at < len(plain):
        if plain[at].isspace() or (not plain[at].isascii() and plain[at] not in QUOTES):
            at += 1
            continue
        touches = at > 0 and plain[at - 1].isascii() and plain[at - 1].isalnum()
        for kind, form in () if touches else HARD_LITERALS:
            if (match := form.match(plain, at)) and match.end() > at:
                found.append("path" if kind == "quoted" and match[0][1:2] in ("~", "/") else kind)
                at = match.end()
                break
        else:
            at += 1
    return tuple(found)


def fits(kinds: Sequence[str], procedure: Procedure) -> bool:
    """Whether these values could fill the parameters: each has one that takes it, and none that has to be there and
    cannot be a mere word is left without."""
    free = Counter(_kind(schema) for schema in procedure.parameters.values())
    needed = Counter(_kind(procedure.parameters[name]) for name in procedure.required)
    for kind in kinds:
        taken = next((each for each in TAKES[kind] if free[each] > 0), None)
        if taken is None:
            return False
        free[taken] -= 1
        needed[taken] -= 1
    return bool(kinds) and not any(needed[each] > 0 for each in TYPED)


def _kind(schema: Mapping[str, Any]) -> str:
    if schema["type"] in ("integer", "number"):
        return "number"
    kind = schema.get("format")
    return kind if kind in FORMATS else "text"
