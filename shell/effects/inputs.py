"""Where the input of a command comes from: a pipe, a file, the network, something that nobody can
read."""

from __future__ import annotations

from shell.bash import Command

FETCHERS = frozenset(["curl", "wget", "fetch", "aria2c", "axel", "http", "https", "xh"])


def has_input(command: Command) -> bool:
    """Return True if something is sent to a command, by a pipe or from a file."""
    return command.is_piped or any(each.operator.startswith("<") for each in command.redirects)


def is_fetched(command: Command) -> bool:
    """Return True if what a command runs comes from the network: by a pipe, `<(…)` or `"$(…)"`."""
    words = [*command.words, *(each.word for each in command.redirects)]
    inner = [each for word in words for part in word.parts for each in part.commands]
    while command.source is not None:
        command = command.source
        inner.append(command)
    names = {each.words[0].written.rpartition("/")[2] for each in inner if each.words}
    return not FETCHERS.isdisjoint(names)
