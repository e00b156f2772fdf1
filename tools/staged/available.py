"""Tell whether calls can be staged on this machine, without a trial at each start."""

from __future__ import annotations

import time
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from sandbox.cells import levels

NOTE = "stage"  # in the home folder, beside the note on the sandbox
RETRY_SECONDS = 300


def is_staged_here(home: Path, roots: Iterable[Path]) -> bool:
    """Return True when these roots can be staged, really tried. A yes holds until the next boot, or
    other mounts; a no for RETRY_SECONDS, since its cause may pass (a busy machine, a full disk)."""
    folders = sorted({str(root) for root in roots if root.is_dir()})
    key, note = _key(folders), home / NOTE
    if not key:
        return False
    with suppress(OSError, UnicodeDecodeError):  # not noted yet
        noted, _, answer = note.read_text("utf-8").rpartition("\n")
        is_new = abs(time.time() - note.stat().st_mtime) < RETRY_SECONDS
        if noted == key and (answer == "overlay" or is_new):
            return answer == "overlay"
    from sandbox.stage import why_none

    answer = "none" if why_none(home, folders) else "overlay"
    with suppress(OSError):  # tried again next time
        note.write_text(f"{key}\n{answer}", "utf-8")
    return answer == "overlay"


def _key(roots: list[str]) -> str:
    """Return what a trial depends on; "" where there is no stage to be had."""
    machine = levels.machine()
    if not machine or not roots:
        return ""
    from sandbox.undo import places

    mounts = [f"{each.kind} {each.point}" for each in places.mounted_near(roots)]
    return "\n".join([machine, *roots, *mounts])
