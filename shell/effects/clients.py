"""Commands that are told what to do by a statement, an address or a setting: databases, curl, git, kill, dd."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator, Mapping

from shell.bash import Command
from shell.catalogue import Entry, operands
from shell.effects import statements
from shell.effects.code import texts_of
from shell.effects.expand import Arg, input_of
from shell.effects.files import operands_of
from shell.effects.inputs import has_input
from shell.effects.state import State

Args = list[Arg]
_GIT_SETTING = re.compile(
    r"(?i)(alias\.|core\.(hookspath|pager|editor|sshcommand|fsmonitor|askpass|gitproxy)|.*\.(command|cmd|helper|program|textconv|process)"
    r"|include|credential|url\.|http\.proxy|remote\..*\.url|diff\.external|sequence\.editor|protocol)"
)
_GIT_READS = {"--get", "--list", "-l", "--get-all"}
_RESOLVERS = frozenset(["ping", "ping6", "dig", "host", "nslookup", "whois"])
_READS = {"GET", "HEAD", "OPTIONS"}
_ASKS_NOTHING = frozenset(["-l", "--list", "--version", "--help", "-V", "-version"])
_REDIS_LOOKS = ("--scan", "--stat", "--bigkeys", "--memkeys", "--latency")
_SHELL_LINE = re.compile(r"(?m)^\s*(?:\\!|\.(?:shell|system))\s+(.*)")
_IMAGE = re.compile(r"/dev/null|test|tmp|temp|dummy|swap|\.(img|iso|raw|bin|dat)$")


def _values(args: Args) -> list[str | None]:
    return [arg.text for arg in args[1:]]


# Databases


def _asks(state: State, known: Entry, args: Args, command: Command) -> None:
    """Note the statements that a database's client is asked."""
    values = _values(args)
    if known.more["asks"] == "redis":
        _asks_redis(state, known, values, command)
    elif not _ASKS_NOTHING & set(filter(None, values)):
        _asks_statements(state, known, args, command)


def _asks_statements(state: State, known: Entry, args: Args, command: Command) -> None:
    texts = list(_statements(state, known, args, command))
    for line in _SHELL_LINE.findall("\n".join(filter(None, texts))):
        state.script(line)
    waits = not texts and "verbs" not in known.more
    is_mongo = known.more["asks"] == "mongo"
    judge = statements.changes_mongo if is_mongo else statements.changes_sql
    changes = waits or any(text is None or judge(text) for text in texts)
    if changes and not statements.only_in_memory(_values(args), texts):
        state.add("delete", known.name, "may change or delete data", is_local=False)


def _asks_redis(state: State, known: Entry, values: list[str | None], command: Command) -> None:
    if any((value or "").startswith(_REDIS_LOOKS) for value in values):
        return
    asked = operands(known, values) or list((input_of(state, command) or "").split())
    if statements.changes_redis(list(asked)):
        state.add("delete", known.name, "may change or delete data", is_local=False)


def _statements(state: State, known: Entry, args: Args, command: Command) -> Iterator[str | None]:
    options = known.listed("statement")
    plain = [arg.text for arg in operands_of(known, args[1:])]
    for option in options:
        yield from texts_of(known, option, args) if option.startswith("-") else ()
    yield from plain[1:] if "operands" in options else ()
    yield from plain[-1:] if "query" in options and "query" in _values(args) else ()
    for option in known.listed("script"):
        yield from [None] * len(texts_of(known, option, args))
    if has_input(command):
        yield input_of(state, command)


# Addresses


def _methods(state: State, known: Entry, args: Args, command: Command) -> None:
    """`curl -X DELETE`."""
    said = [text for option in known.listed("methods") for text in texts_of(known, option, args)]
    said += [arg.start[2:] for arg in args[1:] if re.match(r"-X[A-Z]", arg.start)]
    for method in (each for each in said if (each or "?").upper() not in _READS):
        state.add("send", known.name, str(method or ""), is_local=False)


def _fetches(state: State, known: Entry, args: Args, command: Command) -> None:
    """`curl "http://x/$(cat key)"`, `dig $(cat key).example.org`: what a command prints is sent."""
    asked, given = known.listed("fetches"), [arg.text for arg in args[1:]]
    if asked != ["all"] and set(asked).isdisjoint(given):
        return
    is_carried = any(arg.has_output or arg.stream for arg in args[1:])
    if is_carried or (known.name in _RESOLVERS and _substitutes(command)):
        state.add("send", known.name, "what a command prints", is_local=False)
    _proxied(state, known, args)


def _proxied(state: State, known: Entry, args: Args) -> None:
    given = {arg.start for arg in args}
    for option in given.intersection(known.listed("proxies")):
        value = next(iter(texts_of(known, option, args)), None)
        if option != "-e" or "proxy" in (value or "proxy"):
            state.add("send", known.name, f"{option}: what is asked goes there", is_local=False)


def _substitutes(command: Command) -> bool:
    parts = [part for word in command.words[1:] for part in word.parts]
    return any(part.source == "$(" for part in parts)


def openssl(state: State, known: Entry, args: Args, command: Command) -> None:
    """`openssl s_client` sends what it reads; looking at a certificate sends nothing."""
    is_client = "s_client" in [arg.text for arg in args[1:2]]
    has_nothing = any(each.word.literal == "/dev/null" for each in command.redirects)
    text = (input_of(state, command) or "?").strip() if is_client else ""
    if text not in ("", "Q") and not has_nothing:
        state.add("send", known.name, "s_client", is_local=False)


# Settings and jobs


def git(state: State, known: Entry, args: Args, command: Command) -> None:
    """Settings of git that run programs, given for once or for good."""
    values = [arg.start for arg in args[1:]]
    for option, setting in itertools.pairwise(values):
        key, _, text = setting.partition("=")
        if option in ("-c", "--config-env") and _GIT_SETTING.match(key):
            _git_program(state, text)
    plain = [value or "" for value in operands(known, _values(args))]
    if plain[:1] == ["config"] and _GIT_READS.isdisjoint(values):
        _git_config(state, plain[1:], is_wide=not {"--global", "--system"}.isdisjoint(values))


def _git_config(state: State, plain: list[str], *, is_wide: bool) -> None:
    """`git config KEY VALUE`, `git config set KEY VALUE`."""
    words = plain[1:] if plain[:1] in (["set"], ["unset"]) else plain
    sets = len(plain) > 1 and bool(words)
    if sets and (is_wide or _GIT_SETTING.match(words[0])):
        state.add("system", "git", f"config {words[0]}", is_local=False)


def _git_program(state: State, text: str) -> None:
    if text.startswith("!"):
        state.script(text[1:])
    elif text not in ("", "cat", "less", "true", "false"):
        state.add("unknown", "git", "a setting that runs a program")


def _jobs(state: State, known: Entry, args: Args, command: Command) -> None:
    """`kill %1`, `kill $!`: jobs of the script alone. `kill 1`, `kill -1`: the machine."""
    named = [arg.text or "" for arg in operands_of(known, args[1:])]
    if named and all(value.startswith("%") for value in named):
        state.forget("kill")
    if named == ["1"] or args[-1].text == "-1":
        state.add("catastrophic", "kill", "stops every process", is_local=False)


def _assigns(state: State, known: Entry, args: Args, command: Command) -> None:
    if any("=" in arg.start for arg in args[1:]):
        state.add("system", known.name, "changes the machine", is_local=False)


def dd(state: State, known: Entry, args: Args, command: Command) -> None:
    """`dd if=/dev/zero of=photo.jpg`: nothing in the place of what a file holds; an image is made that way."""
    given = dict(arg.start.partition("=")[::2] for arg in args[1:])
    is_blank = re.fullmatch(r"/dev/(zero|null|u?random)", given.get("if", ""))
    if is_blank and not _IMAGE.search(given.get("of", "/dev/null")):
        state.add("delete", "dd", "overwrites a file")
    if any(arg.text is None and arg.start.startswith("of=") for arg in args[1:]):
        state.add("system", "dd", "writes to a place that is only known when it runs")


BY_KEY: Mapping[str, Callable[[State, Entry, Args, Command], None]] = {
    "asks": _asks,
    "jobs": _jobs,
    "assigns": _assigns,
    "methods": _methods,
    "fetches": _fetches,
}
