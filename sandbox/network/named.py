"""Says which hosts a call may reach: those of the request and the settings, of its script, its
programs and its repository."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sandbox.network.spelling import BadHost, place_of
from text import pattern

if TYPE_CHECKING:
    from safety.gate import Ask, Gate
    from shell.bash import Command

TABLE = Path(__file__).resolve().parents[2] / "assets" / "network" / "hosts.yaml"
MOST_BYTES = 100_000  # of a file of settings
_ADDRESS = pattern(r"(?:[a-z][a-z0-9+.-]*://)(?:[^\s/@'\"]*@)?(\[[^\]\s]+\]|[^\s/:'\"?#\[\]]+)")
MOST_LOCAL = 8
_LOCAL = pattern(r"(?:localhost|127\.0\.0\.1):(\d{1,5})")
_SCP = pattern(r"(?:[\w.-]+@)?([\w.-]+):(?!//)\S*")  # git@example.org:team/project
_REMOTE = pattern(r"^\s*(?:url|pushurl)\s*=\s*(\S+)", re.MULTILINE)


def hosts_named(gate: Gate, ask: Ask) -> frozenset[str]:
    """Return the hosts of the request and the settings."""
    from safety.taint import Named

    return _hosts([*gate.settings.hosts, *Named(ask.request).addresses])


def hosts_asked(gate: Gate, ask: Ask) -> frozenset[str]:
    """Return the hosts that a call names, in its arguments or by its programs."""
    from safety.reach import MOST_JUDGED, fetches

    script, is_python = str(ask.args.get("script", "")), ask.args.get("type") == "python"
    cwd = ask.paths[0] if ask.paths else gate.cwd
    asked = ask.args.get("hosts")
    named = [str(each) for each in asked] if isinstance(asked, list) else []
    env = ask.args.get("env")
    given = {str(name): str(value) for name, value in env.items()} if isinstance(env, dict) else {}
    urls = fetches(script, is_python=is_python, variables=given).urls[:MOST_JUDGED]
    commands = [] if is_python else commands_of(script)
    programs = _of_programs(commands, cwd, gate.owner_home)
    return _hosts([*named[:MOST_JUDGED], *urls]) | programs


def local_ports(request: str, settings: Iterable[str]) -> list[int]:
    """Return the ports of this machine that the request (`http://localhost:3000/x`) or the settings
    (`localhost:3000`) name."""
    from safety.taint import Named

    found = (_LOCAL.fullmatch(each) for each in (*Named(request).addresses, *settings))
    return list(dict.fromkeys(int(match[1]) for match in found if match))[:MOST_LOCAL]


def commands_of(script: str) -> list[tuple[str, list[str]]]:
    """Return name and words of each command, those behind a wrapper (`timeout 5 curl`) too; none
    for what is not understood."""
    from shell.bash import NotUnderstood, parse

    try:
        parsed = parse(script)
    except NotUnderstood:
        return []
    return [each for command in parsed for each in _named(command)]


def _named(command: Command) -> Iterator[tuple[str, list[str]]]:
    from shell.catalogue.packs import wrappers

    words = [word.value({}) or "" for word in command.words]
    while words:
        name = words[0].rpartition("/")[2]
        yield name, words[1:]
        if name not in wrappers():
            return
        rest = words[1:]
        words = next(
            (rest[at:] for at, word in enumerate(rest) if re.fullmatch(r"[a-z/][\w./+-]*", word)),
            [],
        )


def _hosts(addresses: Iterable[str]) -> frozenset[str]:
    """Return the hosts of addresses in any form, with those to which they lead. What has no host is
    left out."""
    found = {host for text in addresses if (host := _host(text))}
    twins = {host.removeprefix("www.") for host in found} | {f"www.{host}" for host in found}
    further = (_table()["leads_to"].get(host, "").split() for host in found | twins)
    return frozenset([*found, *twins, *(each for hosts in further for each in hosts)])


def _of_programs(
    commands: Iterable[tuple[str, list[str]]], cwd: Path, owner: Path
) -> frozenset[str]:
    """Return the hosts that commands (name and words) ask without naming them. `git` asks those of
    the repository of `cwd`."""
    addresses: list[str] = []
    for name, words in commands:
        name, words = _module(name, words)
        row = _row(name)
        verbs = row.get("verbs", "").split()
        if verbs and not set(verbs) & set(words):
            continue
        addresses += row.get("hosts", "").split()
        for place in row.get("settings", "").split():
            addresses += _in_settings(owner / place.removeprefix("~/"))
        if name == "git":
            addresses += _remotes(cwd)
    return _hosts(addresses)


def _module(name: str, words: list[str]) -> tuple[str, list[str]]:
    """Return `python -m pip install` as `pip install`."""
    if name.startswith("python") and "-m" in words[:-1]:
        at = words.index("-m") + 1
        return words[at], words[at + 1 :]
    return name, words


def _in_settings(file: Path) -> Iterator[str]:
    for line in _lines(file):
        if not line.lstrip().startswith(("#", ";")) and "proxy" not in line:
            yield from (match[0] for match in _ADDRESS.finditer(line))


def _host(text: str) -> str:
    text = text.strip().rstrip("…")
    match = _ADDRESS.match(text.lower()) or _SCP.fullmatch(text.lower())
    place = match[1] if match else re.split(r"[/?#]", text.rpartition("@")[2])[0].lower()
    if place.startswith("*."):
        return place
    try:
        return place_of(place, 443)[0]
    except BadHost:
        return ""


@cache
def _table() -> Mapping[str, Any]:
    import yaml

    rows: Mapping[str, Any] = yaml.load(TABLE.read_text("utf-8"), yaml.CSafeLoader)
    return rows


def _row(name: str) -> dict[str, str]:
    found: dict[str, str] = _table()["programs"].get(name, {})
    return {**_row(found["same"]), **found} if "same" in found else found


def _remotes(cwd: Path) -> list[str]:
    """Return the addresses in the settings of the repository of a folder."""
    for folder in (cwd, *cwd.parents):
        if (folder / ".git").is_dir():
            return _REMOTE.findall("\n".join(_lines(folder / ".git" / "config")))
    return []


def _lines(file: Path) -> list[str]:
    try:
        number = os.open(file, os.O_RDONLY | os.O_NONBLOCK)  # no pipe holds us up
        with os.fdopen(number, "rb") as opened:
            return opened.read(MOST_BYTES).decode("utf-8", "replace").splitlines()
    except OSError:
        return []
