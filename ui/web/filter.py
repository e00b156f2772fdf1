"""Filter what leaves the server: without secrets, without the owner's places, as JSON that every
reader takes. What the code says in English in an event stands beside it in each language, since
many may read along."""

from __future__ import annotations

import os
import re
from functools import lru_cache
from pathlib import Path
from typing import Any

from config import Config
from context.places import Places
from safety.secrets import Redactor, held_values
from ui.event_text import sentence
from ui.words import reasons_in_each

SEEN, SHORT = 20_000, 200  # texts that are remembered, and how long they may be
_SURROGATES = re.compile("[\ud800-\udfff]")
_SAID = {
    "confirm": "reason",
    "model_failed": "reason",
    "model_retry": "reason",
    "model_adapted": "reason",
    "journal_failed": "reason",
    "learned": "reason",
    "rote": "reason",
    "noted": "problem",
    "run_ended": "result",
}


class Filter:
    """Cleans what is shown. `also`: more values that nobody may read, by name."""

    def __init__(self, config: Config, also: dict[str, str]) -> None:
        self._redactor = Redactor({**held_values(config, os.environ), **also})
        self.seen = lru_cache(SEEN)(self._redactor)  # ids, times, names: what comes again and again
        is_below = config.home.is_relative_to(Path.home())  # there it keeps its name
        shown = config.home.relative_to(Path.home()) if is_below else ".sopwith"
        self._hide = Places({config.home: f"~/{shown}", Path.home(): "~"}).hide

    def __call__(self, data: Any) -> Any:
        """Return the same without what nobody may read. Keys stay."""
        return _encodable(self._redactor.redact(self._hide(data), self._without_secrets))

    def _without_secrets(self, text: str) -> str:
        return self.seen(text) if len(text) <= SHORT else self._redactor(text)


def _encodable(data: Any) -> Any:
    if isinstance(data, str):
        return _SURROGATES.sub("\ufffd", data) if not data.isascii() else data
    if isinstance(data, dict):
        return {_encodable(key): _encodable(value) for key, value in data.items()}
    return [_encodable(each) for each in data] if isinstance(data, list | tuple) else data


def worded(event: dict[str, Any]) -> dict[str, Any]:
    """Return the event with `words`: {language: text}, when it says something that is not a model's
    and is there in both."""
    kind = event.get("type", "")
    is_failed_call = kind == "tool_ended" and event.get("status") != "ok"
    text = sentence(event) if is_failed_call else event.get(_SAID.get(kind, ""))
    if not isinstance(text, str) or not text or event.get("status") == "done":
        return event
    words = reasons_in_each(event.get("said"), text)
    return {**event, "words": words} if words["zh"] != text else event
