"""Goes through a script command by command and gathers what each would do. What is not understood
is an effect too."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from shell.bash import Command, Script, read
from shell.catalogue import use_of
from shell.effects import files, known
from shell.effects.code import run_text
from shell.effects.expand import expanded
from shell.effects.records import Effect, Setting
from shell.effects.runners import run_inner
from shell.effects.state import MAX_COMMANDS, MAX_DEPTH, Arg, State

MAX_CHARS = 20_000  # a longer script is looked at in part, and asked about
_LOOKED_AT = 4_000
_CONTINUED = re.compile(r"(?<=[^\s\\])\\\n(?=\S)")
_QUIET = ("local", "read")  # uses that are no effect by themselves


def scan(script: str, setting: Setting) -> list[Effect]:
    """Return the effects of a shell script. Never raises; takes well under 10 ms for what people
    write."""
    state = State(
        dict(setting.variables), setting.cwd, forbidden=setting.forbidden, reads=setting.reads
    )
    state.run, state.run_words = _run_script, _run_words
    _run_script(state, script)
    return list(dict.fromkeys(state.effects))


def _run_script(state: State, text: str) -> None:
    """Go through one script, in the state that it starts with."""
    if state.depth > MAX_DEPTH:
        state.add("unknown", "", "scripts within scripts, too deep")
        return
    if len(text) > MAX_CHARS:
        verb = f"the script is longer than {MAX_CHARS:,} characters"
        state.add("unknown", "", verb, is_local=False)
        text = text[:_LOOKED_AT].rpartition("\n")[0]
    found = read(_CONTINUED.sub("", text))
    if found.problem:
        state.add("unknown", "", f"not understood: {found.problem}", is_local=False)
    _commands(state, found)


def _commands(state: State, found: Script) -> None:
    """Go through all commands; those of a function stand among them."""
    state.functions |= found.functions.keys()
    for name, body in found.functions.items():
        itself = [each for each in body if [word.literal for word in each.words] == [name]]
        if len(itself) > 1:
            state.add("catastrophic", name, "a fork bomb")
    for command in found.commands:
        _run_command(state, command)


def _run_command(state: State, command: Command) -> None:
    state.budget[0] -= 1
    if state.budget[0] == -1:
        state.add("unknown", "", f"more than {MAX_COMMANDS} commands")
    if state.budget[0] < 0:
        return
    for name, word in command.assignments:
        known.assign(state, name, word)
    if command.loop_variable:
        state.variables.pop(command.loop_variable, None)
        return
    args = expanded(state, command.words)
    files.redirects(state, command, args)
    _run_words(state, args, command)


def _run_words(state: State, args: list[Arg], command: Command) -> None:
    """Go through one command with its arguments; what a wrapper runs comes back here."""
    if not args:
        return
    name = args[0].text
    if name is None or _is_pattern(args[0]):
        state.add("unknown", "", "the name of a command is only known when it runs")
    elif not name.isascii() and name[0] not in "./~":
        state.add("unknown", name, "looks like the name of a command and is none that is known")
    elif name not in {"", *state.functions}:
        _executed(state, name, args, command)


def _is_pattern(arg: Arg) -> bool:
    return arg.is_pattern and arg.text not in ("[", "[[")


def _executed(state: State, name: str, args: list[Arg], command: Command) -> None:
    path = state.join(name) if "/" in name else None
    if state.has_text(path):
        _made_file(state, state.written[path], args)
        return
    name = state.copies.get(path, name.rpartition("/")[2] or name)
    use = use_of(name, [_known(arg) for arg in args[1:]])
    if name in state.forbidden:
        state.add("forbidden", name, is_local=False)
    if use.kind not in _QUIET:
        state.add(use.kind, name, use.verb, is_local=use.is_local)
    if use.kind != "read":
        files.of_command(state, name, args, command)
    files.named(state, name, args)
    if name in _HANDLERS:
        _HANDLERS[name](state, name, args, command)
    run_inner(state, name, args, command, use.kind)


def _known(arg: Arg) -> str | None:
    """Return the text; of `-j$(nproc)`, an option of which only the value is not known, the
    option."""
    return arg.start if re.match(r"-\w", arg.start) else arg.text


def _made_file(state: State, text: str | None, args: list[Arg]) -> None:
    """Go through a file that the script itself has made, or that can be read."""
    name = args[0].start
    if text is None:
        state.add("unknown", name, "runs a file whose text is only known when it runs")
    else:
        is_python = "python" in text.partition("\n")[0]
        run_text(state, name, "python" if is_python else "bash", text)


_Handler = Callable[[State, str, list[Arg], Command], None]
_HANDLERS: Mapping[str, _Handler] = {
    **dict.fromkeys(("cd", "pushd"), known.change_folder),
    **dict.fromkeys(("mapfile", "readarray", "read"), known.read_variable),
    **dict.fromkeys(("cp", "mv", "ln", "tee", "sponge", "install"), files.copy),
    "alias": known.alias,
}
