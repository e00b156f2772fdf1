"""Hold first requests without a model to the seed that is meant, its values, and its effects."""

import json
import os
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from learning.route import Match, Where, exact_match
from memory.sops import SopStore
from tests.conftest import CommandLine, Finished
from tests.rows import cases

SEEDS = Path(__file__).parent.parent / "sops"
PATHS = ("file", "folder", "target", "new_folder")


@pytest.fixture
def desk(tmp_path: Path) -> Path:
    desk = tmp_path / "desk"
    (desk / "papers").mkdir(parents=True)
    (desk / "table.csv").write_text("item,amount\nrent,800\nfood,42.5\n")
    (desk / "names.txt").write_text("zoe\nadam\nzoe\n")
    (desk / "twin.txt").write_text("zoe\nadam\nzoe\n")
    with zipfile.ZipFile(desk / "old.zip", "w") as archive:
        archive.writestr("inside.txt", "hello")
    return desk


@pytest.fixture
def run(desk: Path, cli: CommandLine) -> Callable[..., Finished]:
    return lambda *args: cli(*args, cwd=desk)


def match_of(desk: Path, request: str) -> Match | None:
    known = SopStore(SEEDS, desk.parent / "sops").all()
    return exact_match(request, known, Where(desk, desk.parent))


@cases
def test_a_first_request_is_done_by_the_seed_that_is_meant(
    desk: Path, request_text: str, sop: str, values: dict[str, Any]
) -> None:
    match = match_of(desk, request_text)
    assert match is not None and match.sop.name == sop
    for name, value in values.items():
        named = [str(desk / each) for each in value] if name == "files" else value
        assert match.parameters[name] == (str(desk / value) if name in PATHS else named)


@cases
def test_a_condition_a_negation_or_another_wish_is_never_done(
    desk: Path, request_text: str
) -> None:
    assert match_of(desk, request_text) is None


@cases
def test_what_only_reads_is_answered(
    run: Callable[..., Finished], request_text: str, told: str
) -> None:
    done = run(request_text)
    assert done.code == 0 and told in done.stdout


def test_a_copy_into_a_folder_that_is_not_there_makes_it(
    desk: Path, run: Callable[..., Finished]
) -> None:
    assert run("copy names.txt to backup").code == 0
    assert (desk / "backup" / "names.txt").is_file()


def test_what_changes_files_can_be_undone(desk: Path, run: Callable[..., Finished]) -> None:
    before = (desk / "names.txt").read_text()
    assert run("remove duplicate lines from names.txt").code == 0
    assert (desk / "names.txt").read_text() == "zoe\nadam\n"
    assert run("undo", "--yes").code == 0
    assert (desk / "names.txt").read_text() == before


@pytest.mark.parametrize(
    "request_", ["rename names.txt to table.csv", "write hello into table.csv"]
)
def test_nothing_is_written_over(desk: Path, run: Callable[..., Finished], request_: str) -> None:
    before = (desk / "table.csv").read_text()
    done = run(request_)
    assert done.code == 1 and "table.csv" in done.stdout + done.stderr
    assert (desk / "names.txt").exists() and (desk / "table.csv").read_text() == before


def test_photos_are_named_by_the_time_they_were_taken(
    desk: Path, run: Callable[..., Finished]
) -> None:
    (desk / "a.jpg").write_bytes(b"\xff\xd8Exif\0 2024:05:03 14:22:10\0 2025:01:01 00:00:00\0")
    (desk / "b.JPG").write_bytes(b"\xff\xd8Exif\0 2024:05:03 14:22:10\0 and more")
    (desk / "c.png").write_bytes(b"no time within")
    os.utime(desk / "c.png", (0, 86_400))
    assert run("rename the photos by date").code == 0
    names = sorted(each.name for each in desk.iterdir() if each.suffix in (".jpg", ".png"))
    assert names[0].startswith("1970-01-0") and names[1:] == [
        "2024-05-03_14-22-10-2.jpg",
        "2024-05-03_14-22-10.jpg",
    ]
    assert "already" in run("rename the photos by date").stdout


def test_photos_go_into_a_folder_for_each_month(desk: Path, run: Callable[..., Finished]) -> None:
    for name, day in (("a.jpg", 1), ("b.PNG", 40)):
        (desk / name).write_bytes(name.encode())
        os.utime(desk / name, (0, 1_700_000_000 + day * 86_400))
    assert run("organise my photos by month").code == 0
    assert (desk / "2023-11" / "a.jpg").exists() and (desk / "2023-12" / "b.PNG").exists()
    assert run("undo", "--yes").code == 0 and (desk / "a.jpg").exists()
    assert "no photo files" in run("organise the photos in papers by month").stdout


def test_what_deletes_waits_for_the_owner(desk: Path, run: Callable[..., Finished]) -> None:
    assert run("delete names.txt").code == 3
    assert (desk / "names.txt").exists()


def test_copies_of_files_are_shown_and_one_of_each_stays(
    desk: Path, run: Callable[..., Finished]
) -> None:
    (desk / "papers" / ".git").mkdir()
    for name in ("papers/a.txt", "papers/b.txt", "empty.txt", "void.txt"):
        (desk / name).write_text("kept" * ("/" in name))
    waiting = run("delete the duplicates in .")
    assert waiting.code == 3 and "twin.txt" not in waiting.stderr
    assert "names.txt" in waiting.stderr and (desk / "names.txt").exists()
    assert run("delete the duplicates in .", "--approve", "all").code == 0
    assert not (desk / "names.txt").exists()
    assert all((desk / name).exists() for name in ("twin.txt", "papers/b.txt", "void.txt"))


@pytest.mark.parametrize(
    "request_", ["don't forget to remind me tomorrow at 9 to call mum", "记得提醒我明天九点开会"]
)
def test_a_reminder_that_must_not_be_forgotten_is_no_note(
    run: Callable[..., Finished], request_: str
) -> None:
    run(request_)
    shown = run("what reminders do I have").stdout
    assert "09:00" in shown and ("call mum" in shown or "开会" in shown)


def test_reminders_are_listed_and_cancelled(run: Callable[..., Finished]) -> None:
    run("remind me tomorrow at 9 to call the dentist")
    assert "call the dentist" in run("what reminders do I have").stdout
    assert "call the dentist" in run("cancel the dentist reminder").stdout
    assert "No reminder" in run("what reminders do I have").stdout


def test_an_input_that_a_seed_refuses_is_not_held_against_it(
    desk: Path, run: Callable[..., Finished]
) -> None:
    (desk / "bad.zip").write_text("no archive")
    for _ in range(3):
        done = run("unzip bad.zip")
        assert done.code == 1 and "bad.zip is not a zip" in done.stdout + done.stderr
        assert "ended with exit code" not in done.stdout + done.stderr
    assert json.loads(run("inbox", "list", "--json").stdout) == {"inbox": []}
    rows = json.loads(run("sops", "stats", "zip-files", "--json").stdout)["runs"]
    assert [row["outcome"] for row in rows] == ["not_ready"] * 3
