"""Remember how SOPs were asked for: what the owner said yes to becomes one more wording of its SOP,
typed slots only.

The file is `sops/.wordings.jsonl` in the home folder, one JSON object a line: {sop, wording, run,
at}, or `not` for a no. A line that is broken, or that the SOP of today cannot mean, is passed over.
"""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from learning.route.filling import Shown, fill
from learning.route.place import Where
from learning.route.request import Asked
from learning.route.typed import is_free_text
from memory.sops import Sop
from replay.wordings import BadWording

FILE = ".wordings.jsonl"
MOST = 40  # of one SOP; what was there first stays
MAX_CHARS = 200
MAX_FILE_BYTES = 4_000_000


class Remembered:
    """The wordings that one home folder has learned."""

    def __init__(self, home: Path) -> None:
        self._path = home / "sops" / FILE

    def with_wordings(self, sops: Iterable[Sop]) -> list[Sop]:
        """Return the SOPs with the wordings that were added to them."""
        added = self.all()
        return [_extended(sop, added.get(sop.name, ())) for sop in sops]

    def all(self) -> dict[str, list[str]]:
        """Return the added wordings by SOP, oldest first."""
        found: dict[str, list[str]] = {}
        for entry in self._entries():
            if "wording" in entry and len(found.setdefault(entry["sop"], [])) < MOST:
                found[entry["sop"]].append(entry["wording"])
        return found

    def add(
        self, request: str, sop: Sop, parameters: Mapping[str, Any], run: str, where: Where
    ) -> str | None:
        """Keep the wording of a request that was done with these values; return it, or None where
        none is kept.

        Raises OSError when the disk does not take it.
        """
        shown = fill(sop, Asked.read(request), where)
        wording = typed(request, shown) if shown.parameters == parameters else None
        if wording is None:
            return None
        added = self.all().get(sop.name, [])
        if wording in [*added, *_texts(sop)] or len(added) >= MOST:
            return None
        self._append({"sop": sop.name, "wording": wording, "run": run})
        return wording

    def rename(self, name: str, new: str) -> None:
        """Keep the wordings of an SOP that has another name from now on. Raises OSError."""
        for entry in self._entries():
            if entry["sop"] == name:
                self._append({**entry, "sop": new})

    def refuse(self, request: str, shown: Sequence[Shown], run: str) -> None:
        """Keep that none of these was meant by such a request. Raises OSError."""
        for each in shown:
            self._append({"sop": each.sop.name, "not": _refusal(request, each), "run": run})

    def is_refused(self, request: str, shown: Shown) -> bool:
        """Return True when the owner has said no to this before."""
        said = {entry.get("not") for entry in self._entries() if entry["sop"] == shown.sop.name}
        return not said.isdisjoint({request, _refusal(request, shown)})

    def _append(self, entry: Mapping[str, Any]) -> None:
        at = datetime.now(UTC).isoformat(timespec="seconds")
        line = json.dumps({**entry, "at": at}, ensure_ascii=False)
        with self._locked() as file:
            size = os.fstat(file).st_size
            is_torn = os.pread(file, 1, max(size - 1, 0)) not in (b"", b"\n")
            os.write(file, f"{chr(10) if is_torn else ''}{line}\n".encode("utf-8", "replace"))
            os.fsync(file)

    @contextmanager
    def _locked(self) -> Iterator[int]:
        self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        file = os.open(self._path, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield file
        finally:
            os.close(file)

    def _entries(self) -> list[dict[str, Any]]:
        try:
            is_sound = self._path.stat().st_size <= MAX_FILE_BYTES
            lines = self._path.read_text("utf-8", "replace").splitlines() if is_sound else []
        except OSError:
            return []
        return [entry for line in lines if (entry := _entry(line))]


def typed(request: str, shown: Shown) -> str | None:
    """Return a request with a slot in the place of each value; None where that cannot be a
    wording."""
    if shown.sop.procedure is None or shown.unused:
        return None
    asked = Asked.read(request)
    text, schemas = asked.plain, shown.sop.procedure.parameters
    for name, (start, end) in sorted(shown.places.items(), key=lambda item: -item[1][0]):
        is_quoted = is_free_text(schemas[name]) and text[start] in "\"'`「『《"
        shape = ":quoted" if is_quoted else ""
        text = f"{text[:start]}{{{name}{shape}}}{text[end:]}"
    cut = len(request) - asked.end
    wording = " ".join(text[asked.start : len(text) - cut].lower().split())
    try:
        shown.sop.procedure.with_wording(wording)
    except BadWording:
        return None
    return wording if len(wording) <= MAX_CHARS else None


def _refusal(request: str, shown: Shown) -> str:
    """Return the kind of request that a no is kept for."""
    return typed(request, shown) or request


def _texts(sop: Sop) -> list[str]:
    return [each.text for each in sop.procedure.wordings] if sop.procedure else []


def _extended(sop: Sop, wordings: Sequence[str]) -> Sop:
    """Return the SOP with those of the wordings that it can mean."""
    procedure = sop.procedure if wordings else None
    if procedure is None:
        return sop
    for wording in wordings:
        try:
            procedure = procedure.with_wording(wording)
        except BadWording:  # a parameter has another name since then
            continue
    return replace(sop, steps=procedure)


def _entry(line: str) -> dict[str, Any] | None:
    try:
        said = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(said, dict) or not isinstance(said.get("sop"), str):
        return None
    is_text = all(isinstance(said.get(key, ""), str) for key in ("wording", "not"))
    return said if is_text else None
