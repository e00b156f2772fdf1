"""Tell what a command prints and reads, as far as that is known before it runs."""

from __future__ import annotations

import re

from shell.bash import Command
from shell.effects.outputs import filtered, printed
from shell.effects.state import MAX_DEPTH, State

_FILTERS = {"base64", "base32", "xxd", "rev", "tr", "openssl", "cat", "tee", "head", "tail"}
_DISGUISES = {"base64", "base32", "xxd", "rev", "tr", "openssl"}
FETCHERS = {"curl", "wget", "fetch", "aria2c", "axel", "http", "https", "xh"}


def output_of(state: State, commands: tuple[Command, ...]) -> str | None:
    """Return what the commands of a `$(…)` print, or None."""
    is_one = len(commands) == 1 or (bool(commands) and commands[-1].source is not None)
    return output(state, commands[-1]) if is_one else None


def output(state: State, command: Command, depth: int = 0) -> str | None:
    """Return what one command prints, or None."""
    args = [arg.text for arg in state.expander().words(command.words)] if depth < MAX_DEPTH else []
    values = [arg for arg in args if arg is not None]
    if not values or len(values) < len(args):
        return None
    name, values = values[0].rpartition("/")[2], values[1:]
    if name in ("echo", "printf"):
        return printed(name, values)
    if name in _FILTERS:
        return _filtered(state, name, values, command)
    return _told(state, name, values)


def _told(state: State, name: str, values: list[str]) -> str | None:
    if name in ("whoami", "logname") or (name == "id" and "".join(values) in ("-un", "-u-n")):
        return state.variables.get("USER")
    if name in ("true", ":"):
        return ""
    if name == "jobs":
        return "%1"
    if name in ("which", "command", "type") and values:
        is_asked = name == "which" or values[0] in ("-v", "-V", "-p", "-P")
        return f"/usr/bin/{values[-1].rpartition('/')[2]}" if is_asked else None
    operands = [value for value in values if not value.startswith("-")]
    if len(operands) != 1:
        return None
    folder, _, last = operands[0].rstrip("/").rpartition("/")
    if name == "basename":
        return last
    if name == "dirname":
        return folder or ("/" if operands[0].startswith("/") else ".")
    return state.join(operands[0]) if name in ("realpath", "readlink") else None


def _filtered(state: State, name: str, values: list[str], command: Command) -> str | None:
    given = input_of(state, command)
    operands = [value for value in values if not value.startswith("-")]
    if name == "cat" and operands:
        texts = [state.written.get(str(state.join(value))) for value in operands]
        return None if None in texts else "".join(text or "" for text in texts)
    if name in ("base64", "base32") and operands:
        return None
    return None if given is None else filtered(name, values, given)


def input_of(state: State, command: Command) -> str | None:
    """Return what a command reads, or None."""
    given = [each for each in command.redirects if each.operator in ("<", "<<", "<<<")]
    expander = state.expander()
    if given and given[-1].operator != "<":
        return expander.text(given[-1].word)
    if given:
        args = expander.word(given[-1].word)
        if args and args[0].stream:
            return output_of(state, args[0].stream)
        path = state.join(args[0].text or "") if args else None
        return state.written.get(str(path)) if path else None
    if command.source is not None:
        return output(state, command.source)
    texts = [output(state, each) for each in command.sources]
    return "\n".join(text or "" for text in texts) if texts and None not in texts else None


def has_input(command: Command) -> bool:
    """Return True if something is sent to a command, by a pipe or from a file."""
    return command.is_piped or any(each.operator.startswith("<") for each in command.redirects)


def producers(command: Command) -> list[str]:
    """Return the names of the commands whose output comes to this one."""
    found: list[str] = []
    source: Command | None = command
    while source is not None and len(found) < 20:
        several = [*source.sources, *([source.source] if source.source else [])]
        found += [each.words[0].written.rpartition("/")[2] for each in several if each.words]
        source = source.source
    return found


def is_disguised(command: Command) -> bool:
    """Return True if what a command reads was written so that nobody can read it."""
    return bool(set(producers(command)) & _DISGUISES)


def is_fetched(command: Command) -> bool:
    """Return True if what a command runs comes from the network: by a pipe, `<(…)` or `"$(…)"`."""
    words = [*command.words, *(each.word for each in command.redirects)]
    inner = [each for word in words for part in word.parts for each in part.commands]
    named = {each.words[0].written.rpartition("/")[2] for each in inner if each.words}
    return bool((named | set(producers(command))) & FETCHERS)


def looks_hidden(text: str | None) -> bool:
    """Return True for a text with escapes for letters."""
    return bool(text) and re.search(r"\\x[0-9a-f]{2}|\\[0-7]{3}", text or "") is not None
