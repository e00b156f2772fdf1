"""Check that what is said in a group stands in the journal by name, and is never the owner's."""

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from memory.graph.people import speaker
from memory.graph.shapes import OWNER
from memory.home import MAIN, Session
from memory.journal.turns import Turn
from memory.window.window import speakers
from tests.conftest import CommandLine
from tests.driving import of, run
from tests.rows import cases
from tests.screen import scripted

GROUP = Session.parse("shared:trip")


@cases
def test_each_message_has_its_speaker(
    text: str, is_named: bool, expected: list[tuple[str, str]]
) -> None:
    assert list(speakers(text, GROUP, is_named=is_named)) == [tuple(each) for each in expected]
    assert list(speakers(text, MAIN, is_named=is_named)) == [("owner", text)]


@pytest.mark.parametrize("who", ["Ada", "owner", "me", "主人", "I", "user", "shared:trip"])
def test_nobody_in_a_group_is_the_owner(who: str) -> None:
    turn = Turn("1", GROUP.name, who, "I live in Paris.", datetime.now(UTC))
    assert speaker(turn) != OWNER and speaker(turn).kind != OWNER.kind


def test_from_the_command_line_the_group_itself_speaks(cli: CommandLine, home: Path) -> None:
    scripted(home, ["Noted."])
    assert cli("run", "--session", "shared:trip", "Note: I love herrings").code == 0
    done = cli("memory", "search", "herrings", "--session", "shared:trip", "--json")
    assert [each["who"] for each in json.loads(done.stdout)["results"]][:1] == ["shared:trip"]


def test_what_somebody_in_a_group_wants_remembered_is_noted_with_their_name(home: Path) -> None:
    said = "Ada: remember that I love herrings\nBob: nice weather"
    events = run(home, ["Noted."], task=said, session="shared:trip", named=True)
    assert [event["text"] for event in of(events, "noted")] == ["Ada: I love herrings"]
    (note,) = (home / "memory").glob("2*.md")
    (line,) = [line for line in note.read_text("utf-8").splitlines() if "herrings" in line]
    assert "Ada: I love herrings <!-- sopwith session=shared:trip " in line
