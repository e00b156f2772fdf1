"""Say what the screens say, in English and Chinese: `say(key, **values)` looks a sentence up in
assets/words/.

A sentence that counts something may be a list of two: the first is said when `n` is 1, the second
otherwise.

An error is a key with values (config.py: Message); `words_of` says it. Older errors, and all that
logs hold, are English texts: `in_words` says them in the owner's language (context/phrases.py).
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from contextvars import ContextVar
from typing import Any

from config import CAUSES, Worded
from context import phrases
from text import sentences
from text.sentences import catalogue, joined

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


def words_of(error: Exception) -> str:
    """Return an error in the chosen language: by its key, where it has one."""
    if isinstance(error, Worded):
        return error.said("zh" if language() == "zh" else "en", in_words)
    return in_words(str(error))


def in_words(text: str) -> str:
    """Return an English text from below the screens in the chosen language; a line that nobody put
    into words stays."""
    return phrases.in_words(text, language())


def tell_error(error: str | Exception) -> None:
    """Print an error, or an English text from below the screens, on stderr in the chosen
    language."""
    said = in_words(error) if isinstance(error, str) else words_of(error)
    print(said, file=sys.stderr, flush=True)


def pieces_in_words(text: str) -> str:
    """Return several texts with "; " between them, each in the chosen language."""
    return "; ".join(in_words(piece) for piece in text.split("; "))


def reasons(said: Iterable[Any] | None, text: str) -> str:
    """Return what the gate says, by its keys; `text` of an older log, which has none."""
    return joined(language(), _with_causes(said, language())) if said else text


def _with_causes(said: Iterable[Any], lang: str) -> list[Any]:
    """Return sentences of a log with the English causes in them in the reader's language."""
    return [
        [key, {name: _cause(name, values[name], lang) for name in values}] for key, values in said
    ]


def _cause(name: str, value: Any, lang: str) -> Any:
    is_english = name in CAUSES and isinstance(value, str)
    return phrases.in_words(value, lang) if is_english else value


def in_each(text: str) -> dict[str, str]:
    """Return an error in each language, for a page whose readers each have their own."""
    return {lang: phrases.in_words(text, lang) for lang in ("en", "zh")}


def reasons_in_each(said: Iterable[Any] | None, text: str) -> dict[str, str]:
    """Return what the gate says in every language, for who does not know yet who will read it."""
    return {lang: joined(lang, _with_causes(said, lang)) if said else text for lang in ("en", "zh")}
