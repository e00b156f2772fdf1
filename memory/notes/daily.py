"""Daily notes, `memory/YYYY-MM-DD.md`: what was worth writing down on a day, in the words in which
it was said.

    # 2026-02-15

    ## Events
    - 14:03 I have a meeting tomorrow <!-- sopwith session=main run=20260215-140259-3079f turn=1 kind=instruction -->

What the agent writes carries a mark: which session said it, in which run and turn. What the owner
writes by hand has none and is the owner's. A shared session reads the entries that carry its own
mark and nothing else. Source: seed 004 §6.3, seed 000 stage 4; shared architecture, "Where the
seeds disagree".
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from datetime import date, datetime
from pathlib import Path
from typing import NamedTuple, get_args

from memory.change import changing, store
from memory.files import read_owner_text, whole_text, with_line
from memory.history import one_line
from memory.home import MAIN, Session
from memory.notes.remember import Kind
from safety.secrets import Redactor
from text import pattern

SECTIONS = {  # section → its heading in English and in Chinese
    "events": ("Events", "今日事件"),
    "insights": ("Insights", "重要洞察"),
    "todos": ("To-dos", "待办事项"),
}
MAX_ENTRY_CHARS = 4000
_SECTION_OF = dict.fromkeys(("instruction", "decision", "event"), "events")
_SECTION_OF |= {"preference": "insights", "lesson": "insights", "todo": "todos"}
_MARK = pattern(
    r"[ \t]*<!-- sopwith session=(?P<session>\S+) run=(?P<run>\S+) turn=(?P<turn>\d+) kind=(?P<kind>\w+) -->[ \t]*$"
)
_TIME = pattern(r"(?:\[[ xX]\] )?(\d\d:\d\d) ")


class Note(NamedTuple):
    """One entry. By hand: `run` is "" and `turn` 0, `kind` is "event" and the session is the main
    one."""

    text: str
    session: Session
    run: str
    turn: int
    kind: Kind
    at: str  # 14:03, local; "" when it says none


def add(
    home: Path,
    text: str,
    *,
    kind: Kind,
    session: Session,
    run: str,
    turn: int,
    at: datetime,
    lang: str = "en",
    redact: Callable[[str], str] | None = None,
) -> Path:
    """Write one entry into the note of the day of `at` (local time) and commit it; return the
    note's file.

    When it returns, the entry survives a power cut. Secrets are hidden. Any number of processes may
    add at once. Raises OSError, Unreadable (what lies there is no text), and RepositoryError; after
    the last the entry stands all the same.
    """
    if kind not in get_args(Kind):
        raise ValueError(f"{kind!r} is no kind of note")
    name = _name(at.date())
    said = (redact or Redactor({}))(text)
    mark = f"<!-- sopwith session={session.name} run={run or '-'} turn={turn} kind={kind} -->"
    box = "[ ] " if kind == "todo" else ""
    entry = f"- {box}{at:%H:%M} {_on_lines(said)} {mark}"
    source = f"\n\nSopwith-Run: {one_line(run)}\n" if run else "\n"
    with changing(home) as history:
        try:
            whole = whole_text(home, name)
        except FileNotFoundError:
            whole = f"# {at.date().isoformat()}\n"
        text = with_line(whole, entry, SECTIONS[_SECTION_OF[kind]], lang)
        store(history, {name: text}, f"note: {one_line(said)[:120]}{source}")
    return home / name


def _name(day: date) -> str:
    return f"memory/{day.isoformat()}.md"


def read(home: Path, day: date, session: Session) -> str:
    """Return what a session may read of a day's note, without marks; "" when there is nothing.

    The main session reads all of it, with the entries of shared sessions named as theirs; a shared
    one its own entries. Raises OSError, Unreadable.
    """
    return visible(_text(home, day, session), session)


def visible(text: str, session: Session) -> str:
    """Return what a session may read of the text of a note."""
    if not session.is_main:
        return "\n".join(block for block, note in _blocks(text) if _is_own(note, session))
    shown = []
    for line in text.splitlines():
        if (found := _MARK.search(line)) and found["session"] != MAIN.name:
            line = f"{line[: found.start()]} ({Session.parse(found['session']).name})"
        shown.append(_MARK.sub("", line))
    return "\n".join(shown).strip()


def entries(home: Path, day: date, session: Session) -> list[Note]:
    """Return the entries of a day that a session may read, in the order of the file. Raises
    OSError, Unreadable."""
    found = (note for _, note in _blocks(_text(home, day, session)))
    return [note for note in found if session.is_main or _is_own(note, session)]


def _text(home: Path, day: date, session: Session) -> str:
    try:
        return read_owner_text(home, _name(day), follows_links=session.is_main).text
    except FileNotFoundError:
        return ""


def _is_own(note: Note, session: Session) -> bool:
    return note.run != "" and note.session == session


def days(home: Path) -> list[date]:
    """Return the days that have a note, oldest first."""
    found = []
    for path in (home / "memory").glob("????-??-??.md"):
        try:
            found.append(date.fromisoformat(path.stem))
        except ValueError:
            continue
    return sorted(found)


def _on_lines(text: str) -> str:
    """Return the text as the inside of one list entry: later lines are indented, and nothing in it
    can be taken for a mark."""
    text = text.strip()[:MAX_ENTRY_CHARS].replace("<!--", "&lt;!--").replace("-->", "--&gt;")
    lines = (
        " ".join("".join(c if c.isprintable() else " " for c in line).split())
        for line in text.splitlines()
    )
    return "\n  ".join(line for line in lines if line)


def _blocks(text: str) -> Iterator[tuple[str, Note]]:
    """Yield each list entry with its later lines: as it can be read, and what it says."""
    block: list[str] = []
    for line in [*text.splitlines(), ""]:
        if block and not line.startswith("  "):
            yield entry("\n".join(block))
            block = []
        if line.startswith(("- ", "* ")) or (block and line.startswith("  ")):
            block.append(line)


def entry(block: str) -> tuple[str, Note]:
    """Read one list entry with its later lines: as it can be read, and what it says."""
    found = _MARK.search(block)
    shown = block[: found.start()] if found else block
    said = shown[2:]
    time = _TIME.match(said)
    text = said[time.end() :] if time else re.sub(r"^\[[ xX]\] ", "", said)
    text = "\n".join(line.strip() for line in text.splitlines())
    at = time[1] if time else ""
    if found is None:
        return shown, Note(text, MAIN, "", 0, "event", at)
    kind: Kind = next((each for each in get_args(Kind) if each == found["kind"]), "event")
    return shown, Note(
        text, Session.parse(found["session"]), found["run"], int(found["turn"]), kind, at
    )
