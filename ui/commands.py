"""Every command: the function that does it, and what it takes. Adding a command is a line here for each of these."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ui.words import say

VERSION = "0.1.0"
COMMANDS: dict[str, tuple[str, ...]] = {
    "run": (),
    "chat": (),
    "teach": (),
    "runs": ("list", "show", "resume", "cancel", "steer", "archive"),
    "inbox": ("list", "answer", "approve", "deny"),
    "trash": ("list", "restore"),
    "sops": (
        "list",
        "show",
        "run",
        "verify",
        "stats",
        "history",
        "rollback",
        "enable",
        "disable",
        "import",
        "export",
        "search",
        "sync",
    ),
    "memory": (
        "facts",
        "check",
        "undo",
        "note",
        "digest",
        "search",
        "show",
        "graph",
        "when",
        "import",
        "rebuild",
    ),
    "safety": ("check", "redact"),
    "auto": (),
    "worker": (),
    "serve": (),
    "schedule": (
        "add",
        "list",
        "show",
        "enable",
        "disable",
        "remove",
        "run-now",
        "history",
        "start",
        "install",
    ),
    "mcp": ("list", "test"),
    "doctor": (),
    "init": (),
}
WITH_JSON = {
    *(
        "runs list",
        "runs show",
        "runs archive",
        "worker",
        "inbox list",
        "trash list",
        "memory facts",
        "memory check",
        "memory digest",
        "doctor",
    ),
    *(
        "memory search",
        "memory show",
        "memory graph",
        "memory when",
        "memory import",
        "memory rebuild",
    ),
    *(
        "sops list",
        "sops show",
        "sops verify",
        "sops stats",
        "sops history",
        "sops import",
        "sops search",
        "sops sync",
    ),
    *("schedule add", "schedule list", "schedule show", "schedule history"),
    "auto",
    *("mcp list", "mcp test"),
    *(
        "safety check",
        "safety redact",
    ),  # JSON in any case: who asks every command for it is not turned away
}
WITH_NOW = {"memory digest", "memory search", "memory when"}
WITH_RUN_OPTIONS = {
    "run",
    "chat",
    "runs resume",
    "inbox answer",
    "inbox approve",
    "inbox deny",
    "sops run",
}
ARGUMENTS: dict[
    str, tuple[tuple[str, str], ...]
] = {  # command → its positional arguments, each (name, nargs)
    "run": (("task", "+"),),
    "teach": (("sop", ""),),
    "runs show": (("run", ""),),
    "runs resume": (("run", ""),),
    "runs cancel": (("run", ""),),
    "runs steer": (("run", ""), ("text", "+")),
    "inbox answer": (("entry", ""), ("text", "+")),
    "inbox approve": (("entry", ""), ("text", "*")),
    "inbox deny": (("entry", ""), ("text", "*")),
    "trash restore": (("id", "?"),),
    "sops show": (("sop", ""),),
    "sops run": (("sop", ""), ("values", "*")),
    "sops verify": (("sop", ""), ("values", "*")),
    "sops stats": (("sop", ""),),
    "sops history": (("sop", ""),),
    "sops rollback": (("sop", ""), ("version", "?")),
    "sops enable": (("sop", ""),),
    "sops disable": (("sop", ""),),
    "sops import": (("source", ""),),
    "sops export": (("sop", ""), ("path", "")),
    "sops sync": (("remote", ""),),
    "sops search": (("text", "+"),),
    "schedule add": (("when", ""), ("task", "*")),
    "schedule show": (("job", ""),),
    "schedule enable": (("job", ""),),
    "schedule disable": (("job", ""),),
    "schedule remove": (("job", ""),),
    "schedule run-now": (("job", ""),),
    "schedule history": (("job", "?"),),
    "mcp test": (("server", "?"),),
    "memory note": (("text", "+"),),
    "memory search": (("text", "+"),),
    "memory show": (("turn", "?"),),
    "memory graph": (("name", "*"),),
    "memory when": (("text", "+"),),
    "memory import": (("file", ""),),
}

TARGETS = {  # command → the function that does it
    "run": "ui.terminal.run_command:run_task",
    "chat": "ui.terminal.chat:chat",
    "teach": "ui.sops.teach:teach_",
    "runs list": "ui.runs.runs:list_",
    "runs show": "ui.runs.runs:show",
    "runs resume": "ui.terminal.run_command:resume",
    "runs cancel": "ui.runs.runs:cancel",
    "runs steer": "ui.runs.runs:steer",
    "runs archive": "ui.runs.runs:archive",
    "inbox list": "ui.runs.inbox:list_",
    "inbox answer": "ui.runs.inbox:answer",
    "inbox approve": "ui.runs.inbox:approve",
    "inbox deny": "ui.runs.inbox:deny",
    "trash list": "ui.runs.trash:list_",
    "trash restore": "ui.runs.trash:restore",
    "sops list": "ui.sops.sops:list_",
    "sops show": "ui.sops.sops:show",
    "sops run": "ui.terminal.run_command:run_sop",
    "sops verify": "ui.sops.changes:verify_",
    "sops stats": "ui.sops.stats:stats",
    "sops history": "ui.sops.changes:history",
    "sops rollback": "ui.sops.changes:rollback",
    "sops enable": "ui.sops.changes:enable",
    "sops disable": "ui.sops.changes:disable",
    "sops import": "ui.sops.imports:import_",
    "sops export": "ui.sops.changes:export",
    "sops search": "ui.sops.search:search",
    "sops sync": "ui.sops.sync:sync_",
    "memory facts": "ui.memory.memory:facts",
    "memory check": "ui.memory.memory:check",
    "memory undo": "ui.memory.memory:undo",
    "memory note": "ui.memory.memory:add_note",
    "memory digest": "ui.memory.digest:digest",
    "memory search": "ui.memory.journal:search",
    "memory show": "ui.memory.journal:show",
    "memory graph": "ui.memory.graph:graph",
    "memory when": "ui.memory.when:when",
    "memory import": "ui.memory.journal:import_",
    "memory rebuild": "ui.memory.journal:rebuild_",
    "mcp list": "ui.system.mcp:list_",
    "mcp test": "ui.system.mcp:test",
    "safety check": "ui.system.safety:check",
    "safety redact": "ui.system.safety:redact",
    "worker": "ui.runs.worker:work",
    "serve": "ui.web.serve:serve",
    "schedule add": "ui.runs.schedule:add",
    "schedule list": "ui.runs.schedule:list_",
    "schedule show": "ui.runs.schedule:show",
    "schedule enable": "ui.runs.schedule:enable",
    "schedule disable": "ui.runs.schedule:disable",
    "schedule remove": "ui.runs.schedule:remove",
    "schedule run-now": "ui.runs.schedule:run_now",
    "schedule history": "ui.runs.schedule:history",
    "schedule start": "ui.runs.schedule:start",
    "schedule install": "ui.runs.schedule:install",
    "auto": "ui.runs.auto:auto",
    "doctor": "ui.system.doctor:doctor",
    "init": "ui.terminal.init:init",
}


# Option values. What argparse prints of an ArgumentTypeError is its text.


def whole(text: str) -> int:
    if not re.fullmatch(r"[0-9]{1,9}", text) or int(text) < 1:
        raise argparse.ArgumentTypeError(say("usage.whole", text=text))
    return int(text)


def amount(text: str) -> float:
    if not re.fullmatch(r"[0-9]{0,9}(\.[0-9]+)?", text) or text == "":
        raise argparse.ArgumentTypeError(say("usage.amount", text=text))
    return float(text)


def minutes(text: str) -> float:
    value = amount(text)
    if value == 0:
        raise argparse.ArgumentTypeError(say("usage.amount", text=text))
    return value


def port(text: str) -> int:
    if not re.fullmatch(r"[0-9]{1,5}", text) or int(text) > 65_535:
        raise argparse.ArgumentTypeError(say("usage.port", text=text))
    return int(text)


def span(text: str) -> float:
    """A length of time in minutes: 90, 90m, 2h, 1h30m, 2 小时."""
    units = {"h": 60, "小时": 60, "m": 1, "min": 1, "分钟": 1, "": 1}
    parts = re.findall(r"([0-9]{1,4}(?:\.[0-9]+)?) *(h|min|m|小时|分钟|)", text)
    total = sum(float(number) * units[unit] for number, unit in parts)
    if not total or re.sub(r"\s", "", text) != "".join(number + unit for number, unit in parts):
        raise argparse.ArgumentTypeError(say("usage.span", text=text))
    return total


def session(text: str) -> str:
    if text != "main" and not re.fullmatch(r"shared:[\w.@+-]{1,80}", text):
        raise argparse.ArgumentTypeError(say("usage.session", text=text))
    return text


def moment(text: str) -> Any:
    from datetime import datetime

    try:
        read = datetime.fromisoformat(text)
        return read.astimezone() if read.tzinfo is None else read
    except (ValueError, OverflowError):
        raise argparse.ArgumentTypeError(say("usage.moment", text=text)) from None


def folder(text: str) -> Path:
    path = Path(text).expanduser().absolute()
    if not path.is_dir():
        raise argparse.ArgumentTypeError(say("usage.folder", text=text))
    return path


RUN_OPTIONS: tuple[
    tuple[str, str, Callable[[str], Any] | None], ...
] = (  # option, what stands for its value, type
    ("--session", "main|shared:ID", session),
    ("--model", "NAME", str),
    ("--max-turns", "N", whole),
    ("--max-cost", "USD", amount),
    ("--max-minutes", "N", minutes),
    ("--approve", "ask|never|all", str),
    ("--cwd", "DIR", folder),
    ("--events", "", None),
    ("--no-rote", "", None),
)

SOME_OPTIONS = (  # option, what stands for its value, type, its words, the commands that take it
    (
        "--limit",
        "N",
        whole,
        "opt.limit",
        {"schedule history", "runs list", "memory search", "memory graph", "worker"},
    ),
    ("--days", "N", whole, "opt.days", {"runs archive"}),
    ("--queue", "", None, "opt.queue", {"run", "sops run"}),
    ("--parallel", "", None, "opt.parallel", {"run", "sops run"}),
    ("--list", "", None, "opt.list", {"worker"}),
    ("--cancel", "RUN", str, "opt.cancel", {"worker"}),
    ("--trust", "", None, "opt.trust", {"sops sync"}),
    ("--mine", "NAME", str, "opt.mine", {"sops sync"}),
    ("--theirs", "NAME", str, "opt.theirs", {"sops sync"}),
    ("--until-empty", "", None, "opt.until-empty", {"worker"}),
    ("--events", "", None, "opt.events", {"schedule run-now"}),
    ("--unless-running", "", None, "opt.unless-running", {"schedule start"}),
    ("--remove", "", None, "opt.remove", {"schedule install"}),
    ("--yes", "", None, "opt.yes", {"sops import"}),
    ("--now", "ISO", moment, "opt.now", WITH_NOW),
    ("--for", "2h", span, "opt.for", {"auto"}),
    ("--max-cost", "USD", amount, "opt.auto-cost", {"auto"}),
    ("--session", "S", str, "opt.only-session", {"memory search", "memory show", "memory graph"}),
    ("--since", "ISO", moment, "opt.since", {"memory graph"}),
    ("--until", "ISO", moment, "opt.until", {"memory graph"}),
    ("--depth", "N", whole, "opt.depth", {"memory graph"}),
    ("--pause", "", None, "opt.graph-pause", {"memory graph"}),
    ("--go-on", "", None, "opt.graph-go-on", {"memory graph"}),
)
