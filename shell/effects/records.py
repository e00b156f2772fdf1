"""The record of one effect that a command would have, and what is known before a script runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple


class Effect(NamedTuple):
    """One thing that a command would do.

    `kind` is a risk (delete, send, install, spend, system, secret, change, rights, unknown,
    catastrophic), or what happens to a file: reads, writes, deletes, takes (a folder with all that
    is in it), locks (its rights). Then `path` is its name as the script has it, made absolute where
    the working folder is known, and `is_pattern` says that it stands for many. `is_local`: it
    reaches files of this machine alone, which a stage shows and takes back.
    """

    kind: str
    command: str
    verb: str = ""
    path: str = ""
    is_pattern: bool = False
    is_local: bool = True


class Setting(NamedTuple):
    """Tell what is known before a script runs: its variables (HOME among them) and its folder."""

    variables: Mapping[str, str]
    cwd: str
    forbidden: frozenset[str] = frozenset()  # programs of which each use is an effect
    reads: Callable[[str], str | None] = lambda _: (
        None
    )  # the text of a script that is there, if that is looked at
