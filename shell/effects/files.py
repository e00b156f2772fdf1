"""The files that a command reads, writes and takes away: by redirections, and by the roles of its operands."""

from __future__ import annotations

import re

from shell.bash import Command, Redirect
from shell.catalogue import Entry, entry, values_of, words
from shell.catalogue.options import has_option, operand_places
from shell.effects.expand import Arg
from shell.effects.inputs import input_of
from shell.effects.state import State

# Commands whose arguments name what is looked at, and nothing in the files is shown.
_NAMED_ONLY = frozenset(
    [
        "ls",
        "stat",
        "test",
        "[",
        "[[",
        "cd",
        "echo",
        "printf",
        "mkdir",
        "which",
        "type",
        "file",
        "realpath",
        "basename",
        "dirname",
        "touch",
        "du",
        "find",
        "chmod",
        "git",
        "rm",
        "mv",
        "chown",
        "alias",
        "export",
        "pushd",
        "tree",
        "readlink",
        "command",
        "ln",
        "locate",
        "umask",
        "ulimit",
    ]
)
_PROGRAM_FOLDERS = ("/bin/", "/sbin/", "/usr/bin/", "/usr/sbin/", "/usr/local/bin/")
_DISK = re.compile(r"(^|=)/dev/(sd|hd|vd|xvd|nvme|mmcblk|disk|mapper/|dm-|md)")
_DEVICE = re.compile(r"/dev/\w")
_NO_FILE = re.compile(r"\d+|-")
_CONTENT = {":", "true", "cat", "echo", "printf"}


def redirects(state: State, command: Command, args: list[Arg]) -> None:
    """Note the files that redirections open."""
    for redirect in command.redirects:
        if redirect.operator in ("<<", "<<<"):
            continue
        for arg in state.expander().word(redirect.word)[:1]:
            _redirect(state, redirect, arg, command, args)


def _redirect(
    state: State, redirect: Redirect, arg: Arg, command: Command, args: list[Arg]
) -> None:
    name = args[0].start if args else ""
    if arg.stream or (
        arg.text and redirect.operator.endswith("&") and _NO_FILE.fullmatch(arg.text)
    ):
        return
    if redirect.operator == "<":
        state.file("reads", name, arg)
        return
    if arg.start.startswith(("/dev/tcp/", "/dev/udp/")):
        state.add("send", name, arg.start, is_local=False)
        return
    state.file("writes", name, arg)
    if arg.text is None or arg.text == "/dev/null":
        return
    path = state.join(arg.text)
    if path is not None:
        state.written[path] = _content(state, command, args)
    if redirect.operator in (">", ">|", "&>") and _empties(command, args):
        state.add("delete", name, f"empties {arg.text}")


def _content(state: State, command: Command, args: list[Arg]) -> str | None:
    """Return what goes into the file, of a command that only prints."""
    from shell.effects.inputs import output

    return output(state, command) if args and args[0].text in _CONTENT else None


def _empties(command: Command, args: list[Arg]) -> bool:
    """True of `> file`, `: > file`, `cat /dev/null > file`."""
    texts = [arg.text for arg in args]
    is_bare = not texts or texts in (
        [":"],
        ["true"],
        ["cat", "/dev/null"],
        ["echo", "-n"],
        ["printf", ""],
        ["echo", "-n", ""],
    )
    return (
        is_bare
        and not command.is_piped
        and not any("<" in each.operator for each in command.redirects)
    )


def of_command(state: State, name: str, args: list[Arg], command: Command) -> None:
    """Note what a command does to the files that it is given, by its roles in the catalogue."""
    known = entry(name)
    if known is None:
        return
    rest = args[1:]
    values = [arg.text for arg in rest]
    plain = [rest[at] for at in operand_places(known, values)]
    written = _chosen(known, "writes", rest, plain)
    _note(state, "writes", name, written)
    if "fetches" in known.more:
        _fetched(state, written, rest)
    is_deep = _is_deep(known, rest)
    for arg in _chosen(known, "deletes", rest, plain):
        state.file("takes" if is_deep or arg.is_pattern else "deletes", name, arg)
    if is_deep and "rights" in known.more:
        _note(state, "locks", name, plain[1:])
    if "devices" in known.more:
        _note(state, "writes", name, [arg for arg in _cut_names(plain) if _DEVICE.match(arg.start)])
    if "emptied" in known.more and has_option(known, "--delete*", values):
        _note(state, "takes", name, plain[-1:])
    if "edits" in known.more and _edits(known, rest):
        _note(state, "writes", name, plain[0 if has_option(known, "-e", values) else 1 :])
    if "remote_path" in known.more and any(_is_remote(arg.start) for arg in plain):
        state.add("send", name, "talks to another machine", is_local=False)


def _fetched(state: State, written: list[Arg], rest: list[Arg]) -> None:
    """Remember the files that come from the network: running one runs what nobody has seen."""
    names = [arg.text for arg in written]
    names += [arg.start.rpartition("/")[2] for arg in rest if "://" in arg.start]
    for path in filter(None, map(state.join, filter(None, names))):
        state.written.setdefault(path, None)


def _note(state: State, kind: str, name: str, args: list[Arg]) -> None:
    for arg in args:
        state.file(kind, name, arg)


def _is_remote(text: str) -> bool:
    return re.match(r"(?!/|\.|[A-Z]:)[\w.@-]+:|rsync://", text) is not None


def _is_deep(known: Entry, rest: list[Arg]) -> bool:
    options = known.listed("deep")
    return "*" in options or any(
        has_option(known, each, [arg.text for arg in rest]) for each in options
    )


def _edits(known: Entry, rest: list[Arg]) -> bool:
    """`sed -i`, `perl -pi -e`."""
    options = known.listed("edits")
    if any(arg.start.startswith(option) for arg in rest for option in options):
        return True
    return any(re.match(r"-[a-zA-Z]*i", arg.start) for arg in rest)


def _chosen(known: Entry, key: str, rest: list[Arg], plain: list[Arg]) -> list[Arg]:
    """The operands and option values that a role names."""
    roles = known.listed(key)
    values = [arg.text for arg in rest]
    options = [role for role in roles if role.startswith("-")]
    glued = [role for role in roles if role.endswith("=")]
    found = [_cut(rest[at]) for at in values_of(known, values, options)]
    found += [_cut(arg) for arg in rest for start in glued if arg.start.startswith(start)]
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
    """The value of `name=value`."""
    start = arg.start.partition("=")[2] if "=" in arg.start else arg.start
    text = arg.text.partition("=")[2] if arg.text and "=" in arg.text else arg.text
    return Arg(text, start, arg.is_pattern, arg.has_output)


def _cut_names(plain: list[Arg]) -> list[Arg]:
    return [_cut(arg) if re.match(r"of=", arg.start) else arg for arg in plain]


def disks(state: State, name: str, args: list[Arg]) -> None:
    """Note a disk that is given to a program of which nobody knows that it only looks."""
    is_looker = name in words("plain") | words("lookers") | _NAMED_ONLY
    if not is_looker and any(_DISK.search(arg.start) for arg in args[1:]):
        state.add("system", name, "a disk", is_local=False)


def named(state: State, name: str, args: list[Arg]) -> None:
    """Note the files that are named, since a command may show them."""
    if name in _NAMED_ONLY:
        return
    for arg in args[1:]:
        value = arg.start
        if value.startswith("-") and "=" in value:
            value = value.partition("=")[2]
        if re.search(r"[/~.]", value):
            state.file("reads", name, Arg(arg.text and value, value, arg.is_pattern))


def copy(state: State, name: str, args: list[Arg], command: Command) -> None:
    """Keep what is in a copy, so that running it is judged; note content that is lost."""
    plain = [arg for arg in args[1:] if not arg.start.startswith("-")]
    texts = [arg.text for arg in plain]
    if "/dev/null" in (texts[:-1] if name in ("cp", "install", "ln") else texts) and name != "tee":
        state.add("delete", name, "with /dev/null: content is lost")
    if name in ("tee", "sponge"):
        text = input_of(state, command)
        state.written |= {path: text for arg in plain if (path := state.join(arg.start))}
    elif len(plain) == 2 and texts[0] and texts[1]:
        _copied(state, texts[0], texts[1])


def _copied(state: State, source: str, target: str) -> None:
    first, last = state.join(source), state.join(target)
    if first is None or last is None:
        return
    if first in state.written:
        state.written[last] = state.written[first]
    if source.startswith(_PROGRAM_FOLDERS):
        state.programs[last] = source.rpartition("/")[2]
