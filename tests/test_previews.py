"""Check what an owner is shown before a file is changed: the lines that go and those that come."""

from pathlib import Path

from handler import Approval
from tests.driving import SpokenOwner, call, run


def test_a_change_outside_the_roots_is_shown_as_a_diff(home: Path, tmp_path: Path) -> None:
    place = Path("/opt/sopwith-no-such-folder/notes.txt")
    owner = SpokenOwner(approvals=[Approval("no", "not there")])
    run(
        home,
        [call("file_patch", path=str(place), old="one\ntwo\nthree", new="one\n2\nthree"), "done"],
        owner,
    )
    assert [line.strip() for line in owner.shown[0].preview.splitlines()][-4:] == [
        "one",
        "-two",
        "+2",
        "three",
    ]
    assert str(place) in owner.shown[0].preview


def test_a_file_that_is_written_anew_is_compared_with_what_is_there(home: Path) -> None:
    place = Path.home() / ".bashrc"
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text("alias a=b\nexport X=1\n", "utf-8")
    owner = SpokenOwner(approvals=[Approval("no", "no")])
    run(
        home,
        [call("file_write", path=str(place), content="alias a=b\nexport X=2\n"), "done"],
        owner,
    )
    shown = [line.strip() for line in owner.shown[0].preview.splitlines()]
    assert "-export X=1" in shown and "+export X=2" in shown


def test_a_new_file_is_shown_whole(home: Path) -> None:
    owner = SpokenOwner(approvals=[Approval("no", "no")])
    run(
        home,
        [call("file_write", path=str(Path.home() / ".profile"), content="echo hi\n"), "done"],
        owner,
    )
    assert "content:" in owner.shown[0].preview and "echo hi" in owner.shown[0].preview
