"""Autonomous mode: it works off the to-do list within its rules, tells what came of it, and
survives being killed."""

import json
import os
import signal
import subprocess
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import config
from config import Config
from memory.inbox import Answer as Said
from memory.inbox import Inbox
from memory.logs import read_events, run_ids, summarise, worker
from memory.tasks import Tasks
from runs.assemble import Agent, Options
from runs.auto.work import Autonomous
from runs.control.bounds import AbsentOwner, Bounds
from tests.conftest import LAUNCH, CommandLine
from tests.driving import drive, of
from tests.machine import PATIENCE_SECONDS
from tests.screen import waits_until
from tests.scripted_server import Answer, asks, runs

PRICE = "price: {input: 100, cached: 100, output: 100}"  # a call costs 0.011 USD


@pytest.fixture
def served(scripted_server: Any, home: Path) -> Callable[..., Any]:
    """Return a home whose model answers by the words in a request; a list of answers is taken by
    the results that are there."""

    def serve(by_words: dict[str, Any], settings: str = "") -> Any:
        def answer(body: dict[str, Any], _: int) -> Answer:
            texts = [str(m["content"]) for m in body["messages"] if m["role"] == "user"]
            said = next(
                (
                    t.partition("Your owner is away")[0][-120:]
                    for t in texts
                    if "Your owner is away" in t
                ),
                texts[0],
            )
            found = next(
                (answers for words, answers in by_words.items() if words in said), Answer(text="[]")
            )
            results = sum(m["role"] == "tool" for m in body["messages"])
            chosen: Answer = (
                found[min(results, len(found) - 1)] if isinstance(found, list) else found
            )
            return chosen

        server = scripted_server(answer)
        home.mkdir(parents=True, exist_ok=True)
        models = f"models: [{{name: main, model: m, base_url: '{server.base_url}', {PRICE}}}]\n"
        (home / "config.yaml").write_text(models + settings, "utf-8")
        return server

    return serve


def settings(home: Path) -> Config:
    return config.load(home, "en", dict(os.environ))


def work(home: Path, **budget: Any) -> list[dict[str, Any]]:
    return list(Autonomous(settings(home), **budget).work(threading.Event()))


def ended(told: list[dict[str, Any]]) -> list[tuple[str, str]]:
    return [(each["title"], each["status"]) for each in told if each["what"] == "ended"]


LOOK = runs("ls -a")


def own(home: Path) -> Path:
    return home.with_name(".sopwith-auto")


def history(home: Path) -> list[str]:
    return [
        line
        for line in (home / "reports/history.md").read_text().splitlines()
        if line.startswith("- ")
    ]


def test_the_list_is_worked_off_and_each_item_has_a_report(home: Path, served: Any) -> None:
    served(
        {
            "Weigh the words": [
                runs("wc -w ~/notes.md > words.txt; cat words.txt"),
                Answer(text="3 words, checked"),
            ],
            "Look around": [LOOK, Answer(text="all is well")],
        }
    )
    (Path.home() / "notes.md").write_text("one two three")
    Tasks(home).add("Look around", priority="low")
    Tasks(home).add("Weigh the words", description="of ~/notes.md", priority="high")
    told = work(home)
    assert ended(told) == [("Weigh the words", "done"), ("Look around", "done")]
    assert told[-1] == {
        "what": "closed",
        "why": "nothing",
        "items": 2,
        "cost": pytest.approx(0.055),
    }
    assert [task.status for task in Tasks(home).all()] == ["done", "done"]
    assert (own(home) / "words.txt").read_text().startswith("3 ")
    report = (home / "reports/R01_weigh-the-words.md").read_text()
    assert (
        "3 words, checked" in report and "of ~/notes.md" in report and "1. code_run · ok" in report
    )
    assert [("R01" in line, "done" in line) for line in history(home)] == [
        (True, True),
        (False, True),
    ]


def test_what_changes_anything_waits_in_the_inbox_and_the_next_item_is_taken(
    home: Path, served: Any
) -> None:
    target = Path.home() / "list.txt"
    served(
        {
            "Append milk": [runs(f"echo milk >> {target}"), Answer(text="added and checked")],
            "Look around": [LOOK, Answer(text="all is well")],
        }
    )
    Tasks(home).add("Append milk where it belongs")
    Tasks(home).add("Look around")
    assert ended(work(home)) == [
        ("Append milk where it belongs", "waiting"),
        ("Look around", "done"),
    ]
    assert not target.exists()
    [entry] = Inbox(home).list()
    assert (
        "outside" in entry.text and entry.id in next((home / "reports").glob("R01_*")).read_text()
    )
    assert [task.status for task in Tasks(home).all()] == ["waiting", "done"]
    assert [each[0] for each in ended(work(home))] == [], "what waits is not begun again"
    Inbox(home).answer(entry, Said("approve"))
    events = drive(Agent(settings(home)).resume(entry.run, Options(), AbsentOwner()))
    assert events[-1]["result"] == "added and checked" and target.read_text() == "milk\n"
    assert ended(work(home)) == [("Append milk where it belongs", "done")]
    assert "added and checked" in next((home / "reports").glob("R01_*")).read_text()
    assert Tasks(home).all()[0].status == "done" and len(history(home)) == 3


def test_nothing_reaches_outside_or_into_memory_by_itself(home: Path, served: Any) -> None:
    served(
        {
            "Fetch": [runs("curl -s http://example.org/page"), Answer(text="x")],
            "Remember": [
                asks("start_long_term_update", what="x"),
                Answer(text="x"),
            ],
            "Keys": [runs("cat ~/.ssh/id_ed25519"), Answer(text="refused, as it should be")],
        }
    )
    for title in ("Fetch http://example.org/page", "Remember that I like tea", "Keys"):
        Tasks(home).add(title)
    assert dict(ended(work(home))) == {
        "Fetch http://example.org/page": "waiting",
        "Remember that I like tea": "waiting",
        "Keys": "unchecked",
    }
    assert sorted(entry.risk for entry in Inbox(home).list()) == ["memory", "send"]
    assert not list((home / "memory").glob("20*.md")), "nothing was noted"


def test_a_network_is_not_there_for_what_nobody_has_approved(
    home: Path, served: Any, scripted_server: Any
) -> None:
    """A script that hides where it goes: the gate may miss it, the sandbox does not."""
    listener = scripted_server([Answer(text="reached")])
    hidden = (
        f"exec('import '+'socket as s; s.create_connection((\"127.0.0.1\", {listener.port}), 3)')"
    )
    served({"Probe": [runs(hidden, type="python"), Answer(text="tried")]})
    Tasks(home).add("Probe")
    work(home)
    assert listener.connections == 0


def test_without_a_sandbox_no_code_runs(home: Path, served: Any) -> None:
    served({"Count": [runs("ls > list.txt"), Answer(text="refused")]}, "safety: {sandbox: none}\n")
    Tasks(home).add("Count")
    assert ended(work(home)) == [("Count", "unchecked")]
    assert (
        not (own(home) / "list.txt").exists()
        and "code_run · refused" in (home / "reports/R01_count.md").read_text()
    )


def test_what_failed_is_told_and_not_tried_again_at_once(home: Path, served: Any) -> None:
    served(
        {
            "Break": Answer(status=400, error={"message": "no"}),
            "again": [LOOK, Answer(text="ok")],
            "around": [LOOK, Answer(text="ok")],
        }
    )
    Tasks(home).add("Break")
    assert ended(work(home)) == [("Break", "no_model")]
    assert "no_model" in history(home)[0]
    assert ended(work(home)) == [], "never the same twice in a row"
    for title in ("Look around", "Look again"):
        Tasks(home).add(title)
        assert ended(work(home)) == [(title, "done"), ("Break", "no_model")]
    Tasks(home).add("And again")
    told = work(home)
    assert ended(told) == [("And again", "done")]
    assert {"what": "left", "title": "Break", "why": "failed"} in told, "three times are enough"
    Tasks(home).set(1, title="Break it")
    assert ended(work(home)) == [("Break it", "no_model")], "its owner has changed it"


def plan(*rows: tuple[str, int, int]) -> Answer:
    items = [
        {"title": title, "task": f"do: {title}", "new": new, "lasting": lasting}
        for title, new, lasting in rows
    ]
    return Answer(text=f"Here:\n```json\n{json.dumps(items)}\n```")


def test_with_nothing_on_the_list_it_plans_by_value_and_does_nothing_twice(
    home: Path, served: Any
) -> None:
    planned = plan(("Map the disks", 2, 2), ("Write a poem", 0, 1), ("Know the backups", 3, 3))
    served({"You plan what is worth doing": planned, "do: ": [LOOK, Answer(text="found out")]})
    told = work(home)
    assert ended(told) == [("Know the backups", "done"), ("Map the disks", "done")], (
        "best first, the poem not at all"
    )
    assert told[-1]["why"] == "nothing"
    assert [each["titles"] for each in told if each["what"] == "planned"][-1] == []
    requests = [
        b.request for run in run_ids(home) if (b := Bounds.of(next(read_events(home, run))))
    ]
    assert requests == ["", ""], "a plan holds no words of the owner's"
    assert ended(work(home)) == []


def test_without_a_model_only_what_goes_by_rote_is_done_and_it_says_so(
    home: Path, cli: CommandLine
) -> None:
    folder = Path.home() / "things"
    folder.mkdir(parents=True)
    (folder / "a.bin").write_bytes(b"x" * 5000)
    home.mkdir()
    Tasks(home).add("Write a novel")
    Tasks(home).add(f"Show the 3 largest files in {folder}")
    done = cli("auto", "--for", "5m", "--json")
    assert done.code == 0, done
    said = json.loads(done.stdout)
    assert [each["status"] for each in said["items"]] == ["done"] and said["why"] == "no_model"
    assert said["left"] == [{"title": "Write a novel", "why": "no_model"}]
    assert "No model is configured" in done.stderr
    assert "a.bin" in (home / said["items"][0]["report"]).read_text()
    again = cli("--lang", "zh", "auto", "--for", "5m")
    assert (
        again.code == 5 and "没有配置模型" in again.stderr and "未做：Write a novel" in again.stdout
    )


def in_background(home: Path) -> subprocess.Popen[bytes]:
    command = [*LAUNCH, "auto", "--for", "10m"]
    return subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env={**os.environ}
    )


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT])
def test_a_session_that_was_killed_or_stopped_is_gone_on_from_where_it_stood(
    home: Path, served: Any, tmp_path: Path, number: signal.Signals
) -> None:
    gate = tmp_path / "gate"
    gone = f"for i in $(seq 600); do [ -e {gate} ] && break; sleep 0.05; done; echo late"
    served(
        {
            "Slow": [runs("echo first >> effects"), runs(gone), LOOK, Answer(text="slow is done")],
            "Quick": [LOOK, Answer(text="quick")],
        }
    )
    Tasks(home).add("Slow", priority="high")
    Tasks(home).add("Quick")
    process = in_background(home)
    waits_until(
        lambda: any(
            len(of(list(read_events(home, run)), "tool_started")) == 2 for run in run_ids(home)
        )
    )
    [run] = run_ids(home)
    process.send_signal(number)
    process.wait(timeout=PATIENCE_SECONDS)
    waits_until(lambda: (s := summarise(home, run)) is not None and s.status == "cancelled")
    gate.touch()
    told = work(home)
    assert told[0]["what"] == "resumed" and told[0]["run"] == run
    assert ended(told) == [("Slow", "done"), ("Quick", "done")]
    assert (own(home) / "effects").read_text() == "first\n", "nothing finished is done again"
    assert [task.status for task in Tasks(home).all()] == ["done", "done"]


def test_a_helper_has_no_more_rights_than_its_item(home: Path, served: Any) -> None:
    """It asks in the item's place, and the item waits as long as it does."""
    target = Path.home() / "list.txt"
    ask = asks("delegate", tasks=["Add milk"])
    server = served(
        {
            "Shop": [ask, Answer(text="a helper waits")],
            "Add milk": [runs(f"echo milk >> {target}"), Answer(text="x")],
        }
    )
    assert server
    Tasks(home).add("Shop")
    assert ended(work(home)) == [("Shop", "waiting")]
    [entry] = Inbox(home).list()
    assert not target.exists() and entry.id in (home / "reports/R01_shop.md").read_text()
    helper = Bounds.of(next(read_events(home, entry.run)))
    assert helper is not None and helper.is_alone and helper.parent and helper.request == "Shop"
    Inbox(home).answer(entry, Said("deny", "not today"))
    drive(Agent(settings(home)).resume(entry.run, Options(), AbsentOwner()))
    assert ended(work(home)) == [("Shop", "unchecked")] and not target.exists()


def kill(home: Path, run: str, calls: int) -> None:
    """Kills the process of a run, nothing else, in its `calls`-th call."""
    waits_until(lambda: len(of(list(read_events(home, run)), "tool_started")) == calls)
    os.kill(worker(home / "runs" / run) or 0, signal.SIGKILL)


@pytest.mark.parametrize(("kills", "ends"), [(2, "done"), (3, "failed")])
def test_a_run_whose_process_is_killed_goes_on_and_has_failed_the_third_time(
    home: Path, served: Any, kills: int, ends: str
) -> None:
    """Each is killed in another call: one that may have happened is not done again."""
    tries = [
        answer
        for number in range(kills)
        for answer in (runs(f"sleep 2{number}"), runs("echo seen >> seen"))
    ]
    served({"Look": [*tries, Answer(text="looked, and checked")]})
    Tasks(home).add("Look")
    told: list[dict[str, Any]] = []
    thread = threading.Thread(target=lambda: told.extend(work(home)))
    thread.start()
    waits_until(lambda: len(run_ids(home)) == 1)
    for number in range(kills):
        kill(home, run_ids(home)[-1], 2 * number + 1)
    thread.join(PATIENCE_SECONDS)
    assert ended(told) == [("Look", ends)]
    assert (own(home) / "seen").read_text().split() == ["seen"] * 2
    assert f"- {ends} ·" in (home / "reports/R01_look.md").read_text()
    assert Tasks(home).all()[0].status == ("done" if ends == "done" else "open")


def test_killed_in_the_ledger_the_item_is_begun_once(home: Path, served: Any) -> None:
    served({"Look around": [LOOK, Answer(text="all is well")]})
    Tasks(home).add("Look around")
    (home / "auto").mkdir(parents=True)
    (home / "auto/ledger.jsonl").write_text('{"what": "begun", "num')  # half a line
    told = work(home)
    assert [each["what"] for each in told][:2] == ["begun", "ended"] and told[1]["status"] == "done"
