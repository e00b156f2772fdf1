"""Look a sentence up in assets/words by its key and fill its blanks, in a reader's language."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import config


class Said(NamedTuple):
    """A text for people: the key of its sentence, and the values of its blanks."""

    key: str
    values: Mapping[str, Any]


def catalogue(lang: str) -> dict[str, Any]:
    """Return all sentences of one language by key."""
    return config.sentences("zh" if lang == "zh" else "en")


def say(lang: str, key: str, /, *blanks: object, **values: object) -> str:
    """Return the sentence of a key; one for a count has two forms, the first for an `n` of 1.
    Raises KeyError."""
    found = catalogue(lang)[key]
    if isinstance(found, list):
        found = found[0 if str(values.get("n")) == "1" else -1]
    said = {name: _said(value, lang) for name, value in values.items()}
    return str(found.format(*blanks, **said))


def _said(value: object, lang: str) -> object:
    """Return a message in the language; any other value as it is."""
    if not isinstance(value, config.Message):
        return value
    return value.said("zh" if lang == "zh" else "en")


def sentence(lang: str, said: Said) -> str:
    """Return the sentence of a key with its values, each a text or a sentence itself. Raises
    KeyError."""
    values = {
        name: sentence(lang, Said(*value)) if isinstance(value, list) else value
        for name, value in said.values.items()
    }
    return say(lang, said.key, **values)


def said_in(lang: str, text: str) -> str:
    """Return a text in a reader's language; one without a key as it is."""
    return text.said("zh" if lang == "zh" else "en") if isinstance(text, config.Message) else text


def joined(lang: str, said: Iterable[Any]) -> str:
    """Join sentences that were kept in a log as pairs of key and values."""
    return "; ".join(sentence(lang, Said(*each)) for each in said)
