"""Chats of messengers and of model APIs become turns: who said what, when, in which chat; the same
file again adds nothing."""

import json
import os
import zipfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from memory.journal.imports import Bad, read
from memory.journal.turns import Turn


def _turns(tmp_path: Path, name: str, content: Any) -> list[Turn]:
    file = tmp_path / name
    file.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    os.utime(file, (1_780_000_000, 1_780_000_000))
    found = list(read(file))
    assert not [each for each in found if isinstance(each, Bad)]
    return [each for each in found if isinstance(each, Turn)]


def test_messages_with_roles_are_the_owners_and_the_agents(tmp_path: Path) -> None:
    said = [
        {"role": "system", "content": "Be kind."},
        {"role": "user", "content": [{"type": "text", "text": "Where is the key?"}]},
        {"role": "assistant", "content": "Under the mat.", "created_at": "2026-02-01T08:00:00Z"},
        {"role": "assistant", "content": None},
    ]
    turns = _turns(tmp_path, "talk.json", said)
    assert [(turn.who, turn.text) for turn in turns] == [
        ("owner", "Where is the key?"),
        ("agent", "Under the mat."),
    ]
    assert [turn.at.year for turn in turns] == [2026, 2026] and turns[
        0
    ].at == datetime.fromtimestamp(1_780_000_000, UTC)
    assert [turn.id for turn in _turns(tmp_path, "talk.json", {"messages": said})] == [
        turn.id for turn in turns
    ]


def test_the_day_in_the_heading_of_a_note_holds_for_its_parts(tmp_path: Path) -> None:
    turns = _turns(
        tmp_path,
        "notes.md",
        "# 2026-02-15\n\n## 今日事件\n- 完成了规范设计\n\n## Trip\nTo the waterfall.\n",
    )
    assert [(turn.at.date().isoformat(), turn.text.splitlines()[0]) for turn in turns] == [
        ("2026-02-15", "## 今日事件"),
        ("2026-02-15", "## Trip"),
    ]


def _node(
    id: str, parent: str | None, role: str, content: dict[str, Any], at: float | None, **more: Any
) -> Any:
    message = {
        "id": id,
        "author": {"role": role},
        "create_time": at,
        "content": content,
        "recipient": "all",
        **more,
    }
    return id, {"id": id, "parent": parent, "children": [], "message": message}


def _words(*parts: Any, kind: str = "text") -> dict[str, Any]:
    return {"content_type": kind, "parts": list(parts)}


PICTURE = {"content_type": "image_asset_pointer", "asset_pointer": "file-service://x"}
TALK = {
    "title": "Basil",
    "create_time": 1_790_000_000.0,
    "current_node": "a3",
    "mapping": dict(
        [
            ("root", {"id": "root", "parent": None, "children": ["q1"], "message": None}),
            _node("q1", "root", "user", _words(PICTURE, "What is this?", kind="multimodal_text"), 1_790_000_001.5),
            _node("a1", "q1", "assistant", _words("An answer that was asked for again"), 1_790_000_002),
            _node("think", "q1", "assistant", {"content_type": "thoughts", "thoughts": [{"content": "hm"}]}, 1_790_000_003),
            _node("code", "think", "assistant", {"content_type": "code", "text": "look()"}, 1_790_000_004, recipient="python"),
            _node("tool", "code", "tool", {"content_type": "execution_output", "text": "basil"}, 1_790_000_005),
            _node("a2", "tool", "assistant", _words("Basil. \ue200cite\ue202turn0search1\ue201 Water it【3†source】."), 1_790_000_006),
            _node("q2", "a2", "user", _words(""), 1_790_000_007),
            _node("q3", "q2", "user", _words({"content_type": "audio_transcription", "text": "And roses?"}, kind="multimodal_text"), 1_790_000_100),
            _node("a3", "q3", "assistant", _words("Prune them in March."), None),
        ]
    ),
}  # fmt: skip


def test_of_a_chatgpt_export_what_both_said_to_each_other_is_taken_in_its_order(
    tmp_path: Path,
) -> None:
    archive = tmp_path / "export.zip"
    with zipfile.ZipFile(archive, "w") as made:  # large exports come in several files
        made.writestr(
            "conversations-000.json",
            json.dumps([TALK, {"title": "empty", "mapping": {}, "current_node": None}]),
        )
        made.writestr("conversations-001.json", json.dumps([]))
        made.writestr("user.json", "{}")
        made.writestr("chat.html", "<html>")
    turns = list(read(archive))
    assert [(turn.id, turn.who, turn.text) for turn in turns if isinstance(turn, Turn)] == [
        ("q1", "owner", "What is this?"),
        ("a2", "agent", "Basil. Water it."),
        ("q3", "owner", "And roses?"),
        ("a3", "agent", "Prune them in March."),
    ]
    assert [turn for turn in turns if not isinstance(turn, Turn)] == []
    assert isinstance(turns[-1], Turn) and turns[-1].at.timestamp() == 1_790_000_100, (
        "as the one before: it says none"
    )


def test_of_a_claude_export_thoughts_and_tools_are_left_out_and_files_are_begun(
    tmp_path: Path,
) -> None:
    said = [
        ("human", [{"type": "text", "text": "Plan Rome"}], "Plan Rome", [{"file_name": "a.txt", "extracted_content": "y" * 9000}]),
        ("assistant", [{"type": "thinking", "thinking": "hm"}, {"type": "tool_use", "name": "s"}, {"type": "text", "text": "Forum."}], "hm Forum.", []),
        ("assistant", [{"type": "tool_use", "name": "s"}], "This block is not supported", []),
        ("human", [], "", []),
        ("human", [], "An old export has only this", []),
    ]  # fmt: skip
    messages = [
        {"uuid": str(n), "sender": who, "content": blocks, "text": text, "created_at": f"2026-09-01T08:00:0{n}Z", "attachments": files}
        for n, (who, blocks, text, files) in enumerate(said)
    ]  # fmt: skip
    file = tmp_path / "conversations.json"
    file.write_text(
        json.dumps(
            [
                {"uuid": "k", "name": "Rome", "chat_messages": messages},
                {"uuid": "e", "chat_messages": []},
            ]
        )
    )
    turns = [turn for turn in read(file) if isinstance(turn, Turn)]
    assert [(turn.id, turn.who, turn.text) for turn in turns] == [
        ("0", "owner", "Plan Rome\n[a.txt] " + "y" * 1500),
        ("1", "agent", "Forum."),
        ("4", "owner", "An old export has only this"),
    ]
