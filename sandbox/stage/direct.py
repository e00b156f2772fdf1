"""Record a change that is made without an overlay, by a file tool or under images, in the undo
store: one undo then covers all."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from safety.changes import ChangeSet
from sandbox.stage.summary import change_set
from sandbox.undo import commits, entries, places, trees
from sandbox.undo.conflicts import Clock
from sandbox.undo.entries import Entry
from sandbox.undo.places import StageError
from sandbox.undo.steps import Step
from sandbox.undo.walk import Delta, dress_of, is_same, kind_of

if TYPE_CHECKING:
    from sandbox.undo import UndoStore


class Image(NamedTuple):
    """Tell where a copy of what stood at a path lies, "" for nothing. It is brought to `kept` from
    `source`, where that is named. The file was `inode`; one that `is_shared` has names elsewhere
    too."""

    path: str
    kept: str
    source: str = ""
    inode: int = 0
    is_shared: bool = False


@contextmanager
def record(
    store: UndoStore, run: str, call: str, paths: Iterable[str | Path]
) -> Iterator[list[ChangeSet]]:
    """Keep what stands at these paths before the block, and what it did to them after; the list
    that it gets holds that once the block has ended. Folders on the way to a path that the block
    makes are recorded too. Raises OSError and StageError before anything is done where the images
    cannot be kept."""
    home, wanted = store.home, [os.path.abspath(path) for path in paths]
    store.make_room(sum(trees.measured(path)[1] for path in wanted))
    entry = entries.make(home, run, call)
    names = list(dict.fromkeys(_first_missing(path) for path in wanted))
    done: list[ChangeSet] = []
    try:
        layers = [
            _layer(os.path.dirname(name), home, entry.number, count)
            for count, name in enumerate(names)
        ]
        entry.write(layers=layers)
        images = [_image(name, layer) for name, layer in zip(names, layers, strict=True)]
        before = {name: trees.stamp(name) for name in names}
        entry.write(sync=True, state="direct", images=images, before=before)
        yield done
    finally:
        done.append(finish(entry)[1])
        entry.close()


def finish(
    entry: Entry, tell: Callable[[list[Delta]], ChangeSet] = change_set
) -> tuple[list[Delta], ChangeSet]:
    """Turn the images of an entry into steps, as if a stage had made the changes. Returns what was
    done, and that in the words of the gate."""
    found = list(_found([Image(*each) for each in entry.record.get("images", ())]))
    if not found and not _is_continued(entry):
        entry.remove()
        return [], ChangeSet()
    steps, deltas = [step for step, _ in found], [delta for _, delta in found]
    changes = tell(deltas)
    commits.record_done(entry, steps, changes)
    return deltas, changes


def _is_continued(entry: Entry) -> bool:
    """Return True where other files with the same content follow what the run has changed: what the
    run had left there is known in its new state."""
    before: dict[str, Sequence[int]] = entry.record.get("before", {})
    same = {
        path: left for path, left in before.items() if left and tuple(left) != trees.stamp(path)
    }
    run = entries.run_in_mark(entry.record["run"])
    marks = entries.marks(entry.folder.parent.parent)
    if not same or not any(mark.run == run and mark.number != entry.number for mark in marks):
        return False
    entry.write(same=same)
    return True


def _first_missing(path: str) -> str:
    """Return the topmost part of a path that does not exist, the path itself where it does."""
    above = os.path.dirname(path)
    return path if os.path.lexists(path) or os.path.isdir(above) else _first_missing(above)


def _layer(folder: str, home: Path, number: str, count: int) -> places.Layer:
    real = os.path.realpath(folder)
    store = f"{places.entry_in(places.store_of(real, real, home), home, number)}/{count}"
    return places.placed(real, store, store)


def _image(path: str, layer: places.Layer) -> Image:
    """Copy what stands at a path."""
    os.makedirs(f"{layer.store}/kept", mode=0o700, exist_ok=True)
    if not os.path.lexists(path):
        return Image(path, "")
    kept = f"{layer.store}/kept/0"
    trees.carry(path, kept)
    return Image(path, kept)


def _found(images: list[Image]) -> Iterator[tuple[Step, Delta]]:
    """Yield what was done at the paths; the dress of a folder too where something in it was."""
    found = [each for image in images for each in _steps(image)]
    filled = {os.path.dirname(step.path) for step, _ in found if step.way != "dress"}
    for step, delta in found:
        if step.way != "dress" or step.before != step.after or step.path in filled:
            yield step, delta


def _steps(image: Image) -> Iterator[tuple[Step, Delta]]:
    """Yield the step that would have done what was done at a path, if anything was."""
    path, is_kept = image.path, not image.source or os.path.lexists(image.kept)
    lies = image.kept if is_kept else image.source
    old, now = trees.look(lies) if lies else None, trees.look(path)
    if _is_as_before(image, lies, old, now):
        if image.source and now:
            step = commits.dress_step(path, dress_of(lies), dress_of(path), is_busy=False)
            yield step, Delta("dress", path, path, 0, os.lstat(lies), now, image=lies)
        return
    if lies != image.kept:
        os.rename(lies, image.kept)
    yield (
        _step(image, old, now),
        Delta(kind_of(old, now), path, path, 0, old, now, image=image.kept),
    )


def _step(image: Image, old: os.stat_result | None, now: os.stat_result | None) -> Step:
    path, kept, _, inode, is_shared = image
    if is_shared and _inode(now) == inode and not trees.is_folder(now):
        return Step("inside", path, kept, "", inode)
    return Step("move", path, kept, "", _inode(old), _inode(now))


def _is_as_before(
    image: Image, lies: str, old: os.stat_result | None, now: os.stat_result | None
) -> bool:
    """Return True where at most the dress of a path is another than that of what stood there."""
    if now is None or old is None:
        return now is old
    if trees.is_folder(now):
        return bool(image.source) and trees.is_folder(old)
    has_links = bool(image.source) and now.st_nlink > 1
    if has_links and now.st_ino != image.inode:
        return False
    return is_same(image.path, lies, now, old)


def _inode(found: os.stat_result | None) -> int:
    return found.st_ino if found else 0


def remove(home: Path, run: str, call: str, paths: Iterable[Path]) -> tuple[str, ChangeSet]:
    """Return the number of the entry and the changes. Raises OSError with nothing done."""
    home = home.resolve()
    names = sorted(map(str, paths))
    folders = list(dict.fromkeys(map(os.path.dirname, names)))
    entry = entries.make(home, run, call)
    try:
        layers = [_layer(folder, home, entry.number, n) for n, folder in enumerate(folders)]
        entry.write(layers=layers)
        deltas, clocks = [], []
        for name in names:
            above = folders.index(os.path.dirname(name))
            deltas.append(Delta("gone", name, "", above, os.lstat(name), None))
        for layer in layers:
            Path(layer.store).mkdir(mode=0o700, parents=True, exist_ok=True)
            clocks.append(Clock.now(layer.store))
        changes = change_set(deltas)
        steps = commits.prepare(entry, deltas, clocks)
        commits.carry_out(entry, steps, changes, deltas, clocks)
    except StageError as error:
        entry.remove()
        raise OSError(str(error)) from error
    except OSError:
        entry.remove()
        raise
    entry.close()
    return entry.number, changes
