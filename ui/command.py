"""Declare a command: `@command` on the function that does it, with its arguments and options beside
it; list the modules in which each is declared."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

from config import Config
from ui.words import say

Run = Callable[[argparse.Namespace, Config], int]  # returns the exit code
_DECLARED: dict[str, Command] = {}
VERSION = "0.1.0"
_DECLARED_IN = (  # in the order of the help
    ("run", "terminal.run_command"),
    ("chat", "terminal.chat"),
    ("teach", "sops.teaching.teach"),
    ("runs list|show", "runs.runs"),
    ("runs resume", "terminal.run_command"),
    ("runs cancel|steer", "runs.runs"),
    ("inbox list|answer|approve|deny|dismiss", "runs.inbox"),
    ("diff", "runs.changes"),
    ("undo", "runs.changes"),
    ("trash list|restore", "runs.changes"),
    ("sops list|show", "sops.sops"),
    ("sops run", "terminal.run_command"),
    ("sops search", "sops.sops"),
    ("sops verify|stats|history|rollback|enable|disable|export", "sops.changes"),
    ("sops edit|rename|remove", "sops.editing"),
    ("sops import", "sops.imports"),
    ("memory facts|check|undo|note", "memory.memory"),
    ("memory digest", "memory.digest"),
    ("memory search|show|import|rebuild", "memory.journal"),
    ("memory graph", "memory.graph"),
    ("memory when", "memory.when"),
    ("safety check|redact", "system.safety"),
    ("auto", "runs.auto"),
    ("worker", "runs.auto"),
    ("serve", "web.serve"),
    ("schedule add|list|show|enable|disable|remove|run-now|history|start|install", "runs.schedule"),
    ("models list|test", "system.models"),
    ("mcp list|test", "system.models"),
    ("mcp serve", "mcp_server.command"),
    ("notify test", "system.doctor"),
    ("config show|path|check|set", "system.settings"),
    ("completion", "system.completion"),
    ("help", "system.completion"),
    ("doctor", "system.doctor"),
    ("init", "terminal.init"),
)


def is_at_terminal() -> bool:
    """Return True where somebody reads what is printed, and can answer."""
    return sys.stdin.isatty() and sys.stdout.isatty()


class Argument(NamedTuple):
    """A positional argument; its texts are `arg.NAME` and `arg.NAME.help`. `nargs` as argparse has
    it."""

    name: str
    nargs: str = ""
    kind: Callable[[str], Any] = str


class Option(NamedTuple):
    """An option; `metavar` "" makes it a flag. Its help is the text `opt.NAME`, or `key` where the
    command has its own.

    A metavar of words between bars (`ask|never|all`) lists the only values.
    """

    flag: str
    metavar: str = ""
    kind: Callable[[str], Any] = str
    key: str = ""
    default: Any = None
    nargs: str = ""
    is_repeated: bool = False
    is_choice: bool = False
    dest: str = ""
    short: str = ""  # `-f`

    @property
    def flags(self) -> tuple[str, ...]:
        """Name all ways to write it, the short one first."""
        return (self.short, self.flag) if self.short else (self.flag,)

    @property
    def help_key(self) -> str:
        """Name the text that explains it."""
        return self.key or "opt." + self.flag[2:]

    def settings(self) -> dict[str, Any]:
        """Return what argparse's `add_argument` takes beside the flag."""
        named: dict[str, Any] = {"dest": self.dest} if self.dest else {}
        if not self.metavar:
            return {**named, "action": "store_true"}
        named |= {"metavar": self.metavar, "type": self.kind, "default": self.default}
        if self.is_choice:
            named["choices"] = tuple(self.metavar.split("|"))
        if self.is_repeated:
            named["action"] = "append"
        if self.nargs:
            named["nargs"] = self.nargs
        return named


class Command(NamedTuple):
    """One command as its screen declares it."""

    path: str  # `runs list`
    run: Run
    takes: tuple[Argument | Option, ...]


def command(path: str, *takes: Argument | Option) -> Callable[[Run], Run]:
    """Declare the function below as the command `path`."""

    def declared(run: Run) -> Run:
        _DECLARED[path] = Command(path, run, takes)
        return run

    return declared


def declared_in(module: str, path: str) -> Command:
    """Import the screen of a command and return what it declares."""
    import_module(module)
    return _DECLARED[path]


# Kinds of values. What argparse prints of an ArgumentTypeError is its text.


def whole(text: str) -> int:
    """Read a whole number from 1."""
    if not re.fullmatch(r"[0-9]{1,9}", text) or int(text) < 1:
        raise argparse.ArgumentTypeError(say("usage.whole", text=text))
    return int(text)


def amount(text: str) -> float:
    """Read a number from 0."""
    if not re.fullmatch(r"[0-9]{0,9}(\.[0-9]+)?", text) or text == "":
        raise argparse.ArgumentTypeError(say("usage.amount", text=text))
    return float(text)


def minutes(text: str) -> float:
    """Read a number above 0."""
    if amount(text) == 0:
        raise argparse.ArgumentTypeError(say("usage.amount", text=text))
    return amount(text)


def port(text: str) -> int:
    """Read a TCP port."""
    if not re.fullmatch(r"[0-9]{1,5}", text) or int(text) > 65_535:
        raise argparse.ArgumentTypeError(say("usage.port", text=text))
    return int(text)


def span(text: str) -> float:
    """Read a length of time as minutes: 90, 90m, 2h, 1h30m, 45s, 2 小时."""
    units = {"h": 60, "小时": 60, "m": 1, "min": 1, "分钟": 1, "": 1, "s": 1 / 60, "秒": 1 / 60}
    parts = re.findall(r"([0-9]{1,4}(?:\.[0-9]+)?) *(h|min|m|s|小时|分钟|秒|)", text)
    total = sum(float(number) * units[unit] for number, unit in parts)
    if not total or re.sub(r"\s", "", text) != "".join(number + unit for number, unit in parts):
        raise argparse.ArgumentTypeError(say("usage.span", text=text))
    return total


def session(text: str) -> str:
    """Read the name of a session: `main` or `shared:ID`."""
    if text != "main" and not re.fullmatch(r"shared:[\w.@+-]{1,80}", text):
        raise argparse.ArgumentTypeError(say("usage.session", text=text))
    return text


def moment(text: str) -> Any:
    """Read an ISO date or time; without an offset it is local."""
    from datetime import datetime

    try:
        read = datetime.fromisoformat(text)
        return read.astimezone() if read.tzinfo is None else read
    except (ValueError, OverflowError):
        raise argparse.ArgumentTypeError(say("usage.moment", text=text)) from None


def folder(text: str) -> Path:
    """Read the path of a folder that exists."""
    path = Path(text).expanduser().absolute()
    if not path.is_dir():
        raise argparse.ArgumentTypeError(say("usage.folder", text=text))
    return path


JSON = Option("--json")
FILE = Option("--file", "FILE", short="-f", key="opt.attach", is_repeated=True, dest="files")
CONTINUE = Option("--continue", short="-c", dest="go_on")
NOW = Option("--now", "ISO", moment)
DRY_RUN = Option("--dry-run")
LIMIT = Option("--limit", "N", whole)
APPROVE = Option("--approve", "ask|never|all", default="ask", is_choice=True)
LIMITS = (  # of a run, and of the runs of a job
    Option("--session", "main|shared:ID", session),
    Option("--model", "NAME", short="-m"),
    Option("--max-turns", "N", whole),
    Option("--max-cost", "USD", amount),
    Option("--max-minutes", "N", minutes),
    Option("--cwd", "DIR", folder),
)
RUN_OPTIONS = (*LIMITS, APPROVE, Option("--events"), Option("--no-rote"))


SCREENS = {  # command → module
    f"{said.partition(' ')[0]} {word}".strip(): f"ui.{module}"
    for said, module in _DECLARED_IN
    for word in said.partition(" ")[2].split("|")
}


def below(word: str) -> list[str]:
    """Name the commands that begin with this word: `runs` → list, show, …; none for `run`."""
    return [path.split()[1] for path in SCREENS if path.startswith(f"{word} ")]


def first_words() -> list[str]:
    """Name the commands of the top level."""
    return list(dict.fromkeys(path.split()[0] for path in SCREENS))
