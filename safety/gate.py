"""The one gate in front of every effect: may this call happen, must the owner be asked, or is it refused.

It looks at the tool's effects, its paths and, of scripts, at their commands (commands.py) and calls (python_calls.py).
Source: seed 000 (safety), 004 (sessions).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from config import SafetyConfig
from safety import origins, shared_folder
from safety.fetches import Fetches, fetches
from safety.findings import Finding
from safety.paths import Places, references

if TYPE_CHECKING:
    from safety.tool_words import Effect
    from shell import Setting

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
MOST_JUDGED = 20  # addresses of a call; no others may be asked
_REFUSED = {"catastrophic", "agent", "session", "forbidden"}
_OURS = {
    "none",
    "ask",
    "memory",
    "read",
    "write",
    "delete",
    "execute",
    "network",
}  # effects that our tools declare
_IN_AGENT = (
    ("config.yaml", "the owner edits it: ask_user"),
    ("memory", "memory is kept through start_long_term_update"),
    ("sops", "SOPs are learned through start_long_term_update"),
    ("runs", "the run log is written by the program alone"),
    ("trash", "the trash is filled by file_trash alone"),
    ("inbox", "the inbox is the owner's"),
    ("schedule", "a job is a file schedule/NAME.json, and the owner takes it away"),
)


@dataclass(frozen=True, slots=True)
class Ask:
    """A call that waits at the gate. `paths` are those that the tool names, with links followed (`Tool.touches`).
    `effects` of a tool that is not ours are empty: its name says what it does (tool_words.py)."""

    tool: str
    args: dict[str, Any]
    effects: tuple[str, ...]
    paths: tuple[Path, ...]
    session: str  # "main", or another: shared
    request: str = ""  # what the owner asked for
    origin: tuple[str, ...] = ()  # whose words the run has read besides the owner's (origins.py)
    attended: bool = True  # somebody is there to be asked now
    hints: Mapping[str, Any] = field(
        default_factory=dict
    )  # what the server of a tool that is not ours declares
    read: Callable[[], Iterable[str]] = tuple  # the results that the model has before it
    stage: bool = False  # it works on a copy: what it does to files is judged when it is seen


@dataclass(frozen=True, slots=True)
class Decision:
    """`risk` is "none" or the kind of effect that decided (delete, send, install, spend, change, memory, schedule, system,
    secret, outside, unknown, catastrophic, agent, session, forbidden); `reason` is a line for the owner and the model."""

    decision: Literal["allow", "confirm", "refuse"]
    risk: str
    reason: str
    risks: tuple[
        str, ...
    ] = ()  # of all that was found, allowed or not: what the sandbox goes by (sandbox/escalations.py)
    scope: str = ""  # what a yes "for this run" holds for: calls of this tool with the same risk and the same targets


@dataclass(frozen=True, slots=True)
class Gate:
    """The gate of one run. `home` is the agent's home folder, `owner_home` the owner's, `cwd` where the run works."""

    settings: SafetyConfig
    home: Path
    owner_home: Path
    cwd: Path
    runs_code: Literal["yes", "ask", "no"] = (
        "yes"  # whether there is a sandbox for it, or somebody to ask
    )
    no_sandbox: str = ""  # why there is none, and how to get one
    sandboxed: bool = False  # then the owner is told of a call that must leave the sandbox
    own_targets: Callable[[], str] = (
        str  # the owner's own data: who and what stands in it may be reached
    )
    shared: Path | None = None  # the folder of a shared session that may work in one
    is_alone: bool = (
        False  # autonomous mode: nobody asked for exactly this, and nobody watches (alone.py)
    )
    run: Path | None = None  # the folder of the run; of it a shared one reads what was too long
    places: Places = field(init=False)  # with links followed when the gate was made

    def __post_init__(self) -> None:
        places = Places.of(tuple(self.settings.roots), self.home, self.owner_home, self.cwd)
        object.__setattr__(self, "places", replace(places, is_held=self.settings.sandbox != "none"))

    def decide(self, ask: Ask) -> Decision:
        """Never raises; takes well under 10 ms for what people write."""
        found = self._findings(ask)
        if self.is_alone:
            from safety import alone

            found = alone.look(ask, found)
        findings = [each for each in found if not (ask.stage and _is_seen(each))]
        is_tainted = bool(origins.foreign(ask.origin))
        decided = [self._decision(finding, is_tainted) for finding in findings]
        risks = tuple(dict.fromkeys(decision.risk for decision in decided))
        for wanted in ("refuse", "confirm"):
            chosen = [decision for decision in decided if decision.decision == wanted]
            if chosen:
                reasons = dict.fromkeys(decision.reason for decision in chosen)
                leaves = (
                    self.sandboxed
                    and wanted == "confirm"
                    and "execute" in ask.effects
                    and LEAVE_SANDBOX & set(risks)
                )
                more = " (runs outside the sandbox)" if leaves else ""
                targets = sorted(
                    {finding.reason for finding in findings if finding.command == "target"}
                )
                scope = "|".join(
                    [ask.tool, *sorted(set(risks)), *targets, *origins.foreign(ask.origin)]
                )
                return Decision(
                    chosen[0].decision,
                    chosen[0].risk,
                    "; ".join(list(reasons)[:3]) + more,
                    risks,
                    scope,
                )
        return Decision(
            "allow",
            decided[0].risk if decided else "none",
            decided[0].reason if decided else "",
            risks,
        )

    def _decision(self, finding: Finding, is_tainted: bool) -> Decision:
        risk: str = finding.risk
        if risk in _REFUSED:
            return Decision("refuse", risk, finding.reason)
        if forbidden := next(
            (each for each in (risk, finding.command) if each in self.settings.forbid), ""
        ):
            return Decision(
                "refuse", "forbidden", f"{finding.reason}: the owner's config forbids {forbidden}"
            )
        if risk in _CONFIRMABLE and risk not in self.settings.confirm and not is_tainted:
            return Decision("allow", risk, f"{finding.reason} (the owner's config lets it pass)")
        return Decision("confirm", risk, finding.reason)

    def _findings(self, ask: Ask) -> Iterator[Finding]:
        effects = set(ask.effects)
        if ask.session != "main" and not (effects and effects <= {"none", "ask"}):
            if reason := shared_folder.why_not(
                ask.tool, ask.args, ask.paths, self.shared, self.run
            ):
                yield Finding("session", reason)
            elif ask.tool in self.settings.forbid:
                yield Finding("forbidden", f"{ask.tool} is forbidden by the owner's config")
        elif ask.tool in self.settings.forbid:
            yield Finding("forbidden", f"{ask.tool} is forbidden by the owner's config")
        elif not effects:
            yield from self._foreign(ask)
        elif not effects <= _OURS:
            yield Finding(
                "unknown",
                f"{ask.tool}: effects that the gate does not know: {', '.join(sorted(effects))}",
            )
        else:
            yield from self._of_ours(ask, effects)

    def _of_ours(self, ask: Ask, effects: set[str]) -> Iterator[Finding]:
        hands = {
            **dict.fromkeys(("shell_run", "shell_keys"), self._terminal),
            **dict.fromkeys(("web_scan", "web_execute_js"), self._page),
            **dict.fromkeys(("desktop_look", "desktop_do"), self._desktop),
            "process_stop": self._process,
        }
        if ask.tool in hands:
            yield from hands[ask.tool](ask)
        elif "execute" in effects:
            yield from self._script(ask)
        elif "network" in effects:
            yield from self._foreign(ask)
        elif "delete" in effects:
            yield from self._deleted(ask, self.places)
        elif "write" in effects:
            yield from self._written(ask, self.places)
        elif "read" in effects:
            yield from _read(ask.paths, self.places)
        elif (
            "memory" in effects and (read := origins.foreign(ask.origin)) and not self._is_said(ask)
        ):
            yield Finding(
                "memory",
                f"{ask.tool} would keep something after the run has read from {', '.join(read)}",
            )

    def _is_said(self, ask: Ask) -> bool:
        """Return what is kept stands in the request itself."""
        from safety import task_calls

        return ask.tool in task_calls.TOOLS and task_calls.is_said(
            ask.tool, ask.args, ask.hints, ask.request
        )

    def _process(self, ask: Ask) -> Iterator[Finding]:
        """Somebody's process that is to stop."""
        from safety import process_calls

        yield from process_calls.look(ask.hints)

    def _page(self, ask: Ask) -> Iterator[Finding]:
        """The browser's tools."""
        from safety import page_calls
        from safety.targets import Named

        named = Named(ask.request, self.own_targets())
        is_tainted = bool(origins.foreign(ask.origin))
        yield from page_calls.look(
            ask.tool, ask.args, ask.hints, named, self.places, is_tainted=is_tainted
        )
        if ask.paths:
            yield from self._written(ask, self.places)

    def _desktop(self, ask: Ask) -> Iterator[Finding]:
        """The owner's mouse, keyboard and screen."""
        from safety import desktop_calls
        from safety.targets import Named

        yield from _read(ask.paths, self.places)
        yield from desktop_calls.look(
            ask.tool, ask.args, ask.hints, Named(ask.request, self.own_targets())
        )

    def _terminal(self, ask: Ask) -> Iterator[Finding]:
        """A shell that stays open: what is typed there is a script."""
        from safety import terminal_calls

        script, is_sure = terminal_calls.meant(ask.tool, ask.args, ask.hints)
        if script and ask.hints.get("outside"):
            yield Finding(
                "outside",
                f"{ask.tool}: this shell has left the sandbox, so nothing holds what runs in it",
            )
        if script or ask.tool == "shell_run":
            paths = (Path(ask.hints["cwd"]),) if ask.hints.get("cwd") else ask.paths
            found = self._script(replace(ask, args={"script": script}, paths=paths))
            yield from (finding for finding in found if is_sure or finding.risk != "unknown")

    def _lent(self, ask: Ask, text: str, asked: Fetches, *, sends: bool) -> Iterator[Finding]:
        """Yield what a script could do with the credentials that it can read."""
        from safety import credentials
        from safety.targets import Named

        if names := credentials.used(text, self.settings.credentials):
            yield from credentials.look(
                names, asked, Named(ask.request, self.own_targets()), sends=sends
            )

    def _named_credentials(self, ask: Ask) -> Iterator[Finding]:
        """`${NAME}` in the arguments of a tool that asks an address."""
        if not self.settings.credentials or not isinstance(ask.args.get("url"), str):
            return
        from safety import credentials
        from safety.targets import Named

        url = str(ask.args["url"])
        if names := [name for name in self.settings.credentials if f"${{{name}}}" in url]:
            yield from credentials.look(
                names, Fetches((url,)), Named(ask.request, self.own_targets()), sends=False
            )

    def _foreign(self, ask: Ask) -> Iterator[Finding]:
        """A tool that is not ours: reading passes; an effect passes when the request asks for it and names all that it
        reaches, or at least the day, the title and the kind of thing."""
        from safety import (
            foreign_tools,
        )  # what a replay of our own tools never needs is not imported for it
        from safety.targets import Named
        from safety.tool_words import read_name

        call = read_name(ask.tool, ask.hints)
        if ask.tool == "web_fetch":
            yield from self._private(ask)
        yield from self._named_credentials(ask)
        yield from self._named_paths(ask, call.effect)
        named, is_tainted = (
            Named(ask.request, self.own_targets()),
            bool(origins.foreign(ask.origin)),
        )
        yield from foreign_tools.look(
            ask.tool, ask.args, call, named, is_tainted=is_tainted, read=ask.read
        )

    def _private(self, ask: Ask) -> Iterator[Finding]:
        """An address that says itself that it is not public; where a name leads, the fetch finds out."""
        from safety.addresses import Reach

        if host := Reach(self.settings.private_hosts).private(str(ask.args.get("url", ""))):
            yield Finding(
                "forbidden",
                f"{host[:200]} is not on the public internet; the owner can allow it by safety.private_hosts in config.yaml",
            )

    def _named_paths(self, ask: Ask, effect: Effect) -> Iterator[Finding]:
        """Yield what looks like a path in the arguments of a tool that is not ours."""
        texts = [
            value
            for value in ask.args.values()
            if isinstance(value, str) and value.startswith(("/", "~/"))
        ]
        for path in (
            _resolved(self.cwd, self.owner_home, text) for text in texts if len(text) < 1000
        ):
            if effect == "read":
                yield from _read((path,), self.places)
            elif path.is_relative_to(self.places.agent):
                yield Finding(
                    "agent", f"{path} is in the agent's own home: {_instead(path, self.places)}"
                )
            elif self.places.is_vital_file(path) or (
                effect == "delete" and self.places.is_vital(path)
            ):
                yield Finding("catastrophic", f"{path}, on which the machine depends")
            elif self.places.kind(path) in ("startup", "secret", "device"):
                yield Finding("system", f"{path} decides what runs or who gets in")

    def _written(self, ask: Ask, places: Places) -> Iterator[Finding]:
        for path in ask.paths:
            kind = places.kind(path)
            if (
                path.parent == places.agent / "schedule"
                and path.suffix == ".json"
                and not path.name.startswith(".")
            ):
                yield Finding("schedule", f"{path.name} would run by itself at set times")
            elif kind == "agent":
                yield Finding(
                    "agent", f"{path} is in the agent's own home: {_instead(path, places)}"
                )
            elif kind == "device" or places.is_vital_file(path):
                yield Finding(
                    "catastrophic", f"{path}: a device, or a file on which the machine depends"
                )
            elif kind in ("startup", "secret"):
                yield Finding("system", f"{path} decides what runs or who gets in")
            elif kind == "outside":
                yield Finding("outside", f"{path} is outside the allowed folders")
        named = [match[1] for match in references(str(ask.args.get("content", "")))]
        seen = [_resolved(self.cwd, self.owner_home, name) for name in named]
        yield from _read(tuple(ask.hints.get("taken") or seen), places)

    def _deleted(self, ask: Ask, places: Places) -> Iterator[Finding]:
        for path in ask.paths:
            if path.is_relative_to(places.agent):
                yield Finding(
                    "agent", f"{path} is in the agent's own home: {_instead(path, places)}"
                )
            elif places.is_vital(path) or places.is_vital_file(path):
                yield Finding("catastrophic", f"{path}: the system or a whole home")
            elif places.kind(path) in ("outside", "startup", "secret"):
                yield Finding(
                    "outside", f"deletes {path}, which is outside the allowed folders or guarded"
                )
        if not ask.paths and not {"path", "paths"} & ask.args.keys():
            yield Finding(
                "delete",
                f"{ask.tool} removes {str(ask.args.get('title') or 'what it names')[:80]} for good",
            )
        if ask.paths:
            more = f" and {len(ask.paths) - 1} more" if len(ask.paths) > 1 else ""
            yield Finding("delete", f"{ask.tool} moves {ask.paths[0]}{more} to the trash")

    def _sandboxed(self, ask: Ask) -> Iterator[Finding]:
        """Yield what speaks against running code at all."""
        if self.runs_code == "no":
            yield Finding("forbidden", f"code runs in a sandbox only: {self.no_sandbox}")
        elif self.runs_code == "ask" and not ask.attended:
            yield Finding(
                "forbidden",
                f"code runs in a sandbox only, where nobody is there to ask: {self.no_sandbox}",
            )
        elif self.runs_code == "ask":
            yield Finding("unknown", f"runs without a sandbox: {self.no_sandbox}")

    def _script(self, ask: Ask) -> Iterator[Finding]:
        from safety import scripts  # a replay of our own tools never needs it

        yield from self._sandboxed(ask)
        script, env = ask.args.get("script"), ask.args.get("env")
        if not isinstance(script, str):
            yield Finding("unknown", f"{ask.tool} runs something that the gate cannot see")
            return
        given = (
            {str(name): str(value) for name, value in env.items()} if isinstance(env, dict) else {}
        )
        yield from scripts.of_variables(given)
        setting = self._setting(ask, given)
        is_python = ask.args.get("type") == "python"
        judge = scripts.of_python if is_python else scripts.of_shell
        found = list(judge(script, setting, self.places))
        yield from map(_offer_trash, found)
        asked = fetches(script, is_python=is_python, variables=setting.variables)
        if self.settings.credentials and ask.attended and ask.session == "main":
            sends = any(finding.risk == "send" for finding in found)
            yield from self._lent(ask, script + " ".join(given.values()), asked, sends=sends)
        if ask.request.strip():
            yield from self._fetched(ask, asked)
            yield from self._hosts(ask)

    def _hosts(self, ask: Ask) -> Iterator[Finding]:
        """Hosts that a script is to reach beside those that it names."""
        from safety.targets import Named

        hosts = ask.args.get("hosts")
        named = Named(ask.request, self.own_targets())
        for host in hosts[:MOST_JUDGED] if isinstance(hosts, list) else ():
            if not named.has_url(str(host), strict=False):
                about = f"lets the script reach {str(host)[:200]}, which the request does not name"
                yield Finding("send", about, "target")

    def _setting(self, ask: Ask, given: Mapping[str, str]) -> Setting:
        """Return what is known before a script runs."""
        from safety.scripts import USUAL
        from shell import Setting

        cwd = str(ask.paths[0] if ask.paths else self.cwd)
        user = dict.fromkeys(("USER", "LOGNAME"), self.owner_home.name)
        own = {"HOME": str(self.owner_home), "PWD": cwd, "TMPDIR": str(self.places.temporary)}
        forbidden = frozenset(self.settings.forbid)
        return Setting({**USUAL, **user, **own, **given}, cwd, forbidden)

    def _fetched(self, ask: Ask, found: Fetches) -> Iterator[Finding]:
        """To fetch an address is to send it: one that nobody named is asked about."""
        from safety.foreign_tools import is_unremarkable
        from safety.targets import Named

        read = origins.foreign(ask.origin)
        named = Named(ask.request, self.own_targets())
        for url in found.urls[:MOST_JUDGED]:
            is_plain = is_unremarkable(url, is_tainted=bool(read))
            if not is_plain and not named.has_url(url, strict=bool(read)):
                said = f"asks {url[:200]}, which the request does not name"
                yield Finding("send", said, "target")
        if found.is_hidden and read:
            said = f"asks a host that cannot be read, after the run has read from {', '.join(read)}"
            yield Finding("send", said, "target")


def _is_seen(finding: Finding) -> bool:
    """True of what a stage shows before it happens (changes.py judges it then)."""
    return finding.is_local and finding.risk not in _REFUSED


def _offer_trash(finding: Finding) -> Finding:
    if finding.risk != "delete" or finding.command not in ("rm", "unlink", "rmdir"):
        return finding
    return finding._replace(reason=f"{finding.reason} (file_trash would move it to the trash)")


def _read(paths: tuple[Path, ...], places: Places) -> Iterator[Finding]:
    for path in paths:
        if places.is_secret(path):
            yield Finding("secret", f"{path} holds keys or passwords")


def _instead(path: Path, places: Places) -> str:
    first = (*path.relative_to(places.agent).parts, "")[0]
    return next(
        (hint for name, hint in _IN_AGENT if name == first),
        "it is changed through its own tools only",
    )


def _resolved(cwd: Path, owner: Path, text: str) -> Path:
    path = owner / text[2:] if text.startswith("~/") else cwd / text
    try:
        return path.resolve()
    except (OSError, RuntimeError, ValueError):
        return path.absolute()
