"""The bench of the loop: its endpoint under a loop that is not ours."""

from __future__ import annotations

import http.client
import json
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

from bench import tokens
from bench.endpoint import step
from tests.machine import PATIENCE_SECONDS

ROOT = Path(__file__).parent.parent


def test_the_bare_loop_plays_the_script_to_its_end() -> None:
    command = [sys.executable, str(ROOT / "bench" / "endpoint.py")]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as endpoint:
        assert endpoint.stdin
        assert endpoint.stdout
        port = int(endpoint.stdout.readline())
        client = [
            sys.executable,
            str(ROOT / "bench" / "bare_http.py"),
            f"http://127.0.0.1:{port}/bare/4/v1",
        ]
        subprocess.run(client, check=True, timeout=PATIENCE_SECONDS)
        connection = http.client.HTTPConnection("127.0.0.1", port)
        connection.request("GET", "/records")
        records = [json.loads(line) for line in connection.getresponse().read().splitlines()]
        connection.close()
        endpoint.stdin.close()
        assert endpoint.wait(PATIENCE_SECONDS) == 0
    bodies = [json.loads(record["body"]) for record in records]
    assert [len(body["messages"]) for body in bodies] == [2, 4, 6, 8]
    assert [
        message["content"] for message in bodies[-1]["messages"] if message["role"] == "tool"
    ] == [step("bare", turn, 4).output for turn in (1, 2, 3)]
    assert all(before["answered"] < after["arrived"] for before, after in pairwise(records))
    assert tokens.breaks([tokens.segments(body) for body in bodies]) == 0
