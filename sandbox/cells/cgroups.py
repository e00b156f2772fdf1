"""A control group for one call, where we may make one: limits on memory and processes that hold for
all of its processes together. Only root may without asking anyone; for others the limits of each
process (sandbox/cells/levels.py) stand alone."""

from __future__ import annotations

import contextlib
import itertools
import os
from pathlib import Path

_ROOT = Path("/sys/fs/cgroup")
# versions 1 and 2
_FILES = {"pids": ("pids.max", "pids.max"), "memory": ("memory.limit_in_bytes", "memory.max")}
_counter = itertools.count(1)


class Group:
    """Made empty; `join` is for the process that becomes the call. `close` removes it."""

    def __init__(self, memory_bytes: int, processes: int) -> None:
        self.folders: list[Path] = []
        if os.geteuid() != 0:
            return
        name = f"sopwith-{os.getpid()}-{next(_counter)}"
        is_second = (_ROOT / "cgroup.controllers").exists()
        for kind, value in (("pids", processes), ("memory", memory_bytes)):
            folder = _ROOT / name if is_second else _ROOT / kind / name
            if not self.folders or not is_second:
                _sweep(folder.parent)
            with contextlib.suppress(OSError):
                folder.mkdir(exist_ok=is_second)
                if folder not in self.folders:
                    self.folders.append(folder)
                (folder / _FILES[kind][is_second]).write_text(str(value))
                if kind == "memory":
                    swap = "memory.swap.max" if is_second else "memory.memsw.limit_in_bytes"
                    with contextlib.suppress(OSError):
                        (folder / swap).write_text("0" if is_second else str(value))

    @property
    def files(self) -> list[str]:
        """Return where a process writes 0 to join."""
        return [str(folder / "cgroup.procs") for folder in self.folders]

    def close(self) -> None:
        """Remove it; if its last process is still ending, a later agent removes it."""
        for folder in self.folders:
            with contextlib.suppress(OSError):
                folder.rmdir()
        self.folders = []


def _sweep(parent: Path) -> None:
    """Remove groups that agents left behind which are gone, killed perhaps. One in which there are
    processes stays."""
    for folder in parent.glob("sopwith-*"):
        pid = folder.name.split("-")[1]
        if not Path(f"/proc/{pid}").exists():
            with contextlib.suppress(OSError):
                folder.rmdir()
