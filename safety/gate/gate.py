"""Decide on each call before it happens: allow it, ask the owner, or refuse it.

What a call would do is found by its tool (own_tools.py), its script (scripts.py) or its name (safety/calls); the owner's
config and what the run has read decide. Source: seed 000 (safety), 004 (sessions).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

from config import SafetyConfig
from safety.findings import Ask, Decision, Finding, foreign, found
from safety.gate.pins import pinned
from safety.gate.shared_sessions import why_not
from safety.paths import Places
from text.sentences import Said

__all__ = ["LEAVE_SANDBOX", "Ask", "Decision", "Gate"]
CONFIRMABLE = {"delete", "send", "install", "spend"}  # the owner's config says which of these ask
LEAVE_SANDBOX = {"system", "outside", "secret"}  # what no sandbox can do
REFUSED = {"catastrophic", "agent", "session", "forbidden"}
_OURS = {"none", "ask", "memory", "read", "write", "delete", "execute", "network"}
_MOST_REASONS = 3


@dataclass(frozen=True)
class Gate:
    """The gate of one run. `home` is the agent's home folder, `owner_home` the owner's, `cwd` where the run works."""

    settings: SafetyConfig
    home: Path
    owner_home: Path
    cwd: Path
    runs_code: Literal["yes", "ask", "no"] = "yes"  # is there a sandbox, or somebody to ask
    no_sandbox: str = ""  # why there is none, and how to get one
    sandboxed: bool = False  # then the owner is told of a call that must leave the sandbox
    own_targets: Callable[[], str] = str  # the owner's own data: who stands in it may be reached
    shared: Path | None = None  # the folder of a shared session that may work in one
    is_alone: bool = False  # autonomous mode: nobody watches (alone.py)
    run: Path | None = None  # the folder of the run; of it a shared one reads what was too long
    places: Places = field(init=False)  # with links followed when the gate was made

    def __post_init__(self) -> None:
        places = Places.of(tuple(self.settings.roots), self.home, self.owner_home, self.cwd)
        object.__setattr__(self, "places", replace(places, is_held=self.settings.sandbox != "none"))

    def decide(self, ask: Ask) -> Decision:
        """Return the decision on a call. Never raises; takes well under 10 ms for what people write."""
        findings = self._findings(ask)
        if self.is_alone:
            from safety.gate.alone import look

            findings = look(ask, findings)
        kept = [each for each in findings if not (ask.stage and _is_seen(each))]
        judged = [(self._verdict(each, is_tainted=ask.is_tainted), each) for each in kept]
        for wanted in ("refuse", "confirm"):
            chosen = [(said, each) for (verdict, said), each in judged if verdict == wanted]
            if chosen:
                return self._decision(wanted, chosen, kept, ask)
        risks = tuple(dict.fromkeys(each.risk for each in kept))
        said = judged[0][0][1] if judged else ()
        return Decision("allow", risks[0] if risks else "none", said, risks)

    def _verdict(self, finding: Finding, *, is_tainted: bool) -> tuple[str, tuple[Said, ...]]:
        risk = finding.risk
        if risk in REFUSED:
            return "refuse", (finding.said,)
        named = [each for each in (risk, finding.command) if each in self.settings.forbid]
        if named:
            return "refuse", (finding.said, Said("gate.config_forbids", {"name": named[0]}))
        is_free = risk in CONFIRMABLE and risk not in self.settings.confirm
        if is_free and not is_tainted:
            return "allow", (finding.said, Said("gate.config_allows", {}))
        return "confirm", (finding.said,)

    def _decision(
        self,
        wanted: Literal["refuse", "confirm"],
        chosen: list[tuple[tuple[Said, ...], Finding]],
        kept: list[Finding],
        ask: Ask,
    ) -> Decision:
        reasons = {str(said): said for said, _ in chosen}
        said = [each for several in list(reasons.values())[:_MOST_REASONS] for each in several]
        risks = tuple(dict.fromkeys(each.risk for each in kept))
        is_script = self.sandboxed and "execute" in ask.effects
        if wanted == "confirm" and is_script and LEAVE_SANDBOX & set(risks):
            said.append(Said("gate.leaves_sandbox", {}))
        targets = sorted({each.reason for each in kept if each.is_target})
        pin = pinned(ask, self.cwd, self.owner_home) if "execute" in ask.effects else ""
        scope = "|".join([ask.tool, *sorted(risks), *targets, *foreign(ask.origin), pin])
        first = chosen[0][1]
        is_config = any(each.key == "gate.config_forbids" for each in chosen[0][0])
        risk = "forbidden" if is_config else first.risk
        return Decision(wanted, risk, tuple(said), risks, scope, pin)

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
            yield found(
                "unknown", "unknown_effects", tool=ask.tool, effects=", ".join(sorted(effects))
            )


def _is_seen(finding: Finding) -> bool:
    """True of what a stage shows before it happens (judging.py decides then)."""
    return finding.is_local and finding.risk not in REFUSED
