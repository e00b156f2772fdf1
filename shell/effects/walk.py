"""Goes through a script command by command and gathers what each would do. What is not understood is an effect too."""

from __future__ import annotations

import re
import shlex
import unicodedata
from collections.abc import Callable, Mapping

from shell.bash import Command, Part, Script, Word, read
from shell.catalogue import use_of
from shell.effects import files, known
from shell.effects.expand import Arg, expanded, plain_arg
from shell.effects.records import Effect, Setting
from shell.effects.runners import run_inner
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
_WORST = re.compile(
    r"\bcd\s+[/~\"$]|\b(rm|dd|mkfs\S*|wipefs|shred|chmod|chown|find|mv)\b.*([\s=/\"'](/|~|\$HOME|\$\{HOME)|/dev/)"
)
_QUOTED = re.compile(r"'[^']*'|\"(?:[^\"\\]|\\.)*\"", re.DOTALL)


def scan(script: str, setting: Setting) -> list[Effect]:
    """Return the effects of a shell script. Never raises; takes well under 10 ms for what people write."""
    state = State(dict(setting.variables), setting.cwd, forbidden=setting.forbidden)
    state.run, state.run_words = _run_script, _run_words
    _run_script(state, script)
    return list(dict.fromkeys(state.effects))


def _run_script(state: State, text: str) -> None:
    """Go through one script, in the state that it starts with."""
    if state.depth > MAX_DEPTH:
        state.add("unknown", "", "scripts within scripts, too deep")
        return
    if "()" in text[:MAX_CHARS] or "$0" in text[:MAX_CHARS]:
        _told_by_text(state, text[:MAX_CHARS])
    if len(text) > MAX_CHARS:
        state.add("unknown", "", f"the script is longer than {MAX_CHARS:,} characters")
        for line in dict.fromkeys(_worst(text)):
            state.script(line)
        text = text[:_LOOKED_AT].rpartition("\n")[0]
    found = read(_CONTINUED.sub("", text))
    if found.problem:
        state.add("unknown", "", f"not understood: {found.problem}", is_local=False)
        _in_pieces(state, text)
    _commands(state, found)


def _worst(text: str) -> list[str]:
    """Return the lines of a long script that could be the worst."""
    lines = re.split(r"[\n;]", text)
    return [line for line in lines if len(line) < 500 and _WORST.search(line)][:_MAX_PIECES]


def _told_by_text(state: State, text: str) -> None:
    if _BOMB.search(_QUOTED.sub("", text)):
        state.add("catastrophic", "", "a fork bomb")


def _in_pieces(state: State, text: str) -> None:
    """Read what cannot be read as a whole in pieces, for what must be refused."""
    for line in re.split(r"[;&|\n()]+", text[:_LOOKED_AT])[:_MAX_PIECES]:
        try:
            pieces = shlex.split(line)
        except ValueError:
            continue
        if pieces:
            _run_command(state, Command([Word([Part("text", piece)]) for piece in pieces]))


def _commands(state: State, found: Script) -> None:
    state.functions |= found.functions
    for name, body in found.functions.items():
        own = [each for each in body if len(each.words) == 1 and each.words[0].literal == name]
        if len(own) > 1:
            state.add("catastrophic", name, "a fork bomb")
    for command in found.commands:
        _run_command(state, command)


def _run_command(state: State, command: Command) -> None:
    """Go through one command, as often as a loop around it has known values."""
    state.budget[0] -= 1
    if state.budget[0] == -1:
        state.add("unknown", "", f"more than {MAX_COMMANDS} commands")
    if state.budget[0] < 0:
        return
    for name, word in command.assignments:
        known.assign(state, name, word)
    if command.loop_variable:
        known.loop(state, command)
        return
    looped = known.used_loop(state, command)
    for value in state.loops.get(looped, [""]):
        if looped:
            state.variables[looped] = value
        _simple(state, command)
    state.variables.pop(looped, None)


def _simple(state: State, command: Command) -> None:
    args = expanded(state, command.words)
    files.redirects(state, command, args)
    if args:
        _run_words(state, args, command)


def _run_words(state: State, args: list[Arg], command: Command) -> None:
    """Go through one command with its arguments; what a wrapper runs comes back here."""
    name = args[0].text
    if name is None or _is_pattern(args[0]):
        state.add("unknown", "", "the name of a command is only known when it runs")
        _guessed(state, args, command)
    elif name in state.aliases:
        rest = " ".join(shlex.quote(arg.text or "$unknown") for arg in args[1:])
        state.script(f"{state.aliases.pop(name)} {rest}")
    elif name in state.functions and state.depth <= MAX_DEPTH:
        _call(state, name, args)
    elif not name.isascii() and name[0] not in "./~":
        _lookalike(state, name, args, command)
    elif name:
        _executed(state, name, args, command)


def _is_pattern(arg: Arg) -> bool:
    return arg.is_pattern and arg.text not in ("[", "[[")


def _guessed(state: State, args: list[Arg], command: Command) -> None:
    """`/bin/r?`: the dangerous programs that a pattern fits."""
    import fnmatch

    base = (args[0].text or "").rpartition("/")[2]
    for name in ("rm", "dd", "chmod", "mv", "bash", "sh") if base else ():
        if fnmatch.fnmatchcase(name, base):
            _run_words(state, [plain_arg(name), *args[1:]], command)
            return


def _lookalike(state: State, name: str, args: list[Arg], command: Command) -> None:
    state.add("unknown", name, "looks like the name of a command and is none that is known")
    plain = unicodedata.normalize("NFKC", _INVISIBLE.sub("", name)).strip()
    if plain.isascii() and plain not in ("", name):
        _run_words(state, [plain_arg(plain), *args[1:]], command)


def _called(state: State, args: list[Arg]) -> State:
    """Return the state in which a function or a script runs with these arguments."""
    inner = state.inner()
    values = [arg.text for arg in args[1:]]
    inner.positional = None if None in values else [value or "" for value in values]
    return inner


def _call(state: State, name: str, args: list[Arg]) -> None:
    inner = _called(state, args)
    for each in inner.functions.pop(name):
        _run_command(inner, each)


def _executed(state: State, name: str, args: list[Arg], command: Command) -> None:
    path = state.join(name) if "/" in name else None
    if path in state.written:
        _script_file(state, state.written[path or ""], args)
        return
    name = name.rpartition("/")[2] or name
    use = use_of(name, [_known(arg) for arg in args[1:]])
    if name in state.forbidden:
        state.add("forbidden", name, is_local=False)
    if use.kind not in ("local", "read"):
        state.add(use.kind, name, use.verb, is_local=use.is_local)
    if use.kind != "read":
        files.of_command(state, name, args, command)
    files.named(state, name, args)
    if name in _HANDLERS:
        _HANDLERS[name](state, name, args, command)
    run_inner(state, name, args, command, use.kind)


def _known(arg: Arg) -> str | None:
    return _option(arg) if arg.text is None else arg.text


def _option(arg: Arg) -> str | None:
    """`-j$(nproc)`: an option of which only the value is not known."""
    return arg.start if re.match(r"-\w", arg.start) else None


def _script_file(state: State, text: str | None, args: list[Arg]) -> None:
    if text is None:
        state.add("unknown", args[0].start, "runs a file whose text is only known when it runs")
    else:
        _run_script(_called(state, args), text)


_Handler = Callable[[State, str, list[Arg], Command], None]
_HANDLERS: Mapping[str, _Handler] = {
    **dict.fromkeys(("cd", "pushd"), known.change_folder),
    **dict.fromkeys(("export", "declare", "local", "readonly", "typeset"), known.declare),
    **dict.fromkeys(("mapfile", "readarray", "read"), known.read_variable),
    **dict.fromkeys(("cp", "mv", "ln", "tee", "sponge", "install"), files.copy),
    "unset": known.unset,
    "set": known.set_positional,
    "alias": known.alias,
}
