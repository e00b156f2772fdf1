"""Show what runs have changed, and take it back: `diff`, `undo`; `trash list|restore` brings back
what was removed together."""

from __future__ import annotations

import sys
from argparse import Namespace
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from config import Config, SopwithError
from memory.logs import find_run, read_events
from runs.start.undoing import take_back
from safety.changes import Change
from sandbox.undo import StageError, Trash, UndoStore
from tools.staged import difference, images, lines, listed, net, standing
from ui.command import JSON, Argument, Option, command, is_at_terminal
from ui.lists import print_json
from ui.sanitise import one_line, visible
from ui.terminal import agrees
from ui.words import say, words_of

if TYPE_CHECKING:
    from sandbox.undo.store import Kept

_STYLES = {"+": "green", "-": "red", "@": "cyan"}
CALL = Option("--call", "N", key="opt.call-changed")
SHOWN = 5  # of what was removed together


class NotUndone(SopwithError):
    """Nothing was taken back."""


class NoRun(SopwithError):
    """The command line names no run."""

    exit_code = 2


@command("diff", Argument("run", "?"), CALL, JSON)
def diff(args: Namespace, config: Config) -> int:
    """`diff [RUN]`: what a run has changed, the last one without a name."""
    store = _store(config)
    run = _run(config, store, args.run or "last")
    kept = standing(store, run, _call(config, run, args.call))
    changes = net(kept) if run else []
    if args.json:
        return print_json({"run": run, "changes": listed(changes)})
    if not changes:
        print(say("diff.none"))
        return 0
    before = images(config.home, kept)
    _print_list(changes)
    for change in changes:
        if change.kind in ("changed", "gone") and change.type == "file":
            path = str(change.path)
            after = "" if change.kind == "gone" else path
            for each in difference(before.get(path, ""), after, path).splitlines():
                _print(each, _STYLES.get(each[:1], ""))
    print(say("diff.undo", run=run))
    return 0


def _print_list(changes: list[Change]) -> None:
    for each in lines(changes, most=len(changes)):
        print(one_line(each, 400))


def _print(text: str, style: str) -> None:
    if not (style and sys.stdout.isatty()):
        print(visible(text))
        return
    from rich.text import Text

    from ui.lists import make_console

    make_console().print(Text(visible(text), style))


@command("undo", Argument("run", "*"), CALL, Option("--yes"), JSON)
def undo(args: Namespace, config: Config) -> int:
    """`undo [RUN|last]`, `undo forget RUN`: takes exactly that back, all of it or nothing."""
    store = _store(config)
    name, *rest = args.run or ["last"]
    if name == "forget":
        return _forget(store, config, rest)
    if name == "last" and not store.last_run():
        raise NotUndone(say("undo.nothing"))
    run = _run(config, store, name)
    return _undone(args, config, store, run)


def _undone(args: Namespace, config: Config, store: UndoStore, run: str) -> int:
    call = _call(config, run, args.call)
    if is_at_terminal() and not args.json and not args.yes:
        _print_list(net(standing(store, run, call)))
        if not agrees(say("undo.question", run=run)):
            return 1
    try:
        done = take_back(config, run, call)
    except StageError as error:
        raise NotUndone(words_of(error)) from error
    if args.json:
        conflicts = [{"path": each.path, "why": each.why} for each in done.conflicts]
        print_json({"undone": list(done.paths), "conflicts": conflicts})
    else:
        for each in done.conflicts:
            print(f"{one_line(each.path, 400)}: {words_of(each.why)}")
        key = "undo.conflicts" if done.conflicts else "undo.done"
        print(say(key, n=len(done.paths), run=run))
    return int(bool(done.conflicts))


def _forget(store: UndoStore, config: Config, names: list[str]) -> int:
    if len(names) != 1:
        raise NoRun(say("undo.forget_what"))
    run = _run(config, store, names[0])
    print(say("undo.forgotten", run=run, size=f"{store.forget(run):,}"))
    return 0


def _store(config: Config) -> UndoStore:
    return UndoStore.limited(config.home, config.undo)


def _run(config: Config, store: UndoStore, name: str) -> str:
    """Return the run that is meant; "last" is the one that has changed something last. Raises
    NoSuchRun."""
    if name == "last" and (last := store.last_run()):
        return last
    known = {each.run for each in store.all()}
    return name if name in known else find_run(config.home, name)


def _call(config: Config, run: str, name: str | None) -> str | None:
    """Return the id of a call; a number that is no id is that of its turn."""
    if name is None or not name.isdecimal():
        return name
    events = [each for each in read_events(config.home, run) if each["type"] == "tool_started"]
    if any(each["call"] == name for each in events):
        return name
    return next((each["call"] for each in events if each["turn"] == int(name)), name)


class NotRestored(SopwithError):
    """Nothing can be brought back, or not to where it was."""


@command("trash list", JSON)
def list_(args: Namespace, config: Config) -> int:
    """`trash list`: newest first."""
    trash = Trash(config.home)
    found = [(each.number, _gone(each)) for each in reversed(_kept(config))]
    found += [(id, [str(origin) for origin in trash.items(id)]) for id in reversed(trash.ids())]
    if args.json:
        return print_json({"trash": [{"id": id, "paths": paths} for id, paths in found]})
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
    """Return the entries of the undo store that removed something and can be taken back, oldest
    first."""
    done = (each for each in UndoStore(config.home).all() if each.state == "done")
    return [each for each in done if _gone(each) and not each.is_undo]


def _gone(each: Kept) -> list[str]:
    return [str(change.path) for change in each.changes.of("gone")]


@command("trash restore", Argument("id", "?"))
def restore(args: Namespace, config: Config) -> int:
    """`trash restore [ID]`: the last that was removed, without an id."""
    kept = {each.number: each for each in _kept(config)}
    ids = [args.id] if args.id else [*Trash(config.home).ids(), *kept]
    if not ids:
        raise NotRestored(say("trash.empty"))
    id = ids[-1]
    back = _restored(config, id, kept.get(id))
    for path in back:
        print(say("trash.restored", path=one_line(str(path), 400)))
    if not back:
        print(say("trash.gone"))
    return 0


def _restored(config: Config, id: str, entry: Kept | None) -> Sequence[str | Path]:
    """Bring back an entry of the trash, or undo the call that removed it. Raises NotRestored."""
    try:
        if entry is None:
            return Trash(config.home).restore(id)
        done = take_back(config, entry.run, entry.call)
    except StageError as error:
        raise NotRestored(words_of(error)) from error
    if done.conflicts:
        lines = [f"{each.path}: {words_of(each.why)}" for each in done.conflicts]
        raise NotRestored("\n".join(lines))
    return done.paths
