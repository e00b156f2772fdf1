"""Where each command is declared. A command is a word here and a function with `@command` in its screen."""

from __future__ import annotations

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
    ("trash list|restore", "runs.trash"),
    ("sops list|show", "sops.sops"),
    ("sops run", "terminal.run_command"),
    ("sops verify", "sops.changes"),
    ("sops stats", "sops.stats"),
    ("sops history|rollback", "sops.changes"),
    ("sops edit|rename|remove", "sops.editing"),
    ("sops enable|disable", "sops.changes"),
    ("sops import", "sops.imports"),
    ("sops export", "sops.changes"),
    ("sops search", "sops.sops"),
    ("memory facts|check|undo|note", "memory.memory"),
    ("memory digest", "memory.digest"),
    ("memory search|show", "memory.journal"),
    ("memory graph", "memory.graph"),
    ("memory when", "memory.when"),
    ("memory import|rebuild", "memory.journal"),
    ("safety check|redact", "system.safety"),
    ("auto", "runs.auto"),
    ("worker", "runs.worker"),
    ("serve", "web.serve"),
    ("schedule add|list|show|enable|disable|remove|run-now|history|start|install", "runs.schedule"),
    ("models list|test", "system.models"),
    ("mcp list|test", "system.mcp"),
    ("mcp serve", "mcp_server.command"),
    ("notify test", "system.doctor"),
    ("config show|path|check", "system.settings"),
    ("config set", "system.set_setting"),
    ("completion", "system.completion"),
    ("help", "system.completion"),
    ("doctor", "system.doctor"),
    ("init", "terminal.init"),
)


def _screens() -> dict[str, str]:
    found = {}
    for said, module in _DECLARED_IN:
        first, _, words = said.partition(" ")
        for word in words.split("|"):
            found[f"{first} {word}".strip()] = f"ui.{module}"
    return found


SCREENS = _screens()  # command → module


def below(word: str) -> list[str]:
    """Name the commands that begin with this word: `runs` → list, show, …; none for `run`."""
    return [path.split()[1] for path in SCREENS if path.startswith(f"{word} ")]


def first_words() -> list[str]:
    """Name the commands of the top level."""
    return list(dict.fromkeys(path.split()[0] for path in SCREENS))
