"""Forbid what autonomous mode may not do by itself, beside all that the gate asks about anyway.

Nobody asked for exactly this, and nobody watches. Reading passes, and so do writes in the roots, which are the mode's own
folder; changes of memory and all that reaches outside wait for the owner; keys, the system and Sopwith's own code are never
touched. The sandbox holds the same: no network for what was not approved. Source: seed 002 §6.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from config import SafetyConfig
from safety.fetches import fetches
from safety.findings import Finding
from text import pattern

if TYPE_CHECKING:
    from safety.gate import Ask

CODE = Path(__file__).resolve().parent.parent
_OUR_CODE = pattern(
    re.escape(str(CODE)) + r"(?![\w-]|\.\w)"
)  # not a folder beside it whose name begins like its own
NEVER = ("secret", "system")  # risks
STARTS = {"mcp_find"}  # tools that read, and start programs of the owner's for it


def settings(owner: SafetyConfig, folder: Path) -> SafetyConfig:
    """The owner's settings as they hold in autonomous mode; `folder` is the mode's own."""
    return replace(
        owner,
        roots=(folder,),
        confirm=("delete", "send", "install", "spend"),
        forbid=tuple(dict.fromkeys((*owner.forbid, *NEVER))),
    )


def look(ask: Ask, findings: Iterable[Finding]) -> Iterator[Finding]:
    """Yield what the gate has found, and what is found because nobody watches."""
    for finding in findings:
        if finding.risk in ("outside", "delete", "change", "unknown") and _OUR_CODE.search(
            finding.reason
        ):
            finding = Finding(
                "agent", f"{finding.reason}: Sopwith's own code is not touched in autonomous mode"
            )
        yield finding
    effects = set(ask.effects)
    if "memory" in effects:
        yield Finding("memory", f"{ask.tool} would change what is remembered, and nobody watches")
    if "network" in effects or not effects or ask.tool in STARTS:
        yield Finding("send", f"{ask.tool} reaches outside, and nobody watches")
    if "execute" in effects and ask.tool != "code_run":
        yield Finding(
            "unknown",
            f"{ask.tool} starts what the sandbox of a script does not hold, and nobody watches",
        )
    elif "execute" in effects:
        found = fetches(
            str(ask.args.get("script", "")),
            is_python=ask.args.get("type") == "python",
            variables={},
        )
        if found.urls or found.is_hidden:
            yield Finding("send", f"asks {(found.urls or ['a host'])[0][:200]}, and nobody watches")
