"""Write how a run begins: its first event, which a resumed run goes by, and what is used of its
limits."""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from config import Limits, SopwithError
from context import Prompts
from memory.runlog import cannot_write
from memory.sops import Sop
from models.base import Event
from models.chain import Budget
from runs.options import Options, Replay
from runs.parts import Parts
from runs.start.choosing import Chosen
from runs.start.trust import origins_before, values_before
from tools.registry import Family, named_in

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
    """Return the first event of a new run."""
    config = parts.config
    event = {
        "type": "run_started",
        "task": task,
        "session": options.session,
        "home": str(config.home),
        "models": [each.name for each in parts.chosen_models(options)],
        **_replay_fields(chosen.replay),
        "attended": is_attended,
        "cwd": str(options.cwd),
        "sandbox": parts.sandbox.name,
        "limits": limits_of(options, config.limits),
        "lang": config.lang,
        "previous": list(previous),
        **({} if options.window else {"window": False}),
        **(options.bounds.as_fields() if options.bounds else {}),
    }
    extra = {
        "job": options.job,
        "persona": options.persona,
        "named": options.named,
        "hints": [sop.name for sop in chosen.hints],
        "families": _offered(task, options, parts, chosen, previous),
        "origins": origins_before(config.home, previous),
    }
    return event | {name: value for name, value in extra.items() if value}


def _replay_fields(replay: Replay | None) -> dict[str, Any]:
    if replay is None:
        return {"sop": None, "parameters": None, "sop_version": None}
    name = replay.sop.name
    fields: dict[str, Any] = {"sop": None, "verifies": name} if replay.verifies else {"sop": name}
    fields |= {"parameters": replay.parameters, "sop_version": replay.sop.version}
    return fields | ({"lane": replay.lane} if replay.lane else {})


def _offered(
    task: str, options: Options, parts: Parts, chosen: Chosen, previous: Sequence[str]
) -> list[str]:
    """Return the families of tools that a model is offered from the start; a replay calls what it
    calls."""
    if chosen.replay or options.session != "main" or not parts.config.models:
        return []
    if options.bounds and options.bounds.tools is not None:
        return [
            name
            for name, family in options.bounds.families(parts.families).items()
            if not family.problem()
        ]
    found = _families_for(task, chosen.hints, parts.config.home, previous, parts.families)
    if parts.foreign and "mcp" not in found:  # the owner has set it up to be used
        found.append("mcp")
    return found


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


def _families_for(
    request: str,
    sops: Iterable[Sop],
    home: Path,
    previous: Sequence[str],
    families: Mapping[str, Family],
) -> list[str]:
    """Return the families that the request, its SOPs or the run before it in the conversation call
    for."""
    found = set(named_in(request, families))
    for run in previous[-1:]:
        found |= values_before(home, run, "families", "offered", "family")
    for sop in sops:
        with suppress(OSError, SopwithError):  # what cannot be read is told where it is used
            body = sop.body("en")
            found |= {
                family.name
                for family in families.values()
                if any(tool in body for tool in family.tools)
            }
    return [name for name, family in families.items() if name in found and not family.problem()]


FOLDER = "files"  # in the run's
MAX_SHOWN_CHARS = (
    20_000  # of attached text that a model reads with its task; it opens longer files itself
)


def take_in(files: Sequence[Path], folder: Path) -> list[str]:
    """Move files into the folder of a run; return where each lies now. Raises RunLogError."""
    if not files:
        return []
    place = folder / FOLDER
    try:
        place.mkdir(mode=0o700, exist_ok=True)
        return [str(shutil.move(file, _free(place, file))) for file in files]
    except OSError as error:
        raise cannot_write(place, error) from error


def _free(place: Path, file: Path) -> Path:
    """Return where a file may lie: two may have one name."""
    target, number = place / file.name, 2
    while target.exists():
        target, number = place / f"{file.stem}-{number}{file.suffix}", number + 1
    return target


def in_full(files: Sequence[str]) -> str:
    """Return the text of the attached files, each under its name, as far as MAX_SHOWN_CHARS go;
    what is no text is left out."""
    found, room = [], MAX_SHOWN_CHARS
    for path in map(Path, files):
        text = _text(path)
        if text and len(text) <= room:
            found.append(f"<file path={str(path)!r}>\n{text}\n</file>")
            room -= len(text)
    return "\n".join(found)


def _text(path: Path) -> str:
    if path.stat().st_size > 4 * MAX_SHOWN_CHARS:  # of UTF-8, four bytes a character at most
        return ""
    content = path.read_bytes()
    return "" if b"\0" in content else content.decode("utf-8", "ignore").strip()


def request_of(start: Event) -> str:
    """Return what the owner said, in full, without the list of attached files below it."""
    task: str = start["task"]
    lines = task.split("\n")
    return "\n".join(lines[: -len(start["attached"]) - 2]) if start.get("attached") else task


def named(task: str, attached: Sequence[str], heading: str) -> str:
    """Return the task with the attached files below it, under the words `heading`."""
    return "\n".join([task, "", heading, *(f"- {path}" for path in attached)]) if attached else task
