"""Tell who says what in a group: the name before a message is its speaker, never the owner."""

from __future__ import annotations

import re
from collections.abc import Iterator

from memory.home import Session

_NAMED = re.compile(r"([^\s:][^:\n]*): (.*)")
_OURS = ("owner", "agent")


def speakers(text: str, session: Session, *, is_named: bool) -> Iterator[tuple[str, str]]:
    """Yield what was said to the agent, by whom. `is_named`: each message of the text begins with a
    name and a colon, and its further lines are set in, as the page's shared chats write it
    (ui/web/live/shared.py); without names the group itself speaks."""
    if session.is_main:
        yield "owner", text
        return
    if not is_named:
        yield session.name, text
        return
    said: list[tuple[str, list[str]]] = []
    for line in text.split("\n"):
        found = _NAMED.fullmatch(line)
        if found:
            said.append((_other_than_ours(found[1].strip()), [found[2]]))
        elif said:
            said[-1][1].append(line.removeprefix("    "))
        else:
            said.append((session.name, [line]))
    yield from ((who, "\n".join(lines)) for who, lines in said)


def _other_than_ours(name: str) -> str:
    """Return the name, changed where somebody calls themselves owner or agent."""
    return f"“{name}”" if name.casefold() in _OURS else name
