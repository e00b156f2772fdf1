"""Goes through a script command by command and gathers what each would do. What is not understood is an effect too."""

from __future__ import annotations

import re
import shlex
import unicodedata
from collections.abc import Callable, Mapping
from typing import NamedTuple

from shell.bash import Command, Part, Script, Word, read
from shell.catalogue import use_of
from shell.effects import files, inputs, known
from shell.effects.expand import Arg
from shell.effects.records import Effect
from shell.effects.runners import RUNNERS, run_inner
from shell.effects.state import MAX_COMMANDS, MAX_DEPTH, State

MAX_CHARS = 20_000  # a longer script is looked at in part, and asked about
_LOOKED_AT = 4_000
_MAX_PIECES = 60
_INVISIBLE = re.compile("[\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff\u00ad]")
_CONTINUED = re.compile(r"(?<=[^\s\\])\\\n(?=\S)")
_BOMB = re.compile(
    r"(?<![\w:.])([\w:.]{1,40})\s{0,9}\(\)\s{0,9}[{(]\s{0,9}\1\s{0,9}[|&]\s{0,9}\1\s{0,9}&?\s{0,9};?\s{0,9}[})]"
    r"|while\s{1,9}(true|:)[^\n]{0,20}do[^\n]{0,20}\$0\s{0,9}&"
)
_LOOP = re.compile(
    r"\b(?:while\s{1,9}(?:true|:|\[\s?1\s?\]|\(\(\s?1\s?\)\))|until\s{1,9}false|for\s{0,9}\(\(\s{0,9};\s{0,9};\s{0,9}\)\))"
    r"\s{0,9};?\s{0,9}do\b(.{0,400}?)\bdone\b",
    re.DOTALL,
)
_WAITS = re.compile(
    r"\b(wait|read|inotifywait|break|exit|return|flock)\b|\bsleep\s[^;&\n]*([;\n]|$)"
)
_IN_BACKGROUND = re.compile(r"(?<![&><|])&(?![&>\d])|\b: \| :")
_QUOTED = re.compile(r"'[^']*'|\"(?:[^\"\\]|\\.)*\"", re.DOTALL)
_DOCUMENT = re.compile(
    r"(<<-?[ \t]{0,9}(['\"]?)(\w{1,40})\2[^\n]*\n)(?:.*?\n)??[ \t]*\3(?=\n|$)", re.DOTALL
)
_WORST = re.compile(
    r"\bcd\s+[/~\"$]|\b(rm|dd|mkfs\S*|wipefs|shred|chmod|chown|find|mv)\b.*([\s=/\"'](/|~|\$HOME|\$\{HOME)|/dev/)"
)
_DANGEROUS = ("rm", "dd", "chmod", "mv", "bash", "sh")


class Setting(NamedTuple):
    """Hold what is known before a script runs: its variables (HOME among them) and its folder."""

    variables: Mapping[str, str]
    cwd: str
    forbidden: frozenset[str] = frozenset()  # programs of which each use is an effect


def scan(script: str, setting: Setting) -> list[Effect]:
    """Return the effects of a shell script. Never raises; takes well under 10 ms for what people write."""
    state = State(dict(setting.variables), setting.cwd, forbidden=setting.forbidden)
    state.prints = lambda commands: inputs.output_of(state, commands)
    run_script(state, script)
    return list(dict.fromkeys(state.effects))


def run_script(state: State, text: str) -> None:
    """Go through one script, in the state that it starts with."""
    if state.depth > MAX_DEPTH:
        state.add("unknown", "", "scripts within scripts, too deep")
        return
    _told_by_text(state, text)
    if len(text) > MAX_CHARS:
        state.add("unknown", "", f"the script is longer than {MAX_CHARS:,} characters")
        text = _ends(state, text)
    if "\\\n" in text:
        text = _CONTINUED.sub("", text)
    found = read(text)
    if found.problem:
        state.add("unknown", "", f"not understood: {found.problem}")
        if "/dev/tcp/" in text or "/dev/udp/" in text:
            state.add("send", "", "opens a connection", is_local=False)
        _in_pieces(state, text)
    _commands(state, found)


def _told_by_text(state: State, text: str) -> None:
    if not any(mark in text for mark in ("()", "$0", "done")):
        return
    bare = _QUOTED.sub("", _DOCUMENT.sub(r"\1", text[:MAX_CHARS]))
    if _BOMB.search(bare):
        state.add("catastrophic", "", "a fork bomb")
    for loop in _LOOP.finditer(bare):
        if _IN_BACKGROUND.search(loop[1]) and not _WAITS.search(loop[1]):
            state.add("catastrophic", "", "starts processes without end")


def _ends(state: State, text: str) -> str:
    """The first and the last commands of a long script; those that could be the worst are run through first."""
    first, last = text[:_LOOKED_AT], text[-_LOOKED_AT // 2 :]
    lines = [line for line in re.split(r"[\n;]", text) if len(line) < 500 and _WORST.search(line)]
    for line in list(dict.fromkeys(lines))[:_MAX_PIECES]:
        run_script(state.inner(), line)
    return first.rpartition("\n")[0] + "\n" + last.partition("\n")[2]


def _in_pieces(state: State, text: str) -> None:
    """Read in pieces what cannot be read as a whole, for what must be refused."""
    for line in re.split(r"[;&|\n()]+", text[:_LOOKED_AT])[:_MAX_PIECES]:
        try:
            words = shlex.split(line)
        except ValueError:
            continue
        if words:
            run_command(state, Command([Word([Part("text", word)]) for word in words]))


def _commands(state: State, found: Script) -> None:
    state.functions |= found.functions
    for name, body in found.functions.items():
        own = [each for each in body if len(each.words) == 1 and each.words[0].literal == name]
        if len(own) > 1:
            state.add("catastrophic", name, "a fork bomb")
    for command in found.commands:
        run_command(state, command)


def run_command(state: State, command: Command) -> None:
    """Go through one command, as often as a loop around it has known values."""
    state.budget[0] -= 1
    if state.budget[0] < 0:
        if state.budget[0] == -1:
            state.add("unknown", "", f"more than {MAX_COMMANDS} commands")
        return
    for name, word in command.assignments:
        known.assign(state, name, word)
    if command.loop_variable:
        known.loop(state, command)
        return
    looped = known.used_loop(state, command)
    for value in state.loops.get(looped, ()):
        state.variables[looped] = value
        _simple(state, command)
    state.variables.pop(looped, None) if looped else _simple(state, command)


def _simple(state: State, command: Command) -> None:
    args = state.expander().words(command.words)
    files.redirects(state, command, args)
    if args:
        run_words(state, args, command)


def run_words(state: State, args: list[Arg], command: Command) -> None:
    """Go through one command with its arguments; what a wrapper runs comes back here."""
    name = args[0].text
    if name is None or _is_pattern(args[0]):
        state.add("unknown", "", "the name of a command is only known when it runs")
        _guessed(state, args, command)
        return
    if name in state.aliases and len(state.aliases) < 50:
        rest = " ".join(shlex.quote(arg.text or "$unknown") for arg in args[1:])
        run_script(state.inner(), f"{state.aliases.pop(name)} {rest}")
    elif name in state.functions and state.depth <= MAX_DEPTH:
        _call(state, name, args)
    elif name and not name.isascii() and not name.startswith(("./", "/", "~")):
        _lookalike(state, name, args, command)
    elif name:
        _executed(state, name, args, command)


def _is_pattern(arg: Arg) -> bool:
    return arg.is_pattern and arg.text not in ("[", "[[")


def _guessed(state: State, args: list[Arg], command: Command) -> None:
    """`/bin/r?`: the dangerous programs that a pattern fits."""
    import fnmatch

    base = (args[0].text or "").rpartition("/")[2]
    for name in _DANGEROUS if base else ():
        if fnmatch.fnmatchcase(name, base):
            run_words(state, [Arg(name, name), *args[1:]], command)
            return


def _lookalike(state: State, name: str, args: list[Arg], command: Command) -> None:
    state.add("unknown", name, "looks like the name of a command and is none that is known")
    plain = unicodedata.normalize("NFKC", _INVISIBLE.sub("", name)).strip()
    if plain.isascii() and plain and plain != name:
        run_words(state, [Arg(plain, plain), *args[1:]], command)


def _call(state: State, name: str, args: list[Arg]) -> None:
    inner = state.inner()
    body = inner.functions.pop(name)
    values = [arg.text for arg in args[1:]]
    inner.positional = None if None in values else [value or "" for value in values]
    for each in body:
        run_command(inner, each)


def _executed(state: State, name: str, args: list[Arg], command: Command) -> None:
    path = state.join(name) if "/" in name else None
    if path is not None and path in state.programs:
        name = state.programs[path]
    elif path is not None and path in state.written:
        _script_file(state, state.written[path], args)
        return
    name = name.rpartition("/")[2] or name
    values = [arg.text if arg.text is not None else _option_start(arg) for arg in args[1:]]
    use = use_of(name, values)
    if name in state.forbidden:
        state.add("forbidden", name, is_local=False)
    if use.kind not in ("local", "read"):
        state.add(use.kind, name, use.verb, is_local=use.is_local)
    if use.kind != "read":
        files.of_command(state, name, args, command)
    if use.kind != "read":
        files.disks(state, name, args)
    files.named(state, name, args)
    if (handler := _HANDLERS.get(name)) is not None:
        handler(state, name, args, command)
    if name == "alias":
        for text in [(arg.text or "").partition("=")[2] for arg in args[1:]]:
            inner = state.inner()
            inner.aliases.clear()
            run_script(inner, text)
    run_inner(state, name, args, command, use.kind)


def _option_start(arg: Arg) -> str | None:
    """`-j$(nproc)`: an option of which only the value is not known."""
    return arg.start if re.match(r"-\w", arg.start) else None


def _script_file(state: State, text: str | None, args: list[Arg]) -> None:
    if text is None:
        state.add("unknown", args[0].start, "runs a file whose text is only known when it runs")
        return
    inner = state.inner()
    values = [arg.text for arg in args[1:]]
    inner.positional = None if None in values else [value or "" for value in values]
    run_script(inner, text)


_Handler = Callable[[State, str, list[Arg], Command], None]
_HANDLERS: dict[str, _Handler] = {
    **dict.fromkeys(("cd", "pushd"), known.change_folder),
    **dict.fromkeys(("export", "declare", "local", "readonly", "typeset"), known.declare),
    **dict.fromkeys(("mapfile", "readarray", "read"), known.read_variable),
    **dict.fromkeys(("cp", "mv", "ln", "tee", "sponge", "install"), files.copy),
    "unset": known.unset,
    "set": known.set_positional,
    "alias": known.alias,
    "printf": known.print_variable,
}
RUNNERS.script, RUNNERS.words = run_script, run_words
