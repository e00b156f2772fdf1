"""A long run stays inside its budget: what shrinks and when, what an endpoint that is full leads
to, what resume rebuilds."""

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

from bench import tokens
from context import Prompts
from context.compaction import HIGH, KEPT, LOW, Compaction, Extent, split
from models.base import Message
from runs.assemble import Agent, Options
from runs.control.bounds import AbsentOwner
from tests.driving import SpokenOwner, agent, drive, of, without_tail
from tests.rows import cases
from tests.scripted_server import Answer, asks, runs

BUDGET = 32_000
TURNS = 300
FULL = {
    "message": "This model's maximum context length is 8192 tokens. Please reduce the length of the messages."
}


def of_endpoint(home: Path, server: Any, budget: int, *more: Any) -> Agent:
    """Return an agent whose model is the scripted server, and whose next ones are `more`."""
    models = [
        f"{{name: m{at}, model: m, base_url: '{each.base_url}'}}"
        for at, each in enumerate((server, *more))
    ]
    return agent(home, None, f"models: [{', '.join(models)}]\nlimits: {{context_tokens: {budget}}}")


def long_run(body: dict[str, Any], number: int) -> Answer:
    """Every turn a command that prints 4 kB, each time others; at turn 30 the question that must be
    asked then."""
    turn = number + 1
    if turn == 30:
        return asks("ask_user", question="go on?")
    return lists(turn) if turn < TURNS else Answer(text="all listed")


def lists(turn: int) -> Answer:
    return runs(f"seq -f 'line %.0f of the listing' {turn * 1000} {turn * 1000 + 160}")


def plain(**more: Any) -> Options:
    return Options(rote=False, **more)


def test_a_run_of_300_turns_stays_inside_its_budget_and_breaks_the_cache_rarely(
    home: Path, scripted_server: Any
) -> None:
    server = scripted_server(long_run)
    started = of_endpoint(home, server, BUDGET).start(
        "list all the numbers", plain(max_turns=TURNS + 10), SpokenOwner(answers=["yes"])
    )
    events = drive(started)
    assert (events[-1]["status"], events[-1]["turns"]) == ("done", TURNS)
    bodies = [recorded.body for recorded in server.requests]
    requests = [tokens.segments(body) for body in bodies]
    sizes = [tokens.count(request) for request in requests]
    assert max(sizes) <= BUDGET and max(sizes) > BUDGET / 2
    compacted = of(events, "compacted")
    assert 5 <= len(compacted) <= TURNS / 8
    assert sum(tokens.breaks([one, other]) for one, other in pairwise(requests)) <= len(compacted)
    for event in compacted:
        assert event["tokens_before"] > HIGH * BUDGET and event["tokens_after"] <= LOW * BUDGET
    last = bodies[-1]["messages"]
    assert "list all the numbers" in last[1]["content"] and last[:2] == bodies[0]["messages"][:2]
    whole = [
        message for message in last if message["role"] == "tool" and len(message["content"]) > 3800
    ]
    assert len(whole) >= KEPT


def test_what_shrank_can_be_read_in_a_file(home: Path, scripted_server: Any) -> None:
    server = scripted_server([*(lists(turn) for turn in range(1, 20)), Answer(text="done")])
    run = of_endpoint(home, server, 24_000).start("list", plain(), AbsentOwner())
    drive(run)
    results = [
        message["content"]
        for message in server.requests[-1].body["messages"]
        if message["role"] == "tool"
    ]
    first = without_tail(json.loads(server.requests[1].raw)["messages"])[3]["content"]
    assert (
        results[0].startswith("line 1000 of") and len(results[0]) < 300 and len(results[-1]) > 3800
    )
    path = Path(results[0].rpartition("file_read ")[2].rstrip("]"))
    assert path.read_text("utf-8") == first and path.is_relative_to(home / "runs" / run.id)


def test_a_run_is_resumed_after_a_compaction(home: Path, scripted_server: Any) -> None:
    server = scripted_server([*(lists(turn) for turn in range(1, 28)), Answer(text="done")])
    run = of_endpoint(home, server, 9_000).start("list", plain(max_turns=20), AbsentOwner())
    assert drive(run)[-1]["status"] == "limit"
    events = drive(
        of_endpoint(home, server, 9_000).resume(run.id, plain(max_turns=20), AbsentOwner())
    )
    assert (events[-1]["status"], events[-1]["turns"]) == ("done", 28) and of(
        events, "context"
    ) == []
    requests = [recorded.body for recorded in server.requests]
    assert max(tokens.count(tokens.segments(body)) for body in requests) <= 9_000
    assert requests[-1]["messages"][:2] == requests[0]["messages"]


@cases
def test_an_endpoint_that_is_full_gets_a_shorter_request(
    home: Path, scripted_server: Any, status: int, words: str
) -> None:
    full = Answer(status=status, error={"message": words})
    server = scripted_server([*(lists(turn) for turn in range(1, 10)), full, Answer(text="done")])
    events = drive(of_endpoint(home, server, 100_000).start("list", plain(), AbsentOwner()))
    assert (events[-1]["status"], events[-1]["result"]) == ("done", "done")
    assert len(of(events, "compacted")) == 1
    before, after = (
        tokens.count(tokens.segments(recorded.body)) for recorded in server.requests[-2:]
    )
    assert after < 0.75 * before
    assert of(events, "model_retry") == [] and of(events, "model_failed") == []


def test_the_last_result_shrinks_too_where_nothing_else_can(
    home: Path, scripted_server: Any
) -> None:
    full = Answer(status=400, error=FULL)
    server = scripted_server([lists(1), full, Answer(text="done")])
    events = drive(of_endpoint(home, server, 100_000).start("list", plain(), AbsentOwner()))
    assert events[-1]["result"] == "done"
    assert "file_read" in server.requests[-1].body["messages"][-1]["content"]


def test_a_task_that_is_longer_than_the_context_is_a_clear_end(
    home: Path, scripted_server: Any
) -> None:
    server = scripted_server([Answer(status=400, error=FULL)] * 3)
    ended = drive(
        of_endpoint(home, server, 100_000).start("word " * 20_000, plain(), AbsentOwner())
    )[-1]
    assert ended["status"] == "no_model" and "limits.context_tokens" in ended["result"]
    assert len(server.requests) == 1  # nothing could be taken away


def history_of(turns: int, result: str = "r " * 2000, args: str = "{}") -> list[Message]:
    messages: list[Message] = [
        {"role": "system", "content": "rules"},
        {"role": "user", "content": "the task"},
    ]
    for turn in range(1, turns + 1):
        call = {
            "id": f"c{turn}",
            "type": "function",
            "function": {"name": "code_run", "arguments": args},
        }
        messages += [
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": f"c{turn}", "content": f"{turn} {result}"},
        ]
    return messages


def test_words_of_the_owner_are_not_folded_away(tmp_path: Path) -> None:
    messages = history_of(40)
    messages.insert(22, {"role": "user", "content": "The owner says: not the blue one"})
    compaction = Compaction(tmp_path, Prompts("en"), [f"did {turn}" for turn in range(1, 41)])
    once = compaction.apply(messages, Extent(), Extent(20, 20))
    twice = compaction.apply(once, Extent(20, 20), Extent(34, 34))
    assert [message["content"] for message in twice if "blue" in (message["content"] or "")] == [
        "The owner says: not the blue one"
    ]
    assert [
        message["content"] for message in twice if "did 1\n" in (message["content"] or "")
    ] != []
    assert len(split(twice)[1]) == 6


def test_a_folded_turn_keeps_what_was_found_in_which_file_and_what_the_owner_answered(
    home: Path, scripted_server: Any
) -> None:
    found = "parse_1 at a.py:40 takes a path and raises ValueError; " + "x" * 150
    Path("a.py").write_text("def parse_1(path): ...\n" * 300)
    server = scripted_server(
        [
            asks("file_read", path="a.py", count=300),
            Answer(text=f"<summary>{found}</summary>", calls=lists(2).calls),
            asks("ask_user", question="Which one?"),
            *(lists(turn) for turn in range(4, 20)),
            Answer(text="done"),
        ]
    )
    owner = SpokenOwner(answers=["the second one, please"])
    drive(of_endpoint(home, server, 9_000).start("look at all of it", plain(), owner))
    last = server.requests[-1].body["messages"]
    folded = next(each["content"] for each in last if "a line each" in (each["content"] or ""))
    assert "1. [file_read a.py" in folded and f"2. {found} [seq" in folded
    assert "look at all of it" in last[1]["content"]
    assert any("the second one, please" in (each["content"] or "") for each in last)


def test_a_scheduled_run_is_told_its_limits_and_its_job(home: Path, scripted_server: Any) -> None:
    server = scripted_server([Answer(text="done")])
    job = {"name": "backup", "due": "2026-11-22 08:00", "success": "2026-11-21 08:00"}
    run = of_endpoint(home, server, BUDGET).start("x", plain(job=job, max_turns=7), AbsentOwner())
    drive(run)
    told = server.requests[0].body["messages"][1]["content"]
    for part in ("backup", "2026-11-22 08:00", "2026-11-21 08:00", "7 turns", "$3", "60 minutes"):
        assert part in told
