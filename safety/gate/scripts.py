"""Tell what a script would do: the effects of its commands (shell/), held against the places of the
run; and whom it asks."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, cast

from safety.findings import Ask, Finding, Risk, foreign, found
from safety.paths import Places
from safety.reach import MOST_JUDGED, Fetches, fetches
from safety.secrets.known_values import used
from safety.taint import Named, host_of
from shell import Effect, Setting
from shell.effects import GUARDED, MADE, PROXIES
from shell.python import effects_of

if TYPE_CHECKING:
    from safety.gate.grounds import Grounds

# Effect of the catalogue → risk and sentence, where they are not called the same.
_RISKS: Mapping[str, Risk] = {"rights": "system"}
_EVERY = re.compile(r"(?=.*\*)(?:[.*?]|\[[^\]]*\])+")
_OURS = ("MEMORY.md", "runs")  # in the agent's home: scripts have no business there
_OF_MKTEMP = "/tmp/made"  # stands for what mktemp makes, which is the script's own
_MOST_BYTES = 200_000  # of a script that is looked at
_REMOVERS = ("rm", "unlink", "rmdir")
# Values of these variables where nothing sets them; `$!` is a job of the script's own, as `%1` is.
_USUAL = {
    "SHELL": "/bin/bash",
    "PYTHON": "python3",
    "CC": "cc",
    "CXX": "c++",
    "MAKE": "make",
    "!": "%1",
    MADE: _OF_MKTEMP,
}


def look(gate: Grounds, ask: Ask, named: Named) -> Iterator[Finding]:
    """Give what a script would do that somebody may have to be asked about."""
    yield from _held(gate, ask)
    script, env = ask.args.get("script"), ask.args.get("env")
    if not isinstance(script, str):
        yield found("unknown", "unseen_code", tool=ask.tool)
        return
    given = {str(name): str(value) for name, value in env.items()} if isinstance(env, dict) else {}
    yield from _of_variables(given)
    setting, is_python = _setting(gate, ask, given), ask.args.get("type") == "python"
    findings = list(_of_script(script, setting, gate.places, is_python=is_python))
    yield from findings
    asked = fetches(script, is_python=is_python, variables=setting.variables)
    if ask.attended and ask.session == "main":
        names = used(f"{script} {' '.join(given.values())}", gate.settings.credentials)
        sends = any(each.risk == "send" for each in findings)
        yield from lent(names, asked, named, sends=sends)
    if ask.request.strip():
        yield from _fetched(ask, asked, named)
        yield from _hosts(ask, named)


def _held(gate: Grounds, ask: Ask) -> Iterator[Finding]:
    """Yield what speaks against running code at all."""
    why = gate.no_sandbox
    if gate.runs_code == "no":
        yield found("forbidden", "sandbox_only", why=why)
    elif gate.runs_code == "ask" and not ask.attended:
        yield found("forbidden", "sandbox_only_alone", why=why)
    elif gate.runs_code == "ask":
        yield found("unknown", "no_sandbox", why=why)


def _setting(gate: Grounds, ask: Ask, given: Mapping[str, str]) -> Setting:
    """Return what is known before a script runs."""
    cwd = str(ask.paths[0] if ask.paths else gate.cwd)
    user = dict.fromkeys(("USER", "LOGNAME"), gate.owner_home.name)
    own = {"HOME": str(gate.owner_home), "PWD": cwd, "TMPDIR": str(gate.places.temporary)}
    variables = {**_USUAL, **user, **own, **given}
    forbidden = frozenset(gate.settings.forbid)
    # in a stage that is seen when it happens
    reads = _nothing if ask.stage else partial(_text_of, gate.places)
    return Setting(variables, cwd, forbidden, reads)


def _nothing(path: str) -> None:
    return None


def _text_of(places: Places, path: str) -> str | None:
    """Return the text of a script that a run may have written; None for a program of the system, or
    none that is text."""
    file = places.resolved(path)
    if places.kind(file) != "inside":
        return None
    try:
        return file.read_bytes()[:_MOST_BYTES].decode("utf-8") if file.is_file() else None
    except (OSError, UnicodeDecodeError):
        return None


def _of_variables(given: Mapping[str, str]) -> Iterator[Finding]:
    """Give the variables of a call that change what commands do, or where requests go."""
    for name, value in given.items():
        if value and GUARDED.match(name):
            yield found("unknown", "sets", name=name)
        elif value and PROXIES.match(name):
            yield found("send", "sets_proxy", name=name)


def _of_script(
    script: str, setting: Setting, places: Places, *, is_python: bool
) -> Iterator[Finding]:
    from shell import scan

    effects = [] if is_python else scan(script, setting)
    if is_python:
        started: list[Effect] = []
        own = effects_of(script, setting.cwd, lambda text: started.extend(scan(text, setting)))
        effects = [*own, *started]
    resolve = cache(places.resolved)
    for effect in effects:
        judge = _FILES.get(effect.kind)
        if judge is None:
            yield _of_kind(effect)
        elif not (path := resolve(effect.path)).is_relative_to(_OF_MKTEMP):
            yield from judge(effect, path, places)


def _of_kind(effect: Effect) -> Finding:
    command, kind = effect.command, effect.kind
    if kind == "forbidden":
        return found("forbidden", "tool_forbidden", command=command, tool=command)
    risk = _RISKS.get(kind) or cast("Risk", kind)
    what = " ".join(f"{command} {effect.verb}".split())[:200]
    key = "delete_by_rm" if kind == "delete" and command in _REMOVERS else kind
    return found(risk, f"does_{key}", command=command, is_local=effect.is_local, what=what)


# Whom it asks


def lent(names: Iterable[str], asked: Fetches, named: Named, *, sends: bool) -> Iterator[Finding]:
    """Give where credentials could go, beyond what the request names.

    `sends`: the script sends something to a place that no address shows.
    """
    said = ", ".join(f"${name}" for name in names)
    if not said:
        return
    for url in asked.urls:
        if not named.has_url(url, strict=True):
            host = host_of(url)[:200]
            yield found("unknown", "lends", is_target=True, terms=said, name=host)
    if asked.is_hidden or (sends and not asked.urls):
        yield found("unknown", "lends_hidden", is_target=True, terms=said)


def _fetched(ask: Ask, asked: Fetches, named: Named) -> Iterator[Finding]:
    """To fetch an address is to send it: one that nobody named is asked about."""
    read = foreign(ask.origin)
    for url in asked.urls:
        if not named.may_ask(url, is_tainted=bool(read), has_read=ask.has_read):
            yield found("send", "asks", is_target=True, name=url[:200])
    if asked.is_hidden and read:
        yield found("send", "asks_hidden", is_target=True, name=", ".join(read))


def _hosts(ask: Ask, named: Named) -> Iterator[Finding]:
    """Yield hosts that a script is to reach beside those that it names."""
    hosts = ask.args.get("hosts")
    for host in hosts[:MOST_JUDGED] if isinstance(hosts, list) else ():
        if not named.has_url(str(host), strict=False):
            yield found("send", "opens_host", is_target=True, name=str(host)[:200])


# Changes of files


def _placed(effect: Effect, path: Path, places: Places) -> Iterator[Finding]:
    """Give what speaks against writing or deleting a file, by the table."""
    row = _GUARDED.get((effect.kind, places.guard(path)))
    if row:
        risk, key, is_local = row
        name = effect.command
        yield found(risk, key, command=name, is_local=is_local, name=name, file=path)


def _read(effect: Effect, path: Path, places: Places) -> Iterator[Finding]:
    ours = [places.agent / name for name in _OURS]
    if places.is_secret(path) or any(map(path.is_relative_to, ours)):
        yield found("secret", "reads", command=effect.command, name=effect.command, file=path)


def _taken(effect: Effect, path: Path, places: Places) -> Iterator[Finding]:
    """Find a folder that is taken with all that is in it, or all that a pattern fits."""
    if _takes_machine(effect, path, places):
        yield _wiped(effect)
    else:
        yield from _placed(effect._replace(kind="deletes"), path, places)


def _locked(effect: Effect, path: Path, places: Places) -> Iterator[Finding]:
    if not effect.is_pattern and places.is_vital(path):
        yield _wiped(effect)


def _wiped(effect: Effect) -> Finding:
    name = effect.command
    return found("catastrophic", "on_system", command=name, name=name, file=effect.path)


def _takes_machine(effect: Effect, path: Path, places: Places) -> bool:
    if not effect.is_pattern:
        return places.is_lost(path)
    folder, name, behind = _split(effect.path)
    place = places.resolved(folder or "/")
    if behind.strip("/*"):
        return False
    if _EVERY.fullmatch(name):
        return places.is_lost(place)
    return any(fnmatch.fnmatchcase(each, name) for each in places.system_names(place))


def _split(path: str) -> tuple[str, str, str]:
    """Split at the first name with a wildcard: the folder before it, that name, and the rest."""
    names = path.split("/")
    at = next((n for n, name in enumerate(names) if re.search(r"[*?\[]", name)), len(names) - 1)
    return "/".join(names[:at]), names[at], "/".join(names[at + 1 :])


# Effect on a file and its place → risk, sentence, and whether a stage shows it.
_GUARDED: Mapping[tuple[str, str], tuple[Risk, str, bool]] = {
    ("writes", "device"): ("catastrophic", "writes_vital", False),
    ("writes", "vital"): ("catastrophic", "writes_vital", False),
    ("writes", "agent"): ("agent", "writes_agent", False),
    ("writes", "secret"): ("system", "writes_decides", True),
    ("writes", "startup"): ("system", "writes_decides", True),
    ("writes", "outside"): ("outside", "writes_outside", True),
    ("deletes", "agent"): ("agent", "on_agent", False),
    ("deletes", "vital"): ("catastrophic", "on_vital", False),
    ("deletes", "outside"): ("outside", "deletes_outside", True),
}
_FILES: Mapping[str, Callable[[Effect, Path, Places], Iterator[Finding]]] = {
    "writes": _placed,
    "reads": _read,
    "deletes": _placed,
    "takes": _taken,
    "locks": _locked,
}
