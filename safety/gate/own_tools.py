"""Tell what our own tools would do, tool by tool: files, scripts, shells, pages, the desktop,
memory."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from safety.findings import Ask, Finding, Risk, foreign, found
from safety.paths import Guard, Places, references
from text import pattern

if TYPE_CHECKING:
    from safety.gate.grounds import Grounds
    from safety.taint import Named

Rule = Callable[["Grounds", Ask], Iterator[Finding]]
_WRITTEN = ("title", "description", "tags")  # of a task
_PATH = pattern(r"~?/[\s\S]{0,998}")
# Folders of the agent's home that have their own way in; the key of the sentence that names it.
_IN_AGENT = {"config.yaml", "memory", "sops", "runs", "trash", "inbox", "schedule"}


def look(gate: Grounds, ask: Ask, effects: set[str]) -> Iterator[Finding]:
    """Give what a call would do; of a tool that is not ours, by its name."""
    of_foreign = () if effects else (_foreign,)
    by_effect = (rule for name, rule in _BY_EFFECT.items() if name in effects)
    rule = _BY_TOOL.get(ask.tool, next(chain(of_foreign, by_effect), _nothing))
    yield from rule(gate, ask)


def named(gate: Grounds, ask: Ask) -> Named:
    """Return what the owner has named: the request, and the owner's own data."""
    from safety.taint import Named

    return Named(ask.request, gate.own_targets())


def _nothing(gate: Grounds, ask: Ask) -> Iterator[Finding]:
    yield from ()


# Files


def _written(gate: Grounds, ask: Ask) -> Iterator[Finding]:
    for path in ask.paths:
        yield from _of_written(path, gate.places)
    content = str(ask.args.get("content", ""))
    seen = [gate.places.resolved(match[1], gate.cwd) for match in references(content)]
    yield from _secrets(tuple(ask.hints.get("taken") or seen), gate.places)


def _of_written(path: Path, places: Places) -> Iterator[Finding]:
    is_job = path.parent == places.agent / "schedule" and path.suffix == ".json"
    if is_job and not path.name.startswith("."):
        yield found("schedule", "would_run", name=path.name)
        return
    guard = places.guard(path)
    leads_on = path.name == ".git" and guard != "agent"
    yield from _guarded("write", "startup" if leads_on else guard, path, places)


def _guarded(doing: str, guard: Guard, path: Path, places: Places) -> Iterator[Finding]:
    """Give what speaks against touching a place, by the table."""
    if guard == "agent":
        yield in_agent(path, places)
    elif (doing, guard) in _GUARDED:
        risk, key = _GUARDED[doing, guard]
        yield found(risk, key, file=path)


def _deleted(gate: Grounds, ask: Ask) -> Iterator[Finding]:
    for path in ask.paths:
        guard = gate.places.guard(path, is_taken=True)
        yield from _guarded("delete", guard, path, gate.places)
    if ask.paths:
        yield found("delete", "to_trash", tool=ask.tool, file=ask.paths[0], n=len(ask.paths))
    elif not {"path", "paths"} & ask.args.keys():
        what = str(ask.args.get("title") or "…")[:80]
        yield found("delete", "for_good", tool=ask.tool, what=what)


def _read(gate: Grounds, ask: Ask) -> Iterator[Finding]:
    yield from _secrets(ask.paths, gate.places)


def _secrets(paths: tuple[Path, ...], places: Places) -> Iterator[Finding]:
    for path in paths:
        if places.is_secret(path):
            yield found("secret", "holds_keys", file=path)


def in_agent(path: Path, places: Places) -> Finding:
    """Return the refusal of a change in the agent's own home, with the way that there is."""
    first = (*path.relative_to(places.agent).parts, "")[0]
    name = first.partition(".")[0] if first in _IN_AGENT else "other"
    return found("agent", f"in_agent_{name}", file=path)


# Programs that run


def _script(gate: Grounds, ask: Ask) -> Iterator[Finding]:
    from safety.gate.scripts import look

    yield from look(gate, ask, named(gate, ask))


def _terminal(gate: Grounds, ask: Ask) -> Iterator[Finding]:
    """Judge what is typed into an open shell as a script."""
    from safety.calls import typed_script

    script, is_sure = typed_script(ask.tool, ask.args, ask.hints)
    if script or ask.tool == "shell_run":
        paths = (Path(ask.hints["cwd"]),) if ask.hints.get("cwd") else ask.paths
        findings = _script(gate, ask._replace(args={"script": script}, paths=paths))
        unsure = () if is_sure else ("unknown",)
        yield from (each for each in findings if each.risk not in unsure)


def _process(gate: Grounds, ask: Ask) -> Iterator[Finding]:
    """Yield what the run has started may be stopped, what Sopwith is made of never; an unknown
    process is none."""
    shown = ask.hints.get("shown")
    if ask.hints.get("whose") == "ours":
        yield found("agent", "own_process", name=shown)
    elif ask.hints.get("whose") == "":
        yield found("system", "stops_process", is_target=True, name=shown)


# Pages, the desktop, memory, and tools that are not ours


def _page(gate: Grounds, ask: Ask) -> Iterator[Finding]:
    from safety.calls import page_calls

    yield from page_calls(ask, named(gate, ask), gate.places)
    if ask.paths:
        yield from _written(gate, ask)


def _desktop(gate: Grounds, ask: Ask) -> Iterator[Finding]:
    from safety.calls import desktop_calls

    yield from _read(gate, ask)
    yield from desktop_calls(ask, named(gate, ask))


def _memory(gate: Grounds, ask: Ask) -> Iterator[Finding]:
    """Yield what others wrote is kept only when the owner says so, or when the request itself has
    it."""
    read = foreign(ask.origin)
    if read and not _is_said(ask):
        yield found("memory", "would_keep", tool=ask.tool, name=", ".join(read))


def _is_said(ask: Ask) -> bool:
    """Return True when the request has all words that are written into the to-do list, and names
    the task by its number or title; the hint `title` is the one that it has now."""
    if ask.tool not in ("create_task", "update_task"):
        return False
    said = _plain(ask.request)
    written = [_plain(text) for name in _WRITTEN for text in _texts(ask.args.get(name))]
    if any(text not in said for text in written):
        return False
    if ask.tool == "create_task":
        return bool(written[0])
    title = _plain(str(ask.hints.get("title") or ""))
    is_numbered = str(ask.args.get("id")) in re.findall(r"\d+", ask.request)
    return is_numbered or (len(title.encode()) > 3 and title in said)


def _texts(value: Any) -> list[str]:
    return [str(each) for each in (value if isinstance(value, list) else [value or ""])]


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())


def _foreign(gate: Grounds, ask: Ask) -> Iterator[Finding]:
    """Pass reads; pass an effect when the request asks for it and names all that it reaches."""
    from safety.calls import foreign_calls, read_name

    call = read_name(ask.tool, ask.hints)
    if ask.tool == "web_fetch":
        yield from _private(gate, ask)
    yield from _lent(gate, ask)
    for path in _paths_in(gate, ask):
        yield from _of_named_path(path, call.effect, gate.places)
    yield from foreign_calls(ask, call, named(gate, ask))


def _private(gate: Grounds, ask: Ask) -> Iterator[Finding]:
    """Find an address that is visibly not public; the fetch finds out where a name leads."""
    from safety.reach import Reach

    host = Reach(gate.settings.private_hosts).private(str(ask.args.get("url", "")))
    if host:
        yield found("forbidden", "not_public", host=host[:200])


def _lent(gate: Grounds, ask: Ask) -> Iterator[Finding]:
    """`${NAME}` in an address: a credential that goes there."""
    url = ask.args.get("url")
    names = [name for name in gate.settings.credentials if f"${{{name}}}" in str(url)]
    if names:
        from safety.gate.scripts import lent
        from safety.reach import Fetches

        yield from lent(names, Fetches((str(url),)), named(gate, ask), sends=False)


def _paths_in(gate: Grounds, ask: Ask) -> Iterator[Path]:
    """Give what looks like a path in the arguments of a tool that is not ours."""
    for text in ask.args.values():
        if isinstance(text, str) and _PATH.fullmatch(text):
            yield gate.places.resolved(text, gate.cwd)


def _of_named_path(path: Path, effect: str, places: Places) -> Iterator[Finding]:
    if effect == "read":
        yield from _secrets((path,), places)
    else:
        guard = places.guard(path, is_taken=effect == "delete")
        yield from _guarded("reach", guard, path, places)


# Risk and sentence by what is done and where; the agent's own home has sentences of its own.
_GUARDED: Mapping[tuple[str, Guard], tuple[Risk, str]] = {
    ("write", "vital"): ("catastrophic", "vital_file"),
    ("write", "device"): ("catastrophic", "vital_file"),
    ("write", "startup"): ("system", "decides"),
    ("write", "secret"): ("system", "decides"),
    ("write", "outside"): ("outside", "outside"),
    ("delete", "vital"): ("catastrophic", "whole_system"),
    ("delete", "startup"): ("outside", "deletes_guarded"),
    ("delete", "secret"): ("outside", "deletes_guarded"),
    ("delete", "outside"): ("outside", "deletes_guarded"),
    ("reach", "vital"): ("catastrophic", "vital"),
    ("reach", "startup"): ("system", "decides"),
    ("reach", "secret"): ("system", "decides"),
    ("reach", "device"): ("system", "decides"),
}
_BY_TOOL: Mapping[str, Rule] = {
    **dict.fromkeys(("shell_run", "shell_keys"), _terminal),
    **dict.fromkeys(("web_scan", "web_execute_js"), _page),
    **dict.fromkeys(("desktop_look", "desktop_do"), _desktop),
    "process_stop": _process,
}
_BY_EFFECT: Mapping[str, Rule] = {  # the strongest first
    "execute": _script,
    "network": _foreign,
    "delete": _deleted,
    "write": _written,
    "read": _read,
    "memory": _memory,
}
