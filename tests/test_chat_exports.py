"""Chats of messengers and of model APIs become turns: who said what, when, in which chat; the same file again adds nothing."""

from __future__ import annotations

import json
import os
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from memory.journal_import import Bad, read
from memory.turns import Turn


@pytest.fixture(autouse=True)
def utc(monkeypatch: pytest.MonkeyPatch) -> None:
    """Exports of messengers say the time as it was on the phone: here it is that of this machine."""
    import time

    monkeypatch.setenv("TZ", "UTC")
    time.tzset()


def _turns(tmp_path: Path, name: str, content: Any) -> list[Turn]:
    file = tmp_path / name
    file.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    os.utime(file, (1_780_000_000, 1_780_000_000))
    found = list(read(file))
    assert not [each for each in found if isinstance(each, Bad)]
    return [each for each in found if isinstance(each, Turn)]


@pytest.mark.parametrize(
    ("text", "at"),
    [
        ("[15/10/2026, 10:12:45] Ann: hello\nsecond line\n[15/10/2026, 10:13:00] Bob: hi\n", "2026-10-15T10:12:45"),
        (
            "\u200e[10/15/26, 1:12:45\u202fPM] Ann: hello\nsecond line\n[10/15/26, 1:13:00\u202fPM] Bob: hi\n",
            "2026-10-15T13:12:45",
        ),
        ("10/15/26, 10:12 - Ann: hello\nsecond line\n10/15/26, 10:13 - Bob: hi\n", "2026-10-15T10:12"),
        ("03.04.26, 10:12 - Ann: hello\nsecond line\n03.04.26, 10:13 - Bob: hi\n", "2026-04-03T10:12"),
        ("3/4/26, 12:12 am - Ann: hello\nsecond line\n3/4/26, 10:13 am - Bob: hi\n", "2026-03-04T00:12"),
        ("2026/10/15, 10:12 - Ann: hello\nsecond line\n2026/10/15, 10:13 - Bob: hi\n", "2026-10-15T10:12"),
    ],
)
def test_a_whatsapp_chat_in_each_of_its_date_formats(text: str, at: str, tmp_path: Path) -> None:
    first, second = _turns(tmp_path, "WhatsApp Chat with Ann.txt", text)
    assert (first.who, first.text, first.session) == ("Ann", "hello\nsecond line", "WhatsApp Chat with Ann")
    assert first.at == datetime.fromisoformat(at).replace(tzinfo=UTC)
    assert (second.who, second.text) == ("Bob", "hi")


def test_what_nobody_said_in_a_whatsapp_chat_is_left_out(tmp_path: Path) -> None:
    text = "15/10/26, 10:12 - Messages are end-to-end encrypted.\n15/10/26, 10:13 - Bob: look: a walrus\n"
    assert [(turn.who, turn.text) for turn in _turns(tmp_path, "chat.txt", text)] == [("Bob", "look: a walrus")]


def test_a_note_that_only_mentions_times_stays_a_note(tmp_path: Path) -> None:
    turns = _turns(tmp_path, "plan.txt", "Meet at the station\n15/10/26, 10:12 - Bob: bring bread\n")
    assert [turn.who for turn in turns] == ["owner"]


def test_a_telegram_chat_alone_and_all_chats(tmp_path: Path) -> None:
    chat = {
        "name": "Ann",
        "type": "personal_chat",
        "id": 7,
        "messages": [
            {"id": 1, "type": "service", "action": "joined", "text": ""},
            {
                "id": 2,
                "type": "message",
                "date": "2026-10-01T12:00:00",
                "date_unixtime": "1790848800",
                "from": "Ann",
                "text": ["see ", {"type": "link", "text": "example.org"}, " there"],
            },
            {"id": 3, "type": "message", "date": "2026-10-01T12:01:00", "from": None, "text": "a bird"},
        ],
    }
    alone = _turns(tmp_path, "result.json", chat)
    assert [(t.id, t.who, t.text, t.session) for t in alone] == [
        ("telegram-7-2", "Ann", "see example.org there", "Ann"),
        ("telegram-7-3", "Ann", "a bird", "Ann"),
    ]
    assert alone[0].at == datetime.fromtimestamp(1_790_848_800, UTC)
    assert _turns(tmp_path, "all.json", {"chats": {"list": [chat, {**chat, "id": 8}]}})[2].id == "telegram-8-2"


def test_messages_with_roles_are_the_owners_and_the_agents(tmp_path: Path) -> None:
    said = [
        {"role": "system", "content": "Be kind."},
        {"role": "user", "content": [{"type": "text", "text": "Where is the key?"}]},
        {"role": "assistant", "content": "Under the mat.", "created_at": "2026-02-01T08:00:00Z"},
        {"role": "assistant", "content": None},
    ]
    turns = _turns(tmp_path, "talk.json", said)
    assert [(turn.who, turn.text) for turn in turns] == [("owner", "Where is the key?"), ("agent", "Under the mat.")]
    assert [turn.at.year for turn in turns] == [2026, 2026] and turns[0].at == datetime.fromtimestamp(
        1_780_000_000, UTC
    )
    assert [turn.id for turn in _turns(tmp_path, "talk.json", {"messages": said})] == [turn.id for turn in turns]


def test_the_day_in_the_heading_of_a_note_holds_for_its_parts(tmp_path: Path) -> None:
    turns = _turns(
        tmp_path, "notes.md", "# 2026-02-15\n\n## 今日事件\n- 完成了规范设计\n\n## Trip\nTo the waterfall.\n"
    )
    assert [(turn.at.date().isoformat(), turn.text.splitlines()[0]) for turn in turns] == [
        ("2026-02-15", "## 今日事件"),
        ("2026-02-15", "## Trip"),
    ]
