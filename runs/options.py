"""Hold what a run is started with: options, and the SOP that it does by rote."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal, NamedTuple

from memory.sops import Sop
from models.base import Event
from runs.control.bounds import Bounds


@dataclass(frozen=True, slots=True)
class Options:
    """Hold what the owner asked for on the command line; None means what the config says."""

    session: str = "main"
    model: str | None = None
    persona: str | None = None
    max_turns: int | None = None
    max_cost: float | None = None  # USD
    # the limit was named for this run: then a model of one's own without a price costs too
    counts_local: bool = False
    max_minutes: float | None = None
    approve: Literal["ask", "never", "all"] = "ask"
    rote: bool = True
    window: bool = True  # what was said last in the session is read; a conversation has its own
    earlier: str = ""  # what a program says was said before; a model reads it behind the task
    named: bool = False  # each message of a group begins with the name of who says it
    cwd: Path = field(default_factory=Path.cwd)
    files: tuple[Path, ...] = ()  # what the owner attaches; they move into the run's folder
    job: Mapping[str, str] | None = None  # that a schedule began it for: name, due, last success
    shows_files: bool = False  # a model reads the text of what is attached with the task
    bounds: Bounds | None = None  # of a run that its owner did not start


class Replay(NamedTuple):
    """An SOP that is to be done by rote, with its parameters. `request`: what the owner said, when
    they were read from it."""

    sop: Sop
    parameters: dict[str, Any]
    request: str = ""
    lane: str = ""  # of the routing that found it
    verifies: bool = False  # a try in a stage: it counts for no statistics


def as_started(options: Options, opening: Event) -> Options:
    """Return the options of a resumed run: where and for whom it works does not change."""
    options = replace(
        options,
        session=opening["session"],
        cwd=Path(opening["cwd"]),
        persona=opening.get("persona"),
        named=opening.get("named", False),
    )
    bounds = Bounds.of(opening)
    if bounds is None:
        return options
    return replace(
        options,
        bounds=bounds,
        model=options.model or bounds.model,
        max_turns=options.max_turns or bounds.turns,
        max_cost=bounds.cost_usd if options.max_cost is None else options.max_cost,
        max_minutes=bounds.minutes if options.max_minutes is None else options.max_minutes,
        window=False,
    )
