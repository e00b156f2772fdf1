"""The files that a command reads, writes and takes away: by redirections, and by the roles of its
operands."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import NamedTuple

from shell.bash import Command, Redirect
from shell.catalogue import Entry, entry, values_of, words
from shell.catalogue.options import given_options, has_option, operand_places
from shell.effects.expand import expand, has_input, input_of, printed
from shell.effects.state import Arg, State
from text import pattern

_DISK = pattern(r"(^|=)/dev/(sd|hd|vd|xvd|nvme|mmcblk|disk|mapper/|dm-|md)")
_NO_FILE = pattern(r"\d+|-")
_REMOTE = pattern(r"(?!/|\.|[A-Z]:)[\w.@-]+:|rsync://")
_EMPTIES = (">", ">|", "&>")
_PRINTS_NOTHING = ("", ":", "true", "cat /dev/null", "echo -n", "printf ")
_COPIES_INPUT = ("cat", "tee", "sponge")


def redirects(state: State, command: Command, args: list[Arg]) -> None:
    """Note the files that redirections open."""
    for redirect in command.redirects:
        if redirect.operator not in ("<<", "<<<"):
            for arg in expand(state, redirect.word)[:1]:
                _redirect(state, redirect, arg, command, args)


def _redirect(
    state: State, redirect: Redirect, arg: Arg, command: Command, args: list[Arg]
) -> None:
    name = args[0].start if args else ""
    if arg.stream:
        return
    if redirect.operator.endswith("&") and _NO_FILE.fullmatch(arg.start):
        return
    if arg.start.startswith(("/dev/tcp/", "/dev/udp/")):
        state.add("send", name, arg.start, is_local=False)
    elif redirect.operator == "<":
        state.file("reads", name, arg)
    else:
        state.file("writes", name, arg)
        _filled(state, redirect, arg, command, args)


def _filled(state: State, redirect: Redirect, arg: Arg, command: Command, args: list[Arg]) -> None:
    """Remember what goes into a file; nothing empties it."""
    path = state.join(arg.text or "")
    if path in (None, "/dev/null"):
        return
    texts = [each.start for each in args]
    is_copied = texts in [[name] for name in _COPIES_INPUT]
    state.written[str(path)] = input_of(state, command) if is_copied else printed(state, command)
    empties = redirect.operator in _EMPTIES and not has_input(command)
    if empties and " ".join(texts) in _PRINTS_NOTHING:
        state.add("delete", "".join(texts[:1]), f"empties {arg.text}")


class _Line(NamedTuple):
    """A command line by the option grammar of its program."""

    known: Entry
    rest: list[Arg]
    plain: list[Arg]  # the operands
    given: frozenset[str]  # the options

    def has(self, key: str) -> bool:
        """Return True if the row of the program has a key."""
        return key in self.known.more


def of_command(state: State, name: str, args: list[Arg], command: Command) -> None:
    """Note what a command does to the files that it is given, by its roles in the catalogue."""
    known, rest = entry(name), args[1:]
    if known is None:
        return
    given = given_options(known, [arg.text for arg in rest])
    line = _Line(known, rest, operands_of(known, rest), given)
    for role, kind in _ROLES.items():
        for arg in role(line):
            state.file(kind, name, arg)
    if line.has("fetches"):
        _fetched(state, _written(line), rest)
    if line.has("remote_path") and any(_REMOTE.match(arg.start) for arg in line.plain):
        state.add("send", name, "talks to another machine", is_local=False)


def _written(line: _Line) -> list[Arg]:
    return _chosen(line.known, "writes", line.rest, line.plain)


def _devices(line: _Line) -> list[Arg]:
    """`dd of=/dev/sda`, `mkfs /dev/sda1`."""
    named = [_cut(arg) if arg.start.startswith("of=") else arg for arg in line.plain]
    return [arg for arg in named if arg.start.startswith("/dev/") and line.has("devices")]


def _edited(line: _Line) -> list[Arg]:
    """`sed -i`, `perl -pi -e`: all files behind the program."""
    options = tuple(line.known.listed("edits"))
    edits = line.has("edits") and "-i" in line.given
    if edits or any(arg.start.startswith(options) for arg in line.rest):
        return line.plain["-e" not in line.given :]
    return []


def _taken(line: _Line) -> list[Arg]:
    return _chosen(line.known, "deletes", line.rest, line.plain)


def _emptied(line: _Line) -> list[Arg]:
    """`rsync --delete a b`."""
    is_emptied = line.has("emptied") and has_option("--delete*", line.given)
    return line.plain[-1:] if is_emptied else []


def _locked(line: _Line) -> list[Arg]:
    """`chmod -R 000 a`."""
    is_deep = not line.given.union("*").isdisjoint(line.known.listed("deep"))
    return line.plain[1:] if is_deep and line.has("rights") else []


_ROLES: Mapping[Callable[[_Line], list[Arg]], str] = {
    _written: "writes",
    _devices: "writes",
    _edited: "writes",
    _taken: "takes",
    _emptied: "takes",
    _locked: "locks",
}


def operands_of(known: Entry, rest: list[Arg]) -> list[Arg]:
    """Return the arguments that are neither options nor their values."""
    return [rest[at] for at in operand_places(known, [arg.text for arg in rest])]


def _fetched(state: State, written: list[Arg], rest: list[Arg]) -> None:
    """Remember the files that come from the network: running one runs what nobody has seen."""
    names = [arg.start for arg in written]
    names += [arg.start.rpartition("/")[2] for arg in rest if "://" in arg.start]
    for path in filter(None, map(state.join, names)):
        state.written.setdefault(path, None)


def _chosen(known: Entry, key: str, rest: list[Arg], plain: list[Arg]) -> list[Arg]:
    """Return the operands and option values that a role names."""
    roles = known.listed(key)
    has_folder = any(arg.start.startswith(("-t", "--target-directory")) for arg in rest)
    sliced = {
        "all": plain,
        "rest": plain[1:],
        "first": plain[:1],
        "sources": plain[:-1] or plain,
        "last": [] if has_folder else plain[-1:],
    }
    found = _of_options(known, roles, rest)
    return found + [arg for role in roles for arg in sliced.get(role, [])]


def _of_options(known: Entry, roles: list[str], rest: list[Arg]) -> list[Arg]:
    options = [role for role in roles if role.startswith("-")]
    glued = tuple(role for role in roles if role.endswith("="))
    places = values_of([arg.text for arg in rest], options)
    found = [rest[at] for at in places] + [arg for arg in rest if arg.start.startswith(glued)]
    return list(map(_cut, found))


def _cut(arg: Arg) -> Arg:
    """Return the value of `name=value`."""
    start = arg.start.partition("=")[2] if "=" in arg.start else arg.start
    return arg._replace(text=None if arg.text is None else start, start=start)


def named(state: State, name: str, args: list[Arg]) -> None:
    """Note the files that are named, since a command may show them, and disks."""
    if name in words("named_only"):
        return
    is_looker = name in words("plain") | words("lookers")
    if not is_looker and any(_DISK.search(arg.start) for arg in args[1:]):
        state.add("system", name, "a disk", is_local=False)
    for arg in args[1:]:
        value = arg.start.partition("=")[2] if re.match("-.*=", arg.start) else arg.start
        if re.search(r"[/~.]", value):
            state.file("reads", name, Arg(arg.text and value, value, arg.is_pattern))


def copy(state: State, name: str, args: list[Arg], command: Command) -> None:
    """Note content that is lost, and files whose text is what a command reads."""
    texts = [arg.start for arg in args[1:] if not arg.start.startswith("-")]
    if "/dev/null" in (texts if name == "mv" else texts[:-1]):
        state.add("delete", name, "with /dev/null: content is lost")
    if len(texts) == 2 and entry(texts[0].rpartition("/")[2]):  # `cp /bin/rm x; ./x`
        state.copies[state.join(texts[1]) or ""] = texts[0].rpartition("/")[2]
    if name in _COPIES_INPUT:
        paths = filter(None, map(state.join, texts))
        state.written |= dict.fromkeys(paths, input_of(state, command))
