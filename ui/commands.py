"""Where each command is declared. A command is a line here and a function with `@command` in its screen."""

from __future__ import annotations

VERSION = "0.1.0"
SCREENS = {  # in the order of the help
    "run": "ui.terminal.run_command",
    "chat": "ui.terminal.chat",
    "teach": "ui.sops.teaching.teach",
    "runs list": "ui.runs.runs",
    "runs show": "ui.runs.runs",
    "runs resume": "ui.terminal.run_command",
    "runs cancel": "ui.runs.runs",
    "runs steer": "ui.runs.runs",
    "inbox list": "ui.runs.inbox",
    "inbox answer": "ui.runs.inbox",
    "inbox approve": "ui.runs.inbox",
    "inbox deny": "ui.runs.inbox",
    "inbox dismiss": "ui.runs.inbox",
    "diff": "ui.runs.changes",
    "undo": "ui.runs.changes",
    "trash list": "ui.runs.trash",
    "trash restore": "ui.runs.trash",
    "sops list": "ui.sops.sops",
    "sops show": "ui.sops.sops",
    "sops run": "ui.terminal.run_command",
    "sops verify": "ui.sops.changes",
    "sops stats": "ui.sops.stats",
    "sops history": "ui.sops.changes",
    "sops rollback": "ui.sops.changes",
    "sops edit": "ui.sops.editing",
    "sops rename": "ui.sops.editing",
    "sops remove": "ui.sops.editing",
    "sops enable": "ui.sops.changes",
    "sops disable": "ui.sops.changes",
    "sops import": "ui.sops.imports",
    "sops export": "ui.sops.changes",
    "sops search": "ui.sops.search",
    "memory facts": "ui.memory.memory",
    "memory check": "ui.memory.memory",
    "memory undo": "ui.memory.memory",
    "memory note": "ui.memory.memory",
    "memory digest": "ui.memory.digest",
    "memory search": "ui.memory.journal",
    "memory show": "ui.memory.journal",
    "memory graph": "ui.memory.graph",
    "memory when": "ui.memory.when",
    "memory import": "ui.memory.journal",
    "memory rebuild": "ui.memory.journal",
    "safety check": "ui.system.safety",
    "safety redact": "ui.system.safety",
    "auto": "ui.runs.auto",
    "worker": "ui.runs.worker",
    "serve": "ui.web.serve",
    "schedule add": "ui.runs.schedule",
    "schedule list": "ui.runs.schedule",
    "schedule show": "ui.runs.schedule",
    "schedule enable": "ui.runs.schedule",
    "schedule disable": "ui.runs.schedule",
    "schedule remove": "ui.runs.schedule",
    "schedule run-now": "ui.runs.schedule",
    "schedule history": "ui.runs.schedule",
    "schedule start": "ui.runs.schedule",
    "schedule install": "ui.runs.schedule",
    "models list": "ui.system.models",
    "models test": "ui.system.models",
    "mcp list": "ui.system.mcp",
    "mcp test": "ui.system.mcp",
    "mcp serve": "ui.mcp_server.command",
    "notify test": "ui.system.notify",
    "config show": "ui.system.settings",
    "config path": "ui.system.settings",
    "config check": "ui.system.settings",
    "config set": "ui.system.set_setting",
    "completion": "ui.system.completion",
    "help": "ui.system.completion",
    "doctor": "ui.system.doctor",
    "init": "ui.terminal.init",
}


def below(word: str) -> list[str]:
    """Name the commands that begin with this word: `runs` → list, show, …; none for `run`."""
    return [path.split()[1] for path in SCREENS if path.startswith(f"{word} ")]


def first_words() -> list[str]:
    """Name the commands of the top level."""
    return list(dict.fromkeys(path.split()[0] for path in SCREENS))
