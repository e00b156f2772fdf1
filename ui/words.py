"""Say what the screens say, in English and Chinese: `say(key, **values)` looks a sentence up in
assets/words/.

A sentence that counts something may be a list of two: the first is said when `n` is 1, the second
otherwise.

An error is a key with values (config.py: Message); `words_of` says it. A log holds the English text,
and in `said` its keys with their values: `reasons` says them.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from contextvars import ContextVar
from typing import Any

from text import sentences
from text.sentences import catalogue, joined, said_in

_spoken = ["en"]
# of one request of the page; "": that of the process
_here: ContextVar[str] = ContextVar("lang", default="")


def use(lang: str) -> None:
    """Choose the language of everything that is said from now on."""
    _spoken[0] = lang


def speaking(lang: str) -> None:
    """Choose the language of what is said from now on in this context alone; "" is that of the
    process."""
    _here.set(lang)


def language() -> str:
    """Return the language that is spoken here and now."""
    return _here.get() or _spoken[0]


def language_of(said: str) -> str:
    """Return the language that a browser names first, if it is one of ours; else ""."""
    return said[:2].lower() if said[:2].lower() in ("en", "zh") else ""


def say(key: str, **values: Any) -> str:
    """Return the sentence of this key with its {placeholders} filled. An unknown key is a defect
    and raises KeyError."""
    return sentences.say(language(), key, **values)


def says(key: str) -> bool:
    """Return True when there is a sentence for this key."""
    return key in catalogue(language())


def words_of(text: str | Exception) -> str:
    """Return an error, or a text from below the screens, in the chosen language: by its key, where
    it has one."""
    return said_in(language(), str(text))


def tell_error(error: str | Exception) -> None:
    """Print an error, or a text from below the screens, on stderr in the chosen language."""
    print(words_of(error), file=sys.stderr, flush=True)


def reasons(said: Iterable[Any] | None, text: str) -> str:
    """Return what a log says, by its keys; `text` of an older log, which has none."""
    return joined(language(), said) if said else text


def reasons_in_each(said: Iterable[Any] | None, text: str) -> dict[str, str]:
    """Return what a log says in every language, for who does not know yet who will read it."""
    return {lang: joined(lang, said) if said else text for lang in ("en", "zh")}
