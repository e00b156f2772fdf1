"""The files that a command reads, writes and takes away: by redirections, and by the roles of its operands."""

from __future__ import annotations

import re

from shell.bash import Command, Redirect
from shell.catalogue import Entry, entry, values_of, words
from shell.catalogue.options import has_option, operand_places
from shell.effects.expand import Arg, expand, input_of, output
from shell.effects.state import State

_DISK = re.compile(r"(^|=)/dev/(sd|hd|vd|xvd|nvme|mmcblk|disk|mapper/|dm-|md)")
_DEVICE = re.compile(r"/dev/\w")
_NO_FILE = re.compile(r"\d+|-")
_REMOTE = re.compile(r"(?!/|\.|[A-Z]:)[\w.@-]+:|rsync://")
_PROGRAM_FOLDERS = ("/bin/", "/sbin/", "/usr/bin/", "/usr/sbin/", "/usr/local/bin/")
_CONTENT = {":", "true", "cat", "echo", "printf"}
_PRINTS_NOTHING: tuple[list[str], ...] = (
    [],
    [":"],
    ["true"],
    ["cat", "/dev/null"],
    ["echo", "-n"],
    ["printf", ""],
)


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
    is_number = redirect.operator.endswith("&") and _NO_FILE.fullmatch(arg.text or "")
    if arg.stream or is_number:
        return
    if arg.start.startswith(("/dev/tcp/", "/dev/udp/")):
        state.add("send", name, arg.start, is_local=False)
    elif redirect.operator == "<":
        state.file("reads", name, arg)
    else:
        state.file("writes", name, arg)
        _filled(state, redirect, arg, command, args)


def _filled(state: State, redirect: Redirect, arg: Arg, command: Command, args: list[Arg]) -> None:
    """Remember what goes into a file, of a command that only prints; nothing empties it."""
    path = None if arg.text in (None, "/dev/null") else state.join(arg.text or "")
    if path is None:
        return
    is_printed = bool(args) and args[0].text in _CONTENT
    state.written[path] = output(state, command) if is_printed else None
    is_read = command.is_piped or any("<" in each.operator for each in command.redirects)
    is_empty = [each.text for each in args] in _PRINTS_NOTHING and not is_read
    if is_empty and redirect.operator in (">", ">|", "&>"):
        state.add("delete", args[0].start if args else "", f"empties {arg.text}")


def of_command(state: State, name: str, args: list[Arg], command: Command) -> None:
    """Note what a command does to the files that it is given, by its roles in the catalogue."""
    known, rest = entry(name), args[1:]
    if known is None:
        return
    plain = operands_of(known, rest)
    written = _chosen(known, "writes", rest, plain)
    _note(state, "writes", name, written)
    if "fetches" in known.more:
        _fetched(state, written, rest)
    is_deep = _is_deep(known, rest)
    for arg in _chosen(known, "deletes", rest, plain):
        state.file("takes" if is_deep or arg.is_pattern else "deletes", name, arg)
    if is_deep and "rights" in known.more:
        _note(state, "locks", name, plain[1:])
    _of_more_roles(state, known, rest, plain)


def operands_of(known: Entry, rest: list[Arg]) -> list[Arg]:
    """Return the arguments that are neither options nor their values."""
    return [rest[at] for at in operand_places(known, [arg.text for arg in rest])]


def _of_more_roles(state: State, known: Entry, rest: list[Arg], plain: list[Arg]) -> None:
    values, name = [arg.text for arg in rest], known.name
    if "devices" in known.more:
        named = [_cut(arg) if arg.start.startswith("of=") else arg for arg in plain]
        _note(state, "writes", name, [arg for arg in named if _DEVICE.match(arg.start)])
    if "emptied" in known.more and has_option(known, "--delete*", values):
        _note(state, "takes", name, plain[-1:])
    if "edits" in known.more and _edits(known, rest):
        _note(state, "writes", name, plain[0 if has_option(known, "-e", values) else 1 :])
    if "remote_path" in known.more and any(_REMOTE.match(arg.start) for arg in plain):
        state.add("send", name, "talks to another machine", is_local=False)


def _fetched(state: State, written: list[Arg], rest: list[Arg]) -> None:
    """Remember the files that come from the network: running one runs what nobody has seen."""
    names = [arg.text or "" for arg in written]
    names += [arg.start.rpartition("/")[2] for arg in rest if "://" in arg.start]
    for path in filter(None, map(state.join, names)):
        state.written.setdefault(path, None)


def _note(state: State, kind: str, name: str, args: list[Arg]) -> None:
    for arg in args:
        state.file(kind, name, arg)


def _is_deep(known: Entry, rest: list[Arg]) -> bool:
    options, values = known.listed("deep"), [arg.text for arg in rest]
    return "*" in options or any(has_option(known, each, values) for each in options)


def _edits(known: Entry, rest: list[Arg]) -> bool:
    """`sed -i`, `perl -pi -e`."""
    options = tuple(known.listed("edits"))
    return any(arg.start.startswith(options) or re.match(r"-[a-zA-Z]*i", arg.start) for arg in rest)


def _chosen(known: Entry, key: str, rest: list[Arg], plain: list[Arg]) -> list[Arg]:
    """Return the operands and option values that a role names."""
    roles = known.listed(key)
    options = [role for role in roles if role.startswith("-")]
    glued = tuple(role for role in roles if role.endswith("="))
    found = [_cut(rest[at]) for at in values_of(known, [arg.text for arg in rest], options)]
    found += [_cut(arg) for arg in rest if glued and arg.start.startswith(glued)]
    has_folder = any(arg.start.startswith(("-t", "--target-directory")) for arg in rest)
    sliced = {
        "all": plain,
        "rest": plain[1:],
        "first": plain[:1],
        "sources": plain[:-1] or plain,
        "last": [] if has_folder else plain[-1:],
    }
    return found + [arg for role in roles for arg in sliced.get(role, [])]


def _cut(arg: Arg) -> Arg:
    """Return the value of `name=value`."""
    start = arg.start.partition("=")[2] if "=" in arg.start else arg.start
    text = arg.text.partition("=")[2] if arg.text and "=" in arg.text else arg.text
    return arg._replace(text=text, start=start)


def named(state: State, name: str, args: list[Arg]) -> None:
    """Note the files that are named, since a command may show them, and disks."""
    is_looker = name in words("plain") | words("lookers") | words("named_only")
    if not is_looker and any(_DISK.search(arg.start) for arg in args[1:]):
        state.add("system", name, "a disk", is_local=False)
    for arg in args[1:] if name not in words("named_only") else []:
        value = arg.start.partition("=")[2] if re.match("-.*=", arg.start) else arg.start
        if re.search(r"[/~.]", value):
            state.file("reads", name, Arg(arg.text and value, value, arg.is_pattern))


def copy(state: State, name: str, args: list[Arg], command: Command) -> None:
    """Keep what is in a copy, so that running it is judged; note content that is lost."""
    plain = [arg for arg in args[1:] if not arg.start.startswith("-")]
    texts = [arg.text for arg in plain]
    if "/dev/null" in (texts if name == "mv" else texts[:-1]):
        state.add("delete", name, "with /dev/null: content is lost")
    if name in ("tee", "sponge"):
        text = input_of(state, command)
        state.written |= {path: text for arg in plain if (path := state.join(arg.start))}
    elif len(plain) == 2:
        first, last = (state.join(text or "") for text in texts)
        if last and first in state.written:
            state.written[last] = state.written[first]
        elif last and (first or "").startswith(_PROGRAM_FOLDERS):
            state.written[last] = f'{first} "$@"'
