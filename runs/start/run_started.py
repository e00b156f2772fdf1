"""How a run begins: its first event, which a resumed run goes by."""

from __future__ import annotations

from collections.abc import Sequence

from models.base import Event
from runs.options import Options
from runs.parts import Parts
from runs.start.choosing import Chosen
from runs.start.trust import origins_before


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
