"""Takes conversations from elsewhere into the journal: exports of chats, JSONL turns, Markdown
notes, a zip of those.

What cannot be read is told with its place and left out; the rest is kept. The same file again adds
nothing: an id is a turn. Nothing is unpacked to the disk. Source: docs/memory.md.

    SopwithError
    └── ImportFailed    2  the file cannot be read at all, or is of no known kind
"""

from __future__ import annotations

import io
import json
import re
import zipfile
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, TypeAlias

from config import Message, SopwithError
from memory.files import Unreadable, read_owner_text
from memory.files.owner_files import decoded
from memory.home import MAIN
from memory.journal import chat_exports
from memory.journal.api import Memory, local_timezone
from memory.journal.originals import parsed, zone
from memory.journal.store import text_hash
from memory.journal.turns import Turn, turn_of

BATCH = 2_000
MAX_LINE_BYTES = 10_000_000
MAX_BYTES = 1_000_000_000  # of one file
MAX_ENTRIES = 50_000  # of a zip
MAX_NOTE_CHARS = 1_500  # of a piece of a note
MAX_NOTES = 50_000  # files of a folder
_DAY = re.compile(r"(?<!\d)(\d{4})-(\d{2})-(\d{2})(?!\d)")
_CALLED = re.compile(r"(?m)^- (?:Called|称呼)[:：][ \t]*(\S.*)$")
OWNERS = frozenset(("me", "i", "myself", "user", "我", "本人", "用户", "主人"))  # said in an import
_EXPORT = re.compile(r"conversations(?:-\d+)?\.json")
NOTES = (".md", ".markdown", ".txt")


class ImportFailed(SopwithError):
    """The file cannot be imported."""

    exit_code = 2


class Bad(NamedTuple):
    """Something that was left out: where it stands ("turns.jsonl, line 7") and why."""

    place: str
    why: str


Item: TypeAlias = "Turn | Bad"


@dataclass(slots=True)
class Imported:
    """Count what came of an import: turns that are new, those that were there already, what was
    left out."""

    added: int = 0
    known: int = 0
    bad: list[Bad] = field(default_factory=list)


def import_file(
    memory: Memory,
    path: Path,
    redact: Callable[[str], str],
    progress: Callable[[int], None] = lambda done: None,
) -> Imported:
    """Take in a file, a folder of notes, or a zip. `progress` is told how many turns were read so
    far.

    Raises ImportFailed, JournalError; what was taken in before stays, and is not taken in twice.
    """
    done = Imported()
    items, owners = read(path), OWNERS | owner_names(memory.home)
    while some := list(islice(items, BATCH)):
        turns = [_by_owner(item, owners) for item in some if not isinstance(item, Bad)]
        turns = [turn._replace(text=redact(turn.text)) for turn in turns]
        turns.sort(key=lambda turn: turn.at)
        added = memory.write(turns)
        done.added += len(added)
        done.known += len(turns) - len(added)
        done.bad += [item for item in some if isinstance(item, Bad)]
        done.bad += _differing(memory, turns, added)
        progress(done.added + done.known)
    return done


def _by_owner(turn: Turn, owners: Collection[str]) -> Turn:
    """Return a turn; what the owner said under another name is the owner's."""
    is_owners = turn.session == MAIN.name and turn.who.casefold() in owners
    return turn._replace(who="owner") if is_owners else turn


def _differing(memory: Memory, turns: list[Turn], added: list[Turn]) -> list[Bad]:
    """Return those whose id is there with another text: which of the two is meant nobody can know,
    so the first one stays."""
    new = {(turn.session, turn.id): turn.text for turn in added}
    bad = []
    for turn in turns:
        text = new.get((turn.session, turn.id))
        if text is None and (there := memory.turn(turn.id, turn.session)):
            text = there.text
        if text not in (None, turn.text):
            bad.append(Bad(turn.id, Message("error.journal.other-text")))
    return bad


def read(path: Path) -> Iterator[Item]:
    """Yield all turns of a file, in its order, and what cannot be read of it. Raises
    ImportFailed."""
    try:
        if path.is_dir():
            yield from _folder(path)
        elif zipfile.is_zipfile(path):
            with zipfile.ZipFile(path) as archive:
                yield from _archive(path, archive)
        else:
            yield from _opened(path, path.name)
    # the last: a password
    except (OSError, zipfile.BadZipFile, EOFError, NotImplementedError, RuntimeError) as error:
        why = error
        raise ImportFailed("error.journal.cannot-imported", path=path, why=why) from error


def _opened(path: Path, name: str) -> Iterator[Item]:
    with path.open("rb") as file:
        stat = path.stat()
        yield from _file(name, file, stat.st_size, datetime.fromtimestamp(stat.st_mtime, UTC))


def _folder(path: Path) -> Iterator[Item]:
    files = [file for file in sorted(path.rglob("*")) if file.is_file()]
    wanted = [file for file in files if file.suffix.lower() in (*NOTES, ".jsonl")]
    for file in wanted[:MAX_NOTES]:
        name = file.relative_to(path).as_posix()
        if file.is_symlink():
            yield Bad(name, "a link")
        else:
            yield from _opened(file, name)


def _archive(path: Path, archive: zipfile.ZipFile) -> Iterator[Item]:
    entries = [entry for entry in archive.infolist() if not entry.is_dir()]
    if len(entries) > MAX_ENTRIES:
        raise ImportFailed(
            "error.journal.holds-files-most", path=path, count=len(entries), most=MAX_ENTRIES
        )
    known = [entry for entry in entries if _is_known(entry.filename)]
    if not known:
        raise ImportFailed("error.journal.holds-neither-conversations-json", path=path)
    left = MAX_BYTES
    for entry in known:
        left -= entry.file_size
        if left < 0:
            most = MAX_BYTES // 1_000_000
            raise ImportFailed("error.journal.would-unpack-more-than", path=path, most=most)
        is_dated = entry.date_time[1] > 0
        changed = datetime(*entry.date_time, tzinfo=UTC) if is_dated else datetime.now(UTC)
        with archive.open(entry) as file:
            data = io.BytesIO(file.read(entry.file_size + 1))
        yield from _file(entry.filename, data, entry.file_size, changed)


def _is_known(name: str) -> bool:
    base = name.rpartition("/")[2].lower()
    return bool(_EXPORT.fullmatch(base)) or base.endswith((".jsonl", ".ndjson", *NOTES))


def _file(name: str, file: BinaryIO, size: int, changed: datetime) -> Iterator[Item]:
    if size > MAX_BYTES:
        raise ImportFailed("error.journal.larger-than-mb", name=name, most=MAX_BYTES // 1000000)
    end = name.lower()
    if end.endswith((".jsonl", ".ndjson")):
        yield from _lines(name, file)
    elif end.endswith(NOTES):
        yield from _notes(name, file.read(), changed)
    elif end.endswith(".json"):
        yield from _document(name, file, changed)
    else:
        raise ImportFailed("error.journal.kind-can-imported", name=name)


# JSONL


def _lines(name: str, file: BinaryIO) -> Iterator[Item]:
    number = 0
    while line := file.readline(MAX_LINE_BYTES):
        number += 1
        place = f"{name}, line {number}"
        if len(line) == MAX_LINE_BYTES:
            while not line.endswith(b"\n") and (line := file.readline(MAX_LINE_BYTES)):
                pass
            yield Bad(place, Message("error.journal.long-line"))
        elif line.strip():
            yield _line(place, line.removeprefix(b"\xef\xbb\xbf"))


def _line(place: str, line: bytes) -> Item:
    try:
        said = json.loads(line)
    except (ValueError, RecursionError):
        return Bad(place, Message("error.journal.no-json"))
    return (
        _turn(place, said)
        if isinstance(said, dict)
        else Bad(place, Message("error.journal.no-object"))
    )


def _turn(place: str, said: Mapping[str, Any]) -> Item:
    """Return a turn of the contract's form: id, at, who, text, session; timezone, run, importance,
    tags, emotion if they are there."""
    text, at, given = said.get("text"), _moment(said.get("at")), said.get("id")
    if not isinstance(text, str):
        return Bad(place, Message("error.journal.no-text"))
    if at is None:
        return Bad(place, Message("error.journal.no-time"))
    if not isinstance(given, str | int | None):
        return Bad(place, Message("error.journal.odd-id"))
    session = str(said.get("session") or MAIN.name)
    who = "owner" if session == MAIN.name else session
    id = "" if given is None else str(given)
    turn = turn_of(said, text, at, session=session, who=who, timezone=_offset(at), id=id)
    if turn.id:
        return turn
    made = text_hash(f"{session} {at.isoformat()} {turn.who} {text}")[:16]
    return turn._replace(id=f"i{made}")


def _moment(said: Any) -> datetime | None:
    """Return a time as exports write it: ISO 8601 (without an offset: as it is here), or seconds
    since 1970."""
    try:
        if isinstance(said, bool) or said is None:
            return None
        if isinstance(said, int | float):
            return datetime.fromtimestamp(said / 1000 if said > 1e11 else said, UTC)
        moment = datetime.fromisoformat(str(said).strip())
        moment = moment.astimezone() if moment.tzinfo is None else moment
        moment.astimezone(UTC)  # the first day of all has no other timezone
    except (ValueError, OverflowError, OSError):
        return None
    return moment


def _offset(at: datetime) -> str:
    offset = at.utcoffset() or timedelta()
    return "UTC" if not offset else f"{at:%z}"[:3] + ":" + f"{at:%z}"[3:5]


# conversations.json


def _document(name: str, file: BinaryIO, changed: datetime) -> Iterator[Item]:
    try:
        document = json.load(file)
    except (ValueError, RecursionError) as error:
        raise ImportFailed("error.journal.json", name=name, error=error) from error
    for number, each in enumerate(_listed(name, document), 1):
        yield from _item(f"{name}, item {number}", each, name, changed)


def _listed(name: str, document: Any) -> list[Any]:
    """Return the conversations, or turns, of a document. Raises ImportFailed."""
    if isinstance(document, dict):
        lists = [document[key] for key in ("conversations", "turns") if key in document]
        document = lists[0] if lists else [document]
    if not isinstance(document, list):
        raise ImportFailed("error.journal.holds-list-conversations", name=name)
    is_talk = all(
        isinstance(each, dict) and {"role", "content"} <= each.keys() for each in document
    )
    return [{"messages": document}] if document and is_talk else document


def _item(place: str, each: Any, name: str, changed: datetime) -> Iterator[Item]:
    said = each if isinstance(each, dict) else {}
    if isinstance(said.get("mapping"), dict):
        turns = chat_exports.chatgpt(said)
    elif isinstance(said.get("chat_messages"), list):
        turns = chat_exports.claude(said)
    elif isinstance(said.get("messages"), list):
        turns = chat_exports.messages(said["messages"], name, changed)
    elif "text" in said:
        yield _turn(place, said)
        return
    else:
        yield Bad(place, Message("error.journal.no-turn"))
        return
    yield from (_turn(f"{place}, {turn['id']}", turn) for turn in turns)


# notes


def _notes(name: str, data: bytes, changed: datetime) -> Iterator[Item]:
    """Yield the pieces of a note, each a turn of the owner. A journal's own file gives its turns
    back."""
    entries = list(parsed(name.rpartition("/")[2], data)) if b"<!-- turn {" in data else []
    for entry in entries:
        torn = Bad(f"{name}, {entry.turn.source}", Message("error.journal.torn"))
        yield torn if entry.is_torn else entry.turn
    text = decoded(data)
    if text is None:
        yield Bad(name, Message("error.journal.not-utf8"))
    elif not entries:
        yield from _note(name, text.removeprefix("\ufeff"), changed)


def _note(name: str, text: str, changed: datetime) -> Iterator[Turn]:
    here = local_timezone()
    day, seen = _day(name) or changed, Counter[str]()
    for piece in _pieces(text):
        heading, _, body = piece.partition("\n") if piece.startswith("#") else ("", "", piece)
        day = _day(heading) or day
        if body:  # a heading alone says the day that the parts below it are of
            seen[piece] += 1
            id = "note-" + text_hash(f"{name}\n{piece}\n{seen[piece]}")[:16]
            at = day if day.tzinfo is UTC else day.replace(tzinfo=zone(here)).astimezone(UTC)
            yield Turn(id, "main", "owner", piece, at, here, tags=("note",))


def _pieces(text: str) -> Iterator[str]:
    """Yield a note cut at its headings, and a long part at its blank lines; each piece keeps the
    heading it stands under, and a heading above others alone is one too."""
    text = re.sub(r"\A---\n.*?\n---\n", "", text.replace("\r\n", "\n"), flags=re.DOTALL)
    for part in re.split(r"(?m)^(?=#{1,6} )", text):
        heading, _, rest = part.partition("\n") if part.startswith("#") else ("", "", part)
        for piece in _filled(re.split(r"\n\s*\n", rest.strip("\n"))):
            if piece.strip() or heading:
                yield f"{heading}\n{piece}".strip("\n")


def _filled(paragraphs: Iterable[str]) -> Iterator[str]:
    room: list[str] = []
    for paragraph in paragraphs:
        if room and sum(map(len, room)) + len(paragraph) > MAX_NOTE_CHARS:
            yield "\n\n".join(room)
            room = []
        room.append(paragraph)
    yield "\n\n".join(room)


def owner_names(home: Path) -> frozenset[str]:
    """Return what the owner is called in OWNER.md, in small letters."""
    try:
        text = read_owner_text(home, "OWNER.md").text
    except (FileNotFoundError, Unreadable):
        return frozenset()
    return frozenset(name.strip().casefold() for name in _CALLED.findall(text))


def _day(text: str) -> datetime | None:
    """Return noon of the day that stands in a name or heading, without a timezone."""
    found = _DAY.search(text)
    if found is None:
        return None
    year, month, day = map(int, found.groups())
    with suppress(ValueError):
        return datetime(year, month, day, 12)
    return None
