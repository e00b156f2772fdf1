"""Lines read from the terminal: a Ctrl-C counts once, whenever it comes, and keys typed ahead go
where they belong."""

import contextlib
import signal
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial

import pytest

from tests.conftest import CHECKOUT
from tests.screen import CTRL_C, CTRL_D, ENTER, Screen

# Asks without end; between two questions it waits as long as it is told, as a program that works
# would.
ASKING = f"""
import signal, sys, time
sys.path.insert(0, {str(CHECKOUT)!r})
from ui.terminal.typed_line import read_line
stops = []
def stop(*_):
    stops.append(1)
    raise KeyboardInterrupt
signal.signal(signal.SIGINT, stop)
ahead, works, number = sys.argv[1] == "awaited", float(sys.argv[2]), 0
while True:
    try:
        print("begins", flush=True)
        if stops:
            print(f"<stopped {{len(stops)}}>", flush=True)
            stops.clear()
        print(f"<got {{read_line(f'q{{number}}: ', is_awaited=ahead)!r}}>", flush=True)
        number += 1
        time.sleep(works)
    except KeyboardInterrupt:
        pass
    except EOFError:
        print("<left>", flush=True)
"""


@pytest.fixture
def asking() -> Iterator[Callable[..., Screen]]:
    with contextlib.ExitStack() as opened:

        def start(how: str = "awaited", works: float = 0, **env: str) -> Screen:
            command = [sys.executable, "-W", "error", "-c", ASKING, how, str(works)]
            return opened.enter_context(contextlib.closing(Screen(command, env=env)))

        yield start


def has_written(screen: Screen, text: bytes, times: int) -> bool:
    return screen.raw.count(text) == times


@pytest.mark.parametrize("how", ["awaited", "by itself"])
def test_ctrl_c_counts_once_wherever_between_two_questions_it_comes(
    asking: Callable[..., Screen], how: str
) -> None:
    screen = asking(how)
    for number in range(40):
        screen.waits_for_prompt()
        screen.types(ENTER)
        end = time.perf_counter() + number * 0.0003  # the next question stands there after some ms
        while time.perf_counter() < end:
            pass
        screen.types(CTRL_C)
        screen.until(partial(has_written, screen, b"<stopped 1>", number + 1), f"for stop {number}")
    assert b"<stopped 2>" not in screen.raw and b"Traceback" not in screen.raw, screen.text()


@pytest.mark.parametrize("terminal", ["xterm-256color", "dumb"])
def test_a_signal_is_like_a_ctrl_c(asking: Callable[..., Screen], terminal: str) -> None:
    screen = asking(TERM=terminal)
    for number in range(20):
        if terminal == "dumb":
            screen.until(partial(has_written, screen, b"q0: ", number + 1), "for the question")
        else:
            screen.waits_for_prompt("q0")
        screen.kills(signal.SIGINT)
        screen.until(partial(has_written, screen, b"<stopped 1>", number + 1), f"for stop {number}")
    screen.types("x" + ENTER)
    screen.waits_for("<got 'x'>")
    assert b"<stopped 2>" not in screen.raw and b"Traceback" not in screen.raw


def test_what_was_typed_ahead_answers_the_questions_that_are_awaited(
    asking: Callable[..., Screen],
) -> None:
    screen = asking()
    screen.waits_for_prompt("q0")
    screen.types("a" + ENTER + "b" + ENTER + "c")
    screen.waits_for("<got 'a'>", "<got 'b'>")
    screen.waits_for_prompt("q2: c")
    screen.types(CTRL_D + ENTER)
    screen.waits_for("<got 'c'>")
    screen.waits_for_prompt("q3")
    screen.types(CTRL_D)
    screen.waits_for("<left>")


def test_what_was_typed_ahead_is_no_answer_to_a_question_that_comes_by_itself(
    asking: Callable[..., Screen],
) -> None:
    screen = asking("by itself")
    screen.waits_for_prompt("q0")
    screen.types("a" + ENTER + "b" + ENTER + "c")
    screen.waits_for("<got 'a'>")
    screen.waits_for_prompt("q1:")
    screen.types("d" + ENTER)
    screen.waits_for("<got 'd'>")
    assert b"<got 'b'>" not in screen.raw
