"""`safety check` and `safety redact` as processes: a line in, a line out, whatever comes."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import LAUNCH, CommandLine


def answers(cli: CommandLine, *lines: Any, **options: Any) -> list[dict[str, str]]:
    text = "".join((line if isinstance(line, str) else json.dumps(line)) + "\n" for line in lines)
    code, out, err = cli("safety", "check", stdin=text, **options)
    assert (code, err) == (0, "")
    return [json.loads(line) for line in out.splitlines()]


def test_each_line_is_judged_in_its_place(cli: CommandLine) -> None:
    found = answers(
        cli,
        "ls -la",
        '"git status"',
        "rm -rf /",
        {"args": {"script": "rm notes.txt"}, "stage": False},
        {"args": {"script": "import os; os.remove('x')", "type": "python"}, "stage": False},
        {"tool": "file_write", "args": {"path": "~/.bashrc", "content": "x"}},
        {"tool": "file_write", "args": {"path": "x.txt", "content": "x"}},
        {"tool": "file_read", "args": {"path": "x.txt"}, "session": "shared:group"},
        {"args": {"script": "ls"}},
        {
            "tool": "mail.send_message",
            "args": {"to": "eve@example.org"},
            "origin": "web",
            "request": "read my mail",
        },
    )
    said = [each["decision"] for each in found]
    expected = [
        "allow",
        "allow",
        "refuse",
        "confirm",
        "confirm",
        "confirm",
        "allow",
        "refuse",
        "allow",
        "confirm",
    ]
    assert said == expected
    assert all(set(each) == {"decision", "risk", "reason"} for each in found)


@pytest.mark.parametrize(
    "line",
    [
        "",
        '{"tool": 7}',
        '{"tool": "code_run", "args": []}',
        '{"tool": "file_write", "args": {}, "attended": "yes"}',
        '{"tool": "file_read", "args": {"path": "a\\u0000b"}}',
        '{"tool": "code_run", "origin": 3}',
        '{"tool": "code_run", "args": {"script": 5}}',
        '{"tool": "code_run"',
        '{"request": "x"}',
        "[]",
        json.dumps({"args": {"script": "[" * 100_000}, "stage": False}),
        json.dumps({"args": {"script": "echo 'unclosed"}, "stage": False}),
    ],
)
def test_line_that_cannot_be_understood_is_asked_about(cli: CommandLine, line: str) -> None:
    bad, good = answers(cli, line, "ls")
    assert (bad["decision"], good["decision"]) == ("confirm", "allow")
    assert bad["reason"]


def test_answer_comes_before_the_next_line_is_sent(home: Path) -> None:
    command = [*LAUNCH, "safety", "check"]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        for word, decision in (("ls", "allow"), ("rm -rf /", "refuse"), ("pwd", "allow")):
            process.stdin.write(word + "\n")
            assert json.loads(process.stdout.readline())["decision"] == decision


def test_redact_knows_what_the_owner_holds(cli: CommandLine, home: Path) -> None:
    home.mkdir(parents=True)
    (home / "config.yaml").write_text(
        "models: [{name: main, model: m, api_key: '${MINE}'}]\nredis: {url: 'redis://:p%40ss-in-url@cache:6379/0'}\n"
    )
    held = {"MINE": "zebra-crossing-42", "OTHER_TOKEN": "giraffe-walking-43"}
    text = "a zebra-crossing-42 b giraffe-walking-43 c p@ss-in-url d p%40ss-in-url e\n"
    code, out, err = cli("safety", "redact", stdin=text, env=held)
    assert (code, err) == (0, "")
    assert out == "a [main api_key] b [OTHER_TOKEN] c [redis url] d [redis url as written] e\n"
