"""The chain: who is asked, who goes on, what it says when none is left, and where the owner's
limits stop it."""

import time
from collections.abc import Generator
from typing import Any

import pytest

from config import ModelConfig
from models.base import Event, Model, Reply, Request, ToolResult
from models.chain import Budget, ModelChain
from models.endpoint import EndpointModel
from models.errors import Diverged, LimitReached
from models.scripted import ScriptedModel
from tests.drained import drained
from tests.scripted_server import Answer, ScriptedServer, refused_url

NO_LIMIT = Budget(None, None)


def chain_of(*models: Model, budget: Budget = NO_LIMIT) -> ModelChain:
    return ModelChain(models, budget)


def ask(chain: ModelChain, request: Request | None = None) -> tuple[list[Event], Reply]:
    return drained(chain.reply(request or Request(1, [{"role": "user", "content": "go"}])))


class Replay:
    """A replay that stops at its first step, as a learned SOP does when the world has changed."""

    name = "rote"

    def __init__(self, event: Event | None = None) -> None:
        self._event = event

    def reply(self, request: Request) -> Generator[Event, None, Reply]:
        yield {"type": "rote", "state": "started"}
        raise Diverged("exit code 1", "Step 1 did X. Go on from step 2.", self._event)


def test_next_model_takes_over_for_good() -> None:
    with ScriptedServer([Answer("b"), Answer("c")]) as server:
        gone = EndpointModel(
            ModelConfig("gone", "m", base_url=refused_url()), wait=lambda seconds: None
        )
        here = EndpointModel(ModelConfig("here", "m", base_url=server.base_url))
        chain = chain_of(gone, here)
        assert chain.name == "gone"
        events, reply = ask(chain, Request(7, [{"role": "user", "content": "go"}]))
        failed = [event for event in events if event["type"] == "model_failed"]
        assert [(event["turn"], event["model"]) for event in failed] == [(7, "gone")]
        assert "no connection" in failed[0]["reason"]
        assert (reply.text, chain.name) == ("b", "here")
        events, reply = ask(chain)
        assert ([event["type"] for event in events], reply.text) == (["text"], "c")


def test_replay_that_diverges_hands_over() -> None:
    seen: list[Request] = []

    def go_on(request: Request) -> str:
        seen.append(request)
        return "done"

    diverged = {"type": "rote", "state": "diverged", "reason": "exit code 1"}
    request = Request(
        2, [{"role": "user", "content": "go"}], last=ToolResult("error", {"exit_code": 1})
    )
    chain = chain_of(Replay(diverged), ScriptedModel([go_on], "main"))
    events, reply = ask(chain, request)
    handover = "Step 1 did X. Go on from step 2."
    assert [event["type"] for event in events] == ["rote", "rote", "handover", "text"]
    assert events[1] == diverged
    assert events[2] == {"type": "handover", "turn": 2, "text": handover}
    assert request.messages[-1] == {"role": "user", "content": handover}
    assert seen[0].last is None
    assert (reply.text, chain.name) == ("done", "main")


def test_the_last_model_is_waited_for() -> None:
    waits: list[float] = []
    with ScriptedServer(
        [Answer(status=429, headers={"retry-after": "30"}), Answer("ok")]
    ) as server:
        alone = EndpointModel(ModelConfig("main", "m", base_url=server.base_url), wait=waits.append)
        assert ask(chain_of(ScriptedModel([], "gone"), alone))[1].text == "ok"
    assert waits == [pytest.approx(31.5, abs=1.6)]


SLOW = {
    "a byte a second": Answer("x" * 400, split=1, drip=1.0),
    "a piece, then nothing": Answer("x" * 400, stall=300),
    "nothing at all": Answer("x", wait=60.0),
    "comments for ever": Answer(raw=b": still here\n\n" * 5000, split=14, drip=0.05),
    "an end that is none": Answer("x" * 400, stall=300, how="plain"),
    "come back later": Answer(status=429, headers={"retry-after": "60"}),
}


@pytest.mark.parametrize("slow", SLOW.values(), ids=SLOW)
def test_time_limit_cuts_a_slow_answer(slow: Answer) -> None:
    started = time.monotonic()
    with ScriptedServer([slow] * 3) as server:
        model = EndpointModel(ModelConfig("main", "m", base_url=server.base_url))
        with pytest.raises(LimitReached, match="time limit reached"):
            ask(chain_of(model, budget=Budget(None, 0.5 / 60)))
        assert len(server.requests) == 1
    assert 0.5 <= time.monotonic() - started < 20  # of a minute and more


def test_cost_limit_stops_before_the_next_call() -> None:
    replies: list[Any] = [{"text": "a", "usage": {"cost": 0.02}}] * 3
    chain = chain_of(ScriptedModel(replies), budget=Budget(0.03, None))
    ask(chain)
    ask(chain)
    with pytest.raises(LimitReached) as caught:
        ask(chain)
    assert str(caught.value).startswith("cost limit reached: 0.04 of 0.03 USD are used")
    assert "--max-cost" in str(caught.value)
    assert len(str(caught.value).splitlines()) == 1
