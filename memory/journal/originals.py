"""The originals of the journal: a Markdown file for each day, one anchor for each turn, only ever
appended to.

    ### 14:02 owner
    <a id="140233-5f1a"></a><!-- turn {"id": …, "hash": …, "lines": 2} -->
    what was said,
    line by line

Whatever a turn holds comes back exactly: a line that could be read as Markdown or as an anchor has
a backslash in front, and a text with control characters or lone surrogates is escaped as a whole
and says so. `lines` tells what belongs to the turn from what somebody wrote below it, `hash`
whether it was changed. Source: seed 003 P3.3.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from pathlib import Path
from typing import Any, NamedTuple

from memory.journal.lock import JournalError, WriterLock
from memory.journal.store import text_hash
from memory.journal.turns import Turn, turn_of
from text import pattern

NAME = pattern(r"\d{4}-\d{2}-\d{2}\.md")
_MARK = pattern(rb'<a id="([\w-]+)"></a><!-- turn (\{.*\}) -->\s*$')
_ODD = pattern("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufeff]")
_ESCAPE = pattern(r"\\(\\|u[0-9a-f]{4})")
_OFFSET = pattern(r"([+-])(\d{2}):?(\d{2})")
_HEADING = b"### "


class Entry(NamedTuple):
    """One turn as it stands in its file. `start` and `end` in bytes. `is_sound`: as it was written;
    else somebody changed it, or (`is_torn`) its end is missing. `below`: what was written by hand
    behind it."""

    turn: Turn
    start: int
    end: int
    is_sound: bool
    is_torn: bool
    below: str


class Journal:
    """The originals in one home folder."""

    def __init__(self, home: Path, lock: WriterLock | None = None) -> None:
        self.folder = home / "journal"
        self._lock = lock or WriterLock(self.folder)

    def sizes(self) -> dict[str, int]:
        """Return the files and their sizes in bytes, oldest first."""
        try:
            with os.scandir(self.folder) as entries:
                found = {
                    each.name: each.stat().st_size for each in entries if NAME.fullmatch(each.name)
                }
        except FileNotFoundError:
            return {}
        except OSError as error:
            raise JournalError(
                "error.journal.journal-cannot-read", path=self.folder, error=error
            ) from error
        return dict(sorted(found.items()))

    def size(self, name: str) -> int:
        """Return the size of one file in bytes; 0 when it is not there."""
        try:
            return (self.folder / name).stat().st_size
        except OSError:
            return 0

    def append(self, turns: Iterable[Turn]) -> list[Turn]:
        """Write turns down; when it returns they survive a power cut. Return them with their
        `source`.

        Raises JournalError (disk full, read-only, …): of the file that failed nothing was kept.
        """
        with self._lock:
            placed = [(file_of(turn), turn) for turn in turns]
            written: list[Turn] = []
            pieces: dict[str, list[bytes]] = {}
            for name, turn in placed:
                anchor = f"{_local(turn):%H%M%S}-{os.urandom(3).hex()}"
                written.append(turn._replace(source=f"journal/{name}#{anchor}"))
                pieces.setdefault(name, []).append(_written(turn, anchor))
            for name, some in pieces.items():
                self._append(name, b"".join(some))
            return written

    def entries(self, name: str, start: int = 0) -> Iterator[Entry]:
        """Yield the turns of a file from byte `start` on. Raises JournalError."""
        try:
            with (self.folder / name).open("rb") as file:
                file.seek(start)
                data = file.read()
        except OSError as error:
            raise JournalError(
                "error.journal.cannot-read", file=self.folder / name, error=error
            ) from error
        yield from parsed(name, data, start)

    def set_aside(self, name: str, start: int) -> Path:
        """Move what stands from byte `start` on to `journal/torn/`: the rest of a turn whose writer
        was killed."""
        from memory.files import fsync_folder, write_atomic

        path = self.folder / name
        with self._lock, path.open("rb+") as file:
            file.seek(start)
            torn = file.read()
            target = self.folder / "torn" / f"{name}.{start}.{text_hash(repr(torn))[:6]}"
            target.parent.mkdir(mode=0o700, exist_ok=True)
            write_atomic(target, torn, 0o600)
            file.truncate(start)
            os.fsync(file.fileno())
            fsync_folder(self.folder)
        return target

    def _append(self, name: str, data: bytes) -> None:
        path = self.folder / name
        try:
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            file = os.open(
                path, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600
            )
            try:
                size = os.fstat(file).st_size
                if size == 0:
                    data = f"# {name[:-3]}\n\n".encode() + data
                elif (
                    os.pread(file, 1, size - 1) != b"\n"
                ):  # somebody's editor leaves the last line open
                    data = b"\n" + data
                self._write(file, data, size)
                os.fdatasync(file)
            finally:
                os.close(file)
            if size == 0:
                from memory.files import fsync_folder

                fsync_folder(self.folder)
        except OSError as error:
            raise JournalError(
                "error.journal.journal-cannot-written-2", path=path, error=error
            ) from error

    def _write(self, file: int, data: bytes, size: int) -> None:
        try:
            rest = memoryview(data)
            while rest:
                rest = rest[os.write(file, rest) :]
        except BaseException:  # a full disk takes a part of it
            with contextlib.suppress(OSError):
                os.ftruncate(file, size)
            raise


def file_of(turn: Turn) -> str:
    """Return the file of a turn: the day that it was where it was said."""
    return f"{_local(turn).date().isoformat()}.md"


def zone(name: str) -> tzinfo:
    """Return the timezone of that name, or offset (+08:00); UTC for what is none."""
    if name in ("UTC", ""):
        return UTC
    if found := _OFFSET.fullmatch(name):
        ahead = timedelta(hours=int(found[2]), minutes=int(found[3]))
        return timezone(ahead if found[1] == "+" else -ahead) if ahead < timedelta(days=1) else UTC
    from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return UTC


def _local(turn: Turn) -> datetime:
    try:
        return turn.at.astimezone(zone(turn.timezone))
    except OverflowError:  # the first and the last day of all
        return turn.at


# one turn ↔ its lines


@dataclass(slots=True)
class _Found:
    """A mark, and where its text begins."""

    start: int
    body: int
    anchor: str
    said: dict[str, Any]


def _written(turn: Turn, anchor: str) -> bytes:
    is_escaped = _ODD.search(turn.text) is not None
    body = _escaped(turn.text) if is_escaped else turn.text
    lines = ["\\" + line if line[:1] in ("\\", "#", "<") else line for line in body.split("\n")]
    said: dict[str, Any] = {
        "id": turn.id,
        "session": turn.session,
        "who": turn.who,
        "at": turn.at.astimezone(UTC).isoformat(),
        "timezone": turn.timezone,
        "run": turn.run,
        "importance": turn.importance,
        "tags": list(turn.tags),
        "emotion": turn.emotion,
        "escaped": is_escaped,
    }
    said = {key: value for key, value in said.items() if value} | {
        "hash": text_hash(turn.text),
        "lines": len(lines),
    }
    mark = json.dumps(said).replace("<", "\\u003c").replace(">", "\\u003e")
    who = " ".join(_ODD.sub(" ", turn.who).split())[:60]
    heading = f"### {_local(turn):%H:%M} {who}\n" + f'<a id="{anchor}"></a><!-- turn {mark} -->\n'
    return (heading + "\n".join(lines) + "\n\n").encode()


def _escaped(text: str) -> str:
    return _ODD.sub(lambda found: f"\\u{ord(found[0]):04x}", text.replace("\\", "\\\\"))


def _unescaped(text: str) -> str:
    return _ESCAPE.sub(lambda found: "\\" if found[1] == "\\" else chr(int(found[1][1:], 16)), text)


def parsed(name: str, data: bytes, offset: int = 0) -> Iterator[Entry]:
    """Yield the turns in `data`, which begins at byte `offset` of the file `name`."""
    lines = data.split(b"\n")
    places = [0]
    for line in lines:
        places.append(places[-1] + len(line) + 1)
    marks = list(_marks(lines, places))
    for position, mark in enumerate(marks):
        is_last = position + 1 == len(marks)
        until = len(lines) if is_last else marks[position + 1].start
        yield _entry(name, mark, lines[mark.body : until], places, offset, is_last=is_last)


def _marks(lines: list[bytes], places: list[int]) -> Iterator[_Found]:
    for number, line in enumerate(lines):
        if line.startswith(b"<a id=") and (found := _MARK.match(line)):
            try:
                said = json.loads(found[2])
            except (ValueError, RecursionError):
                continue
            if isinstance(said, dict):
                has_heading = number > 0 and lines[number - 1].startswith(_HEADING)
                yield _Found(number - has_heading, number + 1, found[1].decode(), said)


def _entry(
    name: str, mark: _Found, lines: list[bytes], places: list[int], offset: int, *, is_last: bool
) -> Entry:
    """Return the turn of a mark; `lines` are all up to the next one, the last of them what stands
    behind the last newline."""
    said = mark.said
    wanted = said.get("lines")
    count = wanted if isinstance(wanted, int) and wanted > 0 else 1
    is_torn = is_last and len(lines) <= count  # its last line has no end
    body, below = lines[:count], lines[count:]
    plain = [line[1:] if line.startswith(b"\\") else line for line in body]
    text = b"\n".join(plain).decode("utf-8", "replace")
    text = _unescaped(text) if said.get("escaped") is True else text
    turn = _turn(name, mark.anchor, said, text)
    is_sound = not is_torn and len(body) == count and said.get("hash") == text_hash(text)
    end = min(places[mark.body + len(lines)], places[-1] - 1)
    written = b"\n".join(below).decode("utf-8", "replace").strip()
    return Entry(turn, offset + places[mark.start], offset + end, is_sound, is_torn, written)


def _turn(name: str, anchor: str, said: dict[str, Any], text: str) -> Turn:
    """Return the turn that a mark tells of; what somebody made unreadable in it is as if it were
    not there."""
    try:
        at = datetime.fromisoformat(said["at"]).astimezone(UTC)
    except (KeyError, TypeError, ValueError, OverflowError):
        at = datetime.fromisoformat(name[:-3]).replace(tzinfo=UTC)
    known = {"id": str(said.get("id") or anchor), "session": "main", "who": ""}
    return turn_of(said, text, at, **known, source=f"journal/{name}#{anchor}")
