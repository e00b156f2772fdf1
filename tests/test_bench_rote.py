"""The bench of what is done by rote: that it teaches, asks and judges, and that its judge sees what is wrong."""

from __future__ import annotations

import json
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest

from bench.desk import Desk
from bench.rote_tasks import TASKS
from bench.rote_tasks.base import Draw, Task, Values, World, lists, says_number, sentence, ways
from bench.rote_tasks.judge import Kind, judge
from bench.rote_tasks.others import NEAR, UNCOVERED
from tests.conftest import CHECKOUT

TASK = {task.name: task for task in TASKS}


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    with Desk() as desk:
        yield World(tmp_path / "owner", desk)


def _end(
    status: str, result: str, sop: str | None, parameters: Values | None = None
) -> list[dict[str, Any]]:
    opening = {"type": "run_started", "sop": sop, "parameters": parameters}
    tokens = {"input": 0, "cached": 0, "output": 0}
    return [
        opening,
        {
            "type": "run_ended",
            "status": status,
            "result": result,
            "model_calls": 0,
            "tokens": tokens,
        },
    ]


def _prepared(task: Task, world: World, number: int = 0) -> Values:
    draw = Draw(Random(number), world.desk.url)
    values = task.draw(draw)
    world.clear()
    task.prepare(world, values)
    return values


def test_there_are_enough_tasks_of_each_kind_and_requests_that_nothing_covers() -> None:
    assert len(TASKS) >= 25 and len(TASK) == len(TASKS)
    assert {task.kind for task in TASKS} == {
        "files",
        "text",
        "tables",
        "git",
        "http",
        "order desk",
        "reports",
    }
    assert (
        len(UNCOVERED) >= 20 and sum(map(len, NEAR.values())) >= 20 and NEAR.keys() <= TASK.keys()
    )


@pytest.mark.parametrize("name", sorted(TASK))
def test_a_task_can_be_asked_for_in_ten_other_sentences_in_both_languages(name: str) -> None:
    task = TASK[name]
    own, other = (task.asks, task.asks_zh) if task.taught_in == "en" else (task.asks_zh, task.asks)
    assert len(own) >= 4 and len(other) >= 2
    assert sum(ways(each) for each in (*own[1:], *other)) >= 6
    rng, draw = Random(name), Draw(Random(name), "http://127.0.0.1:8085")
    values = task.draw(draw)
    said = {sentence(each, values, rng) for each in (*own, *other)}
    assert len(said) == len(own) + len(other) and not any(
        "{" in each or "|" in each for each in said
    )
    assert not any(chinese.isascii() for chinese in task.asks_zh)


@pytest.mark.parametrize("name", sorted(TASK))
def test_a_world_in_which_nothing_was_done_is_not_right(name: str, world: World) -> None:
    task = TASK[name]
    values = _prepared(task, world)
    before = world.state()
    assert world.state() == before, "the state of a world must not change by looking"
    asked: tuple[str, Kind, str] = (name, "other words", "…")
    assert (
        judge(asked, task, values, before, world.state(), _end("done", "Done.", name)).outcome
        == "wrong"
    )
    assert (
        judge(asked, task, values, before, world.state(), _end("no_model", "", None)).outcome
        == "declined"
    )
    stopped = judge(asked, task, values, before, world.state(), _end("failed", "it differs", name))
    assert (stopped.outcome, stopped.has_written) == ("stopped", False)


def test_the_judge_sees_a_file_too_many_a_stale_number_and_a_stop_behind_a_write(
    world: World,
) -> None:
    task = TASK["merge-texts"]
    values = _prepared(task, world)
    before = world.state()
    texts = sorted(world.path(values["folder"]).glob("*.txt"))
    merged = "".join(path.read_text("utf-8") for path in texts)
    world.write(values["target"], merged)
    asked: tuple[str, Kind, str] = ("merge-texts", "other words", "…")
    assert (
        judge(asked, task, values, before, world.state(), _end("done", "Merged.", "x")).outcome
        == "right"
    )
    assert (
        judge(asked, None, values, before, world.state(), _end("done", "Merged.", "x")).outcome
        == "wrong"
    )
    stopped = judge(asked, task, values, before, world.state(), _end("failed", "", "x"))
    assert (stopped.outcome, stopped.has_written) == ("stopped", True)
    world.write("~/one too many.txt", "x")
    wrong = judge(asked, task, values, before, world.state(), _end("done", "Merged.", "x"))
    assert wrong.outcome == "wrong" and "one too many.txt" in wrong.differs[0]


def test_answers_are_read_without_the_words_of_the_request() -> None:
    assert says_number("~/a 7.txt has 12 words", 12, {"file": "~/a 7.txt"})
    assert not says_number("12 words in 3 files", 12, {})
    assert not says_number("11", 12, {})
    assert lists("b, a", ["a", "b"], ["c"]) and not lists("b, a", ["a", "b"], in_order=True)
    assert not lists("a, b, c", ["a", "b"], ["c"]) and not lists("ab", ["a"])


def test_another_seed_gives_other_values_and_the_same_seed_the_same() -> None:
    task = TASK["filter-rows"]
    drawn = [task.draw(Draw(Random(seed))) for seed in (1, 1, 2)]
    assert drawn[0] == drawn[1] != drawn[2]


def test_the_desk_keeps_its_books() -> None:
    def ask(path: str, body: Any = None) -> Any:
        data = None if body is None else json.dumps(body).encode()
        with urllib.request.urlopen(f"{desk.url}{path}", data, timeout=10) as answer:
            return json.loads(answer.read())

    with Desk() as desk:
        desk.books.customers.append({"id": "C-1", "name": "Ann Berg", "email": "a@b.example"})
        desk.books.stock["S"] = 3
        assert ask("/customers?name=ann")[0]["id"] == "C-1"
        order = ask("/orders", {"customer": "C-1", "sku": "S", "quantity": 2})
        assert ask("/stock/S")["quantity"] == 1
        with pytest.raises(urllib.error.HTTPError, match="409") as refused:
            ask("/orders", {"customer": "C-1", "sku": "S", "quantity": 2})
        refused.value.close()
        assert ask(f"/orders/{order['id']}/cancel", {})["status"] == "cancelled"
        assert desk.state()["stock"] == {"S": 3}
        with pytest.raises(urllib.error.HTTPError, match="409") as again:
            ask(f"/orders/{order['id']}/cancel", {})
        again.value.close()


def test_a_few_tasks_from_teaching_to_requests() -> None:
    tasks = "count-word,extract-lines,sort-table,biggest-folder"
    command = [sys.executable, str(CHECKOUT / "bench" / "rote.py"), "--tasks", tasks]
    done = subprocess.run(
        [*command, "--requests", "2", "--sizes", "40", "--json"],
        capture_output=True,
        text=True,
        timeout=200,
        check=True,
    )
    both = json.loads(done.stdout)
    with_one = both["with a model"]
    assert with_one["faults"] == [] and with_one["asked of the model"]["author"] == 4
    assert with_one["near miss"]["declined"] == with_one["near miss"]["asked"]
    found = both["without a model"]
    assert [row["task"] for row in found["rows"]] == tasks.split(",")
    assert all(row["tokens"] > 1000 and row["calls"] >= 2 for row in found["rows"])
    assert found["faults"] == [], "something was silently wrong, or stopped behind a write"
    assert {row["status"] for row in found["rows"]} <= {"probation", "active"}
    assert found["own words"]["right"] == 8 and found["by name"]["right"] == 12
    assert found["near miss"]["declined"] == found["near miss"]["asked"] >= 5
    assert found["growth"][-1]["sops"] == 40 and found["growth"][-1]["wrong"] == 0
