"""A secret in every spelling, through a whole run: nowhere in the home folder, in no event."""

import json
from pathlib import Path

import pytest

from bench.redaction import spellings
from tests.conftest import CommandLine
from tests.driving import SpokenOwner, bash, call, run

VALUE = "zebra-Crossing_42x"


def test_secret_that_a_tool_prints_is_nowhere(
    home: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("MINE_TOKEN", VALUE)
    for number, (name, text) in enumerate(spellings(VALUE).items()):
        Path(f"f{number}.txt").write_text(f"{name}: {text}\n", "utf-8")
    split = "import sys,time\nfor c in open('f0.txt').read() * 2:\n    sys.stdout.write(c); sys.stdout.flush(); time.sleep(0.002)"
    replies = [
        bash("cat f*.txt; for i in $(seq 400); do cat f0.txt; done", f"I read {VALUE}"),
        call("code_run", type="python", script=split),
        *[call("file_read", path=f"f{number}.txt") for number in range(10)],
        call("update_working_checkpoint", key_info=f"the key is {VALUE}"),
        bash(f"echo {VALUE} >&2; exit 3"),
        f"It is {VALUE}, in hex {VALUE.encode().hex()}.",
    ]
    events = run(home, replies, SpokenOwner(), task=f"use {VALUE}")
    kept = {
        str(path): path.read_bytes()
        for path in home.rglob("*")
        if path.is_file() and path.name != "config.yaml"
    }
    kept["events"] = json.dumps(events, ensure_ascii=False).encode()
    kept["outputs"] = "".join(e["delta"] for e in events if e["type"] == "tool_output").encode()
    kept["texts"] = "".join(e["delta"] for e in events if e["type"] == "text").encode()
    found = [
        (where, name)
        for where, data in kept.items()
        for name, text in spellings(VALUE).items()
        if text.encode() in data or json.dumps(text, ensure_ascii=False)[1:-1].encode() in data
    ]
    assert found == []


@pytest.mark.parametrize("more", [[], ["--debug"], ["--lang", "zh"]])
def test_an_error_that_quotes_a_secret_is_told_without_it(
    cli: CommandLine, more: list[str]
) -> None:
    done = cli("run", "x", "--model", VALUE, *more, env={"MINE_TOKEN": VALUE})
    assert done.code != 0 and VALUE not in done.stdout + done.stderr
    assert "[MINE_TOKEN]" in done.stderr


def test_a_defect_that_quotes_a_secret_is_told_without_it(process: CommandLine, home: Path) -> None:
    home.mkdir(parents=True)
    key = "sk-proj-4f9a8b7c6d5e4f3a2b1c0d9e8f7a6b5c"
    (home / "config.yaml").write_text(
        f"models: [{{name: m, model: m, base_url: 'http://u:{key}@[bad', api_key: {key}}}]\n"
    )
    done = process("run", "x", "--debug")
    assert done.code != 0 and key not in done.stdout + done.stderr
