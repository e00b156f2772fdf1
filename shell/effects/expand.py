"""From the words of a command to the arguments that it would get, as far as that is known before it runs.

Variables, arrays, `${name…}`, `$(…)` whose output is known, braces, ~ and the splitting of unquoted values; no file is
looked for. What is not known is an argument without a text, and stays one.
"""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Callable
from dataclasses import dataclass, field

from shell.bash import Command, Part, Word

MAX_ARGUMENTS = 64  # of one word with braces
_UNKNOWN, _OUTPUT = (
    "\0",
    "\1",
)  # stand for what is not known, and for a command's output that is not known
_SPECIAL = "{},*?[]~ \t\n"
_HIDDEN = {
    ord(letter): chr(0xE100 + number) for number, letter in enumerate(_SPECIAL)
}  # quoted: no longer special
_SHOWN = {ord(hidden): letter for letter, hidden in zip(_SPECIAL, _HIDDEN.values(), strict=True)}
_BRACES = re.compile(r"\{([^{}\s]*,[^{}\s]*)\}")
_PARAMETER = re.compile(r"\$\{([!#]?)([A-Za-z_]\w*|[0-9@*])(\[[^\]]*\])?(.*)\}", re.DOTALL)
_DEFAULT_IFS = " \t\n"


@dataclass(frozen=True, slots=True)
class Arg:
    """One argument. `text` is None when it is only known when it runs; then `start` is what is known of its beginning."""

    text: str | None
    start: str = ""
    is_pattern: bool = False
    has_output: bool = False  # holds the output of a command, which is not known
    stream: tuple[Command, ...] = ()  # of `<(…)`: the commands whose output can be read there


@dataclass(slots=True)
class Expander:
    """Hold what is known of the variables at one place of a script. `output` says what commands print, or None."""

    variables: dict[str, str]
    output: Callable[[tuple[Command, ...]], str | None]
    arrays: dict[str, list[str]] = field(default_factory=dict)
    outputs: set[str] = field(
        default_factory=set
    )  # variables that hold a command's output, which is not known
    positional: list[str] | None = None  # $1, $2 …; None: not known

    def words(self, words: list[Word]) -> list[Arg]:
        return [arg for word in words for arg in self.word(word)]

    def word(self, word: Word) -> list[Arg]:
        """The arguments that one word becomes."""
        if len(word.parts) == 1 and word.parts[0].kind == "text" and word.items is None:
            part = word.parts[0]
            if part.is_quoted or not any(letter in part.value for letter in "{~*?["):
                return [Arg(part.value, part.value)]
        if self.positional is not None and len(word.parts) <= 2 and word.parts[-1:]:
            last = word.parts[-1]
            if (
                last.kind == "variable"
                and last.value in "@*"
                and not any(part.value for part in word.parts[:-1])
            ):
                return [Arg(text, text) for text in self.positional]
        found = (
            re.fullmatch(r"\$\{(\w+)\[@\]\}", word.parts[-1].source)
            if 0 < len(word.parts) <= 2
            else None
        )
        if found and found[1] in self.arrays and not any(part.value for part in word.parts[:-1]):
            return [Arg(text, text) for text in self.arrays[found[1]]]
        stream = next((part.commands for part in word.parts if part.source in ("<(", ">(")), ())
        fields = self._split(
            "".join(self._part(part, number) for number, part in enumerate(word.parts)), word
        )
        return [self._arg(text, stream) for text in fields]

    def text(self, word: Word) -> str | None:
        """The word as one text: of an assignment, a here-document."""
        whole = "".join(self._part(part, number, True) for number, part in enumerate(word.parts))
        return (
            None if _UNKNOWN in whole or _OUTPUT in whole else self._home(whole).translate(_SHOWN)
        )

    def holds_output(self, word: Word) -> bool:
        return any(_OUTPUT in self._part(part, 0, True) for part in word.parts)

    def _arg(self, text: str, stream: tuple[Command, ...]) -> Arg:
        text = self._home(text)
        is_pattern = any(letter in text for letter in "*?[")
        known = re.split(f"[{_UNKNOWN}{_OUTPUT}]", text, maxsplit=1)[0].translate(_SHOWN)
        is_known = _UNKNOWN not in text and _OUTPUT not in text
        return Arg(known if is_known else None, known, is_pattern, _OUTPUT in text, stream)

    def _home(self, text: str) -> str:
        if not text.startswith("~"):
            return text
        name, slash, rest = text[1:].partition("/")
        home = self.variables.get("HOME", "~")
        if name in ("", home.rpartition("/")[2]):
            return home + slash + rest
        if name == "root":
            return f"/root{slash}{rest}"
        homes = home.rpartition("/")[0]
        homes = homes if homes.endswith(("/home", "/Users")) else "/home"
        return f"{homes}/{name}{slash}{rest}" if re.fullmatch(r"[a-z_][\w-]*", name) else text

    def _split(self, text: str, word: Word) -> list[str]:
        """Braces, then the splitting of what came from unquoted variables. An empty one that is quoted stays."""
        pieces = _braces(text) if "{" in text else [text]
        found = [piece for each in pieces for piece in each.split()]
        return found or ([""] if any(part.is_quoted for part in word.parts) else [])

    def _part(self, part: Part, number: int, is_whole: bool = False) -> str:
        is_quoted = part.is_quoted or is_whole
        if part.kind == "text":
            return (
                part.value.translate(_HIDDEN)
                if part.is_quoted or (is_whole and number)
                else part.value
            )
        value = self._variable(part.value) if part.kind == "variable" else self._unknown(part)
        if value is None:
            is_output = part.source == "$(" or (
                part.kind == "variable" and part.value in self.outputs
            )
            return _OUTPUT if is_output else _UNKNOWN
        if (
            not is_quoted
            and (separators := self.variables.get("IFS", _DEFAULT_IFS)) != _DEFAULT_IFS
        ):
            value = re.sub(f"[{re.escape(separators)}]", " ", value) if separators else value
        return value.translate(_HIDDEN) if is_quoted else value

    def _variable(self, name: str) -> str | None:
        if name == "IFS":
            return self.variables.get("IFS", _DEFAULT_IFS)
        if name in ("@", "*"):
            return "" if self.positional is None else " ".join(self.positional)
        if name.isdigit() and name != "0" and self.positional is not None:
            return self.positional[int(name) - 1] if int(name) <= len(self.positional) else ""
        if name in self.arrays and name not in self.variables:
            return next(iter(self.arrays[name]), "")
        return self.variables.get(name)

    def _unknown(self, part: Part) -> str | None:
        if part.source == "$(":
            output = self.output(part.commands)
            return None if output is None else output.rstrip("\n")
        return self._parameter(part.source) if part.source.startswith("${") else None

    def _parameter(self, source: str) -> str | None:
        """`${name…}`: the forms that people use to cut, replace and default."""
        found = _PARAMETER.fullmatch(source)
        if not found:
            return None
        mark, name, index, operation = found[1], found[2], (found[3] or "")[1:-1], found[4]
        if mark == "!" and not operation:
            target = self._variable(name)
            return None if target is None else self._variable(target)
        value = self._item(name, index) if index else self._variable(name)
        if mark == "#":
            return None if value is None else str(len(value))
        return _operated(value, operation, self._plain)

    def _item(self, name: str, index: str) -> str | None:
        items = self.arrays.get(name)
        if items is None:
            return None
        if index in ("@", "*"):
            return " ".join(items)
        number = int(index) if re.fullmatch(r"-?\d{1,4}", index) else None
        return items[number] if number is not None and -len(items) <= number < len(items) else None

    def _plain(self, text: str) -> str | None:
        """The text behind `:-` and the like: known when nothing in it has to be expanded, or only a variable."""
        text = re.sub(r"^(['\"])(.*)\1$", r"\2", text)
        if found := re.fullmatch(r"\$\{?(\w+)\}?", text):
            return self._variable(found[1])
        return None if "$" in text or "`" in text else text


def _operated(value: str | None, operation: str, plain: Callable[[str], str | None]) -> str | None:
    if found := re.fullmatch(r"(:?[-=?])(.*)", operation, re.DOTALL):
        return value or plain(found[2])
    if found := re.fullmatch(r":?\+(.*)", operation, re.DOTALL):
        return plain(found[1]) if value else ""
    if value is None or not operation:
        return value
    if found := re.fullmatch(r":\s*(-?\d{1,5})(?::(-?\d{1,5}))?", operation):
        start = int(found[1])
        end = (
            None
            if found[2] is None
            else int(found[2])
            if int(found[2]) < 0
            else start + int(found[2])
        )
        return value[start:end]
    if found := re.fullmatch(r"(##?|%%?)(.*)", operation, re.DOTALL):
        return _cut(value, found[1], found[2])
    if found := re.fullmatch(r"(//?)([^/]*)(?:/(.*))?", operation, re.DOTALL):
        return value.replace(found[2], found[3] or "", -1 if found[1] == "//" else 1)
    cases = {
        ",,": value.lower(),
        "^^": value.upper(),
        ",": value[:1].lower() + value[1:],
        "^": value[:1].upper() + value[1:],
    }
    return cases.get(operation)


def _cut(value: str, mark: str, pattern: str) -> str:
    """`${x#…}` cuts the shortest match at the front, `##` the longest, `%` and `%%` at the end."""
    lengths = range(len(value) + 1) if len(mark) == 1 else range(len(value), -1, -1)
    for length in list(lengths)[:2000]:
        front = mark[0] == "#"
        piece = value[:length] if front else value[len(value) - length :]
        if fnmatch.fnmatchcase(piece, pattern):
            return value[length:] if front else value[: len(value) - length]
    return value


def _braces(text: str) -> list[str]:
    found = [text]
    for _ in range(8):
        spread = []
        for each in found:
            match = _BRACES.search(each)
            if not match:
                spread.append(each)
                continue
            spread += [
                each[: match.start()] + item + each[match.end() :] for item in match[1].split(",")
            ]
        if len(spread) == len(found) or len(spread) > MAX_ARGUMENTS:
            break
        found = spread
    return found
