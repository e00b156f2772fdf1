"""The English words of a text that say something; the small ones say nothing about what is asked for."""

from __future__ import annotations

import re

MAX_CHARS = 6000  # of a text
_SMALL = """
    a an the of to in on at for and or is are was were be been do does did has have had what when where who
    whom whose which why how much many long often with by from about as that this it its his her their them
    they he she i you your my me we our us would could should will can may might ever any some both there than
    then so if not no into during after before since also still current recent recently currently type kind s
    be ani whi onli dure sinc
"""
SMALL = frozenset(_SMALL.split())
_WORD = re.compile(r"[a-z]{3,24}")


def words_of(text: str) -> tuple[str, ...]:
    """Return the words of a text that say something, each once, in order."""
    words = dict.fromkeys(_WORD.findall(text[:MAX_CHARS].lower()))
    return tuple(word for word in words if word not in SMALL)
