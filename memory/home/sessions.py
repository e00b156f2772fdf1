"""With whom the agent speaks, as a value: `main` is the owner alone, `shared:ID` is a group.
Whatever else is said is shared.

Stores take a `Session`, never its text, so that a typing error shows less and never more. Source:
seed 004 §1.2.
"""

from __future__ import annotations

import hashlib
import re
from typing import Literal, NamedTuple

_ID = re.compile(r"[\w.@+-]{1,80}|\?[0-9a-f]{12}")  # the second: made of what was malformed


class Session(NamedTuple):
    """One session. `id` is "main" in the main one; two sessions are the same when type and id
    are."""

    type: Literal["main", "shared"]
    id: str

    @classmethod
    def parse(cls, text: object) -> Session:
        """Return what a text means: exactly "main" is the owner's; "shared:ID" a group's. Anything
        else is a shared session of its own, whose id cannot be written by hand to mean another
        one. Raises nothing.
        """
        if text == "main":
            return MAIN
        said = text if isinstance(text, str) else repr(text)
        type, colon, id = said.partition(":")
        if type == "shared" and colon and _ID.fullmatch(id):
            return cls("shared", id)
        return cls("shared", "?" + hashlib.sha256(said.encode("utf-8", "replace")).hexdigest()[:12])

    @property
    def name(self) -> str:
        """Return it as it is written down: "main" or "shared:ID"; `parse` reads it back."""
        return "main" if self.is_main else f"shared:{self.id}"

    @property
    def is_main(self) -> bool:
        """Return True for the owner alone."""
        return self.type == "main"

    def __str__(self) -> str:
        return self.name


MAIN = Session("main", "main")
