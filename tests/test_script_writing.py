"""A model may write the script of what was looked up or worked out: over a real endpoint, and checked by code alone."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

import replay.script
from learning.crystallise import crystallise
from learning.trace import read_trace
from memory.runlog.log import find_run
from memory.sops.store import SopStore
from runs.learning import teach as teaching
from tests.conftest import CHECKOUT, CommandLine
from tests.driving import agent, bash, call
from tests.screen import scripted
from tests.scripted_server import Answer, ScriptedServer

TASK = "put double the price of {name} from ~/shop/prices.json into ~/shop/{name}.txt"
GOOD = """import json


def plan(p):
    read = yield {"tool": "code_run", "args": {"type": "bash", "script": 'cat "$file"', "env": {"file": p["file"]}}}
    if read["status"] != "ok":
        return {"stop": "the prices cannot be read"}
    rows = [row for row in json.loads(read["data"]["output"]) if row["name"] == p["name"]]
    if len(rows) != 1:
        return {"stop": f"there are {len(rows)} prices of {p['name']}"}
    return {"double": str(rows[0]["price"] * 2)}


def commit(p, plan):
    yield {"tool": "file_write", "args": {"path": p["target"], "content": plan["double"]}}
    return "Written."
"""
HARD = GOOD.replace('rows[0]["price"] * 2', "2468")
HARD_NAME = GOOD.replace('== p["name"]', '== "hammer"').replace("{p['name']}", "it")
WRITES = GOOD.replace('cat "$file"', 'cat "$file" > "$file.old"')
ENDLESS = GOOD.replace(
    '    return {"double"', '    while True:\n        pass\n    return {"double"'
)
BROKEN = "def plan(p:\n    yield {}\n"
EXTRA = GOOD.replace("def commit", "RATE = 2\n\n\ndef commit")
UNUSED = GOOD.replace(' if row["name"] == p["name"]', ' if row["price"] > 1000').replace(
    "{p['name']}", "it"
)
MORE = GOOD.replace(
    "    if len(rows)",
    '    yield {"tool": "file_read", "args": {"path": p["file"]}}\n    if len(rows)',
)
OTHER = GOOD.replace("* 2", "* 3")


@pytest.fixture
def run(home: Path, cli: CommandLine) -> str:
    """A run of the scripted model that worked something out; then no model is configured any more."""
    shop = Path("~/shop").expanduser()
    shop.mkdir()
    prices = [{"name": "hammer", "price": 1234}, {"name": "nails", "price": 42}]
    (shop / "prices.json").write_text(json.dumps(prices), "utf-8")
    write = call("file_write", path="~/shop/hammer.txt", content="2468")
    scripted(home, [bash("cat ~/shop/prices.json"), write, "Written."])
    task = 'put double the price of "hammer" from ~/shop/prices.json into ~/shop/hammer.txt'
    assert cli(task, "--approve", "all").code == 0
    (home / "config.yaml").unlink()
    return find_run(home, "last")


def replies(*texts: str) -> Any:
    return lambda body, number: Answer(text=f"```python\n{texts[min(number, len(texts) - 1)]}```")


def draft(home: Path, server: ScriptedServer) -> Any:
    price = "price: {input: 1.0, cached: 0.1, output: 2.0}"
    there = agent(
        home, None, f"models: [{{name: main, model: m, base_url: '{server.base_url}', {price}}}]"
    )
    lesson = teaching.lesson_from_run(there, "double-price", "last")
    found = teaching.values_that_vary(there, lesson)
    values = {"name": "hammer", "file": "~/shop/prices.json", "target": "~/shop/hammer.txt"}
    assert set(found.values()) <= {
        str(Path(value).expanduser()) for value in values.values()
    } | set(values.values())
    return there, lesson, teaching.draft_of(there, lesson, values)


def test_a_good_script_is_stored_proven_and_works_for_other_values(home: Path, run: str) -> None:
    with ScriptedServer(replies(GOOD)) as server:
        there, lesson, made = draft(home, server)
    assert made.is_settled, made.problems
    assert made.files["scripts/run.py"] == GOOD and "plan" not in made.content.as_yaml()
    assert len(server.requests) == 1 and "hammer" in str(server.requests[0].body)
    assert any("1 calls" in note and "tokens" in note for note in made.notes)
    with teaching.trial(there, made.files, lesson.name, Path.cwd()) as trial:
        assert trial.prove().passed
        second = {"name": "nails", "file": "~/shop/prices.json", "target": "~/shop/nails.txt"}
        same = trial.prove(second)
        assert not same.passed or "file is the same" in same.reason
        other = Path("~/other.json").expanduser()
        other.write_text(json.dumps([{"name": "saw", "price": 7}]), "utf-8")
        verdict = trial.prove({"name": "saw", "file": "~/other.json", "target": "~/saw.txt"})
        assert (verdict.status_after, verdict.passed) == ("probation", True), verdict.reason
        sop = teaching.store(there, lesson, trial.files(), trial.sop.status, "taught")
    assert SopStore(CHECKOUT / "sops", home / "sops").get(sop.name) is not None


RULES = [
    (HARD, "2468"),
    (HARD_NAME, "hammer"),
    (WRITES, "plan only reads"),
    (BROKEN, "not Python"),
    (EXTRA, "nothing but plan and commit"),
    (UNUSED, "does not use the parameter name"),
    (MORE, "is another one"),
    (OTHER, "in place of"),
    (GOOD, ""),
    ("def plan(p):\n    yield from ()\n", "yield from"),
    ("import requests\n" + GOOD, "requests"),
    (GOOD.replace('return "Written."', "return 7"), "as a text"),
    (GOOD.replace("!= 1", "== 1"), "plan stops with the values of the run"),
    (
        GOOD.partition("def commit")[0]
        .replace("double", "target")
        .replace("str(", "p['target'] + str("),
        "does not ask for call",
    ),
    ("", "must define"),
]


def test_each_rule_drops_a_script_that_breaks_it_after_two_tries(home: Path, run: str) -> None:
    trace = read_trace(home, run)
    for source, why in RULES:
        told: list[list[str]] = []

        def write(
            brief: str, wrong: Sequence[str], source: str = source, told: list[list[str]] = told
        ) -> str:
            told.append(list(wrong))
            return source

        values = {"name": "hammer", "file": "~/shop/prices.json", "target": "~/shop/hammer.txt"}
        places = (Path.home(), home)
        made = crystallise(
            trace,
            "it",
            values=values,
            owner_home=places[0],
            agent_home=places[1],
            write_script=write,
        )
        assert made.is_settled == (not why) == ("scripts/run.py" in made.files), (
            source,
            made.problems,
            made.notes,
        )
        if why:
            assert len(told) == 2 and told[0] == [] and why in " ".join(told[1]), (why, told)
            assert any("dropped" in note for note in made.notes)


@pytest.mark.parametrize(
    ("twice", "is_kept"),
    [("* 2", True), ("* (2 if len(rows[0]) > 2 or rows[0]['price'] > 99 else 3)", False)],
)
def test_a_script_must_do_what_an_earlier_teaching_did(
    home: Path, cli: CommandLine, run: str, twice: str, is_kept: bool
) -> None:
    write = call("file_write", path="~/shop/nails.txt", content="84")
    scripted(home, [bash("cat ~/shop/prices.json"), write, "Written."])
    task = 'put double the price of "nails" from ~/shop/prices.json into ~/shop/nails.txt'
    assert cli(task, "--approve", "all").code == 0
    (home / "config.yaml").unlink()
    shop = Path("~/shop").expanduser()
    values = {
        "file": str(shop / "prices.json"),
        "name": "hammer",
        "target": str(shop / "hammer.txt"),
    }
    before = {"name": "nails", "file": str(shop / "prices.json"), "target": str(shop / "nails.txt")}
    source = GOOD.replace("* 2", twice)
    draft = crystallise(
        read_trace(home, run),
        "double-price",
        values=values,
        agent_home=home,
        write_script=lambda brief, wrong: source,
        earlier=[(read_trace(home, find_run(home, "last")), before)],
    )
    assert ("scripts/run.py" in draft.files) is is_kept, draft.notes
    assert is_kept or "dropped: run " in draft.notes[-1]


def test_an_endless_script_is_dropped(
    home: Path, run: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(replay.script, "STEP_SECONDS", 0.4)
    with ScriptedServer(replies(ENDLESS)) as server:
        _, _, made = draft(home, server)
    assert any("longer than" in note for note in made.notes) and "scripts/run.py" not in made.files


def test_the_second_try_is_told_what_was_wrong_and_may_be_right(home: Path, run: str) -> None:
    with ScriptedServer(replies(HARD, GOOD)) as server:
        _, _, made = draft(home, server)
    assert made.is_settled, made.problems
    assert len(server.requests) == 2 and "a value of this one run" in str(server.requests[1].body)
    evidence = json.loads(made.files["evidence.json"])
    assert len(evidence["runs"][0]["scripted"]) == 2
