"""A model reads finished episodes for the graph: what is believed, what it costs, what happens when
it fails."""

import json
from collections.abc import Callable, Mapping
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from config import Config, ModelConfig, SopwithError
from memory.graph import Wanted, opened, read
from memory.graph.reading import SCHEMA
from memory.journal.api import Memory
from memory.journal.store import Store
from memory.journal.sync import check, rebuild
from models.errors import ModelUnavailable
from runs.heartbeat import beat
from tests.graphs import START, edges, say
from tests.rows import cases
from tests.scripted_server import Answer, ScriptedServer

LATER = START + timedelta(days=300)


def statement(**changes: Any) -> dict[str, Any]:
    made = {
        "subject": "I",
        "predicate": "PREFERS",
        "object": "strong coffee",
        "label": "",
        "line": "L1",
        "quote": "strong coffee is what I want",
    }
    return {**made, "confidence": 0.9, "emotion": "", "lasting": True, **changes}


def reply(*statements: dict[str, Any]) -> str:
    return json.dumps({"statements": list(statements)})


class Model:
    """Answers from a list, and keeps what it was asked."""

    def __init__(self, *answers: str | Exception) -> None:
        self.answers, self.asked, self.schemas = (
            list(answers),
            list[str](),
            list[Mapping[str, Any]](),
        )

    def __call__(self, prompt: str, schema: Mapping[str, Any]) -> str:
        self.asked.append(prompt)
        self.schemas.append(schema)
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer


def have_read(
    home: Path, ask: Callable[[str, Mapping[str, Any]], str], limit: int = 20, now: Any = LATER
) -> int:
    store = Store(home / "journal" / "memory.sqlite3")
    try:
        done = read(store, ask, now, limit, lambda lines: f"<talk>\n{lines}\n</talk>")
    finally:
        store.close()
    with Memory(home) as memory:
        assert memory.flush(30)
    return done


SAID = "Strong coffee is what I want in the morning, always. My sister Anna laughs at that."


def test_what_a_model_finds_takes_the_place_of_what_rules_found(home: Path) -> None:
    say(home, SAID)
    with opened(home) as graph:
        assert {edge["by"] for edge in graph.snapshot(Wanted())["edges"]} == {"rules"}
    model = Model(
        reply(
            statement(),
            statement(
                subject="Anna",
                predicate="DISLIKES",
                object="strong coffee",
                quote="Anna laughs at that",
            ),
        )
    )
    assert have_read(home, model) == 1
    with opened(home) as graph:
        found = graph.snapshot(Wanted(predicates=["PREFERS", "DISLIKES", "RELATES_TO"]))
    assert edges(found) == {
        ("owner", "PREFERS", "", "strong coffee"),
        ("Anna", "DISLIKES", "", "strong coffee"),
    }
    assert {edge["by"] for edge in found["edges"]} == {"model"}
    assert model.schemas == [SCHEMA] and f"L1 owner: {SAID}" in model.asked[0]
    assert check(home) == []


@cases
def test_what_is_not_proven_is_dropped(home: Path, wrong: dict[str, Any]) -> None:
    with Memory(home) as memory:
        memory.write_turn(SAID, who="owner", at=START)
        memory.write_turn(
            "So strong coffee is what I want to make for you?",
            who="agent",
            at=START + timedelta(minutes=1),
        )
        assert memory.flush(30)
    have_read(home, Model(reply(statement(**wrong))))
    with opened(home) as graph:
        assert edges(graph.snapshot(Wanted())) == set()


@pytest.mark.parametrize(
    "failure",
    [
        "I would rather not.",
        "",
        ModelUnavailable("down"),
        SopwithError("no room"),
        "3",
        "[" * 100_000,
    ],
)
def test_a_model_that_fails_is_asked_again_later_and_the_rules_stay(
    home: Path, failure: str | Exception
) -> None:
    say(home, SAID)
    with opened(home) as graph:
        before = edges(graph.snapshot(Wanted()))
    model = Model(failure, reply(statement()))
    assert have_read(home, model) == 1
    assert have_read(home, model) == 0  # not yet
    with opened(home) as graph:
        assert edges(graph.snapshot(Wanted())) == before
    store = Store(home / "journal" / "memory.sqlite3")
    assert store.waiting("reading") == 1
    store.run("UPDATE queue SET not_before = 0")
    store.close()
    assert have_read(home, model) == 1
    with opened(home) as graph:
        assert ("owner", "PREFERS", "", "strong coffee") in edges(graph.snapshot(Wanted()))


def test_nothing_is_read_twice_a_rebuild_included(home: Path) -> None:
    say(home, SAID, "Good morning.", "I love rain.")
    model = Model(reply(statement()), reply(statement(object="rain", quote="I love rain")))
    assert have_read(home, model, 1) == 1
    assert "I love rain." in model.asked[0]  # the newest first
    assert have_read(home, model) == 1
    assert have_read(home, model) == 0
    with opened(home) as graph:
        before = edges(graph.snapshot(Wanted()))
    rebuild(home)
    with Memory(home) as memory:
        assert memory.flush(30)
    assert have_read(home, model) == 0 and not model.answers
    with opened(home) as graph:
        assert edges(graph.snapshot(Wanted())) == before


def configured(home: Path, server: ScriptedServer) -> Config:
    return Config(
        home=home,
        lang="en",
        models=(ModelConfig("main", "m", base_url=server.base_url, api_key="k" * 12),),
    )


def test_the_daily_upkeep_asks_the_endpoint_for_json_that_fits(home: Path) -> None:
    say(home, SAID)
    with ScriptedServer([Answer(text=reply(statement()))]) as server:
        config = configured(home, server)
        beat(config, LATER)
        sent = server.requests[-1].body
        assert sent["response_format"]["json_schema"]["schema"] == SCHEMA and SAID in str(
            sent["messages"]
        )
        asked = len(server.requests)
        beat(config, LATER + timedelta(days=1))
        assert len(server.requests) == asked
    with opened(home) as graph:
        assert ("owner", "PREFERS", "", "strong coffee") in edges(graph.snapshot(Wanted()))
