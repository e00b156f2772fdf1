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
