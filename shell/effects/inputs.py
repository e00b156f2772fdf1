"""Where the input of a command comes from: a pipe, a file, the network, something that nobody can read."""

from __future__ import annotations

from collections.abc import Iterator

from shell.bash import Command

FETCHERS = frozenset(["curl", "wget", "fetch", "aria2c", "axel", "http", "https", "xh"])
_DISGUISES = frozenset(["base64", "base32", "xxd", "rev", "tr", "openssl"])


def has_input(command: Command) -> bool:
    """Return True if something is sent to a command, by a pipe or from a file."""
    return command.is_piped or any(each.operator.startswith("<") for each in command.redirects)


def _producers(command: Command) -> Iterator[str]:
    """Give the names of the commands whose output comes to this one."""
    source: Command | None = command
    for _ in range(20):
        if source is None:
            return
        several = [*source.sources, *([source.source] if source.source else [])]
        yield from (each.words[0].written.rpartition("/")[2] for each in several if each.words)
        source = source.source


def is_disguised(command: Command) -> bool:
    """Return True if what a command reads was written so that nobody can read it."""
    return not _DISGUISES.isdisjoint(_producers(command))


def is_fetched(command: Command) -> bool:
    """Return True if what a command runs comes from the network: by a pipe, `<(…)` or `"$(…)"`."""
    words = [*command.words, *(each.word for each in command.redirects)]
    inner = [each for word in words for part in word.parts for each in part.commands]
    named = {each.words[0].written.rpartition("/")[2] for each in inner if each.words}
    return not FETCHERS.isdisjoint(named | set(_producers(command)))
