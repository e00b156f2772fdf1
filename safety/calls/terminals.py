"""Judge what is typed into an open shell: a script, which is looked at like any other.

What an interpreter or a client reads is looked at as its input; in an editor or a pager only what starts a program or names a
file; for other programs (an installer that asks "y/n") as if a shell might read it, since one may stand behind them.
"""

from __future__ import annotations

import re
import shlex
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from shell.catalogue.lists import shells
from text import pattern
from text.patterns import names

_PYTHON = pattern(r"(?:i?python|pypy|bpython|ptpython)[\d.]*$")
_INTERPRETERS = names("node ruby irb perl php lua Rscript R pwsh")
_CLIENTS = names(
    "ssh mosh telnet nc ncat ftp sftp psql mysql mariadb sqlite3 mongo mongosh redis-cli sqlplus gdb docker podman"
    " kubectl su sudo doas"
)
_READERS = names("vi vim nvim view nano emacs less more man most ed ex mutt")
_ASKS_BELOW = names("nano pico rnano emacs mg micro joe jed mcedit")  # in a line of their own
_WATCHERS = names("top htop btop atop")  # with a key that stops processes
_ANSWER = pattern(r"(?i)\s*(?:y|n|yes|no|q|quit|exit|\d{0,6})\s*")
_LOOKS_FOR = pattern(
    r"(?i)\s*(?:search|replac|with\b|query|enter line|go ?to|i-search|save modified|save file|suche|ersetz|搜索|查找|替换)"
)
_ASKS_COMMAND = pattern(r"(?i)command|execut|befehl|commande|命令|M-x")
# Keys that make an editor ask, when they come within a text: what follows may be a file or a command.
_ASKED_FOR = pattern(r"[\x01-\x08\x0b\x0c\x0e-\x1f]+[yY]?([^\x00-\x1f]+)")
_STARTED = pattern(r"(?m)(?:^|[\r\n]|:)[^!\r\n]{0,40}!(.+)|:\s*(?:sh|shell|te|term|terminal)\b()")
# Keys of an editor that write to another file, and read from one.
_WRITTEN = pattern(
    r"(?m)(?:^|[\r\n]|:)\s*(?:w|wq|x|sav|saveas|up|update)!?\s+(?:>>\s*)?([^!>\s][^\r\n]*)"
)
_OPENED = pattern(
    r"(?m):\s*(?:e|edit|r|read|sp|split|vs|vsplit|tabe|tabedit|n|next|so|source)!?\s+([^!\s][^\r\n]*)"
)


class Meant(NamedTuple):
    """`is_sure`: this is a script; else only what is plainly one counts."""

    script: str
    is_sure: bool = True


def typed_script(tool: str, args: Mapping[str, Any], about: Mapping[str, Any]) -> Meant:
    """Return the script that a call amounts to.

    `about`: the `program` that would read what is typed, its words; `is_shell`: it is the open shell
    itself; `typed`: what stands on the line already; `asked`: the line in which an editor asks.
    """
    if tool == "shell_run":
        return Meant(str(args.get("script", "")))
    text = args.get("text")
    typed = f"{about.get('typed', '')}{text}" if isinstance(text, str) else ""
    words: Sequence[str] = about.get("program") or [""]
    name = words[0].rpartition("/")[2].lstrip("-")
    if name in _WATCHERS:
        return Meant("kill $one_of_them" if _stops(args, typed) else "")
    if not typed.strip():
        return Meant("")
    if about.get("is_shell"):  # its `read`, which takes any words
        return Meant(typed, is_sure=False)
    if name in _READERS:
        asked = _answered(name, str(about.get("asked", "")), str(text))
        return Meant("\n".join([*_in_editor(typed), *asked]))
    return _read_by(name, words, typed)


def _stops(args: Mapping[str, Any], typed: str) -> bool:
    """`k` and F9 of `top` and its like."""
    keys = [str(key).lower() for key in args.get("keys") or ()]
    return "k" in typed.lower() or "f9" in keys


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


def asks_below(words: Sequence[str]) -> bool:
    """Return True if a program asks for files and commands in a line at the bottom of its screen."""
    return bool(words) and words[0].rpartition("/")[2] in _ASKS_BELOW


def _in_editor(typed: str) -> Iterator[str]:
    yield from (match[1] or "sh" for match in _STARTED.finditer(typed))
    yield from (f"echo text > {_path(match[1])}" for match in _WRITTEN.finditer(typed))
    yield from (f"cat {_path(match[1])}" for match in _OPENED.finditer(typed))


def _answered(name: str, asked: str, text: str) -> Iterator[str]:
    """Yield what an editor is told in the line in which it asks (`asked`: what stands there), or is
    made to ask."""
    if name not in _ASKS_BELOW:
        return
    for said in filter(str.strip, _ASKED_FOR.findall(text)):
        yield from (said, _written_or_read(said))
    question, _, there = asked.rpartition(": ") if ": " in asked else (asked, "", "")
    said = re.split(r"[\x00-\x1f]", there + text)[0].strip()
    if question.strip() and len(said) > 1 and not _LOOKS_FOR.match(question):
        yield said if _ASKS_COMMAND.search(question) else _written_or_read(said)


def _written_or_read(file: str) -> str:
    """Nobody can tell in which language it was asked for: it may be both."""
    return f"cat {_path(file)}; echo text > {_path(file)}"


def _path(said: str) -> str:
    """Return a path as an editor takes it, in a script."""
    said = said.strip()
    return said if re.fullmatch(r"~?[\w./-]+", said) else shlex.quote(said)


def _statement(text: str) -> str:
    """Complete a line of a block, which stands alone here."""
    plain = textwrap.dedent(text.replace("\r", "\n")).strip("\n")
    if re.match(r"(?:elif|else)\b", plain):
        plain = f"if 0: pass\n{plain}"
    elif re.match(r"(?:except|finally|case)\b", plain):
        plain = f"try: pass\n{plain}"
    return f"{plain} pass" if plain.rstrip().endswith(":") else plain
