"""Say how a program in a script's quotes takes a value: awk, jq and Python from the environment,
sed and SQL as a quoted text.

Elsewhere in code the shell pastes it, and a pattern keeps values out that would mean more than the
first one did.
"""

from __future__ import annotations

import io
import re
import tokenize
from collections.abc import Callable, Mapping
from typing import NamedTuple

from replay.parameters import FIGURE
from text import pattern

_PLAIN_SIGNS = " .,:-"  # they mean themselves in the texts of all these languages
_CODE_SIGNS = pattern(r"['\"\\$`\n]")
_SED_TEXT = pattern(r"\s*(?:[\d$,]+|/(?:\\.|[^/\\])*/)*\s*[aic](?:\\|\s)")


_BOUND = pattern(r"\s*[/%*.\[]")  # binds a text of Python closer than `+` does
_BOUND_BEFORE = pattern(r"[/%*]\s*$")


class Taken(NamedTuple):
    """How a value enters a program: `code` stands in place of letters `first` to `last` of the
    program; or the value is pasted by the shell, made safe by `escape`: the sed command that does
    it, or by a `pattern` for all its values."""

    first: int
    last: int
    code: str = ""
    escape: str = ""
    pattern: str = ""
    around: tuple[int, int] | None = None


class Refused(Exception):
    """A program cannot take a value at this place; the text says why."""


def taken(spot: Spot, command: str) -> Taken:
    """Return how the program of a command takes a value. Raises Refused."""
    found = KINDS[command](spot)
    if not spot.is_double:
        return found
    return found._replace(code=re.sub(r'([\\"$`])', r"\\\1", found.code))


class Spot(NamedTuple):
    """A value in a program: its letters, the variable that is to stand there, the options of the
    command. `is_double`: the program stands in double quotes of the shell."""

    program: str
    first: int
    last: int
    name: str
    options: str
    is_double: bool

    @property
    def text(self) -> str:
        return self.program[self.first : self.last]


def _pasted(spot: Spot) -> Taken:
    """Take a value into code as it is: all its values are numbers, or plain texts with the signs of
    this one."""
    if re.match(FIGURE, spot.text):
        return Taken(spot.first, spot.last, pattern=FIGURE)
    if _CODE_SIGNS.search(spot.text):
        raise Refused("it is part of the code, and no text or number")
    signs = re.escape("".join(sorted({*_PLAIN_SIGNS, *re.findall(r"[^\w]", spot.text)})))
    return Taken(spot.first, spot.last, pattern=rf"^(?!-)[\w{signs}]+$")


def _sed(spot: Spot) -> Taken:
    """Return a value of a sed program: a text that stands for itself, or a number of a line."""
    side, mark = _side(spot.program, spot.first)
    if side == "replacement":
        return Taken(spot.first, spot.last, escape=f"s/[\\\\&{_in_set(mark)}]/\\\\&/g")
    if not side and _SED_TEXT.match(spot.program[: spot.first].rpartition("\n")[2]):
        return Taken(spot.first, spot.last, escape="s/\\\\/&&/g")
    command = re.split(r"[;{}\n]", spot.program[: spot.first])[-1]
    is_address = len(re.findall(r"(?<!\\)/", command)) % 2 == 1
    if not side and not is_address:
        return _pasted(spot)
    return Taken(spot.first, spot.last, escape=_pattern_escape(spot.options, mark))


def _pattern_escape(options: str, mark: str = "/") -> str:
    more = "+?(){}|" if re.search(r"(?:^| )-\w*[EPr]", options) else ""
    return f"s/[][\\\\.*^${more}{_in_set(mark)}]/\\\\&/g"


def _grep(spot: Spot) -> Taken:
    """Take a text into a pattern of grep as one that stands for itself; a pattern as it is."""
    is_pattern = re.search(r"[][\\*^$]", spot.text)
    if is_pattern or re.search(r"(?:^| )-(?:\w*F|-fixed)", spot.options):
        return Taken(spot.first, spot.last)
    more = "+?(){}|" if re.search(r"(?:^| )-\w*[EP]", spot.options) else ""
    return Taken(spot.first, spot.last, escape=f"s/[[\\\\.*^${more}]/\\\\&/g")


def _in_set(mark: str) -> str:
    return "/" if mark == "/" else f"{mark}/" if mark not in "]^-\\" else "/"


def _side(program: str, at: int) -> tuple[str, str]:
    """Return "pattern" or "replacement" of an `s` command, else "", and the mark."""
    for found in re.finditer(r"(?:^|[;{\s\d$/])([sy])([^\w\s\\])", program):
        mark = found[2]
        ends = [each.start() for each in re.finditer(rf"(?<!\\){re.escape(mark)}", program)]
        ends = [end for end in ends if end >= found.end(2)][:2]
        if found.end(2) <= at and len(ends) == 2 and at <= ends[1]:
            return ("pattern" if at <= ends[0] else "replacement"), mark
    return "", "/"


def _awk(spot: Spot) -> Taken:
    value = f'ENVIRON["{spot.name}"]'
    where = _awk_token(spot.program, spot.first)
    if where == "regex":
        return Taken(spot.first, spot.last, escape=_pattern_escape("-E"))
    if where != "string":
        return Taken(spot.first, spot.last, value)
    return _in_string(spot, value, " ", ('"',))


def _awk_token(program: str, at: int) -> str:
    """Return string, regex or "" for a place of an awk program."""
    inside, before = "", ""
    for number, letter in enumerate(program[:at]):
        is_escaped = program[max(0, number - 1)] == "\\"
        if inside:
            inside = "" if letter == inside and not is_escaped else inside
        elif letter == '"' or (letter == "/" and before in "~(,!&|{};\n" + "\0"):
            inside = letter
        before = letter if not letter.isspace() else before
        before = before or "\0"
    return {'"': "string", "/": "regex"}.get(inside, "")


def _in_string(spot: Spot, value: str, plus: str, marks: tuple[str, ...]) -> Taken:
    """Replace a part of a string of the program by an expression: `"a" + value + "b"`."""
    before, behind = spot.program[: spot.first], spot.program[spot.last :]
    opening = before[-1:]
    if opening in marks and behind[:1] == opening:
        return Taken(spot.first - 1, spot.last + 1, value)
    mark = next((each for each in reversed(before) if each in marks), marks[0])
    return Taken(spot.first, spot.last, f"{mark}{plus}{value}{plus}{mark}")


def _python(spot: Spot) -> Taken:
    token = _python_token(spot.program, spot.first)
    value = f'__import__("os").environ["{spot.name}"]'
    if token is None:
        return _pasted(spot)
    start, end, text = token
    if text[0].isdigit():
        return Taken(start, end, f"{'float' if '.' in text else 'int'}({value})")
    body = text.lstrip("bBfFrRuU")
    prefix = text[: len(text) - len(body)]
    mark = body[:3] if body[:3] in ('"""', "'''") else body[:1]
    if body == f"{mark}{spot.text}{mark}":
        return Taken(start, end, value)
    is_operand = _BOUND_BEFORE.search(spot.program, 0, start) or _BOUND.match(spot.program, end)
    around = (start, end) if is_operand else None
    return Taken(spot.first, spot.last, f"{mark} + {value} + {prefix}{mark}", around=around)


def _python_token(program: str, at: int) -> tuple[int, int, str] | None:
    """Return the text or number of Python code that a place is in, with its bounds."""
    lines = [0]
    for line in program.splitlines(keepends=True):
        lines.append(lines[-1] + len(line))
    try:
        for token in tokenize.generate_tokens(io.StringIO(program).readline):
            start = lines[token.start[0] - 1] + token.start[1]
            end = lines[token.end[0] - 1] + token.end[1]
            if token.type in (tokenize.STRING, tokenize.NUMBER) and start <= at < end:
                return start, end, token.string
    except (tokenize.TokenError, IndentationError, SyntaxError):
        return None
    return None


def _jq(spot: Spot) -> Taken:
    if spot.text.isdigit() and spot.program[spot.first - 1 : spot.first] != '"':
        return Taken(spot.first, spot.last, f"(env.{spot.name}|tonumber)")
    if spot.program[: spot.first].count('"') % 2:
        return _in_string(spot, f"env.{spot.name}", " + ", ('"',))
    if found := re.search(r"([\w\])?\"])?\.$", spot.program[: spot.first]):
        first = spot.first - bool(found[1])  # `.[…]` begins a path; within one there is no dot
        return Taken(first, spot.last, f"[env.{spot.name}]")
    return _pasted(spot)


def _sql(spot: Spot) -> Taken:
    mark = ""  # of the text in which the value stands
    for letter in spot.program[: spot.first]:
        if not mark and letter in "'\"":
            mark = letter
        elif letter == mark:
            mark = ""
    if mark:
        return Taken(spot.first, spot.last, escape=f"s/{mark}/{mark}{mark}/g")
    return _pasted(spot)


IN_WORDS = ("sed", "gsed", "awk", "gawk", "mawk", "nawk", "jq", "grep", "egrep", "zgrep")
KINDS: Mapping[str, Callable[[Spot], Taken]] = {
    **dict.fromkeys(("perl", "ruby", "node", "php", "psql", "mysql"), _pasted),
    **dict.fromkeys(("bash", "sh", "eval"), _pasted),
    **dict.fromkeys(("awk", "gawk", "mawk", "nawk"), _awk),
    **dict.fromkeys(("python", "python3"), _python),
    **dict.fromkeys(("sed", "gsed"), _sed),
    **dict.fromkeys(("grep", "zgrep"), _grep),
    "egrep": lambda spot: _grep(spot._replace(options=f"{spot.options} -E")),
    "jq": _jq,
    "sqlite3": _sql,
    "printf": lambda spot: Taken(spot.first, spot.last, escape=r"s/[%\\]/&&/g"),
}
