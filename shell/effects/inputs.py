"""Where the input of a command comes from: a pipe, a file, the network, something that nobody can
read."""

from __future__ import annotations

from collections.abc import Iterator

from shell.bash import Command

FETCHERS = frozenset(["curl", "wget", "fetch", "aria2c", "axel", "http", "https", "xh"])
_MOST_PIPED = 20  # commands of one pipe


def has_input(command: Command) -> bool:
    """Return True if something is sent to a command, by a pipe or from a file."""
    return command.is_piped or any(each.operator.startswith("<") for each in command.redirects)


def _producers(command: Command) -> Iterator[Command]:
    """Give the commands whose output comes to this one."""
    source: Command | None = command
    for _ in range(_MOST_PIPED):
        if source is None:
            return
        yield from source.sources
        source = source.source
        if source is not None:
            yield source


def is_fetched(command: Command) -> bool:
    """Return True if what a command runs comes from the network: by a pipe, `<(…)` or `"$(…)"`."""
    words = [*command.words, *(each.word for each in command.redirects)]
    inner = [each for word in words for part in word.parts for each in part.commands]
    several = [*inner, *_producers(command)]
    names = {each.words[0].written.rpartition("/")[2] for each in several if each.words}
    return not FETCHERS.isdisjoint(names)
