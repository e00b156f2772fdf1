"""Variables of a script: what sets them, and to what, as far as that is known before it runs."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from safety import inputs, listings
from safety.expand import Arg
from safety.outputs import printed
from safety.shell import Command, Part, Word
from safety.tables import GUARDED_VARIABLES
from text import pattern

if TYPE_CHECKING:
    from safety.commands import Look


_USUAL_FOLDER = pattern(
    r"~/(bin|\.local/bin|go/bin|\.(cargo|npm-global|yarn|bun|deno|pyenv|rbenv|nodenv|asdf|volta|poetry|dotnet|composer/vendor|local/share/pnpm)(/bin|/shims|/tools)?)"
    r"|(/usr|/usr/local|/opt/[\w-]+|/snap|)/s?bin|(\./)?(node_modules/\.bin|\.?venv/bin|vendor/bin)"
)


def used_loop(look: Look, command: Command) -> str | None:
    """The variable of a loop whose values are known, if the command uses one."""
    words = [*command.words, *(redirect.word for redirect in command.redirects)]
    return next(
        (
            part.value
            for word in words
            for part in word.parts
            if part.kind == "variable" and part.value in look.loops
        ),
        None,
    )


def assign(look: Look, name: str, word: Word) -> None:
    """`NAME=word`."""
    expander = look.expander()
    if (
        GUARDED_VARIABLES.match(name)
        and name != "IFS"
        and not (name == "PATH" and _is_usual_path(look, word))
    ):
        look.add("unknown", f"sets {name}, which changes what commands do", name)
    if name in ("HISTFILE", "HISTSIZE", "HISTFILESIZE"):
        look.add("system", f"sets {name}: the shell forgets what was done", name)
    if name == "PROMPT_COMMAND":
        look.nested([expander.text(word)])
    if name == "PS4" and word.parts:
        look.nested([f'echo "{expander.text(word) or ""}"'])
    look.outputs.discard(name)
    if word.items is not None:
        args = expander.words(word.items)
        look.arrays[name] = [arg.text or "\0" for arg in args]
        if any(arg.text is None for arg in args):
            look.arrays.pop(name)
            look.outputs.add(name)
        return
    value = expander.text(word)
    if value is None or "\0" in value:
        look.variables.pop(name, None)
        if expander.holds_output(word):
            look.outputs.add(name)
    else:
        look.variables[name] = value


def _is_usual_path(look: Look, word: Word) -> bool:
    """Whether PATH gets no folders but those where a system, the owner or this project keep their programs."""
    expander = look.expander()
    expander.variables = expander.variables | {"PATH": ""}
    text = expander.text(word)
    return bool(text) and all(
        not entry
        or _USUAL_FOLDER.fullmatch(entry.replace(f"{look.cwd}/", "./"))
        or _USUAL_FOLDER.fullmatch(entry.replace(str(look.places.owner), "~"))
        for entry in (text or "").split(":")
    )


def loop(look: Look, command: Command) -> None:
    """`for NAME in …`: the last value that does harm counts, so each known one is tried where it is used."""
    values = [arg.text for arg in look.expander().words(command.words[1:])]
    known = [value for value in values if value is not None]
    look.listed[command.loop_variable] = listings.in_words(look, command.words[1:])
    look.over[command.loop_variable] = next(
        (part.commands for word in command.words[1:] for part in word.parts if part.commands), ()
    )
    look.loops.pop(command.loop_variable, None)
    look.variables.pop(command.loop_variable, None)
    if known and len(known) == len(values):
        if len(known) == 1:
            look.variables[command.loop_variable] = known[0]
        else:
            look.loops[command.loop_variable] = known[:8]


def _exports(look: Look, name: str, args: list[Arg], words: list[Word]) -> None:
    for arg, word in zip(args[1:], words[1:], strict=False):
        found = re.match(r"([A-Za-z_]\w*)\+?=", arg.start)
        if not found:
            continue
        first = word.parts[0]
        rest = Part(first.kind, first.value.partition("=")[2], first.is_quoted)
        is_reference = name in ("declare", "typeset", "local") and any(
            each.text and re.fullmatch(r"-\w*n\w*", each.text) for each in args
        )
        if is_reference and arg.text is not None:
            look.aliases[""] = ""
            look.add("unknown", f"{name} -n: a second name for a variable", name)
        assign(look, found[1], Word([rest, *word.parts[1:]], word.items))


def unset(
    look: Look, name: str, args: list[Arg], values: list[str | None], command: Command
) -> None:
    for value in values:
        if value in ("HISTFILE", "HISTSIZE", "HISTFILESIZE"):
            look.add("system", f"sets {value}: the shell forgets what was done", name)
        elif value:
            look.variables.pop(value, None)


def positional(
    look: Look, name: str, args: list[Arg], values: list[str | None], command: Command
) -> None:
    if "--" in values:
        rest = values[values.index("--") + 1 :]
        look.positional = None if None in rest else [value or "" for value in rest]


def read_lines(
    look: Look, name: str, args: list[Arg], values: list[str | None], command: Command
) -> None:
    """`mapfile NAME`: an array of what is read."""
    for each in [value for value in values[-1:] if value and not value.startswith("-")]:
        look.arrays.pop(each, None)
        look.outputs.add(each)
        look.listed[each] = listings.given_to(look, command)


def read(
    look: Look, name: str, args: list[Arg], values: list[str | None], command: Command
) -> None:
    names = [value for value in values if value and re.fullmatch(r"[A-Za-z_]\w*", value)]
    text = inputs.input_of(look, command)
    for each in names:
        look.variables.pop(each, None)
        look.outputs.add(each)
        look.listed[each] = listings.given_to(look, command)
    if text is not None and len(names) == 1:
        look.outputs.discard(names[0])
        look.variables[names[0]] = text.strip()


def printf(
    look: Look, name: str, args: list[Arg], values: list[str | None], command: Command
) -> None:
    if values[:1] == ["-v"] and len(values) > 2 and values[1]:
        rest = values[2:]
        look.variables.pop(values[1], None)
        if None not in rest:
            look.variables[values[1]] = printed("printf", [value or "" for value in rest]) or ""


def declare(
    look: Look, name: str, args: list[Arg], values: list[str | None], command: Command
) -> None:
    _exports(look, name, args, command.words if len(command.words) == len(args) else [])
    if len(command.words) != len(args):
        for arg in args[1:]:
            key, is_set, rest = arg.start.partition("=")
            if is_set:
                assign(
                    look,
                    key,
                    Word([Part("text", rest, True)] if arg.text is not None else [Part("unknown")]),
                )
