"""Say what one call may reach beyond its sandbox, once the gate or the owner has allowed it.

Hosts, by the proxy; folders outside the roots and files with secrets, as far as its script names
them; and single programs of the machine, one list of words each. A script that hides what it does
gets less, not more.
"""

from __future__ import annotations

import fnmatch
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from text.sections import sections

if TYPE_CHECKING:
    from safety.findings import Finding
    from safety.gate import Ask, Gate
    from shell.bash import Command, Word

TABLE = "network/outside.txt"
SEEDS = Path(__file__).resolve().parents[2] / "sops"


class Outside(NamedTuple):
    """One command of a script that a program outside the sandbox carries out, and its bytes in the
    script."""

    words: tuple[str, ...]
    start: int
    end: int


class Leave(NamedTuple):
    """Hold what one call may reach. A host stands for itself, `*.example.org` for all below it.

    `places` are paths outside the roots to write to, `files` hold secrets and may be read. `git`:
    settings of repositories may be changed.
    """

    hosts: frozenset[str] = frozenset()
    places: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    programs: tuple[Outside, ...] = ()
    unclear: tuple[
        str, ...
    ] = ()  # programs that should work outside, whose words only a shell knows
    git: bool = False
    is_ours: bool = False  # a script that ships with Sopwith, word for word

    @property
    def folders(self) -> list[str]:
        """Return the folders that hold the places; never the whole machine."""
        above = (Path(place).parents for place in self.places)
        found = (next(folder for folder in folders if folder.is_dir()) for folders in above)
        return [folder for folder in dict.fromkeys(map(str, found)) if folder != "/"]

    def why_not(self, host: str, port: int) -> str:
        """Return why a host is closed; "" when it is open."""
        places = (host, f"{host}:{port}")
        if any(fnmatch.fnmatchcase(place, each) for place in places for each in self.hosts):
            return ""
        return f"{host} is not a host that this call may reach"


NOTHING = Leave()


def leave_of(gate: Gate, ask: Ask) -> Leave:
    """Return what this call may reach; it is one that the gate allowed, or the owner."""
    from sandbox.network.named import hosts_asked, hosts_named

    named = hosts_named(gate, ask)
    if gate.is_alone and gate.decide(ask).decision == "allow":
        return Leave(named)  # what nobody has approved reaches nobody else
    found, script = list(gate.found(ask)), str(ask.args.get("script", ""))
    is_python = ask.args.get("type") == "python"
    commands = [] if is_python else _read(script)
    programs, unclear = _programs(commands, found, str(gate.owner_home))
    return Leave(
        named | hosts_asked(gate, ask),
        tuple(map(_before_wildcards, _files(found, "outside"))),
        tuple(_files(found, "secret")),
        tuple(programs),
        tuple(unclear),
        any(each.risk == "delete" for each in found) or any(map(_sets_git, commands)),
        is_python and _ships(script),
    )


def _read(script: str) -> list[Command]:
    from shell.bash import NotUnderstood, parse

    try:
        return parse(script)
    except NotUnderstood:
        return []


def _files(found: Iterable[Finding], risk: str) -> Iterator[str]:
    """Yield the paths that findings of a risk are about."""
    for finding in found:
        path = dict(finding.said.values).get("file", "")
        if finding.risk == risk and path:
            yield path


def _before_wildcards(path: str) -> str:
    names = path.split("/")
    at = next((n for n, name in enumerate(names) if set(name) & set("*?[")), len(names))
    return "/".join(names[:at]) or "/"


def _programs(
    commands: Iterable[Command], found: Iterable[Finding], home: str
) -> tuple[list[Outside], list[str]]:
    """Return the commands that work outside, and the names of those whose words are not plain."""
    plain = [Outside(_plain(each, home), each.start, each.end) for each in commands]
    clear: dict[Outside, None] = {}
    unclear = set[str]()
    for finding in filter(_leaves, found):
        meant = _meant(finding, plain)
        clear |= dict.fromkeys(meant)
        unclear |= set() if meant else {finding.command}
    is_raised = any(each.words[0] in _table()["raises"] for each in clear)
    return list(clear), [] if is_raised else sorted(unclear)


def _meant(finding: Finding, plain: Iterable[Outside]) -> list[Outside]:
    """Return the commands that a finding is about: `git push` of `git commit; git push`."""
    named = [each for each in plain if each.words[:1] == (finding.command,)]
    said = set(dict(finding.said.values).get("what", "").split())
    return [each for each in named if said <= set(each.words)] or named


def _leaves(finding: Finding) -> bool:
    """Return True for what works on the machine, or with the owner's keys."""
    if finding.is_local or not finding.command:
        return False
    if finding.risk == "install":
        return finding.command in _table()["install"]
    is_remote = finding.risk in ("send", "spend", "delete")
    return finding.risk == "system" or (is_remote and finding.command in _table()["keys"])


def _plain(command: Command, home: str) -> tuple[str, ...]:
    """Return the words of a command that stand in the script as they are; () for others, and for a
    part of a pipe."""
    if command.is_piped or command.assignments:
        return ()
    if any(each.operator != ">&" for each in command.redirects):  # both are read together anyway
        return ()
    words = [_value(word, home) for word in command.words]
    return tuple(word for word in words if word is not None) if None not in words else ()


def _value(word: Word, home: str) -> str | None:
    is_plain = word.start >= 0 and not (word.has_glob or word.has_expansion)
    return word.value({"HOME": home}) if is_plain else None


def _ships(script: str) -> bool:
    """Return True if this very text is a script of ours."""
    size = len(script.encode("utf-8", "replace"))
    ours = (file for file in SEEDS.glob("*/scripts/*.py") if file.stat().st_size == size)
    return any(file.read_text("utf-8") == script for file in ours)


def _sets_git(command: Command) -> bool:
    words = [word.value({}) for word in command.words]
    return words[:1] == ["git"] and not _table()["git"].isdisjoint(words)


@cache
def _table() -> dict[str, frozenset[str]]:
    return {name: frozenset(text.split()) for name, text in sections(TABLE).items()}
