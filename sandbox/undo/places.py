"""Where a stage lies: which folders it covers, where their copies go, what in them is hidden or
handed through."""

from __future__ import annotations

import hashlib
import os
import secrets
import stat
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from config import Worded

STORE = ".sopwith-undo"  # at the top of a root on another file system than the home folder
SHARED_MEMORY = "/dev/shm"
# File systems that hold no files of anybody.
_OF_THE_KERNEL = frozenset(
    ["proc", "sysfs", "devtmpfs", "devpts", "cgroup", "cgroup2", "securityfs", "debugfs", "tracefs", "mqueue", "bpf", "autofs"]
)  # fmt: skip


class StageError(Worded):
    """A stage cannot be opened, ended or committed, or a commit not be undone; the text says why and what would help."""


class Layer(NamedTuple):
    """One folder of the owner's that a stage covers. `upper` and `work` are overlayfs's own; in
    `store`, on the file system of the folder where possible, lies what a commit replaces."""

    lower: str
    store: str
    upper: str
    work: str


class Mounted(NamedTuple):
    """A line of the table of mounts."""

    point: str
    kind: str


def mounted() -> list[Mounted]:
    """Return what is mounted, in the order in which it was."""
    lines = Path("/proc/self/mountinfo").read_bytes().splitlines()
    found = []
    for line in lines:
        fields = line.split()
        kind = fields[fields.index(b"-") + 1]
        point = os.fsdecode(fields[4].decode("unicode_escape").encode("latin-1"))
        found.append(Mounted(point, kind.decode()))
    return found


def mounted_near(roots: Sequence[str]) -> list[Mounted]:
    """Return what is mounted at, above or below the roots."""
    return [
        each
        for each in mounted()
        if any(is_below(each.point, root) or is_below(root, each.point) for root in roots)
    ]


def covered(roots: Iterable[str], table: Sequence[Mounted]) -> list[str]:
    """Return the folders that an overlay can be mounted on: each root, or where there are mounts
    below it, its parts.

    A root is named without links. What lies in a root directly, beside such parts, cannot be
    covered."""
    kernel = {each.point for each in table if each.kind in _OF_THE_KERNEL}
    points = [each.point for each in table]
    found: list[str] = []
    for root in outermost(roots):
        found += _parts(root, points)
    return [path for path in found if path not in kernel and not _is_read_only(path)]


def _is_read_only(path: str) -> bool:
    """True on a mount that nobody can write to: there a program itself is told so."""
    return bool(os.statvfs(path).f_flag & os.ST_RDONLY)


def between(roots: Iterable[str], parts: Iterable[str]) -> list[str]:
    """Return the folders of the roots that have covered parts below them and are not covered."""
    parts = list(parts)
    found = set()
    for root in outermost(roots):
        for part in parts:
            while is_below(os.path.dirname(part), root) and part != root:
                part = os.path.dirname(part)
                found.add(part)
        if root not in parts:
            found.add(root)
    return sorted(found)


def _parts(folder: str, points: list[str]) -> list[str]:
    """Return the parts of a folder that have no mount below; what is closed to us we cannot change anyway."""
    if not os.access(folder, os.R_OK | os.X_OK):
        return []
    if not any(is_below(point, folder) and point != folder for point in points):
        return [folder]
    found: list[str] = []
    with os.scandir(folder) as entries:
        for entry in sorted(entries, key=lambda each: each.name):
            if entry.is_dir(follow_symlinks=False):
                found += _parts(entry.path, points)
    return found


def outermost(paths: Iterable[str]) -> list[str]:
    """Return the real folders among the paths that lie in no other of them."""
    real = sorted({os.path.realpath(path) for path in paths})
    found: list[str] = []
    for path in real:
        if not any(is_below(path, other) for other in found):
            found.append(path)
    return found


def is_below(path: str, folder: str) -> bool:
    """True for the folder itself and everything in it."""
    return path == folder or path.startswith(folder.rstrip("/") + "/")


def layers(roots: Iterable[str], home: Path, number: str) -> list[Layer]:
    """Return the layers of a stage. `number` names its entry in the undo store of this home folder."""
    real, table = outermost(roots), mounted()
    points = [each.point for each in table]
    found = []
    for count, lower in enumerate(covered(real, table)):
        root = next(each for each in real if is_below(lower, each))
        store = f"{entry_in(store_of(lower, root, home, points), home, number)}/{count}"
        found.append(placed(lower, store, store))
    return found


def entry_in(store: str, home: Path, number: str) -> str:
    """Return the folder of an entry in a folder of the undo store, which several homes may share."""
    if store == str(home / "undo"):
        return f"{store}/{number}"
    return f"{store}/{number}-{hashlib.sha256(os.fsencode(home)).hexdigest()[:8]}"


def placed(lower: str, store: str, upper: str) -> Layer:
    """Return a layer whose images lie in `store`, and whose copies in `upper`."""
    return Layer(lower, store, f"{upper}/up", f"{upper}/work")


def others(layer: Layer, home: Path, number: str) -> list[Layer]:
    """Return the same layer with its copies in other places, for a file system that overlayfs
    cannot write on."""
    own = f"{home}/undo/{number}/{Path(layer.store).name}"
    memory = f"{SHARED_MEMORY}/sopwith-{secrets.token_hex(8)}"  # a name that nobody can take first
    return [placed(layer.lower, layer.store, place) for place in (own, memory)]


def store_of(lower: str, root: str, home: Path, points: Sequence[str] = ()) -> str:
    """Return the folder of the undo store from which a file can be renamed into `lower`; `points`: of the mounts."""
    points = points or [each.point for each in mounted()]
    if _place(str(home), points) == _place(lower, points):
        return str(home / "undo")
    top = root if _place(root, points) == _place(lower, points) else lower
    try:
        os.makedirs(f"{top}/{STORE}", mode=0o700, exist_ok=True)
    except OSError:
        return str(home / "undo")
    return f"{top}/{STORE}"


def _place(path: str, points: Sequence[str]) -> tuple[int, str]:
    """Return file system and mount: only where both are equal can a file be renamed."""
    path = os.path.realpath(path)
    point = max((each for each in points if is_below(path, each)), key=len, default="/")
    return os.stat(path).st_dev, point


def sockets(roots: Iterable[str]) -> list[str]:
    """Return the sockets below the roots that somebody listens on: a copy of one leads nowhere."""
    table = Path("/proc/net/unix").read_bytes()
    roots = [root for root in roots if os.fsencode(root) in table]
    found = set()
    for line in table.splitlines() if roots else ():
        path = os.fsdecode(line.split(b" ", 7)[-1].strip())
        if path.startswith("/") and any(is_below(path, root) for root in roots):
            found.add(path)
    return sorted(path for path in found if _is_socket(path))


def _is_socket(path: str) -> bool:
    try:
        return stat.S_ISSOCK(os.lstat(path).st_mode)
    except OSError:
        return False
