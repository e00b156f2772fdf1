"""Keep beside the SOPs what reading them came to: a start reads only the files that changed since.

`sops/.parsed.json` is derived: it may be deleted at any time, and a damaged or unwritable one is
done without. An SOP is taken from it while each of its files has the inode, size and times that it
had when it was read.
"""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

LAYOUT = 2  # another one is read as empty
READERS = (
    "memory/sops/store.py",
    "replay/procedure.py",
    "replay/parameters.py",
    "replay/template.py",
    "replay/extract.py",
)
CHECKOUT = Path(__file__).parents[2]

Stamp = list[int]


class Entry(NamedTuple):
    """Hold what is kept of one SOP: `said` is small and read at each start, `text` may be long and
    is read when it is used."""

    said: Mapping[str, Any]
    text: str


class Catalogue:
    """One folder's file: a line of JSON for all SOPs, then a line of text for each. `keep` writes
    what was new."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / ".parsed.json"
        self._known: dict[str, dict[str, Any]] = {}
        self._texts: list[bytes] = []
        self._used: dict[str, tuple[Stamp, Entry]] = {}
        self._has_news = False
        self._readers = [
            number for name in READERS for number in _times(os.fspath(CHECKOUT / name))
        ]
        with suppress(OSError, ValueError, RecursionError):
            first, *texts = self._path.read_bytes().split(b"\n")
            kept = json.loads(first)
            if isinstance(kept, dict) and (kept.get("layout"), kept.get("readers")) == (
                LAYOUT,
                self._readers,
            ):
                is_whole = isinstance(kept.get("sops"), dict) and len(kept["sops"]) + 1 == len(
                    texts
                )
                self._known, self._texts = (kept["sops"], texts) if is_whole else ({}, [])

    def get(self, folder: str, stamp: Stamp) -> Entry | None:
        """Return what was kept of an SOP whose files are as they were."""
        with suppress(KeyError, TypeError, IndexError, ValueError):  # not there, or damaged
            found = self._known[folder]
            if stamp and found["stamp"] == stamp:
                entry = Entry(found["said"], self._texts[found["line"]].decode())
                self._used[folder] = stamp, entry
                return entry
        return None

    def put(self, folder: str, stamp: Stamp, entry: Entry) -> None:
        """Keep what was read of an SOP, if JSON can hold it. The text must be one line."""
        with suppress(TypeError, ValueError, RecursionError):
            if stamp and json.loads(json.dumps(entry.said)) == entry.said:
                self._used[folder] = stamp, entry
                self._has_news = True

    def keep(self) -> None:
        """Write down what was new. What is gone, and has not been asked for, is left out."""
        if not (self._has_news and self._path.parent.is_dir()):
            return
        from memory.files import write_atomic

        sops = {
            folder: {"stamp": stamp, "said": entry.said, "line": number}
            for number, (folder, (stamp, entry)) in enumerate(self._used.items())
        }
        first = json.dumps({"layout": LAYOUT, "readers": self._readers, "sops": sops})
        with suppress(OSError):
            write_atomic(
                self._path,
                "\n".join([first, *(entry.text for _, entry in self._used.values()), ""]),
            )


def stamp_of(folder: str) -> Stamp:
    """Return what tells one state of an SOP's files from another; empty when something is no plain
    file."""
    try:
        own = os.stat(folder)  # noqa: PTH116 - a thousand of these take a millisecond
        stamp = [own.st_dev, own.st_ino]
        for path in (
            f"{folder}/SKILL.md",
            f"{folder}/SKILL.zh.md",
            f"{folder}/sop.yaml",
            *_scripts(folder),
        ):
            stamp += _times(path)
    except OSError:
        return []
    return stamp


def _scripts(folder: str) -> Iterator[str]:
    try:
        names = sorted(os.listdir(f"{folder}/scripts"))  # noqa: PTH208 - as above
    except FileNotFoundError:
        return
    yield from (f"{folder}/scripts/{name}" for name in names)


def _times(path: str) -> Stamp:
    """Raise OSError for what is no plain file: a link's file may change behind it."""
    try:
        found = os.lstat(path)
    except FileNotFoundError:
        return [0, 0, 0, 0]
    if not stat.S_ISREG(found.st_mode) and not path.endswith("/__pycache__"):
        raise OSError(path)
    return [found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns]
