"""Write how a run begins: its first event, which a resumed run goes by, and its limits in words for the model."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

from config import Limits
from context import Prompts
from models.base import Event
from models.chain import Budget
from runs.options import Options
from runs.parts import Parts
from runs.start.choosing import Chosen
from runs.start.trust import origins_before

NEARLY = 0.75  # of a limit: from here on each turn says what is used


def opening(
    task: str,
    options: Options,
    parts: Parts,
    chosen: Chosen,
    previous: Sequence[str],
    *,
    is_attended: bool,
) -> Event:
    """The first event of a new run."""
    replay = chosen.replay
    return {
        "type": "run_started",
        "task": task,
        "session": options.session,
        "home": str(parts.config.home),
        "models": [each.name for each in parts.chosen_models(options)],
        "sop": replay.sop.name if replay and not replay.verifies else None,
        **({"verifies": replay.sop.name} if replay and replay.verifies else {}),
        "parameters": replay.parameters if replay else None,
        "sop_version": replay.sop.version if replay else None,
        **({"lane": replay.lane} if replay and replay.lane else {}),
        "attended": is_attended,
        "cwd": str(options.cwd),
        "sandbox": parts.sandbox.name,
        "limits": limits_of(options, parts.config.limits),
        **({"job": options.job} if options.job else {}),
        "lang": parts.config.lang,
        "previous": list(previous),
        **({"persona": options.persona} if options.persona else {}),
        **({} if options.window else {"window": False}),
        **({"named": True} if options.named else {}),
        **({"hints": [sop.name for sop in chosen.hints]} if chosen.hints else {}),
        **(
            {"families": offered}
            if (offered := _offered(task, options, parts, chosen, previous))
            else {}
        ),
        **({"origins": read} if (read := origins_before(parts.config.home, previous)) else {}),
        **(options.bounds.as_fields() if options.bounds else {}),
    }


def _offered(
    task: str, options: Options, parts: Parts, chosen: Chosen, previous: Sequence[str]
) -> list[str]:
    """The families of tools that a model is offered from the start; a replay calls what it calls."""
    if chosen.replay or options.session != "main" or not parts.config.models:
        return []
    from runs.start.offers import families_for

    if options.bounds and options.bounds.tools is not None:
        return [
            name
            for name, family in options.bounds.families(parts.families).items()
            if not family.problem()
        ]
    found = families_for(task, chosen.hints, parts.config.home, previous, parts.families)
    return (
        found if "mcp" in found or not parts.foreign else [*found, "mcp"]
    )  # the owner has set it up to be used


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
