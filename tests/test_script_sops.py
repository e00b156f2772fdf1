"""SOPs that are a script: what it may ask for, what it may not do by itself, and what is left of
it. Real processes."""

import contextlib
import gc
import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from memory.logs import list_runs
from models.base import Event, Reply, Request, ToolResult
from models.errors import Diverged
from replay import script as script_module
from replay.procedure import ProcedureError
from replay.reading import read_procedure
from replay.rote import RoteModel
from runs.assemble import Options
from runs.control.bounds import AbsentOwner, ApprovingOwner
from runs.replaying.replaying import plan_calls
from sandbox.cells.bubblewrap import narrow
from tests.conftest import CHECKOUT
from tests.drained import drained
from tests.driving import agent, drive, of
from tests.machine import ran
from tests.rows import cases
from tools.registry import all_tools

SKILL = """\
---
name: {name}
description: What the script does.
metadata: {{sopwith-version: "1", sopwith-status: active}}
---
Run it.
"""
READS = "parameters: {type: object, properties: {folder: {type: string, format: path}}}\nscript: scripts/run.py\n"
WRITES = READS + "effects: local\n"
QUOTE = """
import json
from decimal import Decimal

def plan(p):
    prices = yield {"tool": "code_run", "args": {"type": "bash", "script": 'cat "$file"', "env": {"file": p["folder"] + "/prices.json"}}}
    if prices["status"] != "ok":
        return {"stop": "there is no price list in " + p["folder"]}
    order = yield {"tool": "file_read", "args": {"path": p["folder"] + "/order.txt"}}
    lines = [line.partition("|")[2].split() for line in order["data"]["output"].splitlines()]
    price = {each["name"]: Decimal(each["price"]) for each in json.loads(prices["data"]["output"])}
    unknown = [name for _, name in lines if name not in price]
    if unknown:
        return {"stop": "no price for " + ", ".join(unknown)}
    return {"total": str(sum(int(count) * price[name] for count, name in lines)), "lines": len(lines)}

def commit(p, plan):
    done = yield {"tool": "file_write", "args": {"path": p["folder"] + "/total.txt", "content": plan["total"], "mode": "overwrite"}}
    if done["status"] != "ok":
        return {"stop": "the total was not written"}
    return f"{plan['lines']} lines, {plan['total']} in all"
"""


def sop(folder: Path, code: str, text: str = READS) -> Path:
    (folder / "scripts").mkdir(parents=True, exist_ok=True)
    (folder / "sop.yaml").write_text(text, encoding="utf-8")
    (folder / "scripts" / "run.py").write_text(code, encoding="utf-8")
    (folder / "SKILL.md").write_text(SKILL.format(name=folder.name), encoding="utf-8")
    return folder


def model(tmp_path: Path, code: str, text: str = READS, **more: Any) -> RoteModel:
    folder = sop(tmp_path / "demo", code, text)
    given = {"folder": str(tmp_path)} if "folder" in text else {}
    kept: dict[str, Any] = {
        "may_read": plan_calls(all_tools()),
        "lang": "en",
        "cwd": tmp_path,
    } | more
    return RoteModel(read_procedure(folder), given, sop="demo", version=1, **kept)


def ask(rote: RoteModel, last: ToolResult | None = None) -> Reply:
    reply: Reply = drained(rote.reply(Request(turn=1, messages=[], last=last)))[1]
    return reply


def diverges(rote: RoteModel, *results: ToolResult) -> Diverged:
    """Send the results one by one; the last thing that happens is that the replay stops."""
    last: ToolResult | None = None
    with pytest.raises(Diverged) as caught:
        for result in [*results, None]:
            ask(rote, last)
            last = result
        ask(rote, last)
    return caught.value


def children() -> list[int]:
    found = []
    for entry in Path("/proc").iterdir():
        with contextlib.suppress(OSError):
            if entry.name.isdecimal() and b"script_child.py" in (entry / "cmdline").read_bytes():
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
                found += (
                    [int(entry.name)] if fields[1] == str(os.getpid()) and fields[0] != "Z" else []
                )
    return found


@pytest.fixture(autouse=True)
def no_process_is_left() -> Any:
    yield
    if children():
        gc.collect()
    assert children() == []


# what it can do


def order(folder: Path, text: str) -> Path:
    folder.mkdir(exist_ok=True)
    prices = [{"name": "nails", "price": "0.10"}, {"name": "hammer", "price": "19.99"}]
    (folder / "prices.json").write_text(json.dumps(prices), encoding="utf-8")
    (folder / "order.txt").write_text(text, encoding="utf-8")
    return folder


def begin(
    home: Path, code: str, parameters: dict[str, Any], text: str = WRITES, **options: Any
) -> list[Event]:
    sop(home / "sops" / "quote", code, text)
    return drive(
        agent(home, None).run_sop(
            "quote", parameters, Options(**options), ApprovingOwner(AbsentOwner())
        )
    )


def test_a_script_looks_up_computes_and_writes(home: Path) -> None:
    shop = order(Path.cwd() / "shop", "3 nails\n2 hammer\n")
    events = begin(home, QUOTE, {"folder": str(shop)})
    assert events[-1]["status"] == "done" and events[-1]["result"] == "2 lines, 40.28 in all"
    assert (shop / "total.txt").read_text() == "40.28"
    assert events[-1]["model_calls"] == 0
    assert [e["step"] for e in of(events, "rote") if e["state"] == "started"] == [
        "plan.1",
        "plan.2",
        "commit.1",
    ]
    assert [e["reply"]["only_reads"] for e in of(events, "model_called")] == [
        True,
        True,
        False,
        False,
    ]


@pytest.mark.parametrize(
    "call",
    ["'type': 'bash', 'script': 'date > x'", "'type': 'python', 'script': 'open(\"x\", \"w\")'"],
)
def test_a_script_of_a_plan_that_writes_ends_it_and_nothing_is_written(
    home: Path, call: str
) -> None:
    code = f"def plan(p):\n    yield {{'tool': 'code_run', 'args': {{{call}}}}}\n    return 'x'\n"
    events = begin(home, code, {}, READS)
    assert events[-1]["status"] == "failed" and "plan may only read" in events[-1]["result"]
    assert not (Path.cwd() / "x").exists()


# what it may ask for


@cases
def test_a_call_that_a_plan_may_not_ask_for_ends_it_with_its_line(
    tmp_path: Path, call: str, said: str
) -> None:
    error = diverges(model(tmp_path, f"def plan(p):\n    x = 1\n    yield {call}\n"))
    assert said in error.reason and error.reason.startswith("scripts/run.py:3: "), error.reason
    assert not error.declined and children() == []


# what it may not do by itself


@cases
def test_a_script_that_dies_is_told_with_its_line(tmp_path: Path, body: str, said: str) -> None:
    error = diverges(
        model(tmp_path, f"def plan(p):\n    x = 1\n    x = {body}\n    return str(x)\n")
    )
    assert said in error.reason and error.reason.startswith("scripts/run.py:3: "), error.reason


def test_inside_bubblewrap_the_kernel_itself_shows_no_file_no_network_and_no_other_process(
    tmp_path: Path,
) -> None:
    """Without the audit hook: what bubblewrap holds alone, should a script break out of Python."""
    bubblewrap = shutil.which("bwrap")
    if not bubblewrap:
        pytest.skip("bubblewrap is not installed")
    code = f"""
import os, socket
tried = {{}}
for name, action in {{
    "read": lambda: open({str(CHECKOUT / "launch.py")!r}), "etc": lambda: open("/etc/passwd"), "proc": lambda: os.listdir("/proc"),
    "write": lambda: open({str(tmp_path)!r} + "/new", "w"), "root": lambda: open("/new", "w"), "usr": lambda: open("/usr/new", "w"),
    "net": lambda: socket.create_connection(("127.0.0.1", 9), 1), "kill": lambda: os.kill({os.getpid()}, 0),
}}.items():
    try: action(); tried[name] = "done"
    except OSError as error: tried[name] = error.errno
print(tried)
"""
    argv = [bubblewrap, *narrow([], -1), "--", os.path.realpath(sys.executable), "-S", "-c", code]
    done = ran(*argv)
    assert done.returncode == 0, done.stderr
    tried = eval(done.stdout)
    assert "done" not in tried.values() and len(tried) == 8, tried


def test_an_endless_script_is_killed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(script_module, "STEP_SECONDS", 0.5)
    started = time.monotonic()
    error = diverges(model(tmp_path, "def plan(p):\n    while True: pass\n"))
    assert "took longer than 0.5 s" in error.reason and time.monotonic() - started < 20


# resuming


NOTES = """
def plan(p):
    names = yield {"tool": "code_run", "args": {"type": "bash", "script": 'ls "$folder"', "env": {"folder": p["folder"]}}}
    return sorted(set(names["data"]["output"].split()), key=hash)

def commit(p, plan):
    for name in plan:
        yield {"tool": "code_run", "args": {"type": "bash", "script": 'echo "$name" >> effects', "env": {"name": name}}}
    return f"{len(plan)} done"
"""
CRASH = """
import os, sys
from pathlib import Path
from tests.driving import agent
from runs.assemble import Options
from runs.control.bounds import AbsentOwner, ApprovingOwner
times = int(sys.argv[3])
for event in agent(Path(sys.argv[1]), None).run_sop("notes", {"folder": sys.argv[4]}, Options(), ApprovingOwner(AbsentOwner())).events():
    times -= event["type"] == sys.argv[2]
    if not times:
        os._exit(9)
"""


def crash(home: Path, code: str, after: str, times: int) -> str:
    """Return a run of an SOP in a process that dies behind the `times`-th event of a type; gives
    the run."""
    folder = Path.cwd() / "things"
    folder.mkdir()
    for name in ("a", "b", "c", "d"):
        (folder / name).touch()
    sop(home / "sops" / "notes", code, WRITES)
    command = [sys.executable, "-c", CRASH, str(home), after, str(times), str(folder)]
    assert (
        subprocess.run(
            command, env={**os.environ, "PYTHONPATH": str(CHECKOUT)}, check=False
        ).returncode
        == 9
    )
    return list_runs(home)[0].run


@pytest.mark.parametrize("times", [1, 2, 3, 5])
def test_a_run_goes_on_in_the_middle_of_a_script(home: Path, times: int) -> None:
    run = crash(home, NOTES, "tool_ended", times)
    events = drive(agent(home, None).resume(run, Options(), ApprovingOwner(AbsentOwner())))
    assert (events[-1]["status"], events[-1]["result"]) == ("done", "4 done")
    assert sorted((Path.cwd() / "effects").read_text().split()) == ["a", "b", "c", "d"]


@pytest.mark.parametrize("after", ["tool_ended", "tool_started"])
def test_a_script_that_does_something_else_the_second_time_stops(home: Path, after: str) -> None:
    code = NOTES.replace("def plan", "import time\ndef plan").replace(
        '{"name": name}', '{"name": name + str(time.time_ns())}'
    )
    run = crash(home, code, after, 3)
    before = (Path.cwd() / "effects").read_text()
    events = drive(agent(home, None).resume(run, Options(), ApprovingOwner(AbsentOwner())))
    assert events[-1]["status"] == "failed" and "not deterministic" in events[-1]["result"]
    assert (Path.cwd() / "effects").read_text() == before


# reading it


@cases
def test_a_script_that_cannot_be_meant_is_refused_with_its_line(
    tmp_path: Path, code: str, said: str
) -> None:
    with pytest.raises(ProcedureError) as caught:
        read_procedure(sop(tmp_path / "demo", code))
    assert said in str(caught.value) and "\n" not in str(caught.value)


@cases
def test_an_sop_with_a_script_is_checked_when_it_is_read(
    tmp_path: Path, text: str, said: str
) -> None:
    with pytest.raises(ProcedureError, match=r"sop\.yaml:\d+: ") as caught:
        read_procedure(sop(tmp_path / "demo", "def plan(p):\n    return 'x'\n", text))
    assert said in str(caught.value)
