"""Where a stage lies: which folders it covers, where their copies go, what in them is hidden or
handed through."""

from __future__ import annotations

import hashlib
import os
import secrets
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from config import Worded
from sandbox import kernel

STORE = ".sopwith-undo"  # at the top of a root on another file system than the home folder
SHARED_MEMORY = "/dev/shm"
# File systems that hold no files of anybody.
_OF_THE_KERNEL = frozenset(
    ["proc", "sysfs", "devtmpfs", "devpts", "cgroup", "cgroup2", "securityfs", "debugfs", "tracefs", "mqueue", "bpf", "autofs"]
)  # fmt: skip


class StageError(Worded):
    """A stage cannot be opened, ended or committed, or a commit not be undone; the text says why
    and what would help."""


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
    device: str
    is_read_only: bool


def mounted(process: int | str = "self") -> list[Mounted]:
    """Return what this or another process sees mounted, by path."""
    return [Mounted(*each) for each in kernel.mounted(str(process))]


def mounted_near(roots: Sequence[str]) -> list[Mounted]:
    """Return what is mounted at, above or below the roots."""
    return [
        each
        for each in mounted()
        if any(is_below(each.point, root) or is_below(root, each.point) for root in roots)
    ]


def covered(roots: Iterable[str], table: Sequence[Mounted]) -> list[str]:
    """Return the folders that an overlay covers: each root, and each mount below one, for an
    overlay ends where another file system begins. A root is named without links, and in no other.

    What is closed to us we cannot change anyway; on a mount that is read-only a program itself is
    told so.
    """
    points = {each.point: each for each in table}
    found = []
    for root in roots:
        below = [point for point in points if is_inside(point, root)]
        for folder in (root, *below):
            mount = points[point_of(folder, points)]
            is_ours = mount.kind not in _OF_THE_KERNEL and not mount.is_read_only
            if is_ours and os.path.isdir(folder) and os.access(folder, os.R_OK | os.X_OK):
                found.append(folder)
    return found


def parts(layer: Layer, points: Collection[str]) -> tuple[list[Layer], list[str]]:
    """Return what covers a layer where the kernel refuses to cover it whole: one part for each
    folder without a mount below, and the folders between, which stay read-only."""
    inside = [point for point in points if is_inside(point, layer.lower)]
    if not inside:
        return [layer], []
    found: list[str] = []
    walls, above = [], [layer.lower]
    while above:
        walls.append(folder := above.pop())
        for path in set(_open_folders(folder)).difference(points):
            holds_mounts = any(is_below(point, path) for point in inside)
            (above if holds_mounts else found).append(path)
    divided = []
    for number, path in enumerate(sorted(found)):
        upper = layer.upper + path[len(layer.lower.rstrip("/")) :]
        divided.append(layer._replace(lower=path, upper=upper, work=f"{layer.work}/{number}"))
    return divided, walls


def _open_folders(folder: str) -> list[str]:
    """Return the folders in a folder that we may enter."""
    with os.scandir(folder) as entries:
        names = [each.path for each in entries if each.is_dir(follow_symlinks=False)]
    return [path for path in names if os.access(path, os.R_OK | os.X_OK)]


def outermost(paths: Iterable[str]) -> list[str]:
    """Return the real folders among the paths that lie in no other of them."""
    real = sorted({os.path.realpath(path) for path in paths})
    found: list[str] = []
    for path in real:
        if not any(is_below(path, other) for other in found):
            found.append(path)
    return found


def is_below(path: str, folder: str) -> bool:
    """Return True for the folder itself and everything in it."""
    return path == folder or path.startswith(folder.rstrip("/") + "/")


def is_inside(path: str, folder: str) -> bool:
    """Return True for everything in a folder, but not itself."""
    return path != folder and is_below(path, folder)


def layers(real: Sequence[str], home: Path, number: str, table: Sequence[Mounted]) -> list[Layer]:
    """Return the layers of a stage, what lies in another after it. `number` names its entry in the
    undo store of this home folder."""
    points = [each.point for each in table]
    found = []
    for count, lower in enumerate(covered(real, table)):
        root = next(each for each in real if is_below(lower, each))
        store = f"{entry_in(store_of(lower, root, home, points), home, number)}/{count}"
        found.append(placed(lower, store, store))
    return found


def devices(layers: Iterable[Layer], table: Iterable[Mounted]) -> dict[str, str]:
    """Return the device of each mount at and below the layers, by its point."""
    lowers = [layer.lower for layer in layers]
    return {
        each.point: each.device
        for each in table
        if any(is_below(each.point, lower) for lower in lowers)
    }


def layer_of(path: str, layers: Sequence[Layer]) -> Layer:
    """Return the layer that a path lies in."""
    return next(each for each in reversed(layers) if is_below(path, each.lower))


def entry_in(store: str, home: Path, number: str) -> str:
    """Return the folder of an entry in a folder of the undo store, which several homes may
    share."""
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
    """Return the folder of the undo store from which a file can be renamed into `lower`; `points`:
    of the mounts."""
    if is_one_mount(str(home), lower, points):
        return str(home / "undo")
    top = root if is_one_mount(root, lower, points) else lower
    try:
        os.makedirs(f"{top}/{STORE}", mode=0o700, exist_ok=True)
    except OSError:
        return str(home / "undo")
    return f"{top}/{STORE}"


def is_one_mount(path: str, other: str, points: Iterable[str] = ()) -> bool:
    """Return True where a file can be renamed from one folder into the other."""
    points = list(points) or [each.point for each in mounted()]
    return _place(path, points) == _place(other, points)


def _place(path: str, points: Iterable[str]) -> tuple[int, str]:
    """Return file system and mount: only where both are equal can a file be renamed."""
    path = os.path.realpath(path)
    return os.stat(path).st_dev, point_of(path, points)


def point_of(path: str, points: Iterable[str]) -> str:
    """Return where the mount is that a path lies in."""
    return max((each for each in points if is_below(path, each)), key=len, default="/")


def sockets(roots: Iterable[str]) -> list[str]:
    """Return the sockets below the roots that somebody listens on: a copy of one leads nowhere."""
    table = Path("/proc/net/unix").read_bytes()
    roots = [root for root in roots if os.fsencode(root) in table]
    found = set()
    for line in table.splitlines() if roots else ():
        path = os.fsdecode(line.split(b" ", 7)[-1].strip())
        if path.startswith("/") and any(is_below(path, root) for root in roots):
            found.add(path)
    return sorted(filter(_is_socket, found))


def _is_socket(path: str) -> bool:
    return Path(path).is_socket() and not Path(path).is_symlink()
