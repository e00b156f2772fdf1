"""Daily notes, `memory/YYYY-MM-DD.md`: what was worth writing down on a day, in the words in which it was said.

    # 2026-02-15

    ## Events
    - 14:03 I have a meeting tomorrow <!-- sopwith session=main run=20260215-140259-3079f turn=1 kind=instruction -->

What the agent writes carries a mark: which session said it, in which run and turn. What the owner writes by hand has none
and is the owner's. A shared session reads the entries that carry its own mark and nothing else. Source: seed 004 §6.3,
seed 000 stage 4; shared architecture, "Where the seeds disagree".
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date, datetime
from pathlib import Path
from typing import get_args

from memory.home.files import write_atomic
from memory.home.owner_files import read_owner_text
from memory.home.repository import BY_HAND, Content, Repository, one_line
from memory.home.sessions import MAIN, Session
from memory.notes.remember import Kind
from safety.secrets import Redactor
from text import pattern

SECTIONS = {  # section → its heading in English and in Chinese
    "events": ("Events", "今日事件"),
    "insights": ("Insights", "重要洞察"),
    "todos": ("To-dos", "待办事项"),
}
MAX_ENTRY_CHARS = 4000
_SECTION_OF: dict[str, str] = {
    "instruction": "events",
    "decision": "events",
    "event": "events",
    "preference": "insights",
    "lesson": "insights",
    "todo": "todos",
}
_MARK = pattern(
    r"[ \t]*<!-- sopwith session=(?P<session>\S+) run=(?P<run>\S+) turn=(?P<turn>\d+) kind=(?P<kind>\w+) -->[ \t]*$"
)
_TIME = pattern(r"(?:\[[ xX]\] )?(\d\d:\d\d) ")


@dataclass(frozen=True, slots=True)
class Note:
    """One entry. By hand: `run` is "" and `turn` 0, `kind` is "event" and the session is the main one."""

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
    """Writes one entry into the note of the day of `at` (local time) and commits it; returns the note's file.

    When it returns, the entry survives a power cut. Secrets are hidden. Any number of processes may add at once. Raises
    OSError, Unreadable (what lies there is no text), and RepositoryError; after the last the entry stands all the same.
    """
    if kind not in get_args(Kind):
        raise ValueError(f"{kind!r} is no kind of note")
    day = at.date().isoformat()
    name = f"memory/{day}.md"
    said = (redact or Redactor({}))(text)
    mark = f"<!-- sopwith session={session.name} run={run or '-'} turn={turn} kind={kind} -->"
    box = "[ ] " if kind == "todo" else ""
    entry = f"- {box}{at:%H:%M} {_on_lines(said)} {mark}\n"
    (home / "memory").mkdir(mode=0o700, exist_ok=True)
    history = Repository(home)
    with history.locked():
        before = history.on_disk(name)
        try:
            known = read_owner_text(home, name)
        except FileNotFoundError:
            whole = f"# {day}\n"
        else:
            whole = (home / name).read_text("utf-8") if known.is_cut else known.text
        write_atomic(home / name, _with_entry(whole, entry, _SECTION_OF[kind], lang), mode=0o600)
        first = (
            ({name: before}, BY_HAND)
            if before and not _is_recorded(history, name, before)
            else None
        )
        source = f"\n\nSopwith-Run: {one_line(run)}\n" if run else "\n"
        history.record(
            {name: history.on_disk(name)}, f"note: {one_line(said)[:120]}{source}", first
        )
    return home / name


def read(home: Path, day: date, session: Session) -> str:
    """Return what a session may read of a day's note, without marks; "" when there is nothing.

    The main session reads all of it, with the entries of shared sessions named as theirs; a shared one its own entries.
    Raises OSError, Unreadable.
    """
    try:
        text = read_owner_text(
            home, f"memory/{day.isoformat()}.md", follows_links=session.is_main
        ).text
    except FileNotFoundError:
        return ""
    return visible(text, session)


def visible(text: str, session: Session) -> str:
    """Return what a session may read of the text of a note."""
    if not session.is_main:
        return "\n".join(
            block for block, note in _blocks(text) if note.run and note.session == session
        )
    shown = []
    for line in text.splitlines():
        if (found := _MARK.search(line)) and found["session"] != MAIN.name:
            line = f"{line[: found.start()]} ({Session.parse(found['session']).name})"
        shown.append(_MARK.sub("", line))
    return "\n".join(shown).strip()


def entries(home: Path, day: date, session: Session) -> list[Note]:
    """The entries of a day that a session may read, in the order of the file. Raises OSError, Unreadable."""
    try:
        text = read_owner_text(
            home, f"memory/{day.isoformat()}.md", follows_links=session.is_main
        ).text
    except FileNotFoundError:
        return []
    return [
        note
        for _, note in _blocks(text)
        if session.is_main or (note.run and note.session == session)
    ]


def days(home: Path) -> list[date]:
    """The days that have a note, oldest first."""
    found = []
    for path in (home / "memory").glob("????-??-??.md"):
        try:
            found.append(date.fromisoformat(path.stem))
        except ValueError:
            continue
    return sorted(found)


def _on_lines(text: str) -> str:
    """The text as the inside of one list entry: later lines are indented, and nothing in it can be taken for a mark."""
    text = text.strip()[:MAX_ENTRY_CHARS].replace("<!--", "&lt;!--").replace("-->", "--&gt;")
    lines = (
        " ".join("".join(c if c.isprintable() else " " for c in line).split())
        for line in text.splitlines()
    )
    return "\n  ".join(line for line in lines if line)


def _with_entry(text: str, entry: str, section: str, lang: str) -> str:
    """The note with an entry at the end of its section, which is made when it is missing."""
    lines = text.splitlines(keepends=True)
    if lines and not lines[-1].endswith("\n"):
        lines[-1] += "\n"
    heads = [f"## {word}" for word in SECTIONS[section]]
    at = next((number for number, line in enumerate(lines) if line.strip() in heads), None)
    if at is None:
        return "".join(lines) + f"\n## {SECTIONS[section][lang == 'zh']}\n\n{entry}"
    end = next(
        (number for number in range(at + 1, len(lines)) if re.match(r"#{1,2} ", lines[number])),
        len(lines),
    )
    while end > at + 1 and not lines[end - 1].strip():
        end -= 1
    first = ["\n"] if end == at + 1 else []
    return "".join([*lines[:end], *first, entry, *lines[end:]])


def _blocks(text: str) -> Iterator[tuple[str, Note]]:
    """Each list entry with its later lines: as it can be read, and what it says."""
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


def _is_recorded(history: Repository, name: str, files: dict[str, Content]) -> bool:
    head = history.head()
    return head is not None and history.holds(head, name, files)
