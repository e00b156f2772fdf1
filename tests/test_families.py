"""Tools that most tasks never need join the offer when one asks for them, and work without it in a
replay."""

import base64
import sys
import typing
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from models.base import ToolResult
from runs.assemble import Options
from runs.control.bounds import AbsentOwner
from tests.driving import agent, call, drive, of
from tools.base import ToolContext, tool
from tools.registry import Family, Name, families

PIXEL = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
closed: list[str] = []


class Kept:
    def __init__(self) -> None:
        self.count = 0

    def close(self) -> None:
        closed.append("kept")


@tool("none")
def star_look(ctx: ToolContext, name: str) -> ToolResult:
    """Look at a star."""
    kept = ctx.keep("stars", Kept)
    kept.count += 1
    picture = ctx.folder / "star.png"
    picture.write_bytes(PIXEL)
    return ToolResult("ok", f"{name} {kept.count}", images=[str(picture)])


NAMES = list(families())
FAMILY = Family("tasks", "tests_stars", ("star_look",), r"\bstars?\b|星星")


@pytest.fixture(autouse=True)
def stars(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """Return a family of tools that is there for the test alone, in the place of all others."""
    module = ModuleType("tests_stars")
    vars(module).update(star_look=star_look, problem=lambda: "")
    monkeypatch.setitem(sys.modules, "tests_stars", module)
    monkeypatch.setattr("tools.registry._ours", lambda: {"tasks": FAMILY})
    closed.clear()
    return module


def test_every_family_can_be_asked_for() -> None:
    assert set(NAMES) == set(typing.get_args(Name))


def test_a_model_asks_for_a_family_and_uses_it(home: Path) -> None:
    replies = [call("more_tools", family="tasks"), call("star_look", name="Vega"), {"text": "seen"}]
    events = drive(agent(home, replies).start("look", Options(rote=False), AbsentOwner()))
    assert [(event["turn"], event["family"]) for event in of(events, "offered")] == [(1, "tasks")]
    assert [event["data"] for event in of(events, "tool_ended")] == [
        "star_look: Look at a star.",
        "Vega 1",
    ]
    assert closed == ["kept"]


def test_the_words_of_a_request_offer_a_family_from_the_start(home: Path) -> None:
    for request in ("how bright are the stars", "看看星星"):
        events = drive(
            agent(home, [{"text": "bright"}]).start(request, Options(rote=False), AbsentOwner())
        )
        assert events[0]["families"] == ["tasks"]
        assert not of(events, "offered")


def test_a_family_that_cannot_work_says_why(home: Path, stars: Any) -> None:
    stars.problem = lambda: "no telescope is here: scripts/setup --extra stars"
    replies = [call("more_tools", family="tasks"), call("star_look", name="Vega"), {"text": "no"}]
    events = drive(agent(home, replies).start("stars", Options(rote=False), AbsentOwner()))
    assert "families" not in events[0]
    assert [(event["status"], event["data"]) for event in of(events, "tool_ended")] == [
        ("error", "no telescope is here: scripts/setup --extra stars")
    ] * 2
