"""Move files or folders into the undo store, as a commit of a stage does: by renaming, all or none."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from safety.changes import Change, ChangeSet, FileType
from sandbox.undo import StageError, commits, conflicts, entries, places, trees, walk


def remove(home: Path, run: str, call: str, paths: Iterable[Path]) -> tuple[str, ChangeSet]:
    """Return the number of the entry and the changes. Raises OSError with nothing done."""
    home = home.resolve()
    names = [str(path) for path in paths]
    folders = list(dict.fromkeys(map(_folder, names)))
    entry = entries.make(home, run, call)
    try:
        layers = [_layer(folder, home, entry.number, n) for n, folder in enumerate(folders)]
        entry.write(layers=layers)
        deltas = [_gone(name, folders.index(_folder(name))) for name in names]
        clocks = [_clock(layer) for layer in layers]
        changes = ChangeSet(tuple(sorted(map(_change, deltas), key=lambda each: str(each.path))))
        commits.carry_out(entry, commits.prepare(entry, deltas, clocks), changes)
    except (OSError, StageError) as error:
        entry.remove()
        if isinstance(error, StageError):
            raise OSError(str(error)) from error
        raise
    entry.close()
    return entry.number, changes


def _folder(name: str) -> str:
    return str(Path(name).parent)


def _layer(folder: str, home: Path, number: str, count: int) -> places.Layer:
    real = os.path.realpath(folder)
    store = f"{places.entry_in(places.store_of(real, real, home), home, number)}/{count}"
    return places.placed(folder, store, store)


def _clock(layer: places.Layer) -> conflicts.Clock:
    Path(layer.store).mkdir(mode=0o700, parents=True, exist_ok=True)
    return conflicts.Clock.now(layer.store)


def _gone(name: str, layer: int) -> walk.Delta:
    return walk.Delta("gone", name, "", layer, os.lstat(name), None)


def _change(delta: walk.Delta) -> Change:
    assert delta.before is not None
    files, size = trees.measured(delta.path)
    kind: FileType = "folder" if trees.is_folder(delta.before) else "file"
    return Change("gone", Path(delta.path), kind, before=size, files=files)
