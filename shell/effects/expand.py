"""From the words of a command to the arguments that it would get, as far as that is known before it
runs.

Variables, ~, the splitting of unquoted values and what `echo` prints; no file is looked for. What
is not known is an argument without a text, and stays one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from shell.bash import Command, Part, Word
from shell.effects.state import Arg, State

_UNKNOWN, _OUTPUT = "\0", "\1"  # stand for what is not known, and for an output that is not
_SPECIAL = "{},*?[]~ \t\n"
_HIDDEN = {ord(letter): chr(0xE100 + number) for number, letter in enumerate(_SPECIAL)}  # quoted
_SHOWN = {ord(hidden): letter for letter, hidden in zip(_SPECIAL, _HIDDEN.values(), strict=True)}
_PATTERN = re.compile(r"[*?\[]|\{[^{}]*,")
_NOT_KNOWN = re.compile(f"[{_UNKNOWN}{_OUTPUT}]")
_DOCUMENTS = ("<<", "<<<")
_MOST_PIPED = 20  # commands of one pipe
_FETCHERS = frozenset(["curl", "wget", "fetch", "aria2c", "axel", "http", "https", "xh"])


def plain_arg(text: str) -> Arg:
    """Return an argument that is known."""
    return Arg(text, text)


def expanded(state: State, words: list[Word]) -> list[Arg]:
    """Return the arguments that words become."""
    return [arg for word in words for arg in expand(state, word)]


def expand(state: State, word: Word) -> list[Arg]:
    """Return the arguments that one word becomes."""
    pieces = "".join(_part(state, part) for part in word.parts).split()
    is_quoted = any(part.is_quoted for part in word.parts)
    return [_arg(state, text, _stream(word)) for text in pieces or [""] * is_quoted]


def _stream(word: Word) -> tuple[Command, ...]:
    return next((part.commands for part in word.parts if part.source in ("<(", ">(")), ())


def text_of(state: State, word: Word) -> str | None:
    """Return the word as one text: of an assignment, a here-document."""
    whole = "".join(_part(state, part, is_whole=True) for part in word.parts)
    return None if _NOT_KNOWN.search(whole) else _home(state, whole).translate(_SHOWN)


def holds_output(state: State, word: Word) -> bool:
    """Return True if a word holds the output of a command that is not known."""
    return any(_OUTPUT in _part(state, part, is_whole=True) for part in word.parts)


def _arg(state: State, text: str, stream: tuple[Command, ...]) -> Arg:
    text = _home(state, text)
    known = _NOT_KNOWN.split(text, maxsplit=1)[0].translate(_SHOWN)
    is_known = _NOT_KNOWN.search(text) is None
    is_pattern = _PATTERN.search(text) is not None
    return Arg(known if is_known else None, known, is_pattern, _OUTPUT in text, stream)


def _home(state: State, text: str) -> str:
    found = re.match(r"~([a-z_][\w-]*)?(?=/|\Z)", text)
    if not found:
        return text
    home = state.variables.get("HOME", "~")
    above, _, own = home.rpartition("/")
    known = {None: home, own: home, "root": "/root"}
    return known.get(found[1], f"{above}/{found[1]}") + text[found.end() :]


def _part(state: State, part: Part, *, is_whole: bool = False) -> str:
    if part.kind == "text":
        return part.value.translate(_HIDDEN) if part.is_quoted else part.value
    value = _value(state, part)
    if value is None:
        return _OUTPUT if part.source == "$(" or part.value in state.outputs else _UNKNOWN
    if part.is_quoted or is_whole:
        return value.translate(_HIDDEN)
    return _UNKNOWN if "IFS" in state.variables else value  # where it is split nobody knows


def _value(state: State, part: Part) -> str | None:
    """Return what an expansion stands for, or None."""
    if part.kind == "variable":
        return state.variables.get(part.value)
    is_one = part.source == "$(" and len(part.commands) == 1
    return printed(state, part.commands[0]) if is_one else None


def printed(state: State, command: Command) -> str | None:
    """Return what `echo` and `printf` print when they are given plain words; else None."""
    args = expanded(state, command.words)
    texts = ["\\" if arg.text is None else arg.text for arg in args]
    if texts[:1] not in (["echo"], ["printf"]):
        return None
    values = texts[1:] if texts[1:2] != ["-n"] else texts[2:]
    is_plain = not any(re.search(r"\\|%|^-", value) for value in values)
    return " ".join(values) if is_plain else None


def input_of(state: State, command: Command) -> str | None:
    """Return what a command reads, or None."""
    given = [each for each in command.redirects if each.operator in ("<", *_DOCUMENTS)]
    if not given:
        return printed(state, command.source) if command.source else None
    last = given[-1]
    if last.operator in _DOCUMENTS:
        return text_of(state, last.word)
    args = expand(state, last.word)
    path = state.join(args[0].start) if args else None
    return state.written.get(path)


def has_input(command: Command) -> bool:
    """Return True if something is sent to a command, by a pipe or from a file."""
    return command.is_piped or any(each.operator.startswith("<") for each in command.redirects)


def _producers(command: Command) -> Iterator[Command]:
    """Give the commands whose output comes to this one."""
    source: Command | None = command
    for _ in range(_MOST_PIPED):
        if source is None:
            return
        yield from source.sources
        source = source.source
        if source is not None:
            yield source


def is_fetched(command: Command) -> bool:
    """Return True if what a command runs comes from the network: by a pipe, `<(…)` or `"$(…)"`."""
    words = [*command.words, *(each.word for each in command.redirects)]
    inner = [each for word in words for part in word.parts for each in part.commands]
    several = [*inner, *_producers(command)]
    names = {each.words[0].written.rpartition("/")[2] for each in several if each.words}
    return not _FETCHERS.isdisjoint(names)
