"""A test that failed is tried twice more by scripts/test: with everything made anew, to be seen, and no fourth time."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

from tests.conftest import CHECKOUT

TESTS = """
from pathlib import Path

import pytest

def is_first(name):
    if Path(name).exists():
        return False
    Path(name).touch()
    return True

@pytest.fixture(scope="module")
def server():
    state = ["up"]
    yield state
    assert state, "a server that died does not end well"

def test_dies_with_its_server(server):
    if is_first("server"):
        server.clear()
    assert server

def test_finds_the_server(server):
    assert server

@pytest.mark.timeout(1)
def test_hangs_once():
    while is_first("hangs"):
        while True:
            pass

def test_is_right_at_last():
    assert not is_first("one") and not is_first("two")

def test_fails_for_good():
    assert not "so it is"
"""


def test_a_failed_test_is_tried_twice_more_with_everything_made_anew_and_is_named(
    tmp_path: Path,
) -> None:
    (tmp_path / "conftest.py").write_text("from tests.conftest import pytest_runtest_setup\n")
    (tmp_path / "test_it.py").write_text(TESTS)
    found = re.search(
        r'^again="(.*)"$', (CHECKOUT / "scripts/test").read_text("utf-8"), re.MULTILINE
    )
    assert found
    ran = subprocess.run(
        [
            sys.executable,
            "-m",
            "pytest",
            "-p",
            "no:cacheprovider",
            "-n",
            "1",
            "--dist",
            "worksteal",
            *found[1].split(),
            "--reruns-delay",
            "0",
        ],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(CHECKOUT)},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert ran.returncode == 1, ran.stdout + ran.stderr
    assert "1 failed, 4 passed, 6 rerun" in ran.stdout, ran.stdout
    seen = set(re.findall(r"^(\w+) test_it.py::(\w+)", ran.stdout, re.MULTILINE))
    assert {
        ("RERUN", "test_dies_with_its_server"),
        ("RERUN", "test_hangs_once"),
        ("RERUN", "test_is_right_at_last"),
        ("FAILED", "test_fails_for_good"),
    } <= seen
    assert "Timeout (>1.0s)" in ran.stdout  # how it failed at first
