"""Record a change that is made without a stage, such as a file tool's, in the undo store: one undo
then covers all."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol

from safety.changes import ChangeSet
from sandbox.undo import commits, entries, places, trees
from sandbox.undo.conflicts import Clock
from sandbox.undo.entries import Entry
from sandbox.undo.places import StageError
from sandbox.undo.steps import Step
from sandbox.undo.walk import Delta, DeltaKind


class Store(Protocol):
    """Name what a record needs of the undo store."""

    home: Path

    def make_room(self, needed: int) -> None:
        """Forget old images until `needed` bytes more fit. Raises StageError."""


@contextmanager
def record(
    store: Store, run: str, call: str, paths: Iterable[str | Path]
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
        done.append(finish(entry))
        entry.close()


def finish(entry: Entry) -> ChangeSet:
    """Turn the images of an entry into steps, as if a stage had made the changes, and return these."""
    images: list[tuple[str, str]] = [tuple(each) for each in entry.record.get("images", ())]
    steps = [step for path, kept in images for step in _steps(path, kept)]
    if not steps and not _is_continued(entry):
        entry.remove()
        return ChangeSet()
    deltas = [_delta(step) for step in steps]
    return commits.record_done(entry, steps, deltas)


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


def _image(path: str, layer: places.Layer) -> tuple[str, str]:
    """Copy what stands at a path; returns the path and its copy, "" for nothing."""
    os.makedirs(f"{layer.store}/kept", mode=0o700, exist_ok=True)
    if not os.path.lexists(path):
        return path, ""
    kept = f"{layer.store}/kept/0"
    trees.carry(path, kept)
    return path, kept


def _steps(path: str, kept: str) -> Iterator[Step]:
    now, old = trees.look(path), trees.look(kept) if kept else None
    if not _is_same(path, kept, now, old):
        yield Step("move", path, kept, "", old.st_ino if old else 0, now.st_ino if now else 0)


def _is_same(path: str, kept: str, now: os.stat_result | None, old: os.stat_result | None) -> bool:
    if now is None or old is None:
        return now is old
    return not trees.is_folder(now) and trees.same_content(path, kept, now, old)


def _delta(step: Step) -> Delta:
    before = trees.look(step.kept) if step.kept else None
    after = trees.look(step.path)
    kind: DeltaKind = "changed" if before and after else "new" if after else "gone"
    return Delta(kind, step.path, step.path, 0, before, after)


def remove(home: Path, run: str, call: str, paths: Iterable[Path]) -> tuple[str, ChangeSet]:
    """Return the number of the entry and the changes. Raises OSError with nothing done."""
    home = home.resolve()
    names = [str(path) for path in paths]
    folders = list(dict.fromkeys(map(_above, names)))
    entry = entries.make(home, run, call)
    try:
        layers = [_layer(folder, home, entry.number, n) for n, folder in enumerate(folders)]
        entry.write(layers=layers)
        deltas = [_gone(name, folders.index(_above(name))) for name in sorted(names)]
        clocks = [_clock(layer) for layer in layers]
        changes = ChangeSet(tuple(commits.change_of(each, each.path) for each in deltas))
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


def _above(name: str) -> str:
    return str(Path(name).parent)


def _clock(layer: places.Layer) -> Clock:
    Path(layer.store).mkdir(mode=0o700, parents=True, exist_ok=True)
    return Clock.now(layer.store)


def _gone(name: str, layer: int) -> Delta:
    return Delta("gone", name, "", layer, os.lstat(name), None)
