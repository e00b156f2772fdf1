"""Read a shell script: what its top sets and its arguments are the parameters."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from learning.written.instructions import Instructions

UNFIT = (
    (
        r"\$[@*]|\$#(?!\"?\s*-(?:lt|le|ne|eq|gt|ge)\b)|\b(?:shift|getopts)\b",
        "takes any number of arguments; an SOP has named parameters",
    ),
    (r"^\s*(read|select)\b(?!.*<)", "asks while it runs; an SOP has its values from the start"),
    (r"\bsudo\b|\bpasswd\b|\bsu\b\s", "asks for a password"),
    (r"^\s*(vim?|nano|less|more|top|htop|ssh)\b", "needs a terminal"),
)
_FUNCTION = re.compile(r"(?:function\s+)?[A-Za-z_][\w-]*\s*\(\)|function\s")
_ENDS = re.compile(r"^\}|\}\s*$")  # of a function
_OPENING = re.compile(r"$|#|set\s+-")  # may stand before what the top of a script sets
_ASSIGNMENT = re.compile(r"(?:readonly\s+|export\s+)?([A-Za-z_]\w*)=(.*?)\s*(?:#.*)?")
_ARGUMENT = re.compile(r"[\"']?\$(?:\{(\d)(?::?[-?]([^}]*))?\}|(\d))[\"']?")
_CONSTANT = re.compile(r"\"[^\"$`\\]*\"|'[^']*'|[\w./~:,@%+-]+|\"?\$HOME(/[\w./ -]*)?\"?")


def read_script(text: str) -> Instructions:
    """Return what a shell script says: its lines share variables, so it is one piece."""
    found = Instructions(is_whole=True)
    kept: list[str] = []
    taken: dict[int, str] = {}
    lines, is_top = text.split("\n"), True
    for number, (line, is_inner) in enumerate(zip(lines, _of_functions(lines), strict=True), 1):
        bare = line.strip()
        parameter = _set_at_the_top(found, bare, taken) if is_top else ""
        is_top = is_top and bool(parameter or _OPENING.match(bare))
        kept += [] if bare.startswith("#!") else [parameter or line]
        if bare.startswith("#"):
            _comment(found, bare, number)
        elif not is_inner:
            unfit(found, bare, number)
    script = "\n".join(kept).strip("\n")
    names = _usage(text)
    script = found.with_arguments(script, names, taken)
    _take_defaults(found, text, names | taken)
    found.lines = [found.with_unset(script)]
    return found


def _of_functions(lines: Sequence[str]) -> Iterator[bool]:
    """Say of each line if it stands in a function, which has arguments of its own."""
    is_inner = False
    for line in lines:
        is_inner = is_inner or _FUNCTION.match(line.strip()) is not None
        yield is_inner
        is_inner = is_inner and not _ENDS.search(line)


def _take_defaults(found: Instructions, text: str, names: Mapping[int, str]) -> None:
    """Take `${3:-,}` for the default of an argument, wherever it stands."""
    for number, default in re.findall(r"\$\{(\d):?-([^}$`]+)\}", text):
        name = found.parameter(names.get(int(number), f"argument{number}"))
        found.default(name, default.strip("\"'"))


def unfit(found: Instructions, line: str, number: int) -> None:
    """Say of a line why nobody but a person can do it."""
    if line.startswith("#"):
        return
    for pattern, why in UNFIT:
        if re.search(pattern, line):
            found.problems.append(f"line {number}: {line[:80]!r} {why}")


def _usage(text: str) -> dict[int, str]:
    """Return the names of the arguments in a line such as `usage: copy.sh SOURCE TARGET`."""
    said = re.search(r"(?:usage|用法)[:：]\s*\S+\s+([\w<>\[\] -]+)", text, re.IGNORECASE)
    return dict(enumerate(re.findall(r"[\w-]+", said[1]), 1)) if said else {}


def _comment(found: Instructions, line: str, number: int) -> None:
    said = line.lstrip("#! ").strip()
    if said and not line.startswith("#!"):
        found.notes.append(f"line {number}: {said}")
        found.call(said.rstrip("."))


def _set_at_the_top(found: Instructions, line: str, taken: dict[int, str]) -> str:
    """Return the line that takes `DAYS=30` or `FOLDER="$1"` from a parameter; "" for any other."""
    match = _ASSIGNMENT.fullmatch(line)
    if match is None:
        return ""
    variable, value = match[1], match[2]
    argument = _ARGUMENT.fullmatch(value)
    if argument:
        example = argument[2] or "" if "-" in value else ""
    elif _CONSTANT.fullmatch(value):
        example = value.strip("\"'").replace("$HOME", "~")
    else:
        return ""
    name = found.parameter(variable, example)
    if argument:
        taken[int(argument[1] or argument[3])] = name
    if example:
        found.default(name, example)
    return f'{variable}="${name}"' if variable != name else ": "
