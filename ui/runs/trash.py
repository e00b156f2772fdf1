"""The trash on the screen: `trash list|restore`. What was removed together comes back together, to where it was."""

from __future__ import annotations

from argparse import Namespace

from config import Config, SopwithError
from sandbox.trash import Trash, TrashError
from ui.command import JSON, Argument, command
from ui.lists import print_json
from ui.sanitise import one_line
from ui.words import in_words, say

SHOWN = 5  # of what was removed together


class NotRestored(SopwithError):
    """Nothing can be brought back, or not to where it was."""


@command("trash list", JSON)
def list_(args: Namespace, config: Config) -> int:
    """`trash list`: newest first."""
    trash = Trash(config.home)
    found = [(id, [str(item.origin) for item in trash.items(id)]) for id in reversed(trash.ids())]
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


@command("trash restore", Argument("id", "?"))
def restore(args: Namespace, config: Config) -> int:
    """`trash restore [ID]`: the last that was removed, without an id."""
    trash = Trash(config.home)
    ids = trash.ids()
    if not args.id and not ids:
        raise NotRestored(say("trash.empty"))
    try:
        back = trash.restore(args.id or ids[-1])
    except TrashError as error:
        raise NotRestored(in_words(str(error))) from error
    for path in back:
        print(say("trash.restored", path=one_line(str(path), 400)))
    if not back:
        print(say("trash.gone"))
    return 0
