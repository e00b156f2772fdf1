"""What of all that a run has before it is the owner's: the data that says whom it may reach, and whether an earlier run of
the conversation has read other people's words."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from runs.start.earlier import values_before

_MAX_CHARS = 200_000  # of one file
_MAX_RUNS = 5  # of a conversation, the last ones


def own_data(home: Path, session: str, sop: Path | None) -> str:
    """The texts whose names and addresses the owner has let in: OWNER.md, the facts, and the steps of the SOP that the run
    does (`sop` is its folder). Nothing in a shared session."""
    if session != "main":
        return ""
    files = [
        home / "OWNER.md",
        home / "memory" / "global_mem.txt",
        *([sop / "sop.yaml"] if sop else []),
    ]
    return "\n".join(map(_text, files))


def origins_before(home: Path, previous: Sequence[str]) -> list[str]:
    """Whose words, beside the owner's, the earlier runs of a conversation have read."""
    runs = previous[-_MAX_RUNS:]
    return sorted(
        set().union(*(values_before(home, run, "origins", "tool_ended", "origin") for run in runs))
    )


def _text(path: Path) -> str:
    try:
        if not path.is_file():  # a pipe would keep us waiting
            return ""
        with path.open(encoding="utf-8", errors="replace") as file:
            return file.read(_MAX_CHARS)
    except OSError:
        return ""
