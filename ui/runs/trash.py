"""The trash on the screen: `trash list|restore`. What was removed together comes back together, to where it was."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from config import Config, SopwithError
from sandbox.stage import StageError, UndoStore
from sandbox.trash import Trash, TrashError
from ui.command import JSON, Argument, command
from ui.lists import print_json
from ui.runs.changes import take_back
from ui.sanitise import one_line
from ui.words import in_words, say, words_of

if TYPE_CHECKING:
    from sandbox.undo.store import Kept

SHOWN = 5  # of what was removed together


class NotRestored(SopwithError):
    """Nothing can be brought back, or not to where it was."""


@command("trash list", JSON)
def list_(args: Namespace, config: Config) -> int:
    """`trash list`: newest first."""
    trash = Trash(config.home)
    found = [(each.number, _gone(each)) for each in reversed(_kept(config))]
    found += [(id, [str(item.origin) for item in trash.items(id)]) for id in reversed(trash.ids())]
    if args.json:
        print_json({"trash": [{"id": id, "paths": paths} for id, paths in found]})
        return 0
    for id, paths in found:
        print(say("trash.sent", id=one_line(id), n=len(paths)))
        for path in paths[:SHOWN]:
            print(f"  {one_line(path, 400)}")
        if len(paths) > SHOWN:
            print("  " + say("trash.more", n=len(paths) - SHOWN))
    if not found:
        print(say("trash.empty"))
    return 0


def _kept(config: Config) -> list[Kept]:
    """Return the entries of the undo store that removed something and can be taken back, oldest first."""
    return [each for each in UndoStore(config.home).all() if _is_removal(each)]


def _is_removal(each: Kept) -> bool:
    return each.state == "done" and not each.is_undo and bool(_gone(each))


def _gone(each: Kept) -> list[str]:
    return [str(change.path) for change in each.changes.of("gone")]


@command("trash restore", Argument("id", "?"))
def restore(args: Namespace, config: Config) -> int:
    """`trash restore [ID]`: the last that was removed, without an id."""
    kept = {each.number: each for each in _kept(config)}
    ids = [*Trash(config.home).ids(), *kept]
    if not args.id and not ids:
        raise NotRestored(say("trash.empty"))
    id = args.id or ids[-1]
    back = _restored(config, id, kept.get(id))
    for path in back:
        print(say("trash.restored", path=one_line(str(path), 400)))
    if not back:
        print(say("trash.gone"))
    return 0


def _restored(config: Config, id: str, entry: Kept | None) -> Sequence[str | Path]:
    try:
        return _taken_back(config, entry) if entry else Trash(config.home).restore(id)
    except (TrashError, StageError) as error:
        raise NotRestored(words_of(error)) from error


def _taken_back(config: Config, entry: Kept) -> Sequence[str | Path]:
    """Undo the call that removed something. Raises NotRestored and StageError."""
    done = take_back(config, entry.run, entry.call)
    if done.conflicts:
        raise NotRestored(
            "\n".join(f"{each.path}: {in_words(each.why)}" for each in done.conflicts)
        )
    return done.paths
