"""Reads the table of programs that may look at the machine from a cell, and holds a list of words
against it; puts a link into a cell for each, which leads to a shim that asks the broker.

assets/network/programs.yaml has a row for each program: the options and words that only look. What
a row does not name, the program is not given.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from sandbox.kernel import python

TABLE = Path(__file__).resolve().parents[2] / "assets" / "network" / "programs.yaml"
# of an option; no shell reads it, but some programs run `|…`
_VALUE = re.compile(r"[\w.,:@%/+*=~ -]*")

PORT = 3129  # of the broker, on 127.0.0.1 of the cell's own network
ASKED = "/run/sopwith"  # in a cell: comes first on the path
SHIM = Path(__file__).with_name("shim.py")
Form = dict[str, str]  # a row


@cache
def table() -> dict[str, Form]:
    """Return the rows by program, or by program and first word (`docker ps`). `letters` may be
    joined (`-ef`); options of `valued` take a value; `words` is a pattern for the rest."""
    import yaml

    rows: dict[str, Form | None] = yaml.load(TABLE.read_text("utf-8"), yaml.CSafeLoader)
    return {name: row or {} for name, row in rows.items()}


def programs() -> list[str]:
    """Return the names of the programs that have a row."""
    return list(dict.fromkeys(name.split()[0] for name in table()))


def why_not(words: Sequence[str]) -> str:
    """Return why these words are not let out without the owner; "" when they only look."""
    form, rest = _row(words)
    if form is None:
        return (
            f"{' '.join(words[:2])[:100]} does not run outside the sandbox without the owner's yes"
        )
    at = 0
    while at < len(rest):
        taken = _taken(form, rest, at)
        if not taken:
            return f"{words[0]}: {rest[at][:100]!a} is no option or word that is let out of the sandbox"
        at += taken
    return ""


def _row(words: Sequence[str]) -> tuple[Form | None, Sequence[str]]:
    """Return the row, and the words that it is to cover."""
    two = table().get(" ".join(words[:2]))
    if two is not None:
        return two, words[2:]
    return table().get(words[0]), words[1:]


def _taken(form: Form, words: Sequence[str], at: int) -> int:
    """Return how many words from `at` on the row covers; 0 for none."""
    word = words[at]
    if not word.startswith("-"):
        wanted = form.get("words", "")
        return int(bool(wanted and re.fullmatch(wanted, word)))
    valued = form.get("valued", "").split()
    if word in form.get("options", "").split():
        return 1
    if _has_value(form, word):
        return 1
    ends_in_valued = not word.startswith("--") and f"-{word[-1]}" in valued
    if word in valued or (ends_in_valued and _is_joined(form, word[:-1])):
        return 2 * int(_is_value(words, at + 1))
    return int(len(word) > 1 and _is_joined(form, word))


def _is_joined(form: Form, word: str) -> bool:
    """Return True for `-ef`, and for a dash alone."""
    return not word.startswith("--") and set(word[1:]) <= set(form.get("letters", ""))


def _is_value(words: Sequence[str], at: int) -> bool:
    return any(re.fullmatch(_VALUE, word) for word in words[at : at + 1] if word[:1] != "-")


def _has_value(form: Form, word: str) -> bool:
    """Return True for `--sort=-rss` and `-n20`."""
    valued = form.get("valued", "").split()
    name, equals, value = word.partition("=")
    if equals and name.startswith("--"):
        return name in valued and bool(re.fullmatch(_VALUE, value))
    return len(word) > 2 and word[:2] in valued and bool(re.fullmatch(_VALUE, word[2:]))


def shim_text() -> bytes:
    """Return the text of the program that stands in a cell for one that only the broker may run."""
    line = shlex.join([*python(), str(SHIM), str(PORT)])
    return f'#!/bin/sh\nexec {line} "${{0##*/}}" "$@"\n'.encode()


def mounted(text: int) -> list[str]:
    """Return what bubblewrap is told: a folder of links to the shim. `text` is a descriptor from
    which that is read."""
    words = ["--dir", ASKED, "--perms", "0755", "--ro-bind-data", str(text), f"{ASKED}/.shim"]
    links = (("--symlink", ".shim", f"{ASKED}/{name}") for name in programs())
    return [*words, *(word for link in links for word in link)]
