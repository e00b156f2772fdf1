"""Turns a request that is said in the passive into one that says what to do: "order 7 must be cancelled" is "cancel order 7".

Only whole sentences of one plain form; everything else is None, and stays with the words it has. What comes out is
looked at like any other request (learning/rewording.py): nothing here decides what is done.
"""

from __future__ import annotations

from learning.concepts import meaning
from text import pattern

_PASSIVE = (  # what it is about, the participle, the rest; a question, a clause, a condition is none
    r"(?:please\s+)?(?P<what>[^,;:?!]+?)\s+(?:should|must|has\s+to|have\s+to|needs\s+to|need\s+to|ought\s+to|(?:is|are)\s+to)"
    r"\s+be\s+(?P<done>[a-z]{3,})(?P<rest>(?:\s+[^,;:?!]+?)?)(?:,?\s+please)?[.!]*"
)
_NOT_PLAIN = (  # who says, thinks or doubts it; what joins two clauses
    r"(?<![\w./~-])(?:i|he|she|it|we|you|they|who|what|which|when|where|why|how|whether|if|unless|until|because|although|while"
    r"|and|or|but|not|never|only|no|none|nothing|nobody|says?|said|thinks?|thought|knows?|knew|tells?|told|means?|meant|believes?"
    r"|claims?|hopes?|guess|suppose|was|were|did|does|do|am|been|already|still|yet|should|must|would|could|can|may|might)(?![\w./~-])"
)
_QUOTED = r"\"[^\"]*\"|'[^']*'"


def in_active(request: str) -> str | None:
    """The request with its verb in front; None for one that is not said in this form."""
    if not request.isascii() or " be " not in request:
        return None
    found = pattern(_PASSIVE).fullmatch(request.strip())
    if not found:
        return None
    what, rest = found["what"].strip(), found["rest"].strip()
    plain = pattern(_QUOTED).sub("", f"{what} {rest}").lower()
    if pattern(_NOT_PLAIN).search(plain) or pattern(r"(?:is|are)\b").match(rest):
        return None
    verb = _base(found["done"])
    return f"{verb} {what[:1].lower()}{what[1:]} {rest}".rstrip() if verb else None


def _base(participle: str) -> str:
    """ "moved" → "move", "packed" → "pack", "stopped" → "stop"; "" for what is no verb of the tables."""
    if not participle.endswith("ed"):
        return ""
    stem = participle[:-2]
    forms = [f"{stem}e", stem, *([stem[:-1]] if stem[-1:] == stem[-2:-1] else []), f"{stem[:-1]}y"]
    return next(
        (form for form in forms if any(thing.startswith("v:") for thing in meaning(form))), ""
    )
