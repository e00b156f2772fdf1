"""The scripted model: the same replies each time, from code or a file, and again behind a
resume."""

from pathlib import Path
from typing import Any

import pytest

from config import ConfigError
from models.base import Event, Message, Reply, Request, ToolCall
from models.scripted import ScriptedModel
from tests.drained import drained
from tests.rows import cases


def ask(
    model: ScriptedModel, messages: list[Message] | None = None, turn: int = 1
) -> tuple[list[Event], Reply]:
    return drained(model.reply(Request(turn, messages or [{"role": "user", "content": "go"}])))


CALL: dict[str, Any] = {"text": "I look.", "calls": [{"name": "file_read", "args": {"path": "a"}}]}


def test_every_way_to_give_a_reply() -> None:
    given: list[Any] = [
        CALL,
        "text",
        Reply("mine", model="own"),
        lambda request: f"turn {request.turn}",
        lambda request: CALL,
    ]
    model = ScriptedModel(given, "demo")
    events, reply = ask(model)
    assert events == [{"type": "text", "delta": "I look."}]
    assert reply.calls == [ToolCall("scripted_1_1", "file_read", {"path": "a"})]
    assert (reply.model, reply.kind, reply.finish, reply.usage.cost) == (
        "demo",
        "scripted",
        "stop",
        0.0,
    )
    replies = [ask(model, turn=turn)[1] for turn in range(2, 6)]
    assert [reply.text for reply in replies] == ["text", "mine", "turn 4", "I look."]
    assert [reply.model for reply in replies] == ["demo", "own", "demo", "demo"]
    assert replies[3].calls[0].id == "scripted_5_1"


@cases
def test_file_that_is_no_script_is_a_setting_that_cannot_be_meant(
    text: str | None, words: str, tmp_path: Path
) -> None:
    path = tmp_path / "script.yaml"
    if text is not None:
        path.write_text(text, "utf-8")
    with pytest.raises(ConfigError, match=words) as caught:
        ScriptedModel.load(path)
    assert str(path) in str(caught.value)
