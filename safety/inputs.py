"""What a command reads and prints, as far as that is known before it runs."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from safety.outputs import filtered, printed
from safety.shell import Command
from safety.tables import names

if TYPE_CHECKING:
    from safety.commands import Look

MAX_DEPTH = 6  # of scripts within scripts

_PRINTS = names(
    "type whoami logname id cat echo printf dirname basename realpath readlink base64 base32 xxd rev tr openssl which command true : tee head tail sed jobs"
)


def output_of(look: Look, commands: tuple[Command, ...]) -> str | None:
    """What the commands of a `$(…)` print; None when it is not known."""
    if (
        not commands
        or look.depth > MAX_DEPTH
        or (len(commands) > 1 and commands[-1].source is None)
    ):
        return None
    return output(look, commands[-1])


def output(look: Look, command: Command) -> str | None:
    """What one command prints; None when it is not known."""
    look.calls += 1
    if look.calls > 200:
        return None
    args = [arg.text for arg in look.expander().words(command.words)]
    if any(arg is None for arg in args) or not args:
        return None
    words = [arg or "" for arg in args]
    name, values = words[0].rpartition("/")[2], words[1:]
    if name not in _PRINTS:
        return None
    return _printed(look, name, values, command)


def from_disguise(command: Command | None) -> bool:
    """Whether a text was written so that one could not read it: nobody needs that for what is harmless."""
    while command is not None:
        name = (command.words[0].literal or "").rpartition("/")[2] if command.words else ""
        if name in ("base64", "base32", "xxd", "rev", "tr", "openssl"):
            return True
        command = command.source
    return False


def _printed(look: Look, name: str, values: list[str], command: Command) -> str | None:
    if name in ("echo", "printf"):
        return printed(name, values)
    if name in ("which", "command", "type"):
        is_asked = name == "which" or (values and values[0] in ("-v", "-V", "-p", "-P"))
        return f"/usr/bin/{values[-1].rpartition('/')[2]}" if values and is_asked else None
    if name == "jobs":
        return "%!"
    if name in ("whoami", "logname") or (
        name == "id" and sorted("".join(values).replace("-", "")) == ["n", "u"]
    ):
        return look.variables.get("USER")
    if name in ("true", ":"):
        return ""
    if name in ("dirname", "basename", "realpath", "readlink"):
        return _of_path(look, name, [value for value in values if not value.startswith("-")])
    if name == "head" and re.search(r"(^| )-(c|n) ?0( |$)", " ".join(values)):
        return ""
    given = input_of(look, command)
    operands = [value for value in values if not value.startswith("-")]
    if name == "cat" and operands:
        texts = [look.written.get(str(look.join(value))) for value in operands]
        return None if None in texts else "".join(text or "" for text in texts)
    if name in ("base64", "base32") and operands:
        given = None
    return None if given is None else filtered(name, values, given)


def _of_path(look: Look, name: str, operands: list[str]) -> str | None:
    if len(operands) != 1:
        return None
    folder, _, last = operands[0].rstrip("/").rpartition("/")
    if name == "basename":
        return last
    if name == "dirname":
        return folder or ("/" if operands[0].startswith("/") else ".")
    path = look.join(operands[0])
    return str(path) if path else None


def input_of(look: Look, command: Command) -> str | None:
    """What a command reads, if that is known."""
    given = [
        redirect
        for redirect in command.redirects
        if redirect.operator.startswith("<") and redirect.operator != "<&"
    ]
    expander = look.expander()
    if given:
        last = given[-1]
        if last.operator in ("<<", "<<<"):
            return expander.text(last.word)
        args = expander.word(last.word)
        if args and args[0].stream:
            return output_of(look, args[0].stream)
        path = look.path(args[0]) if args else None
        return look.written.get(str(path)) if path else None
    if command.source:
        return output(look, command.source)
    texts = [output(look, each) for each in command.sources]
    return "\n".join(text or "" for text in texts) if texts and None not in texts else None


def known_input(look: Look, command: Command) -> list[str]:
    """What is known of what a command reads, where that is not all: of `{ date; echo x; } |` the x."""
    return [text for each in command.sources if (text := output(look, each))]


def has_input(command: Command) -> bool:
    """Whether something is sent to a command, by a pipe or from a file."""
    return command.is_piped or any(
        redirect.operator.startswith("<") for redirect in command.redirects
    )
