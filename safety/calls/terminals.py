"""Judge what is typed into an open shell: a script, which is looked at like any other.

What an interpreter or a client reads is looked at as its input; in an editor or a pager only what
starts a program, since what it writes is judged when it is seen; for other programs (an installer
that asks "y/n") as if a shell stood behind them.
"""

from __future__ import annotations

import re
import shlex
import textwrap
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from shell.catalogue.packs import shells
from text import pattern
from text.patterns import names

_PYTHON = pattern(r"(?:i?python|pypy|bpython|ptpython)[\d.]*$")
_INTERPRETERS = names("node ruby irb perl php lua Rscript R pwsh")
_CLIENTS = names(
    "ssh mosh telnet nc ncat ftp sftp psql mysql mariadb sqlite3 mongo mongosh redis-cli sqlplus gdb docker podman"
    " kubectl su sudo doas"
)
_READERS = names("vi vim nvim view nano emacs less more man most ed ex mutt")
_ANSWER = pattern(r"(?i)\s*(?:y|n|yes|no|q|quit|exit|\d{0,6})\s*")
_STARTED = pattern(r"(?m)(?:^|[\r\n]|:)[^!\r\n]{0,40}!(.+)|:\s*(?:sh|shell|te|term|terminal)\b()")


class Meant(NamedTuple):
    """`is_sure`: this is a script; else only what is plainly one counts."""

    script: str
    is_sure: bool = True


def typed_script(tool: str, args: Mapping[str, Any], about: Mapping[str, Any]) -> Meant:
    """Return the script that a call amounts to.

    `about`: the `program` that would read what is typed, its words; `is_shell`: it is the open
    shell itself; `typed`: what stands on the line already.
    """
    if tool == "shell_run":
        return Meant(str(args.get("script", "")))
    text = args.get("text")
    typed = f"{about.get('typed', '')}{text}" if isinstance(text, str) else ""
    words: Sequence[str] = about.get("program") or [""]
    name = words[0].rpartition("/")[2].lstrip("-")
    if not typed.strip():
        return Meant("")
    if about.get("is_shell"):  # its `read`, which takes any words
        return Meant(typed, is_sure=False)
    if name in _READERS:
        return Meant("\n".join(match[1] or "sh" for match in _STARTED.finditer(typed)))
    return _read_by(name, words, typed)


def _read_by(name: str, words: Sequence[str], typed: str) -> Meant:
    """Return what a shell, an interpreter or a client makes of a text."""
    if name in shells() or name == "rbash":
        return Meant(typed)
    if _PYTHON.match(name):
        return Meant(f"python3 <<< {shlex.quote(_statement(typed))}")
    if name in _INTERPRETERS:
        return Meant(f"{name} <<< {shlex.quote(typed)}")
    if name in _CLIENTS and not _ANSWER.fullmatch(typed):
        return Meant(f"{shlex.join(words)} <<< {shlex.quote(typed)}")
    return Meant(typed, is_sure=False)


def _statement(text: str) -> str:
    """Complete a line of a block, which stands alone here."""
    plain = textwrap.dedent(text.replace("\r", "\n")).strip("\n")
    if re.match(r"(?:elif|else)\b", plain):
        plain = f"if 0: pass\n{plain}"
    elif re.match(r"(?:except|finally|case)\b", plain):
        plain = f"try: pass\n{plain}"
    return f"{plain} pass" if plain.rstrip().endswith(":") else plain
