"""What typing into an open shell means to the gate: a script, which is looked at like any other.

What an interpreter or a client reads is looked at as its input; in an editor or a pager only what starts a program; for
other programs (an installer that asks "y/n") as if a shell might read it, since one may stand behind them.
"""

from __future__ import annotations

import re
import shlex
import textwrap
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

TOOLS = ("shell_run", "shell_keys")
_PYTHON = re.compile(r"(?:i?python|pypy|bpython|ptpython)[\d.]*$")
_SHELLS = {"bash", "sh", "zsh", "dash", "ksh", "fish", "ash", "rbash"}
_INTERPRETERS = {"node", "ruby", "irb", "perl", "php", "lua", "Rscript", "R", "pwsh"}
_CLIENTS = {"ssh", "mosh", "telnet", "nc", "ncat", "ftp", "sftp", "psql", "mysql", "mariadb", "sqlite3", "mongo", "mongosh", "redis-cli", "sqlplus", "gdb", "docker", "podman", "kubectl", "su", "sudo", "doas"}  # fmt: skip
_READERS = {"vi", "vim", "nvim", "view", "nano", "emacs", "less", "more", "man", "most", "ed", "ex", "mutt"}
_WATCHERS = {"top", "htop", "btop", "atop"}  # with a key that stops processes
_STARTED = re.compile(r"(?m)(?:^|[\r\n]|:)[^!\r\n]{0,40}!(.+)|:\s*(?:sh|shell|te|term|terminal)\b()")
# What an editor writes to another file, and reads from one.
_WRITTEN = re.compile(r"(?m)(?:^|[\r\n]|:)\s*(?:w|wq|x|sav|saveas|up|update)!?\s+(?:>>\s*)?([^!>\s][^\r\n]*)")
_OPENED = re.compile(r"(?m):\s*(?:e|edit|r|read|sp|split|vs|vsplit|tabe|tabedit|n|next|so|source)!?\s+([^!\s][^\r\n]*)")


class Meant(NamedTuple):
    """`is_sure`: this is a script; else only what is plainly one counts."""

    script: str
    is_sure: bool = True


def meant(tool: str, args: Mapping[str, Any], about: Mapping[str, Any]) -> Meant:
    """The script that a call amounts to. `about`: the `program` that would read what is typed, its words; `is_shell`: it is
    the open shell itself; `typed`: what stands on the line already."""
    if tool == "shell_run":
        return Meant(str(args.get("script", "")))
    text = args.get("text")
    typed = f"{about.get('typed', '')}{text}" if isinstance(text, str) else ""
    words: Sequence[str] = about.get("program") or [""]
    name = words[0].rpartition("/")[2].lstrip("-")
    if name in _WATCHERS:
        is_stop = bool(re.search(r"[kK]", typed)) or "f9" in map(str.lower, map(str, args.get("keys") or ()))
        return Meant("kill $one_of_them" if is_stop else "")
    if not typed.strip():
        return Meant("")
    if about.get("is_shell"):  # its `read`, which takes any words
        return Meant(typed, is_sure=False)
    if name in _SHELLS:
        return Meant(typed)
    if _PYTHON.match(name):
        return Meant(f"python3 <<< {shlex.quote(_statement(typed))}")
    if name in _INTERPRETERS:
        return Meant(f"{name} <<< {shlex.quote(typed)}")
    if name in _READERS:
        started = [match[1] or "sh" for match in _STARTED.finditer(typed)]
        written = [f"echo text > {_path(match[1])}" for match in _WRITTEN.finditer(typed)]
        opened = [f"cat {_path(match[1])}" for match in _OPENED.finditer(typed)]
        return Meant("\n".join([*started, *written, *opened]))
    if name in _CLIENTS and not re.fullmatch(r"\s*(?:y|n|yes|no|q|quit|exit|\d{0,6})\s*", typed, re.IGNORECASE):
        return Meant(f"{shlex.join(words)} <<< {shlex.quote(typed)}")
    return Meant(typed, is_sure=False)


def _path(said: str) -> str:
    """A path as an editor takes it, in a script."""
    said = said.strip()
    return said if re.fullmatch(r"~?[\w./-]+", said) else shlex.quote(said)


def _statement(text: str) -> str:
    """A line of a block stands alone here."""
    plain = textwrap.dedent(text.replace("\r", "\n")).strip("\n")
    if re.match(r"(?:elif|else|except|finally|case)\b", plain):
        plain = f"if 0: pass\n{plain}" if plain.startswith("el") else f"try: pass\n{plain}"
    return f"{plain} pass" if plain.rstrip().endswith(":") else plain
