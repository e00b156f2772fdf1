"""Forbid what autonomous mode may not do by itself, beside all that the gate asks about anyway.

Nobody asked for exactly this, and nobody watches. Reading passes, also pages of hosts that
`auto.reads` names, and so do writes in the roots, which are the mode's own folder; changes of
memory and all that reaches outside wait for the owner; keys, the system and Sopwith's own code are
never touched. The sandbox holds the same: no network for what was not approved. Source: seed 002
§6.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from urllib.parse import urlsplit

from config import SafetyConfig
from safety.findings import Ask, Finding, found
from safety.reach import fetches
from text import pattern

CODE = Path(__file__).resolve().parents[2]
_OUR_CODE = pattern(re.escape(str(CODE)) + r"(?![\w-]|\.\w)")  # not a folder beside it
_NEVER = ("secret", "system")  # risks
_STARTS = {"mcp_find"}  # tools that read, and start programs of the owner's for it


def alone_settings(owner: SafetyConfig, folder: Path) -> SafetyConfig:
    """Return the owner's settings as they hold in autonomous mode; `folder` is the mode's own."""
    return owner.but(
        roots=(folder,),
        confirm=("delete", "send", "install", "spend"),
        forbid=tuple(dict.fromkeys((*owner.forbid, *_NEVER))),
    )


def look(ask: Ask, findings: Iterable[Finding], reads: Sequence[str] = ()) -> Iterator[Finding]:
    """Give what the gate has found, and what is found because nobody watches. `reads` are hosts
    that may be read."""
    may_read = _may_read(ask, reads)
    for finding in findings:
        if not may_read or finding.said.key != "gate.fetches":
            yield _guarded(finding)
    effects = set(ask.effects)
    if "memory" in effects:
        yield found("memory", "alone_memory", tool=ask.tool)
    reaches = not effects or "network" in effects or ask.tool in _STARTS
    if reaches and not may_read:
        yield found("send", "alone_outside", tool=ask.tool)
    if "execute" in effects:
        yield from _script(ask)


def _guarded(finding: Finding) -> Finding:
    """Return a finding, or the refusal where it is about Sopwith's own code."""
    is_touch = finding.risk in ("outside", "delete", "change", "unknown")
    is_ours = is_touch and _OUR_CODE.search(finding.reason)
    return found("agent", "alone_own_code", what=finding.reason) if is_ours else finding


def _may_read(ask: Ask, reads: Sequence[str]) -> bool:
    """Return True for a search, and for a page of a host that the owner lets this mode read."""
    if ask.tool != "web_fetch":
        return ask.tool == "web_search" and bool(reads)
    url = str(ask.args.get("url", "")).strip()
    host = urlsplit(url if "://" in url else f"https://{url}").hostname or ""
    return "*" in reads or any(f".{host}".endswith(f".{each.lower()}") for each in reads)


def _script(ask: Ask) -> Iterator[Finding]:
    if ask.tool != "code_run":
        yield found("unknown", "alone_starts", tool=ask.tool)
        return
    is_python = ask.args.get("type") == "python"
    asked = fetches(str(ask.args.get("script", "")), is_python=is_python, variables={})
    for host in asked.urls[:1] or (["…"] if asked.is_hidden else []):
        yield found("send", "alone_asks", name=host[:200])
