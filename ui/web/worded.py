"""Events as the page gets them: what the code says in English stands beside it in each language, since many may read along."""

from __future__ import annotations

from typing import Any

from ui.event_text import sentence
from ui.words import in_each, reasons_in_each

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


def worded(event: dict[str, Any]) -> dict[str, Any]:
    """The event with `words`: {language: text}, when it says something that is not a model's and is there in both."""
    kind = event.get("type", "")
    is_failed_call = kind == "tool_ended" and event.get("status") != "ok"
    text = sentence(event) if is_failed_call else event.get(_SAID.get(kind, ""))
    if not isinstance(text, str) or not text or event.get("status") == "done":
        return event
    said = event.get("said")
    words = reasons_in_each(said, text) if said else in_each(text)
    return {**event, "words": words} if words["zh"] != text else event
