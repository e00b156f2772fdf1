"""Workspace files: whatever lies there, a session gets what it may have, and is told what was
wrong."""

import os
import time
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from context.workspace.files import State, Workspace
from context.workspace.shapes import (
    AgentContext,
    FileLoadResult,
    MemoryEntry,
)
from memory.files.owner_files import MAX_BYTES
from memory.home import MAIN, Session
from memory.workspace import FILES, lay_out, template

TODAY = date(2026, 2, 15)
YESTERDAY = date(2026, 2, 14)
TEAM = Session.parse("shared:team")


def workspace(home: Path, session: Session = MAIN, lang: str = "en") -> Workspace:
    home.mkdir(parents=True, exist_ok=True)
    return Workspace(home, lang, session, TODAY)


def results(one: Workspace) -> dict[str, FileLoadResult]:
    return {result.file_path: result for result in one.results}


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_on_the_first_start_every_file_is_made_from_its_template(home: Path, lang: str) -> None:
    one = workspace(home, lang=lang)
    context = one.load()
    assert context.loaded_files == ["AGENTS.md", "SPIRIT.md", "OWNER.md", "TOOLS.md", "MEMORY.md"]
    assert context.owner_content == template("OWNER.md", lang) == (home / "OWNER.md").read_text()
    assert all(result.is_default and result.success for result in one.results)
    assert all(one.is_pristine(name) for name in FILES)
    assert (home / "BOOTSTRAP.md").exists() and len(list((home / "personas").glob("*.md"))) == 2


def test_the_order_is_that_of_the_seed_and_the_owners_files_are_the_owners(home: Path) -> None:
    main, shared = workspace(home), workspace(home, TEAM)
    notes = ["memory/2026-02-15.md", "memory/2026-02-14.md"]
    assert main.names == ["AGENTS.md", "SPIRIT.md", "OWNER.md", "TOOLS.md", *notes, "MEMORY.md"]
    assert shared.names == ["AGENTS.md", "SPIRIT.md", "TOOLS.md", "memory/2026-02-15.md"]


UNREADABLE: dict[str, tuple[Callable[[Path], object], str]] = {
    "folder": (Path.mkdir, "is a folder"),
    "pipe": (os.mkfifo, "is a pipe or a device"),
    "latin": (lambda path: path.write_bytes(b"caf\xe9 \xff\n"), "is not UTF-8"),
    "binary": (lambda path: path.write_bytes(b"a\0b"), "is not UTF-8"),
    "circle": (lambda path: path.symlink_to(path.name), "leads nowhere"),
    "outside": (lambda path: path.symlink_to("/etc/hostname"), "leads out of the home"),
    "dangling": (lambda path: path.symlink_to("not-there"), "leads nowhere"),
    "device": (lambda path: path.symlink_to("/dev/zero"), "leads out of the home"),
}


@pytest.mark.parametrize(("make", "why"), UNREADABLE.values(), ids=UNREADABLE)
def test_what_cannot_be_read_is_replaced_by_its_last_good_copy_and_said(
    home: Path, make: Callable[[Path], object], why: str
) -> None:
    workspace(home).load()
    (home / "AGENTS.md").write_text("be kind\n")
    workspace(home).load()
    (home / "AGENTS.md").unlink()
    make(home / "AGENTS.md")
    start = time.monotonic()
    one = workspace(home)
    context = one.load()
    result = results(one)["AGENTS.md"]
    assert context.agents_content == "be kind\n" and result.from_cache and result.success
    assert result.error is not None and why in result.error and "last good copy" in result.error
    assert one.changed() == [] and time.monotonic() - start < 20


def test_a_file_that_is_too_large_is_read_to_a_line_end_with_a_note(home: Path) -> None:
    workspace(home).load()
    with (home / "MEMORY.md").open("wb") as file:
        file.write("- 记忆\n".encode() * 100)
        file.truncate(50 << 20)
    (home / "MEMORY.md").write_bytes("- 记忆一条\n".encode() * 3_000_000)
    one = workspace(home)
    text = one.load().memory_content
    assert text is not None and text.endswith("- 记忆一条\n") and len(text.encode()) <= MAX_BYTES
    result = results(one)["MEMORY.md"]
    assert result.success and result.error is not None and "only its beginning" in result.error


def test_changes_are_seen_once_whoever_makes_them_and_however(home: Path) -> None:
    one = workspace(home)
    assert one.state.value == State.INITIAL.value
    one.load()
    assert one.state.value == State.READY.value and one.changed() == []
    (home / "TOOLS.md").write_text("use rg\n")
    (home / "memory/2026-02-15.md").write_text("- by hand\n")
    assert one.changed() == [("TOOLS.md", "use rg\n"), ("memory/2026-02-15.md", "- by hand")]
    assert one.changed() == [] and one.state.value == State.READY.value
    draft = home / ".draft"
    draft.write_text("use fd\n")
    os.utime(draft, ns=(0, 0))
    draft.replace(home / "TOOLS.md")
    assert one.changed() == [("TOOLS.md", "use fd\n")]
    before = (home / "TOOLS.md").stat()
    (home / "TOOLS.md").write_text("use ag\n")
    os.utime(home / "TOOLS.md", ns=(before.st_atime_ns, before.st_mtime_ns))
    assert one.changed() == [("TOOLS.md", "use ag\n")]
    (home / "TOOLS.md").touch()
    assert one.changed() == []
    (home / "TOOLS.md").unlink()
    assert one.changed() == [("TOOLS.md", template("TOOLS.md", "en"))] and one.is_pristine(
        "TOOLS.md"
    )
    (home / "memory/2026-02-15.md").unlink()
    assert one.changed() == [("memory/2026-02-15.md", "")]


def test_a_shared_session_sees_no_change_of_what_is_not_its_own(home: Path) -> None:
    one = workspace(home, TEAM)
    one.load()
    lay_out(home, "en")
    (home / "OWNER.md").write_text("PRIVATE")
    (home / "memory").mkdir(exist_ok=True)
    (home / "memory/2026-02-15.md").write_text("- PRIVATE\n")
    assert one.changed() == []


NOW = datetime(2026, 2, 15, 12, tzinfo=UTC)
BROKEN = (
    {"session_type": "shared", "memory_content": "x"},
    {"session_type": "shared", "owner_content": "x"},
    {"session_type": "shared", "daily_memories": ["x"], "daily_dates": [YESTERDAY]},
    {"session_type": "shared", "loaded_files": ["OWNER.md"]},
    {
        "session_type": "main",
        "daily_memories": ["a", "b", "c"],
        "daily_dates": [TODAY, YESTERDAY, TODAY],
    },
    {"session_type": "main", "daily_memories": ["a"], "daily_dates": []},
    {"session_type": "main", "daily_memories": ["a"], "daily_dates": [TODAY - timedelta(days=2)]},
)


@pytest.mark.parametrize("fields", BROKEN)
def test_a_context_that_breaks_a_rule_cannot_be_made(fields: dict[str, object]) -> None:
    known: dict[str, Any] = {"session_id": "s", "created_at": NOW, "today": TODAY, **fields}
    with pytest.raises(ValueError):
        AgentContext(**known)


EARLIER = {"created_at": NOW, "updated_at": NOW - timedelta(seconds=1)}


@pytest.mark.parametrize(
    "fields", [{"importance": 0}, {"importance": 6}, {"content": " "}, EARLIER]
)
def test_a_memory_that_breaks_a_rule_cannot_be_made(fields: dict[str, object]) -> None:
    known: dict[str, Any] = {"id": "1", "content": "x", "category": "y", "importance": 3}
    known |= {"source_date": TODAY, "created_at": NOW, "updated_at": NOW}
    assert MemoryEntry(**known).said()["source_date"] == "2026-02-15"
    with pytest.raises(ValueError):
        MemoryEntry(**known | fields)
