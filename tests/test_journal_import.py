"""Conversations from elsewhere: ChatGPT, Claude, JSONL, notes, a zip; what cannot be read is told;
and the commands."""

import json
import zipfile
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from launch import main
from memory.journal.api import Memory
from memory.journal.imports import Bad, ImportFailed, import_file, read
from memory.journal.turns import Turn
from tests.rows import cases, rows

AT = 1_770_200_000.5  # seconds since 1970
GPT = rows(__name__, "gpt")
LINES = rows(__name__, "lines")


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    home = tmp_path / "home"
    monkeypatch.setenv("SOPWITH_HOME", str(home))
    return home


@pytest.fixture
def memory(home: Path) -> Iterator[Memory]:
    home.mkdir()
    with Memory(home, works_behind=False) as memory:
        yield memory


def file(tmp_path: Path, name: str, content: Any) -> Path:
    path = tmp_path / name
    path.write_text(content if isinstance(content, str) else json.dumps(content), "utf-8")
    return path


def split(path: Path) -> tuple[list[Turn], list[Bad]]:
    items = list(read(path))
    return [item for item in items if not isinstance(item, Bad)], [
        item for item in items if isinstance(item, Bad)
    ]


def test_bad_lines_are_told_by_number_and_the_rest_is_taken(tmp_path: Path) -> None:
    turns, bad = split(file(tmp_path, "turns.jsonl", "\n".join(LINES)))
    assert [each.place for each in bad] == [
        f"turns.jsonl, line {number}" for number in (2, 3, 4, 5, 6, 9, 10)
    ]
    assert [turn.text for turn in turns] == ["hello", "seconds, and no id", "lone \ud800 and \x00"]
    first = turns[0]
    assert (first.id, first.who, first.session, first.timezone) == ("a", "Ann", "talk-1", "+08:00")
    assert first.at == datetime(2025, 5, 1, 2, tzinfo=UTC)


def test_notes_are_cut_at_headings_and_dated_by_their_name(tmp_path: Path) -> None:
    text = "---\ntitle: x\n---\nfirst words\n\n# Printer\nIt is broken.\n\n## 2025-06-02 later\nMended.\n"
    turns, _ = split(file(tmp_path, "2025-06-01 diary.md", text))
    assert [turn.text for turn in turns] == [
        "first words",
        "# Printer\nIt is broken.",
        "## 2025-06-02 later\nMended.",
    ]
    assert [turn.at.date().isoformat() for turn in turns] == [
        "2025-06-01",
        "2025-06-01",
        "2025-06-02",
    ]


def test_a_zip_and_a_folder_give_what_is_in_them(tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    file(notes, "a.md", "one")
    file(notes, "b.md", "two")
    (notes / "c.md").symlink_to("/etc/hostname")
    assert [turn.text for turn in split(notes)[0]] == ["one", "two"]
    with zipfile.ZipFile(tmp_path / "export.zip", "w") as archive:
        archive.writestr("x/conversations.json", json.dumps(GPT))
        archive.writestr("../../notes/2025-01-01.md", "a note")
        archive.writestr("picture.png", b"\x89PNG")
    assert len(split(tmp_path / "export.zip")[0]) == 3


@cases
def test_what_cannot_be_imported_at_all_is_said(
    tmp_path: Path, name: str, content: str | None, said: str
) -> None:
    path = tmp_path / name if content is None else file(tmp_path, name, content)
    with pytest.raises(ImportFailed, match=said):
        list(read(path))


def test_the_same_file_again_adds_nothing_and_another_text_is_told(
    tmp_path: Path, memory: Memory
) -> None:
    path = file(tmp_path, "turns.jsonl", "\n".join(LINES))
    first = import_file(memory, path, lambda text: text)
    again = import_file(memory, path, lambda text: text)
    assert (first.added, first.known) == (3, 0)
    assert (again.added, again.known) == (0, 3)
    file(tmp_path, "turns.jsonl", LINES[0].replace("hello", "good bye"))
    changed = import_file(memory, path, lambda text: text)
    assert (changed.added, [each.place for each in changed.bad]) == (0, ["a"])
    assert memory.turn("a", "talk-1") is not None


# the commands


def test_imported_turns_are_found_with_their_ids(
    home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    told = [
        ("D1:1", "2025-05-01T10:00:00Z", "Ann", "The printer is out of toner.", "s1"),
        ("D1:2", "2025-05-01T10:01:00Z", "Bob", "二楼的打印机要换墨粉了。", "s1"),
        ("D2:1", "2025-06-01T10:01:00Z", "Bob", "Lunch was good.", "s2"),
    ]
    keys = ("id", "at", "who", "text", "session")
    said = [dict(zip(keys, each, strict=True)) for each in told]
    path = file(tmp_path, "turns.jsonl", "\n".join([*map(json.dumps, said), "bad"]))
    assert main(["memory", "import", str(path)]) == 0
    out, err = capsys.readouterr()
    assert "3 turns added" in out
    assert "turns.jsonl, line 4: not JSON" in err

    words = ["墨粉", "打印机", "--json", "--limit", "2", "--now", "2025-07-01"]
    assert main(["memory", "search", *words]) == 0
    document = json.loads(capsys.readouterr().out)
    best = document["results"][0]
    assert set(document) == {"results", "degraded", "sure"}
    assert {"id", "at", "who", "text", "mentioned", "episode", "source", "score", "why"} <= set(
        best
    )
    assert (best["id"], best["at"], best["who"]) == ("D1:2", "2025-05-01T10:01:00Z", "Bob")
    assert best["source"].startswith("journal/2025-05-01.md#")
    assert len(document["results"]) <= 2

    assert main(["memory", "search", "printer lunch", "--json", "--session", "s2"]) == 0
    assert {each["id"] for each in json.loads(capsys.readouterr().out)["results"]} == {"D2:1"}

    assert main(["memory", "show", "D1:1", "--session", "s1", "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert [each["id"] for each in shown["around"]] == ["D1:1", "D1:2"]

    assert main(["memory", "show", "D2:1", "--json"]) == 0, "an id of a search is enough"
    assert json.loads(capsys.readouterr().out)["turn"]["text"] == "Lunch was good."
    assert main(["memory", "search", "toner", "--lang", "zh"]) == 0
    assert "词语：toner" in capsys.readouterr().out

    assert main(["memory", "rebuild", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"turns": 3}
    assert main(["memory", "check"]) == 0
    (day,) = (home / "journal").glob("2025-06-01.md")
    day.write_text(day.read_text("utf-8").replace("Lunch", "Dinner"), "utf-8")
    assert main(["memory", "check", "--lang", "zh"]) == 1
    assert "D2:1" in capsys.readouterr().out


@pytest.mark.parametrize("who", ["me", "Me", "我", "用户", "owner", "Robin"])
def test_the_owner_is_one_person_by_whatever_name(home: Path, tmp_path: Path, who: str) -> None:
    home.mkdir(exist_ok=True)
    (home / "OWNER.md").write_text("# Owner\n\n- Called: Robin\n- Does:\n", "utf-8")
    line = {"id": "1", "at": "2026-01-01T09:00:00Z", "who": who, "text": "I moved to Lyon"}
    other = line | {"id": "2", "who": "Ann"}
    file = tmp_path / "turns.jsonl"
    file.write_text("".join(json.dumps(each) + "\n" for each in (line, other)), "utf-8")
    with Memory(home, works_behind=False) as memory:
        import_file(memory, file, lambda text: text)
        found = [memory.turn(id) for id in ("1", "2")]
    assert [turn.who for turn in found if turn] == ["owner", "Ann"]


def test_a_note_in_gbk_is_read(tmp_path: Path) -> None:
    file = tmp_path / "2026-01-01.md"
    file.write_bytes("办公室的无线网叫白鹭。".encode("gbk"))
    (turn,) = read(file)
    assert isinstance(turn, Turn) and turn.text == "办公室的无线网叫白鹭。"
