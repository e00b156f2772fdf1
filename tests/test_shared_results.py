"""Check that what is too long for the history of a shared session is read by that session's own
run, and by nobody else's."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

import config
from context import Prompts
from context.compaction import Compaction, Extent, split
from memory.logs import read_events
from runs.assemble import Agent, Options
from runs.control.bounds import AbsentOwner
from runs.resume import read_progress
from sandbox.cells import levels
from tests.driving import call, drive, of, run
from tests.scripted_server import Answer
from tests.test_compaction import history_of

LONG = "for n in range(400): print('line', n, 'of the shared work')"


def python(script: str, id: str) -> Answer:
    return Answer(
        calls=[{"name": "code_run", "args": {"type": "python", "script": script}, "id": id}]
    )


def read(path: str, id: str) -> Answer:
    return Answer(calls=[{"name": "file_read", "args": {"path": path}, "id": id}])


def of_endpoint(home: Path, server: Any) -> Agent:
    home.mkdir(parents=True, exist_ok=True)
    model = f"{{name: small, kind: openai, model: m, base_url: '{server.base_url}'}}"
    (home / "config.yaml").write_text(f"models: [{model}]\nlimits: {{context_tokens: 8000}}\n")
    return Agent(config.load(home, "en", {}))


@pytest.mark.skipif(levels.probe().name != "full", reason="there is no full sandbox here")
def test_a_group_reads_its_long_results_and_nobody_elses(home: Path, scripted_server: Any) -> None:
    other = run(
        home, [call("code_run", type="python", script=LONG + "\nprint('x' * 60_000)"), "done"]
    )[0]["run"]
    (home / "runs" / other / "results").mkdir()
    (home / "runs" / other / "results" / "0001.txt").write_text("the owner's")
    found: dict[str, str] = {}

    def answer(body: dict[str, Any], number: int) -> Answer:
        said = json.dumps(body["messages"], ensure_ascii=False)
        turn = number + 1
        if kept := re.search(r"@runs/[\w-]+/results", said):
            found["kept"] = kept[0] + "/0001.txt"
        if whole := re.search(r"@runs/[\w-]+/out-[\w.-]+\.txt", said):
            found["whole"] = whole[0]
        assert str(home) not in said
        if "kept" not in found:
            return python(
                f"# {turn}\n"
                + LONG
                + f"\nprint({turn})"
                + ("\nprint('y' * 60_000)" if turn == 2 else ""),
                f"c{turn}",
            )
        tried = len(found)
        paths = [
            found["kept"],
            found["whole"],
            f"@runs/{other}/results/0001.txt",
            f"@runs/{other}/log.jsonl",
        ]
        paths += [
            found["kept"].replace("results/0001.txt", "log.jsonl"),
            "@runs/../OWNER.md",
            f"{found['kept']}/../../log.jsonl",
        ]
        if tried - 2 < len(paths):
            found[f"tried {tried}"] = paths[tried - 2]
            return read(paths[tried - 2], f"r{tried}")
        return Answer(text="done")

    server = scripted_server(answer)
    started = of_endpoint(home, server).start(
        "work", Options(session="shared:team", rote=False), AbsentOwner()
    )
    events = drive(started)
    assert events[-1]["status"] == "done", events[-1]
    ended = [event for event in of(events, "tool_ended") if event["tool"] == "file_read"]
    assert [event["status"] for event in ended] == ["ok", "ok", *["refused"] * 5], [
        event["data"] for event in ended
    ]
    assert all("line 199 of the shared work" in str(event["data"]) for event in ended[:2])
    logged = list(read_events(home, started.id))
    progress = read_progress(logged, Prompts("en"), home / "runs" / started.id)
    assert f"{home}/runs/{started.id}/results/" in json.dumps(progress.messages)


def test_a_group_that_cannot_read_files_is_promised_none(tmp_path: Path) -> None:
    assert not Compaction.reads_back({"session": "shared:team", "sandbox": "partial"})
    assert Compaction.reads_back(
        {"session": "shared:team", "sandbox": "full"}
    ) and Compaction.reads_back({"session": "main", "sandbox": "none"})
    (folder := tmp_path / "run").mkdir()
    for lang in ("en", "zh"):
        compaction = Compaction(
            folder, Prompts(lang), [f"did {turn}" for turn in range(1, 41)], is_kept=False
        )
        history = history_of(40)
        compaction.write_results(history, Extent(), Extent(30, 10))
        text = json.dumps(compaction.apply(history, Extent(), Extent(30, 10)))
        assert str(folder) not in text and "file_read" not in text and list(folder.iterdir()) == []
        assert len(split(compaction.apply(history, Extent(), Extent(30, 10)))[1]) == 30
