"""Keep for all tests of a process what each new home would find out again: how the seeds read, and
how far this machine holds what runs on it."""

import contextlib
import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

SEEDS = str(Path(__file__).resolve().parent.parent / "sops")


@contextlib.contextmanager
def found_once() -> Iterator[None]:
    """Look at the seeds and at the machine once, as long as neither changes."""
    from memory.sops.catalogue import Catalogue, Entry
    from sandbox import stage
    from sandbox.cells import levels, probing
    from sandbox.undo import places

    def mounts(_: Path, folders: list[str | Path]) -> object:
        disks = [Path(folder).stat().st_dev for folder in folders]
        return levels.machine(), *disks, *map(str, places.mounted_near(list(map(str, folders))))

    with pytest.MonkeyPatch.context() as patch:
        _keep_seeds(patch, Catalogue, Entry)
        patch.setattr(probing, "tried", _kept(probing.tried, levels.machine))
        patch.setattr(stage, "why_none", _kept(stage.why_none, mounts))
        for name in ("fsync", "fdatasync"):  # no test cuts the power
            patch.setattr(os, name, lambda descriptor: None)
        yield


def _kept(find: Callable[..., Any], key: Callable[..., object]) -> Callable[..., Any]:
    """Return a function that finds anew only where the key is another."""
    found: dict[object, Any] = {}

    def look(*args: Any) -> Any:
        at = key(*args)
        if at not in found:
            found[at] = find(*args)
        return found[at]

    return look


def _keep_seeds(patch: pytest.MonkeyPatch, catalogue: Any, made: Callable[..., Any]) -> None:
    """Let a catalogue know the seeds that another one has read."""
    get, put = catalogue.get, catalogue.put
    seeds: dict[tuple[str, str], tuple[str, str]] = {}

    def known(self: Any, folder: str, stamp: list[int]) -> Any:
        if (folder, str(stamp)) not in seeds:
            return get(self, folder, stamp)
        said, text = seeds[folder, str(stamp)]
        self._used[folder] = stamp, made(json.loads(said), text)
        return self._used[folder][1]

    def keep(self: Any, folder: str, stamp: list[int], entry: Any) -> None:
        put(self, folder, stamp, entry)
        if folder.startswith(SEEDS) and folder in self._used:
            seeds[folder, str(stamp)] = json.dumps(entry.said), entry.text

    patch.setattr(catalogue, "get", known)
    patch.setattr(catalogue, "put", keep)
