"""`safety redact` in a pipe that stays open: who watches it sees each line when it is there, and no
secret."""

import os
import select
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from safety.secrets import Redactor
from tests.conftest import LAUNCH
from tests.machine import PATIENCE_SECONDS

CHECKOUT = Path(__file__).resolve().parent.parent
VALUE = "zq8Xw3-Pl0mBeta77"
Say = Callable[[str, str], str]


@pytest.fixture
def say(home: Path) -> Iterator[Say]:
    """Write a piece; return all that has come once it ends as wanted, or after a second."""
    program = [*LAUNCH, "safety", "redact"]
    child = subprocess.Popen(
        program,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**os.environ, "CRM_TOKEN": VALUE},
    )
    assert child.stdin and child.stdout
    stdin, stdout, shown = child.stdin, child.stdout, bytearray()

    def saying(piece: str, wanted: str) -> str:
        stdin.write(piece.encode())
        stdin.flush()
        end = time.monotonic() + (20 if wanted else 1)
        while not (wanted and shown.endswith(wanted.encode())) and time.monotonic() < end:
            if select.select([stdout], [], [], 0.1)[0]:
                shown.extend(os.read(stdout.fileno(), 65536))
        return shown.decode()

    yield saying
    stdin.close()
    child.wait(PATIENCE_SECONDS)
    stdout.close()


@pytest.mark.skipif(sys.platform == "win32", reason="a pipe cannot be waited for there")
def test_a_line_is_shown_before_the_next_one_comes(say: Say) -> None:
    assert (
        say("the plan: call zoe\n", "zoe\n") == "the plan: call zoe\n"
    )  # "zoe" could begin a value that we hold
    assert say(f"it is {VALUE}\n", "[CRM_TOKEN]\n").endswith("it is [CRM_TOKEN]\n")
    assert say("password: hunter2xyz\n", "[secret]\n").endswith("password: [secret]\n")


@pytest.mark.skipif(sys.platform == "win32", reason="a pipe cannot be waited for there")
def test_a_value_that_goes_on_in_the_next_line_is_waited_for(say: Say) -> None:
    assert say(f"{VALUE[:9]}\n", "") == ""
    assert say(f"{VALUE[9:]}\nend.\n", "end.\n") == "[CRM_TOKEN]\nend.\n"


@pytest.mark.parametrize(
    "begun", ["-----BEGIN PRIVATE KEY-----\nMIIEvQ\n", VALUE[:5] + "\n", "half a lin"]
)
def test_what_may_become_a_secret_is_not_settled(begun: str) -> None:
    stream = Redactor({"CRM_TOKEN": VALUE}).stream()
    shown = stream.feed(begun) + stream.settle()
    assert begun.partition("\n")[0] not in shown
