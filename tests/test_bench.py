"""The bench of the loop: its arithmetic, and its endpoint under a loop that is not ours."""

from __future__ import annotations

import http.client
import json
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import pytest

from bench import tokens
from bench.endpoint import step
from tests.machine import PATIENCE_SECONDS

ROOT = Path(__file__).parent.parent


def request_of(*lengths: int) -> list[tokens.Segment]:
    """A request whose messages have these many tokens, all different."""
    return [tuple(range(1000 * at, 1000 * at + length)) for at, length in enumerate(lengths)]


def test_a_prefix_is_cached_from_1024_tokens_in_steps_of_128() -> None:
    short, long = request_of(1000, 23), request_of(1000, 23, 500)
    assert tokens.billed([short, long]) == 1023 + 1523
    assert tokens.billed([request_of(1000, 24), request_of(1000, 24, 500)]) == 1024 + 500 + 102.4
    grown = [request_of(1000, 200), request_of(1000, 200, 7)]  # 1,200 repeat, 1,152 are cached
    assert tokens.billed(grown) == pytest.approx(1200 + 55 + 115.2)


def test_a_tail_that_goes_is_no_break_of_the_prefix_and_a_changed_history_is_one() -> None:
    with_tail = [(1, 2), (3,), (9,)]
    grown = [(1, 2), (3,), (4,), (8,)]
    rewritten = [(1, 2), (5,), (4,), (8,), (7,)]
    assert tokens.breaks([with_tail, grown]) == 0
    assert tokens.breaks([with_tail, grown, rewritten]) == 1
    assert tokens.fresh(with_tail, grown) == 2
    assert tokens.repeated(with_tail, grown) == 3


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
