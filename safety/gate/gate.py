"""Decide on each call before it happens: allow it, ask the owner, or refuse it.

What a call would do is found by its tool (own_tools.py), its script (scripts.py) or its name
(safety/calls); the owner's config and what the run has read decide. Source: seed 000 (safety), 004
(sessions).
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Literal, NamedTuple

from safety.findings import Ask, Decision, Finding, foreign, found
from safety.gate.grounds import Grounds
from safety.gate.shared_sessions import why_not
from text.sentences import Said

__all__ = ["LEAVE_SANDBOX", "Ask", "Decision", "Gate"]
CONFIRMABLE = {"delete", "send", "install", "spend"}  # the owner's config says which of these ask
LEAVE_SANDBOX = {"system"}  # what no sandbox can do
REFUSED = {"catastrophic", "agent", "session", "forbidden"}
_OURS = {"none", "ask", "memory", "read", "write", "delete", "execute", "network"}
_MOST_REASONS = 3
_NAME = re.compile(r"[~\w./@%+-]+")
_MOST_FILES, _MOST_BYTES = 20, 2_000_000  # beyond, a file counts by its size and its time


class _Judged(NamedTuple):
    """Hold what is decided on one finding."""

    verdict: str
    risk: str
    said: tuple[Said, ...]


class Gate(Grounds):
    """The gate of one run."""

    def decide(self, ask: Ask) -> Decision:
        """Return the decision on a call. Never raises; takes well under 10 ms for what people
        write."""
        kept = [each for each in self.found(ask) if not (ask.stage and _is_seen(each))]
        judged = [self._verdict(each, is_tainted=ask.is_tainted) for each in kept]
        for wanted in ("refuse", "confirm"):
            chosen = [each for each in judged if each.verdict == wanted]
            if chosen:
                return self._decision(wanted, chosen, kept, ask)
        risks = _risks(kept)
        said = judged[0].said if judged else ()
        return Decision("allow", (*risks, "none")[0], said, risks)

    def found(self, ask: Ask) -> Iterator[Finding]:
        """Yield what a call would do that somebody may have to be asked about."""
        if not self.is_alone:
            return self._findings(ask)
        from safety.gate.alone import look

        return look(ask, self._findings(ask), self.reads)

    def _verdict(self, finding: Finding, *, is_tainted: bool) -> _Judged:
        risk = finding.risk
        if risk in REFUSED:
            return _Judged("refuse", risk, (finding.said,))
        named = [each for each in (risk, finding.command) if each in self.settings.forbid]
        if named:
            said = Said("gate.config_forbids", {"name": named[0]})
            return _Judged("refuse", "forbidden", (finding.said, said))
        is_free = risk in CONFIRMABLE and risk not in self.settings.confirm
        if is_free and not is_tainted:
            return _Judged("allow", risk, (finding.said, Said("gate.config_allows", {})))
        return _Judged("confirm", risk, (finding.said,))

    def _decision(
        self,
        wanted: Literal["refuse", "confirm"],
        chosen: list[_Judged],
        kept: list[Finding],
        ask: Ask,
    ) -> Decision:
        reasons = list({str(each.said): each.said for each in chosen}.values())
        said = [each for several in reasons[:_MOST_REASONS] for each in several]
        risks, is_script = _risks(kept), "execute" in ask.effects
        leaves = self.sandboxed and is_script and not LEAVE_SANDBOX.isdisjoint(risks)
        if leaves and wanted == "confirm":
            said.append(Said("gate.leaves_sandbox", {}))
        pin = _pinned(ask, self.cwd, self.owner_home) if is_script else ""
        scope = "|".join([ask.tool, *sorted(risks), *_targets(kept), *foreign(ask.origin), pin])
        return Decision(wanted, chosen[0].risk, tuple(said), risks, scope, pin)

    def _findings(self, ask: Ask) -> Iterator[Finding]:
        effects = set(ask.effects)
        is_shared = ask.session != "main" and not (effects and effects <= {"none", "ask"})
        refused = is_shared and why_not(ask, self.shared, self.run)
        if refused:
            yield found("session", refused, tool=ask.tool)
        elif ask.tool in self.settings.forbid:
            yield found("forbidden", "tool_forbidden", tool=ask.tool)
        elif is_shared:
            return
        elif effects <= _OURS:
            from safety.gate.own_tools import look

            yield from look(self, ask, effects)
        else:
            named = ", ".join(sorted(effects))
            yield found("unknown", "unknown_effects", tool=ask.tool, effects=named)


def _risks(findings: list[Finding]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(each.risk for each in findings))


def _targets(findings: list[Finding]) -> list[str]:
    return sorted({each.reason for each in findings if each.is_target})


def _is_seen(finding: Finding) -> bool:
    """Return True of what a stage shows before it happens (judging.py decides then)."""
    return finding.is_local and finding.risk not in REFUSED


def _pinned(ask: Ask, cwd: Path, owner: Path) -> str:
    """Return one hash over the files that the script of a call names and that are there, or ""."""
    script = str(ask.args.get("script", ""))
    folder = ask.paths[0] if ask.paths else cwd
    names = dict.fromkeys(_NAME.findall(script[:20_000]))
    paths = [owner / name[2:] if name.startswith("~/") else folder / name for name in names]
    found = [path for path in paths if _is_file(path)][:_MOST_FILES]
    digest = hashlib.sha256()
    for path in found:
        digest.update(str(path).encode("utf-8", "surrogateescape") + b"\0" + _content(path))
    return digest.hexdigest()[:16] if found else ""


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False


def _content(path: Path) -> bytes:
    try:
        about = path.stat()
        if about.st_size > _MOST_BYTES:
            return f"{about.st_size} {about.st_mtime_ns}".encode()
        return hashlib.sha256(path.read_bytes()).digest()
    except OSError:
        return b"unreadable"
