"""Keep what a script was seen to do: what it touched, what stands there now, what it printed."""

from __future__ import annotations

import hashlib
import os
import re
import stat
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from replay.staged.expectation import REPOSITORIES, SAME, Touched, touched
from safety.changes import ChangeSet
from tools.scripts.staged import with_rewritten

if TYPE_CHECKING:
    from sandbox.stage import Stage

EMPTY = hashlib.sha256(b"").hexdigest()
_STYLE = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b\][^\x07]*\x07|\r")


@dataclass(slots=True)
class Seen:
    """Hold what one run of a script did. `digests`: of the content of each file that it wrote."""

    changes: ChangeSet
    touched: list[Touched]
    digests: dict[str, str] = field(default_factory=dict)
    output: str = ""
    code: int = 0

    @property
    def is_as_before(self) -> bool:
        """Return True where files were written anew, and are as they were."""
        return {each.kind for each in self.touched} == {SAME}

    def is_like(self, other: Seen, volatile: frozenset[str] = frozenset()) -> bool:
        """Return True if the same paths were touched and hold the same, but for `volatile` ones."""
        if _kinds(self.touched) != _kinds(other.touched):
            return False
        return not self.differing(other) - volatile

    def differing(self, other: Seen) -> frozenset[str]:
        """Return the files that both wrote, with other content."""
        both = self.digests.keys() & other.digests.keys()
        return frozenset(path for path in both if self.digests[path] != other.digests[path])

    def printed_like(self, other: Seen) -> bool:
        """Return True if the same was printed, but for spaces and colours."""
        return plain(self.output) == plain(other.output)


def _kinds(found: list[Touched]) -> set[tuple[str, str]]:
    """Return what was touched; a number in a name may be a time, which is another one each time."""
    kinds = [("gone" if each.kind == "gone" else "there", each.path) for each in found]
    return {(kind, re.sub(r"\d+", "#", path)) for kind, path in kinds}


def plain(output: str) -> str:
    """Return an output without colours, with single spaces."""
    return " ".join(_STYLE.sub("", output).split())


def seen_in(stage: Stage, output: str, code: int) -> Seen:
    """Return what was done in a stage; ends it."""
    changes = with_rewritten(stage)
    return Seen(changes, touched(changes), dict(_digests(stage)), output, code)


def _digests(stage: Stage) -> Iterator[tuple[str, str]]:
    for delta in stage.deltas:
        if delta.kind in ("new", "changed", "dress"):
            yield from _below(delta.upper, delta.path, is_whole=delta.kind != "dress")


def _below(upper: str, path: str, *, is_whole: bool = True) -> Iterator[tuple[str, str]]:
    found = os.lstat(upper)
    if stat.S_ISDIR(found.st_mode) and not is_whole:
        return
    if stat.S_ISDIR(found.st_mode):
        for entry in sorted(Path(upper).iterdir()):
            if entry.name not in REPOSITORIES:
                yield from _below(str(entry), f"{path}/{entry.name}")
        yield path, f"folder {stat.S_IMODE(found.st_mode):o}"
    elif stat.S_ISLNK(found.st_mode):
        yield path, f"link {Path(upper).readlink()}"
    elif stat.S_ISREG(found.st_mode) and "/.git/" not in path:
        yield path, hashlib.sha256(Path(upper).read_bytes()).hexdigest()
