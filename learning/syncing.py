"""SOPs travel by git: takes what is new in a repository, proves it, and sends what was learned and proven here.

What both sides had the last time is kept (`sops/.sync.json`), so that a change is told from an older state: what only
one side changed goes over, what both changed is a conflict, told and left alone. What comes from elsewhere is put under
quarantine as by `sops import`, and never replaces what is in use here. With `trust` (the repository is the owner's own) it
is taken in at once, as a draft, and earns its status by a replay on this machine. No claim of a status travels.
"""

from __future__ import annotations

import hashlib
import json
import tempfile
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from difflib import unified_diff
from pathlib import Path
from typing import Literal

from learning.importing import (
    GIT_ADDRESS,
    ImportRefused,
    Skill,
    cloned,
    find_skills,
    git_says,
    normal,
    safe_source,
    store,
)
from learning.verify import Replay, not_replayable, prove, verify
from memory.files import write_atomic
from memory.sops import Sop, SopError, SopStore, read_sop
from memory.sops.changing import SopChanges, exported, metadata_of, with_metadata

What = Literal["same", "taken", "quarantined", "sent", "conflict", "waits", "refused", "removed"]
SENT = ("candidate", "probation", "active")
UNCOUNTED = (
    "evidence.json",
    "cases/",
    "references/",
)  # they go along, and are no change of the procedure
MAX_DIFF_LINES = 200
ATTEMPTS = 3  # when somebody else sends meanwhile


@dataclass(frozen=True, slots=True)
class Synced:
    """Hold what became of one SOP, and why."""

    name: str
    what: What
    reason: str = ""
    diff: str = ""  # from here to there, of what was changed there and is not taken


def sync(
    remote: str,
    home: Path,
    seeds: Path,
    replay: Replay,
    *,
    trust: bool = False,
    mine: Collection[str] = (),
    theirs: Collection[str] = (),
) -> list[Synced]:
    """Pull, verify, push. `remote`: a git address, or a folder. `mine`, `theirs`: the SOPs in conflict of which the version
    here is sent, that there is taken. Raises SopError; what was done by then stays done."""
    address = (
        remote if GIT_ADDRESS.fullmatch(remote) else Path(remote).expanduser().absolute().as_uri()
    )
    found: list[Synced] = []
    for _ in range(ATTEMPTS):
        with tempfile.TemporaryDirectory(prefix="sopwith-sync-") as scratch:
            clone = cloned(address, Path(scratch))
            round_ = _Round(
                address, clone, home, seeds, replay, trust, {"mine": mine, "theirs": theirs}
            )
            found = [
                *(each for each in found if each.what in ("taken", "quarantined")),
                *round_.compare(),
            ]
            problem = round_.push()
            if problem is None:
                round_.remember()
                return sorted(
                    {each.name: each for each in reversed(found)}.values(),
                    key=lambda each: each.name,
                )
    raise ImportRefused(
        f"{safe_source(address)} does not take what is sent: {problem}.\nWhat was taken from it stays."
    )


class _Round:
    """One pull, and what is to be pushed after it."""

    def __init__(
        self,
        address: str,
        clone: Path,
        home: Path,
        seeds: Path,
        replay: Replay,
        trust: bool,
        settled: Mapping[str, Collection[str]],
    ) -> None:
        self._settled = settled
        self._address, self._clone, self._home, self._replay, self._trust = (
            address,
            clone,
            home,
            replay,
            trust,
        )
        self._changes = SopChanges(home, seeds)
        self._known = {sop.name: sop for sop in SopStore(seeds, home / "sops").all()}
        self._state = home / "sops" / ".sync.json"
        self._before = _read(self._state).get(address, {})
        self._common = dict(self._before)  # by name, what both sides have now
        self._sent: list[str] = []

    def compare(self) -> list[Synced]:
        """Takes what is to be taken, and writes into the clone what is to be sent."""
        has_skills = any(self._clone.rglob("SKILL.md"))
        theirs = {
            skill.name: skill
            for skill in (find_skills(str(self._clone), self._clone) if has_skills else [])
        }
        ours = {name: sop for name, sop in self._known.items() if not sop.is_seed}
        return [
            self._one(name, ours.get(name), theirs.get(name)) for name in sorted({*ours, *theirs})
        ]

    def push(self) -> str | None:
        """Sends; None when it was taken, or there was nothing to send, else what git said."""
        if not self._sent:
            return None
        message = f"sops: {', '.join(self._sent)}"[:200]
        for words in (
            ["add", "--all"],
            ["commit", "--quiet", "-m", message],
            ["push", "--quiet", "origin", "HEAD"],
        ):
            if said := git_says(words, self._clone):
                return said
        return None

    def remember(self) -> None:
        """Return what both sides have in common now."""
        state = _read(self._state) | {self._address: self._common}
        self._state.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        write_atomic(self._state, json.dumps(state, indent=1, sort_keys=True), mode=0o600)

    def _one(self, name: str, ours: Sop | None, theirs: Skill | None) -> Synced:
        if theirs is not None and theirs.problem:
            return Synced(name, "refused", theirs.problem)
        seed = self._known.get(name)
        if ours is None and seed is not None:
            return Synced(name, "refused", "a seed has this name")
        here = _digest(_files(ours)) if ours is not None and not ours.problem else ""
        there, before = _digest(theirs.files) if theirs else "", self._before.get(name, "")
        if here == there:
            self._common[name] = here
            return Synced(name, "same")
        if theirs is None:
            assert ours is not None
            return (
                Synced(name, "removed", "it was removed there")
                if before == here
                else self._send(ours, theirs)
            )
        if ours is None:
            return (
                Synced(name, "removed", "it was removed here")
                if before == there
                else self._take(theirs, None)
            )
        if ours.is_quarantined or here == before:
            return self._take(theirs, ours)
        if there == before or name in self._settled["mine"]:
            return self._send(ours, theirs)
        if name in self._settled["theirs"]:
            return self._take(theirs, ours)
        reason = "both sides changed it; settle it with --mine NAME, or --trust --theirs NAME"
        return Synced(name, "conflict", reason, _diff(_files(ours), theirs.files))

    def _take(self, theirs: Skill, ours: Sop | None) -> Synced:
        """Take what comes in. In use here it is replaced only by what is trusted."""
        name = theirs.name
        if not self._trust:
            if ours is not None and not ours.is_quarantined:
                changed = _diff(_files(ours), theirs.files) if not ours.problem else ""
                return Synced(name, "waits", "it has changed there; take it with --trust", changed)
            store(theirs, self._address, self._changes, self._known)
            return Synced(name, "quarantined", f"let it in: sopwith sops enable {name}")
        text = with_metadata(
            theirs.files["SKILL.md"].decode(), {"sopwith-source": safe_source(self._address)}
        )
        files = {**theirs.files, "SKILL.md": text.encode()}
        reason = f"taken from {safe_source(self._address)}"
        try:
            sop = self._changes.write(name, files, reason=reason, status="draft")
            self._common[name] = _digest(theirs.files)
            if sop.procedure is None:
                return Synced(name, "taken", "")
            verdict = verify(sop, None, replay=self._replay, store=self._changes)
        except SopError as error:
            return Synced(name, "refused", str(error).replace("\n", " "))
        return Synced(name, "taken", f"{verdict.status_after}: {verdict.reason}")

    def _send(self, ours: Sop, theirs: Skill | None) -> Synced:
        """Send what goes out: proven SOPs, tried once more, and texts; never what is under quarantine."""
        name = ours.name
        if ours.problem or ours.is_quarantined:
            return Synced(name, "refused", ours.problem or "it is in quarantine")
        if ours.procedure is not None:
            if ours.status not in SENT:
                return Synced(name, "refused", f"it is {ours.status}: nothing proves it yet")
            if not not_replayable(ours.procedure):
                verdict = prove(ours, None, replay=self._replay)
                if any(case.passed is False for case in verdict.cases):
                    return Synced(name, "refused", f"it does not pass its cases: {verdict.reason}")
        files = _files(read_sop(ours.folder, False))
        folder = self._clone / (theirs.place if theirs and theirs.place != "." else name)
        for left in [path for path in folder.rglob("*") if path.is_file()]:
            left.unlink()
        for path, data in files.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_bytes(data)
        self._sent.append(name)
        self._common[name] = _digest(files)
        return Synced(name, "sent")


def _files(sop: Sop) -> dict[str, bytes]:
    """The files of an SOP as they travel: nothing hidden, and no word on its standing here."""
    files = {path: content.data for path, content in exported(sop.folder)}
    text = files["SKILL.md"].decode()
    own = dict.fromkeys((key for key in metadata_of(text) if str(key).startswith("sopwith-")), None)
    return {**files, "SKILL.md": with_metadata(text, own).encode()}


def _digest(files: Mapping[str, bytes]) -> str:
    """Names what an SOP says and does."""
    digest = hashlib.sha256()
    for path, data in _counted(files):
        digest.update(b"%s\0%d\0%s" % (path.encode(), len(data), data))
    return digest.hexdigest()


def _diff(ours: Mapping[str, bytes], theirs: Mapping[str, bytes]) -> str:
    """Return what is different there, as people read it."""
    lines: list[str] = []
    here, there = dict(_counted(ours)), dict(_counted(theirs))
    for path in sorted({*here, *there}):
        before, after = (
            side.get(path, b"").decode("utf-8", "replace").splitlines() for side in (here, there)
        )
        lines += unified_diff(before, after, f"here/{path}", f"there/{path}", lineterm="", n=1)
    return "\n".join(lines[:MAX_DIFF_LINES])


def _counted(files: Mapping[str, bytes]) -> Iterator[tuple[str, bytes]]:
    for path, data in sorted(files.items()):
        if not path.startswith(UNCOUNTED) and not any(
            part.startswith(".") for part in path.split("/")
        ):
            yield path, normal(data) if path == "SKILL.md" else data


def _read(path: Path) -> dict[str, dict[str, str]]:
    try:
        found = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}
