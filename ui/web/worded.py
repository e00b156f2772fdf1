"""Events as the page gets them: what the code says in English stands beside it in each language, since many may read along."""

from __future__ import annotations

from typing import Any

from ui.words import reasons_in_each

_SAID = {
    "confirm": "reason",
    "tool_ended": "reason",
    "model_failed": "reason",
    "model_retry": "reason",
    "journal_failed": "reason",
    "learned": "reason",
    "noted": "problem",
    "run_ended": "result",
}


def worded(event: dict[str, Any]) -> dict[str, Any]:
    """The event with `words`: {language: text}, when it says something that is not a model's and is there in both."""
    text = event.get(_SAID.get(event.get("type", ""), ""))
    if not isinstance(text, str) or not text or event.get("status") == "done":
        return event
    words = reasons_in_each(text)
    return {**event, "words": words} if words["zh"] != text else event
