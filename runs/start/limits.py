"""Say what a run may use and what it has used, in words for its model."""

from __future__ import annotations

import time

from context.prompts import Prompts
from models.chain import Budget

NEARLY = 0.75  # of a limit: from here on each turn says what is used


def spent(budget: Budget, prompts: Prompts) -> str:
    """Return what is used of cost and time once that is nearly all, else ""."""
    used = list(filter(None, (_cost(budget), _time(budget))))
    return prompts.text("anchor_spent", what=", ".join(used)) if used else ""


def _cost(budget: Budget) -> str:
    if not budget.cost_usd or budget.spent_usd < NEARLY * budget.cost_usd:
        return ""
    return f"${budget.spent_usd:.2f}/{budget.cost_usd:g}"


def _time(budget: Budget) -> str:
    passed = (time.monotonic() - budget.started) / 60
    if budget.minutes is None or passed < NEARLY * budget.minutes:
        return ""
    return f"{passed:.0f}/{budget.minutes:g} min"
