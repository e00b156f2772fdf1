"""Tell which scripts say in their words all that they make. They alone may make files beside the
agent's home: Landlock cannot leave out a folder that is in another."""

from __future__ import annotations

import os
import re
from pathlib import Path

from shell.bash import Command, NotUnderstood, Word, parse

# They make what their words name, and no links.
_MAKERS = frozenset(["cat", "echo", "mkdir", "printf", "tee", "touch", "true"])
_EXPANDED = re.compile(r"[{*?\[~]")


def says_all(script: str, cwd: Path, owner: Path, agent: Path) -> bool:
    """Return True if the words of a script say what it makes, and none leads into the agent's
    home."""
    try:
        said = [_said(each, str(owner)) for each in parse(script)]
    except NotUnderstood:
        return False
    named = {Path(os.path.realpath(cwd / word)) for words in said for word in words}
    return all(said) and not any(path.is_relative_to(agent) for path in named)


def _said(command: Command, owner: str) -> list[str]:
    """Return the words of a command and of its redirections; none where only a shell knows them."""
    name = command.words[0].literal if command.words else "true"
    words = [*command.words, *(each.word for each in command.redirects)]
    said = [_value(word, owner) for word in words]
    is_odd = bool(command.assignments) or name not in _MAKERS
    return [] if is_odd else [text for text in said if text is not None] * (None not in said)


def _value(word: Word, owner: str) -> str | None:
    """Return the one text that a word becomes."""
    bare = (part.value for part in word.parts if not part.is_quoted)
    is_expanded = any(_EXPANDED.search(re.sub(r"^~(?=/|$)", "", text)) for text in bare)
    return None if is_expanded else word.value({"HOME": owner})
