"""Read a shell script: what its top sets and its arguments are the parameters."""

from __future__ import annotations

import re

from learning.written.instructions import Instructions

UNFIT = (
    (
        r"\$[@*]|\$#(?!\"?\s*-(?:lt|le|ne|eq|gt|ge)\b)|\bshift\b|\bgetopts\b",
        "takes any number of arguments; an SOP has named parameters",
    ),
    (r"^\s*(read|select)\b(?!.*<)", "asks while it runs; an SOP has its values from the start"),
    (r"\bsudo\b|\bpasswd\b|\bsu\b\s", "asks for a password"),
    (r"^\s*(vim?|nano|less|more|top|htop|ssh)\b", "needs a terminal"),
)
_ASSIGNMENT = re.compile(r"(?:readonly\s+|export\s+)?([A-Za-z_]\w*)=(.*?)\s*(?:#.*)?")
_ARGUMENT = re.compile(r"[\"']?\$(?:\{(\d)(?::?[-?]([^}]*))?\}|(\d))[\"']?")
_CONSTANT = re.compile(r"\"[^\"$`\\]*\"|'[^']*'|[\w./~:,@%+-]+|\"?\$HOME(/[\w./ -]*)?\"?")


def read_script(text: str) -> Instructions:
    """Return what a shell script says: its lines share variables, so it is one piece."""
    found = Instructions(is_whole=True)
    kept: list[str] = []
    taken: dict[int, str] = {}
    is_top = True
    for number, line in enumerate(text.split("\n"), 1):
        bare = line.strip()
        if bare.startswith("#"):
            _comment(found, bare, number)
        elif is_top and (parameter := _set_at_the_top(found, bare, taken)):
            line = parameter
        elif bare and not re.match(r"set\s+-", bare):
            is_top = False
        if not bare.startswith("#!"):
            kept.append(line)
        unfit(found, bare, number)
    script = "\n".join(kept).strip("\n")
    found.lines = [found.with_unset(found.with_arguments(script, _usage(text), taken))]
    return found


def unfit(found: Instructions, line: str, number: int) -> None:
    """Say of a line why nobody but a person can do it."""
    if line.startswith("#"):
        return
    for pattern, why in UNFIT:
        if re.search(pattern, line):
            found.problems.append(f"line {number}: {line[:80]!r} {why}")


def _usage(text: str) -> dict[int, str]:
    """Return the names of the arguments where the script says how it is called: `usage: copy.sh SOURCE TARGET`."""
    said = re.search(r"(?:usage|用法)[:：]\s*\S+\s+([\w<>\[\] -]+)", text, re.IGNORECASE)
    return dict(enumerate(re.findall(r"[\w-]+", said[1]), 1)) if said else {}


def _comment(found: Instructions, line: str, number: int) -> None:
    said = line.lstrip("#! ").strip()
    if said and not line.startswith("#!"):
        found.notes.append(f"line {number}: {said}")
        found.title = found.title or said.rstrip(".")


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
