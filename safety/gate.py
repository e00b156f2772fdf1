"""The one gate in front of every effect: may this call happen, must the owner be asked, or is it refused.

It looks at the tool's effects, its paths and, of scripts, at their commands (commands.py) and calls (python_calls.py).
Source: seed 000 (safety), 004 (sessions).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from config import SafetyConfig
from safety.commands import GUARDED_VARIABLES, Finding, Look
from safety.paths import Places, references
from safety.python_calls import look_at_python

_CONFIRMABLE = {
    "delete",
    "send",
    "install",
    "spend",
}  # the owner's config says which of these ask; the others always do
LEAVE_SANDBOX = {
    "system",
    "outside",
    "secret",
}  # what no sandbox can do: once the owner has allowed it, it runs outside
_REFUSED = {"catastrophic", "agent", "session", "forbidden"}
_IN_AGENT = (
    ("config.yaml", "the owner edits it; ask_user"),
    ("memory", "memory is kept through start_long_term_update"),
    ("sops", "SOPs are learned through start_long_term_update"),
    ("runs", "the run log is written by the program alone"),
    ("trash", "the trash is filled by file_trash alone"),
    ("inbox", "the inbox is the owner's"),
)


@dataclass(frozen=True, slots=True)
class Ask:
    """A call that waits at the gate. `paths` are those that the tool names, with links followed (`Tool.touches`)."""

    tool: str
    args: dict[str, Any]
    effects: tuple[str, ...]
    paths: tuple[Path, ...]
    session: str  # "main", or another: shared
    request: str = ""  # what the owner asked for
    origin: tuple[str, ...] = ()  # whose words the run has read besides the owner's: "web", "mcp", "outside", "shared"
    attended: bool = True  # somebody is there to be asked now


@dataclass(frozen=True, slots=True)
class Decision:
    """`risk` is "none" or the kind of effect that decided (delete, send, install, spend, system, secret, outside,
    unknown, catastrophic, agent, session, forbidden); `reason` is a line for the owner and the model."""

    decision: Literal["allow", "confirm", "refuse"]
    risk: str
    reason: str
    risks: tuple[str, ...] = ()  # of all that was found, allowed or not: what the sandbox goes by (safety/lifts.py)


@dataclass(frozen=True, slots=True)
class Gate:
    """The gate of one run. `home` is the agent's home folder, `owner_home` the owner's, `cwd` where the run works."""

    settings: SafetyConfig
    home: Path
    owner_home: Path
    cwd: Path
    runs_code: Literal["yes", "ask", "no"] = "yes"  # whether there is a sandbox for it, or somebody to ask
    no_sandbox: str = ""  # why there is none, and how to get one
    sandboxed: bool = False  # then the owner is told of a call that must leave the sandbox

    @property
    def places(self) -> Places:
        """The places of the run, with links followed now."""
        return Places.of(tuple(self.settings.roots), self.home, self.owner_home, self.cwd)

    def decide(self, ask: Ask) -> Decision:
        """Never raises; takes well under 10 ms for what people write."""
        findings = list(self._findings(ask))
        decided = [self._decision(finding) for finding in findings]
        risks = tuple(dict.fromkeys(decision.risk for decision in decided))
        for wanted in ("refuse", "confirm"):
            chosen = [decision for decision in decided if decision.decision == wanted]
            if chosen:
                reasons = dict.fromkeys(decision.reason for decision in chosen)
                leaves = (
                    self.sandboxed and wanted == "confirm" and "execute" in ask.effects and LEAVE_SANDBOX & set(risks)
                )
                more = " (runs outside the sandbox)" if leaves else ""
                return Decision(chosen[0].decision, chosen[0].risk, "; ".join(list(reasons)[:3]) + more, risks)
        return Decision("allow", decided[0].risk if decided else "none", decided[0].reason if decided else "", risks)

    def _decision(self, finding: Finding) -> Decision:
        risk: str = finding.risk
        if risk in self.settings.forbid or finding.command in self.settings.forbid:
            return Decision(
                "refuse", "forbidden", f"{finding.reason}: the owner's config forbids {finding.command or risk}"
            )
        if risk in _REFUSED:
            return Decision("refuse", risk, finding.reason)
        if risk in _CONFIRMABLE and risk not in self.settings.confirm:
            return Decision("allow", risk, f"{finding.reason} (the owner's config lets it pass)")
        return Decision("confirm", risk, finding.reason)

    def _findings(self, ask: Ask) -> Iterator[Finding]:
        effects = set(ask.effects)
        if ask.session != "main" and not effects <= {"none", "ask"}:
            yield Finding("session", f"{ask.tool} is not for shared sessions: others read and write there")
            return
        if ask.tool in self.settings.forbid:
            yield Finding("forbidden", f"{ask.tool} is forbidden by the owner's config")
            return
        places = self.places
        if "execute" in effects:
            yield from self._script(ask, places)
        elif "delete" in effects:
            yield from self._deleted(ask, places)
        elif "write" in effects:
            yield from self._written(ask, places)
        elif "read" in effects:
            yield from _read(ask.paths, places)
        elif "network" in effects:
            yield Finding("send", f"{ask.tool} talks to another machine")
        elif not effects <= {"none", "ask", "memory"}:
            yield Finding("unknown", f"{ask.tool}: effects that the gate does not know: {', '.join(sorted(effects))}")

    def _written(self, ask: Ask, places: Places) -> Iterator[Finding]:
        for path in ask.paths:
            kind = places.kind(path)
            if kind == "agent":
                yield Finding("agent", f"{path} is in the agent's own home: {_instead(path, places)}")
            elif kind == "device":
                yield Finding("catastrophic", f"{path} is a device")
            elif kind in ("startup", "secret"):
                yield Finding("system", f"{path} decides what runs or who gets in")
            elif kind == "outside":
                yield Finding("outside", f"{path} is outside the allowed folders")
        named = [match[1] for match in references(str(ask.args.get("content", "")))]
        yield from _read(tuple(_resolved(self.cwd, self.owner_home, name) for name in named), places)

    def _deleted(self, ask: Ask, places: Places) -> Iterator[Finding]:
        for path in ask.paths:
            if path.is_relative_to(places.agent):
                yield Finding("agent", f"{path} is in the agent's own home: {_instead(path, places)}")
            elif places.is_vital(path):
                yield Finding("catastrophic", f"{path}: the system or a whole home")
            elif places.kind(path) in ("outside", "startup", "secret"):
                yield Finding("outside", f"deletes {path}, which is outside the allowed folders or guarded")
        if ask.paths:
            more = f" and {len(ask.paths) - 1} more" if len(ask.paths) > 1 else ""
            yield Finding("delete", f"{ask.tool} moves {ask.paths[0]}{more} to the trash")

    def _script(self, ask: Ask, places: Places) -> Iterator[Finding]:
        if self.runs_code == "no":
            yield Finding("forbidden", f"code runs in a sandbox only: {self.no_sandbox}")
        elif self.runs_code == "ask":
            yield Finding("unknown", f"runs without a sandbox: {self.no_sandbox}")
        script, env = ask.args.get("script"), ask.args.get("env")
        if not isinstance(script, str):
            yield Finding("unknown", f"{ask.tool} runs something that the gate cannot see")
            return
        given = {str(name): str(value) for name, value in env.items()} if isinstance(env, dict) else {}
        for name, value in given.items():
            if value and GUARDED_VARIABLES.match(name):  # an empty one takes something away, which changes nothing here
                yield Finding("unknown", f"sets {name}, which changes what commands do")
        cwd = ask.paths[0] if ask.paths else self.cwd
        variables = {"HOME": str(self.owner_home), "PWD": str(cwd), "TMPDIR": str(places.temporary)} | given

        def python(code: str, folder: Path | None, depth: int) -> list[Finding]:
            return look_at_python(code, places, folder, lambda text: look(text, depth + 1))

        def look(text: str, depth: int = 0) -> list[Finding]:
            return Look(places, python, cwd, dict(variables), depth).script(text)

        yield from python(script, cwd, 0) if ask.args.get("type") == "python" else look(script)


def _read(paths: tuple[Path, ...], places: Places) -> Iterator[Finding]:
    for path in paths:
        if places.is_secret(path):
            yield Finding("secret", f"{path} holds keys or passwords")


def _instead(path: Path, places: Places) -> str:
    first = (*path.relative_to(places.agent).parts, "")[0]
    return next((hint for name, hint in _IN_AGENT if name == first), "it is changed through its own tools only")


def _resolved(cwd: Path, owner: Path, text: str) -> Path:
    path = owner / text[2:] if text.startswith("~/") else cwd / text
    try:
        return path.resolve()
    except (OSError, RuntimeError, ValueError):
        return path.absolute()
