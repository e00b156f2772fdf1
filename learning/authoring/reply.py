"""Read the reply of a model that was asked to put a procedure into words."""

from __future__ import annotations

import json
import re
from typing import Any

MAX_CHARS = 40_000
KEYS = {
    "description": str,
    "description_zh": str,
    "wordings": list,
    "wordings_zh": list,
    "pitfalls": list,
}
OPTIONAL = {"names": dict}


class BadReply(ValueError):
    """The reply is not the JSON object that was asked for. Nothing of it is used."""


def read_reply(reply: str) -> dict[str, Any]:
    """Return the object of a reply, each key there. Raises BadReply."""
    if len(reply) > MAX_CHARS:
        raise BadReply(f"the reply is {len(reply)} characters long")
    fenced = re.fullmatch(r"\s*```(?:json)?\s*\n(.*)\n\s*```\s*", reply, re.DOTALL)
    try:
        said = json.loads(fenced[1] if fenced else reply)
    except (ValueError, RecursionError) as error:
        raise BadReply("the reply is not JSON") from error
    if not isinstance(said, dict) or set(said) - set(OPTIONAL) != set(KEYS):
        raise BadReply(f"the reply is not an object with {', '.join(KEYS)}")
    found: dict[str, Any] = {key: kind() for key, kind in OPTIONAL.items()} | said
    for key, kind in (KEYS | OPTIONAL).items():
        if not isinstance(found[key], kind):
            raise BadReply(f"{key} of the reply is not a {kind.__name__}")
    return found
