"""The workspace files, as one session sees them: loaded in the order of seed 004 §2, looked at
again before each turn.

A missing file is made from its template; one that cannot be read is replaced by its last good copy,
and the result says so. What a session may not read is not asked for: memory/reader/.
Between turns a look at each file's times, size and inode is enough (about 30 µs for all): it sees
what was changed by whom- and however, on every file system, needs no thread and misses nothing that
lies there when a turn begins, which is the only moment that counts. Source: seed 004 §2, §3.
"""

from __future__ import annotations

import enum
import hashlib
import os
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from pathlib import Path

from context.workspace.shapes import AgentContext, FileLoadResult
from memory.files import Unreadable, read_owner_text
from memory.files.owner_files import MAX_BYTES
from memory.home import Session
from memory.reader import MAIN_FILES, SHARED_FILES, reader_for
from memory.workspace import TEMPLATES, is_template, lay_out, make, template

CACHE = "memory/.workspace_cache"  # the last good copy of each file; derived, may be deleted
_FIELDS = {
    "AGENTS.md": "agents_content",
    "SPIRIT.md": "spirit_content",
    "OWNER.md": "owner_content",
    "TOOLS.md": "tools_content",
    "MEMORY.md": "memory_content",
}
Signature = tuple[int, ...]  # of a file: device, inode, size, times; () when nothing is there


class State(enum.Enum):
    """Say where the workspace stands (seed 004 §3.1)."""

    INITIAL = "initial"
    LOADING = "loading"
    READY = "ready"
    RELOADING = "reloading"


@dataclass(frozen=True, slots=True)
class _Known:
    """A file as it was when it was last looked at. `text` is None when there is none to use."""

    signature: Signature
    text: str | None
    result: FileLoadResult


@dataclass
class Workspace:
    """The workspace files of one home folder for one session. `today` decides which notes are
    today's and yesterday's."""

    home: Path
    lang: str
    session: Session
    today: date = field(default_factory=date.today)
    templates: Path = TEMPLATES
    state: State = State.INITIAL

    def __post_init__(self) -> None:
        days = (
            [self.today, self.today - timedelta(days=1)] if self.session.is_main else [self.today]
        )
        self._reader = reader_for(self.home, self.session, self.today)
        self._notes = {f"memory/{day.isoformat()}.md": day for day in days}
        self._known: dict[str, _Known] = {}

    @property
    def names(self) -> list[str]:
        """Return what is loaded, in order, by paths in the home folder."""
        files = [
            name
            for name in _FIELDS
            if name in (MAIN_FILES if self.session.is_main else SHARED_FILES)
        ]
        at_end = [name for name in files if name == "MEMORY.md"]
        return [*(name for name in files if name not in at_end), *self._notes, *at_end]

    def load(self) -> AgentContext:
        """Read every file that this session may have. Raises nothing for what lies there: `results`
        says how each went."""
        self.state = State.LOADING
        started = time.monotonic()
        made: list[str] = []
        if self.session.is_main:
            with suppress(OSError):  # a home that cannot be written to; each file says so below
                made = lay_out(self.home, self.lang, self.templates)
        self._known = {name: self._look(name, is_new=name in made) for name in self.names}
        texts = {name: known.text for name, known in self._known.items() if known.text is not None}
        context = self._context(texts, started)
        self.state = State.READY
        return context

    def _context(self, texts: Mapping[str, str], started: float) -> AgentContext:
        noted = {day: texts[name] for name, day in self._notes.items() if texts.get(name)}
        return AgentContext(
            session_id=self.session.name,
            session_type="main" if self.session.is_main else "shared",
            created_at=datetime.now().astimezone(),
            today=self.today,
            daily_memories=list(noted.values()),
            daily_dates=list(noted),
            loaded_files=[name for name in texts if name in _FIELDS or self._notes[name] in noted],
            load_time_ms=round((time.monotonic() - started) * 1000),
            version=_hash("\0".join(f"{name}\0{text}" for name, text in texts.items())),
            **{field: texts.get(name) for name, field in _FIELDS.items()},
        )

    @property
    def results(self) -> list[FileLoadResult]:
        """Return how loading each file went, as of the last look, in order. A day without a note
        has none."""
        return [
            known.result
            for known in self._known.values()
            if known.signature or known.result.is_default
        ]

    @property
    def versions(self) -> dict[str, str]:
        """Return what stands in the context now, file → hash of its text; `resume` takes it."""
        return {name: _hash(known.text) for name, known in self._known.items()}

    def resume(self, versions: Mapping[str, str]) -> list[tuple[str, str]]:
        """Go on where a run stood that had loaded these `versions`: gives what has changed since,
        as `changed` does."""
        self.load()
        return [
            (name, known.text or "")
            for name, known in self._known.items()
            if _hash(known.text) != versions.get(name, "")
        ]

    def changed(self) -> list[tuple[str, str]]:
        """Return the files whose text has changed since it was last given out: path in the home
        folder, new text ("": it is gone).

        To be asked before each turn. A file that is saved again without a change, or that can no
        longer be read while its last good copy stands, is no change.
        """
        if self.state is State.INITIAL:
            self.load()
            return []
        found = []
        for name, known in list(self._known.items()):
            if _signature(self.home / name) == known.signature:
                continue
            self.state = State.RELOADING
            now = self._known[name] = self._look(name)
            if now.text != known.text:
                found.append((name, now.text or ""))
        self.state = State.READY
        return found

    def is_pristine(self, name: str) -> bool:
        """Return True when the file says what was shipped, or nothing: then it adds nothing to a
        prompt."""
        known = self._known.get(name)
        if known is None or not (known.text or "").strip():
            return True
        return name in _FIELDS and is_template(name, known.text or "", self.templates)

    # one file

    def _look(self, name: str, *, is_new: bool = False) -> _Known:
        """Read one file: as it is, else from its template, else from its last good copy. `is_new`:
        just made."""
        problem, is_default = "", is_new
        if name in _FIELDS and not os.path.lexists(self.home / name):
            try:
                is_default = make(self.home, name, self.lang, self.templates)
            except OSError as error:
                problem = f"{name} is missing and cannot be made: {error.strerror or error}"
                text = template(name, self.lang, self.templates)
                return _Known((), text, self._result(name, text, problem, is_default=True))
        signature = _signature(
            self.home / name
        )  # before it is read: a change while it is read is seen at the next look
        try:
            text, problem = self._read(name)
        except FileNotFoundError:
            return _Known((), None, self._result(name, None, f"{name} is not there"))
        except (Unreadable, OSError) as error:
            return self._from_cache(name, signature, str(error))
        if not problem and name in _FIELDS:
            self._keep(name, text)
        return _Known(signature, text, self._result(name, text, problem, is_default=is_default))

    def _read(self, name: str) -> tuple[str, str]:
        """Return the text, and a remark on how it was read."""
        if name in self._notes:
            return self._reader.note(self._notes[name]), ""
        found = self._reader.text(name)
        return (
            found.text,
            f"{name} is larger than {MAX_BYTES:,} bytes; only its beginning is read"
            if found.is_cut
            else "",
        )

    def _from_cache(self, name: str, signature: Signature, why: str) -> _Known:
        text = None
        if name in _FIELDS:
            with suppress(OSError, Unreadable):
                text = read_owner_text(self.home, f"{CACHE}/{name}", follows_links=False).text
        said = f"{why}; " + (
            "there is no older copy of it" if text is None else "its last good copy is used"
        )
        return _Known(signature, text, self._result(name, text, said, from_cache=text is not None))

    def _keep(self, name: str, text: str) -> None:
        """Keep a good copy, unless it is kept already. A home that cannot be written to keeps
        none."""
        path = self.home / CACHE / name
        try:
            if read_owner_text(self.home, f"{CACHE}/{name}", follows_links=False).text == text:
                return
        except (OSError, Unreadable):
            pass
        from memory.files import write_atomic

        with suppress(OSError):
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            write_atomic(path, text, mode=0o600)

    def _result(self, name: str, text: str | None, error: str, **how: bool) -> FileLoadResult:
        return FileLoadResult(
            file_path=name,
            success=text is not None,
            content=text,
            error=error or None,
            loaded_at=datetime.now().astimezone(),
            **how,
        )


def _signature(path: Path) -> Signature:
    """Return numbers that change whenever the file does; of a link, of both the link and where it
    leads."""
    try:
        found = [path.lstat()]
    except OSError:
        return ()
    with suppress(OSError):
        found.append(path.stat())
    return tuple(
        number
        for each in found
        for number in (each.st_dev, each.st_ino, each.st_size, each.st_mtime_ns, each.st_ctime_ns)
    )


def _hash(text: str | None) -> str:
    return "" if text is None else hashlib.sha256(text.encode()).hexdigest()[:16]
