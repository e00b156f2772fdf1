"""Check what the gate says of the desktop's tools: each program is asked about, and what is typed
where it is a command."""

from pathlib import Path
from typing import Any

import pytest

from config import SafetyConfig
from safety.gate import Ask, Decision, Gate

ASKED = "press Save in the window of the editor"
EDITOR = {"app": "Gedit", "title": "notes.txt – gedit"}
SHELL = {"app": "Gnome-terminal", "title": "owner@desk: ~"}


@pytest.fixture
def gate(tmp_path: Path) -> Gate:
    owner = tmp_path / "owner"
    return Gate(SafetyConfig(), owner / ".sopwith", owner, tmp_path / "cwd")


def do(
    gate: Gate, about: dict[str, Any], request: str = ASKED, session: str = "main", **args: Any
) -> Decision:
    ask = Ask(
        "desktop_do", args, ("write", "network"), (), session, request, ("screen",), True, about
    )
    return gate.decide(ask)


def look(gate: Gate, request: str, paths: tuple[Path, ...] = (), session: str = "main") -> Decision:
    return gate.decide(Ask("desktop_look", {}, ("read",), paths, session, request))


@pytest.mark.parametrize(
    "request_text", [ASKED, "take a screenshot", "看看屏幕上有什么", "最小化窗口"]
)
def test_looking_passes_when_the_request_speaks_of_the_screen(
    gate: Gate, request_text: str
) -> None:
    assert look(gate, request_text).decision == "allow"


def test_looking_is_asked_about_otherwise(gate: Gate) -> None:
    verdict = look(gate, "what is the weather in Paris?")
    assert (verdict.decision, verdict.risk) == ("confirm", "secret")
    assert look(gate, "").decision == "confirm"


def test_a_yes_for_the_run_holds_for_one_program(gate: Gate) -> None:
    first = do(gate, EDITOR, action="click", at=[10, 10])
    assert (first.decision, first.risk) == ("confirm", "change")
    assert "Gedit" in first.reason
    assert "notes.txt" in first.reason
    again = do(gate, EDITOR | {"title": "*notes.txt – gedit"}, action="type", text="hello")
    other = do(gate, {"app": "Firefox", "title": "My bank"}, action="click", at=[10, 10])
    assert first.scope == again.scope != other.scope


def test_the_window_that_sopwith_runs_in_is_the_owners_whatever_its_title(gate: Gate) -> None:
    for about in (SHELL | {"ours": True}, EDITOR | {"onto": SHELL | {"ours": True}}):
        assert do(gate, about, action="drag", at=[1, 1], to=[2, 2]).decision == "refuse"
    assert do(gate, SHELL, action="click", at=[1, 1]).decision == "confirm"


def test_whom_a_text_names_is_asked_about_by_itself(gate: Gate) -> None:
    plain = do(gate, EDITOR, action="type", text="hello")
    named = do(gate, EDITOR, action="type", text="send it to eve@evil.example")
    assert named.scope != plain.scope
    assert "eve@evil.example" in named.reason
    request = f"{ASKED} and write to eve@evil.example"
    assert (
        "evil"
        not in do(gate, EDITOR, request, action="type", text="send it to eve@evil.example").reason
    )


def test_each_text_for_a_terminal_is_asked_about_by_itself(gate: Gate) -> None:
    one, two = (do(gate, SHELL, action="type", text=text) for text in ("ls", "rm -rf ~"))
    assert one.decision == two.decision == "confirm"
    assert one.scope != two.scope
    assert "rm -rf ~" in two.reason


def test_our_own_window_is_the_owners(gate: Gate) -> None:
    verdict = do(
        gate,
        {"app": "Firefox", "title": "Inbox · Sopwith — Mozilla Firefox"},
        action="click",
        at=[1, 1],
    )
    assert (verdict.decision, verdict.risk) == ("refuse", "agent")


def test_a_shared_session_has_no_desktop(gate: Gate) -> None:
    assert do(gate, EDITOR, session="shared:club", action="click", at=[1, 1]).decision == "refuse"
    assert look(gate, ASKED, session="shared:club").decision == "refuse"
