"""Many machines: a shared queue and run logs on a real PostgreSQL, workers as processes that are
killed and frozen."""

import itertools
import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from config import load
from memory.logs import read_events
from models.base import Event
from runs.assemble import Options
from runs.workers.database import Database, opened
from runs.workers.log import (
    GOES_ON,
    Claim,
    Fenced,
    SharedLogs,
    events_of,
    take,
)
from runs.workers.tasks import cancel, send
from runs.workers.tasks import listed as tasks_of
from tests.conftest import CHECKOUT, LAUNCH, CommandLine
from tests.driving import put_sop
from tests.machine import PATIENCE_SECONDS, ran
from tests.postgres import Cluster, cluster, programs
from tests.screen import waits_until
from tests.scripted_server import Answer, ScriptedServer, runs

SOP = """parameters:
  type: object
  properties: {number: {type: integer}, folder: {type: string, format: path}}
  required: [number, folder]
wordings: ["stamp {number} into {folder}"]
effects: local
commit:
  - tool: code_run
    args: {type: bash, script: 'sleep 0.2; echo "$SOPWITH_ONCE" > "$folder/$number"'}
result: "stamped {{number}}"
checks: [{command: 'test -s "$folder/$number"'}]
"""
STARTED: Event = {
    "type": "run_started",
    "at": "2026-01-01T00:00:00Z",
    "task": "t",
    "session": "main",
    "sop": None,
}


@pytest.fixture(scope="module")
def postgres() -> Iterator[Cluster]:
    if programs() is None:
        pytest.skip("PostgreSQL is not installed here (Debian: postgresql)")
    pytest.importorskip("procrastinate", reason="scripts/setup --extra queue")
    with cluster() as running:
        yield running


_names = itertools.count()


@pytest.fixture
def shared(postgres: Cluster, home: Path) -> Iterator[Database]:
    """Yield a new database, named in the config of this test's home, which knows the SOP
    "stamp"."""
    url = postgres.new(f"t{next(_names)}")
    add_home(home, url)
    with closing(opened(load(home, "en", {}))) as database:
        yield database


def add_home(home: Path, url: str) -> None:
    put_sop(home, "stamp", SOP)
    (home / "config.yaml").write_text(f'queue: {{url: "{url}", lease_seconds: 2}}\n')


def queue(home: Path, numbers: range, folder: Path, *, parallel: bool = False) -> list[str]:
    folder.mkdir(exist_ok=True)
    config = load(home, "en", {})
    tasks = [{"task": f"stamp {number} into {folder}"} for number in numbers]
    return [send(config, task, Options(), lambda data: data, parallel=parallel) for task in tasks]


def a_run(home: Path) -> str:
    return send(load(home, "en", {}), {"task": "t"}, Options(), lambda data: data)


def claimed(database: Database, run: str, who: str = "a") -> Claim:
    claim = take(database, run, who, GOES_ON)
    assert claim is not None
    return claim


@pytest.fixture
def worker(home: Path) -> Iterator[Callable[[Path], subprocess.Popen[str]]]:
    """Start workers that end with the test."""
    started: list[subprocess.Popen[str]] = []

    def start(at: Path) -> subprocess.Popen[str]:
        command = [*LAUNCH, "--home", str(at), "worker"]
        started.append(
            subprocess.Popen(command, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True)
        )
        return started[-1]

    yield start
    for process in started:
        process.kill()
        process.communicate()


def test_a_task_is_sent_and_done_elsewhere_and_its_trace_is_read_where_it_was_sent(
    shared: Database, home: Path, tmp_path: Path, cli: CommandLine
) -> None:
    (work := tmp_path / "work").mkdir()
    first = cli("run", f"stamp 7 into {work}", "--queue")
    second = cli("sops", "run", "stamp", "number=8", f"folder={work}", "--queue")
    assert first.code == second.code == 0
    runs = [first.stdout.strip(), second.stdout.strip()]
    assert not (home / "runs" / runs[0]).exists() and [
        each.status for each in tasks_of(shared, 5)
    ] == [
        "queued",
        "queued",
    ]
    elsewhere = tmp_path / "elsewhere"
    add_home(elsewhere, json.loads(f'"{(home / "config.yaml").read_text().split(chr(34))[1]}"'))
    done = cli("--home", str(elsewhere), "worker", "--until-empty")
    assert done.code == 0, done.stderr
    assert {path.name: path.read_text().strip() for path in work.iterdir()} == {
        "7": f"{runs[0]}.1",
        "8": f"{runs[1]}.1",
    }
    shown = cli("runs", "show", runs[0])
    assert shown.code == 0 and "stamped 7" in shown.stdout
    listed = json.loads(cli("worker", "--list", "--json").stdout)["tasks"]
    assert [(each["run"], each["status"], each["result"]) for each in listed] == [
        (runs[1], "done", "stamped 8"),
        (runs[0], "done", "stamped 7"),
    ]
    theirs = (elsewhere / "runs" / runs[1] / "log.jsonl").read_text().splitlines()
    assert theirs == events_of(shared, runs[1])


def test_who_held_a_run_before_is_refused_and_leaves_no_trace(shared: Database, home: Path) -> None:
    run = a_run(home)
    late = SharedLogs(shared, claimed(shared, run, "late")).create(home)
    late.append({**STARTED, "run": run})
    late.append({"type": "turn_started", "run": run, "turn": 1})  # light: goes with the next one
    new = claimed(shared, run, "new")
    assert new.events == 1 and new.token > 0
    before = events_of(shared, run)
    with pytest.raises(Fenced, match="continues in another process"):
        late.append({"type": "tool_started", "run": run, "turn": 1, "only_reads": False})
    with pytest.raises(Fenced):
        late.append({"type": "tool_ended", "run": run, "turn": 1})
    late.close()
    assert events_of(shared, run) == before
    assert [event["type"] for event in read_events(home, run)] == ["run_started"]
    log = SharedLogs(shared, new).reopen(home, run)
    log.append({"type": "run_resumed", "run": run, "turn": 1})
    log.close()
    assert [event["type"] for event in read_events(home, run)] == ["run_started", "run_resumed"]


def intervals(database: Database, runs: list[str]) -> list[tuple[str, str]]:
    found = []
    for run in runs:
        events = [json.loads(line) for line in events_of(database, run) or []]
        found.append((events[0]["at"], events[-1]["at"]))
    return sorted(found)


@pytest.mark.parametrize("parallel", [False, True])
def test_the_tasks_of_a_session_are_done_one_after_the_other(
    shared: Database,
    home: Path,
    tmp_path: Path,
    worker: Callable[[Path], subprocess.Popen[str]],
    parallel: bool,
) -> None:
    if parallel:  # long enough for the other one to begin
        (home / "sops" / "stamp" / "sop.yaml").write_text(SOP.replace("sleep 0.2", "sleep 1.5"))
    started = [worker(home) for _ in range(2)]
    for process in started:
        assert process.stderr is not None and "taking tasks" in process.stderr.readline()
    runs = queue(home, range(4), tmp_path / "work", parallel=parallel)
    waits_until(lambda: all(each.status == "done" for each in tasks_of(shared, 9)))
    found = intervals(shared, runs)
    overlaps = [one for one, two in itertools.pairwise(found) if two[0] < one[1]]
    assert bool(overlaps) is parallel
    if not parallel:
        assert [sorted(runs).index(run) for run in runs] == list(range(4))


def test_workers_that_are_killed_and_frozen_lose_nothing_and_do_nothing_twice(
    postgres: Cluster,
) -> None:
    command = [str(CHECKOUT / "scripts" / "crash_workers"), "10", "--kills", "2", "--freezes", "1"]
    more = ["--lease", "1", "--away", "1.5", "--workers", "3"]
    done = ran(sys.executable, *command, *more, timeout=PATIENCE_SECONDS)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "{'done': 10}" in done.stdout and " 0 wrong" in done.stdout


def test_a_task_that_waits_is_taken_back_and_one_at_work_stops(
    shared: Database,
    home: Path,
    tmp_path: Path,
    worker: Callable[[Path], subprocess.Popen[str]],
    cli: CommandLine,
) -> None:
    (home / "sops" / "stamp" / "sop.yaml").write_text(
        SOP.replace("sleep 0.2", "[ $number != 0 ] || sleep 100")
    )
    first, second = queue(home, range(2), tmp_path / "work")
    assert cli("runs", "cancel", second).code == 0
    assert cli("runs", "cancel", second).code == 1
    started = worker(home)
    waits_until(lambda: bool(events_of(shared, first)))
    assert cancel(shared, first) == [first]
    said = started.stderr
    assert said is not None
    waits_until(lambda: "stopped here" in said.readline())
    assert {each.run: each.status for each in tasks_of(shared, 2)} == {
        first: "cancelled",
        second: "cancelled",
    }
    third = queue(home, range(5, 6), tmp_path / "work")[0]  # its session is not blocked
    waits_until(
        lambda: tasks_of(shared, 1)[0].status == "done" and tasks_of(shared, 1)[0].run == third
    )
    assert not (tmp_path / "work" / "1").exists()


def test_what_waits_for_its_owner_goes_on_by_hand_and_nowhere_else(
    shared: Database, home: Path, tmp_path: Path, cli: CommandLine
) -> None:
    sop = home / "sops" / "stamp" / "sop.yaml"
    (home.parent / "old").write_text("old")
    sop.write_text(SOP.replace("sleep 0.2; echo", "rm ~/old; echo"))  # the gate asks about it
    run = queue(home, range(1), tmp_path / "work")[0]
    assert cli("worker", "--until-empty").code == 0
    assert tasks_of(shared, 1)[0].status == "waiting"
    assert cli("inbox", "approve", f"{run}.1").code == 0
    assert (
        tasks_of(shared, 1)[0].status == "done"
        and (tmp_path / "work" / "0").read_text() == f"{run}.1\n"
    )
    assert cli("runs", "resume", run).code == 1


def with_model(home: Path, server: ScriptedServer) -> None:
    model = f"models: [{{name: main, model: m, base_url: '{server.base_url}'}}]\n"
    with (home / "config.yaml").open("a") as file:
        file.write(model)


def results(body: dict[str, Any]) -> int:
    return sum(message["role"] == "tool" for message in body["messages"])


def logged(database: Database, run: str, kind: str) -> list[Event]:
    return [
        event
        for line in events_of(database, run) or []
        if (event := json.loads(line))["type"] == kind
    ]


def helped(gate: Path) -> Callable[[dict[str, Any], int], Answer]:
    """Return a model that gives two tasks to helpers, one of which works until `gate` is there."""
    tasks = {"name": "delegate", "args": {"tasks": ["quick", "slow"]}, "id": "d"}

    def answer(body: dict[str, Any], _: int) -> Answer:
        said = json.dumps(body["messages"])
        if "You are a helper" not in said:
            return Answer(calls=[tasks]) if results(body) == 0 else Answer(text="both are done")
        name = "slow" if "slow" in said else "quick"
        wait = (
            f"for i in $(seq 600); do [ -e {gate} ] && break; sleep 0.1; done; "
            if name == "slow"
            else ""
        )
        return (
            runs(f"{wait}echo {name} >> effects")
            if results(body) == 0
            else Answer(text=f"{name} is done")
        )

    return answer


def test_helpers_of_a_task_go_on_where_it_goes_on(
    shared: Database,
    home: Path,
    tmp_path: Path,
    worker: Callable[[Path], subprocess.Popen[str]],
    scripted_server: Any,
    cli: CommandLine,
) -> None:
    """The first machine is killed with one helper done and one at work: the second takes the one's
    answer, and goes on with the other; neither is begun anew."""
    server = scripted_server(helped(gate := tmp_path / "gate"))
    (work := tmp_path / "work").mkdir()
    url = (home / "config.yaml").read_text().split('"')[1]
    for each in (homes := [tmp_path / "one", tmp_path / "two"]):
        add_home(each, url)
        with_model(each, server)
    run = send(
        load(home, "en", {}), {"task": "look"}, Options(cwd=work, rote=False), lambda data: data
    )
    first = worker(homes[0])
    # both have begun, one has ended
    waits_until(lambda: len(logged(shared, run, "delegated")) == 3)
    quick, slow = (event["child"] for event in logged(shared, run, "delegated")[:2])
    waits_until(lambda: bool(logged(shared, slow, "tool_started")))
    first.kill()
    first.wait()
    gate.touch()
    worker(homes[1])
    waits_until(lambda: tasks_of(shared, 1)[0].status == "done")
    assert [each.run for each in tasks_of(shared, 9)] == [run], "helpers are nobody's tasks"
    [ended] = logged(shared, run, "tool_ended")
    assert [each["run"] for each in ended["data"]] == [quick, slow]
    assert [each["status"] for each in ended["data"]] == ["done", "done"]
    assert (work / "effects").read_text().split().count("quick") == 1
    assert (homes[1] / "runs" / slow / "log.jsonl").read_text().splitlines() == events_of(
        shared, slow
    )
    for one in (run, quick, slow):  # a third machine, that did none of it, shows what they did
        assert cli("runs", "show", one).code == 0
        assert (home / "runs" / one / "log.jsonl").read_text().splitlines() == events_of(
            shared, one
        )
    assert quick in cli("runs", "show", run).stdout
