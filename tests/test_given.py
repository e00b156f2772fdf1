"""Check what goes with a task on the command line: files, text that is piped in, the last
conversation."""

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from memory.logs import list_runs, read_events
from tests.conftest import LAUNCH, CommandLine
from tests.driving import put_sop
from tests.machine import PATIENCE_SECONDS, ran
from tests.scripted_server import Answer
from ui.given import MAX_BYTES

Serve = Callable[..., Any]


def _env(server: Any) -> dict[str, str]:
    return {"OPENAI_BASE_URL": server.base_url, "SOPWITH_MODEL": "o", "OPENAI_API_KEY": "k"}


def _asked(server: Any, number: int = 0) -> str:
    return json.dumps(server.requests[number].body["messages"], ensure_ascii=False)


def _run_raw(*args: str, env: dict[str, str], stdin: Any) -> subprocess.CompletedProcess[str]:
    return ran(*LAUNCH, *args, env={**os.environ, **env}, stdin=stdin, timeout=PATIENCE_SECONDS)


@pytest.mark.parametrize("args", [("summarise this",), ("summarise this", "-"), ("-", "summarise")])
def test_piped_text_goes_to_the_model_with_the_task(
    args: tuple[str, ...], cli: CommandLine, scripted_server: Serve
) -> None:
    server = scripted_server([Answer("Three fruits.")])
    done = cli("run", *args, env=_env(server), stdin="apple\nbanana\n猕猴桃\n")
    assert (done.code, "Three fruits." in done.stdout) == (0, True), done.stderr
    assert "banana" in _asked(server) and "猕猴桃" in _asked(server)


def test_piped_text_counts_as_read_from_outside(
    cli: CommandLine, home: Path, scripted_server: Serve
) -> None:
    server = scripted_server([Answer("Done.")])
    assert cli("summarise this", env=_env(server), stdin="apple").code == 0
    opening = next(read_events(home, list_runs(home)[0].run))
    assert opening["task"].startswith("summarise this") and "apple" not in opening["task"]
    assert opening["origins"] == ["outside"]


def test_f_attaches_copies_of_files(
    cli: CommandLine, tmp_path: Path, scripted_server: Serve
) -> None:
    for folder, text in (("one", "red"), ("two", "blue")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "notes.txt").write_text(text)
    names = [str(tmp_path / folder / "notes.txt") for folder in ("one", "two")]
    server = scripted_server([Answer("Two colours.")])
    done = cli("-f", names[0], "which colours?", "--file", names[1], env=_env(server))
    assert done.code == 0, done.stderr
    assert "red" in _asked(server) and "blue" in _asked(server)
    assert [Path(name).read_text() for name in names] == ["red", "blue"]


@pytest.mark.parametrize("source", ["/dev/zero", "pipe"])
def test_input_without_an_end_is_refused_in_clear_words(source: str, tmp_path: Path) -> None:
    if source == "pipe":
        with subprocess.Popen(["yes"], stdout=subprocess.PIPE) as endless:
            done = _run_raw("summarise this", env={}, stdin=endless.stdout)
    else:
        done = _run_raw("summarise this", "-f", source, env={}, stdin=subprocess.DEVNULL)
    assert done.returncode == 2
    assert f"larger than {MAX_BYTES // 1_000_000} MB" in done.stderr


@pytest.mark.parametrize(
    ("name", "says"), [("nothing.txt", "No such file"), (".", "is a folder. Name it in the task")]
)
def test_what_cannot_be_attached_is_said(name: str, says: str, cli: CommandLine) -> None:
    done = cli("summarise", "-f", name)
    assert (done.code, says in done.stderr) == (2, True), done.stderr


def test_c_goes_on_with_the_last_conversation(cli: CommandLine, scripted_server: Serve) -> None:
    server = scripted_server([Answer("Noted: heron."), Answer("Heron.")])
    assert cli("the word is heron", env=_env(server)).code == 0
    assert cli("-c", "what was the word?", env=_env(server)).code == 0
    assert "the word is heron" in _asked(server, 1)


def test_an_sop_takes_piped_text_by_a_dash(cli: CommandLine, home: Path) -> None:
    put_sop(
        home,
        "count-lines",
        "parameters: {type: object, properties: {file: {type: string, format: path}}, required: [file]}\n"
        'wordings: ["count the lines of {file}"]\neffects: none\n'
        "plan:\n  - {tool: code_run, args: {type: bash, script: 'wc -l < \"$file\"'},"
        " expect: {exit_code: 0}, save: {n: lines}}\ncommit: []\nresult: '{{n | count}} line of output: {{n}}'\n",
    )
    done = cli("sops", "run", "count-lines", "file=-", "--approve", "all", stdin="a\nb\nc\n")
    assert (done.code, "3" in done.stdout) == (0, True), (done.stdout, done.stderr)
