"""Hold what the gate of a run goes by: settings, places, and whether there is a sandbox."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from config import SafetyConfig
from safety.paths import Places


@dataclass(frozen=True)
class Grounds:
    """`home` is the agent's home folder, `owner_home` the owner's, `cwd` where the run works."""

    settings: SafetyConfig
    home: Path
    owner_home: Path
    cwd: Path
    runs_code: Literal["yes", "ask", "no"] = "yes"  # is there a sandbox, or somebody to ask
    no_sandbox: str = ""  # why there is none, and how to get one
    sandboxed: bool = False  # then the owner is told of a call that must leave the sandbox
    own_targets: Callable[[], str] = str  # the owner's own data: who stands in it may be reached
    shared: Path | None = None  # the folder of a shared session that may work in one
    is_alone: bool = False  # autonomous mode: nobody watches (alone.py)
    reads: tuple[str, ...] = ()  # hosts that autonomous mode may read
    run: Path | None = None  # the folder of the run; of it a shared one reads what was too long
    places: Places = field(init=False)  # with links followed when the gate was made

    def __post_init__(self) -> None:
        places = Places.of(tuple(self.settings.roots), self.home, self.owner_home, self.cwd)
        object.__setattr__(self, "places", places)
