"""Say what a run may use and what it has used, in words for its model."""

from __future__ import annotations

import time
from typing import Any

from config import Limits
from context import Prompts
from models.base import Event
from models.chain import Budget
from runs.options import Options

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


def limits_of(options: Options, limits: Limits) -> dict[str, Any]:
    """Return what a run may use in turns, USD and minutes, for its first event."""
    cost = limits.cost_usd if options.max_cost is None else options.max_cost
    minutes = limits.minutes if options.max_minutes is None else options.max_minutes
    return {"turns": options.max_turns or limits.turns, "cost_usd": cost, "minutes": minutes}


def run_block(opening: Event, prompts: Prompts) -> str:
    """Return the lines that tell the model its limits, its sandbox, who is there and what began it."""
    lines = []
    if limits := opening.get("limits"):
        used = {name: f"{value:g}" for name, value in limits.items()}
        sandbox = opening.get("sandbox", "")
        lines.append(prompts.text("run_limits", **used, sandbox=sandbox))
    if not opening.get("attended", True):
        lines.append(prompts.text("run_unattended"))
    if job := opening.get("job"):
        lines.append(prompts.text("run_scheduled", **job))
    return "\n".join(lines)
