"""From the words of a command to the arguments that it would get, and what it prints and reads, as far as that is known.

Variables, arrays, `$(…)` whose output is known, braces, ~ and the splitting of unquoted values; no file is looked for. What is
not known is an argument without a text, and stays one.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

from shell.bash import Command, Part, Word
from shell.effects.state import MAX_DEPTH, State

MAX_ARGUMENTS = 64  # of one word with braces
_UNKNOWN, _OUTPUT = "\0", "\1"  # stand for what is not known, and for an output that is not
_SPECIAL = "{},*?[]~ \t\n"
_HIDDEN = {ord(letter): chr(0xE100 + number) for number, letter in enumerate(_SPECIAL)}  # quoted
_SHOWN = {ord(hidden): letter for letter, hidden in zip(_SPECIAL, _HIDDEN.values(), strict=True)}
_BRACES = re.compile(r"\{([^{}\s]*,[^{}\s]*)\}")
_DEFAULT = re.compile(r"\$\{(\w+):?-([^${}`]*)\}")
_ITEM = re.compile(r"\$\{(\w+)\[(@|\*|\d{1,4})\]\}")
_DEFAULT_IFS = " \t\n"
_FORM = re.compile(r"(?:%s|[^%\\])*(?:\\n)?")


class Arg(NamedTuple):
    """One argument. `text` is None when it is only known when it runs; then `start` is what is known of its beginning."""

    text: str | None
    start: str = ""
    is_pattern: bool = False
    has_output: bool = False  # holds the output of a command, which is not known
    stream: tuple[Command, ...] = ()  # of `<(…)`: the commands whose output can be read there


def plain_arg(text: str) -> Arg:
    """Return an argument that is known."""
    return Arg(text, text)


def expanded(state: State, words: list[Word]) -> list[Arg]:
    """Return the arguments that words become."""
    return [arg for word in words for arg in expand(state, word)]


def expand(state: State, word: Word) -> list[Arg]:
    """Return the arguments that one word becomes."""
    listed = _listed(state, word)
    if listed is not None:
        return [plain_arg(text) for text in listed]
    pieces = [piece for each in _braces(_whole(state, word)) for piece in each.split()]
    is_quoted = any(part.is_quoted for part in word.parts)
    return [_arg(state, text, _stream(word)) for text in pieces or [""] * is_quoted]


def _whole(state: State, word: Word) -> str:
    return "".join(_part(state, part) for part in word.parts)


def _stream(word: Word) -> tuple[Command, ...]:
    return next((part.commands for part in word.parts if part.source in ("<(", ">(")), ())


def text_of(state: State, word: Word) -> str | None:
    """Return the word as one text: of an assignment, a here-document."""
    texts = [_part(state, part, is_whole=True) for part in word.parts]
    whole = "".join(texts)
    is_known = _UNKNOWN not in whole and _OUTPUT not in whole
    return _home(state, whole).translate(_SHOWN) if is_known else None


def holds_output(state: State, word: Word) -> bool:
    """Return True if a word holds the output of a command that is not known."""
    return any(_OUTPUT in _part(state, part, is_whole=True) for part in word.parts)


def _listed(state: State, word: Word) -> list[str] | None:
    """Return the values of `"$@"` and `"${name[@]}"`, alone in their word."""
    last = word.parts[-1] if word.parts else None
    if last is None or any(part.value for part in word.parts[:-1]):
        return None
    if last.kind == "variable" and last.value in ("@", "*"):
        return state.positional
    found = _ITEM.fullmatch(last.source)
    return state.arrays.get(found[1]) if found and not found[2].isdigit() else None


def _arg(state: State, text: str, stream: tuple[Command, ...]) -> Arg:
    text = _home(state, text)
    is_pattern = any(letter in text for letter in "*?[")
    known = re.split(f"[{_UNKNOWN}{_OUTPUT}]", text, maxsplit=1)[0].translate(_SHOWN)
    is_known = _UNKNOWN not in text and _OUTPUT not in text
    return Arg(known if is_known else None, known, is_pattern, _OUTPUT in text, stream)


def _home(state: State, text: str) -> str:
    if not text.startswith("~"):
        return text
    name, slash, rest = text[1:].partition("/")
    home = state.variables.get("HOME", "~")
    if name in ("", home.rpartition("/")[2]):
        return home + slash + rest
    homes = home.rpartition("/")[0] if home.startswith(("/home/", "/Users/")) else "/home"
    folder = "/root" if name == "root" else f"{homes}/{name}"
    return f"{folder}{slash}{rest}" if re.fullmatch(r"[a-z_][\w-]*", name) else text


def _part(state: State, part: Part, *, is_whole: bool = False) -> str:
    is_quoted = part.is_quoted or is_whole
    if part.kind == "text":
        return part.value.translate(_HIDDEN) if part.is_quoted else part.value
    value = _value(state, part)
    if value is None:
        return _OUTPUT if part.source == "$(" or part.value in state.outputs else _UNKNOWN
    return value.translate(_HIDDEN) if is_quoted else _separated(state, value)


def _separated(state: State, value: str) -> str:
    """Return an unquoted value with blanks where it is split."""
    separators = state.variables.get("IFS", _DEFAULT_IFS)
    if separators in ("", _DEFAULT_IFS):
        return value
    return re.sub(f"[{re.escape(separators)}]", " ", value)


def _value(state: State, part: Part) -> str | None:
    """Return what an expansion stands for, or None."""
    if part.kind == "variable":
        return variable(state, part.value)
    if part.source == "$(":
        output = output_of(state, part.commands)
        return None if output is None else output.rstrip("\n")
    if found := _ITEM.fullmatch(part.source):
        items = state.arrays.get(found[1], [])
        at = int(found[2]) if found[2].isdigit() else len(items)
        return items[at] if at < len(items) else None
    found = _DEFAULT.fullmatch(part.source)
    return (variable(state, found[1]) or found[2]) if found else None


def variable(state: State, name: str) -> str | None:
    """Return the value of a variable, or None."""
    if name == "IFS":
        return state.variables.get("IFS", _DEFAULT_IFS)
    if name in ("@", "*"):
        return " ".join(state.positional or [])
    if name.isdigit() and name != "0" and state.positional is not None:
        return "".join(state.positional[int(name) - 1 : int(name)])
    if name in state.arrays and name not in state.variables:
        return next(iter(state.arrays[name]), "")
    return state.variables.get(name)


def _braces(text: str) -> list[str]:
    found = [text]
    while any(map(_BRACES.search, found)) and len(found) <= MAX_ARGUMENTS:
        found = [spread for each in found for spread in _spread(each)]
    return found


def _spread(text: str) -> list[str]:
    match = _BRACES.search(text)
    if not match:
        return [text]
    return [text[: match.start()] + item + text[match.end() :] for item in match[1].split(",")]


# Output and input of commands, where that is known: echo and printf, as they stand


def output_of(state: State, commands: tuple[Command, ...], depth: int = 0) -> str | None:
    """Return what the commands of a `$(…)` print, or None."""
    is_one = len(commands) == 1 or (bool(commands) and commands[-1].source is not None)
    return output(state, commands[-1], depth) if is_one else None


def output(state: State, command: Command, depth: int = 0) -> str | None:
    """Return what one command prints, or None."""
    args = [arg.text for arg in expanded(state, command.words)] if depth < MAX_DEPTH else []
    values = [arg for arg in args if arg is not None]
    if not values or len(values) < len(args):
        return None
    name, values = values[0].rpartition("/")[2], values[1:]
    if name in ("cat", "tee"):
        return _copied(state, name, values, command)
    known: dict[str, Callable[[list[str]], str | None]] = {
        "echo": _echoed,
        "printf": _formed,
        "jobs": lambda _: "%1",
        "true": lambda _: "",
        ":": lambda _: "",
    }
    return known[name](values) if name in known else None


def _echoed(values: list[str]) -> str | None:
    text = " ".join(values[1:] if values[:1] == ["-n"] else values)
    return None if values[:1] == ["-e"] and "\\" in text else text


def _formed(values: list[str]) -> str | None:
    form, rest = (values or ["%d"])[0], list(values[1:])
    if not _FORM.fullmatch(form):
        return None
    pieces = form.replace("\\n", "\n").split("%s")
    found: list[str] = []
    while not found or (rest and len(pieces) > 1):
        found += [piece + (rest.pop(0) if rest else "") for piece in pieces[:-1]] + pieces[-1:]
    return "".join(found)


def _copied(state: State, name: str, values: list[str], command: Command) -> str | None:
    operands = [value for value in values if not value.startswith("-")]
    if name == "tee" or not operands:
        return input_of(state, command)
    texts = [state.written.get(str(state.join(value))) for value in operands]
    return None if None in texts else "".join(text or "" for text in texts)


def input_of(state: State, command: Command) -> str | None:
    """Return what a command reads, or None."""
    given = [each for each in command.redirects if each.operator in ("<", "<<", "<<<")]
    if given:
        return _redirected(state, command)
    if command.source is not None:
        return output(state, command.source)
    texts = [output(state, each) for each in command.sources]
    return "\n".join(text or "" for text in texts) if texts and None not in texts else None


def _redirected(state: State, command: Command) -> str | None:
    last = [each for each in command.redirects if each.operator in ("<", "<<", "<<<")][-1]
    if last.operator != "<":
        return text_of(state, last.word)
    args = expand(state, last.word)
    if args and args[0].stream:
        return output_of(state, args[0].stream)
    path = state.join(args[0].text or "") if args else None
    return state.written.get(str(path)) if path else None
