"""A line read from the terminal: no Ctrl-C is lost, whenever it is pressed, before the question, at
it or behind it.

Not `input`: a Ctrl-C that comes while that begins is noticed only at the next key. Nor
prompt_toolkit alone: one that comes while a question ends is taken for one at that question, which
is over.
"""

from __future__ import annotations

import signal
import termios
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from prompt_toolkit.application import Application
    from prompt_toolkit.input import Input
    from prompt_toolkit.key_binding import KeyPress

YES = ("y", "yes", "ok", "是", "好", "对", "要")


def read_line(prompt: str, *, is_secret: bool = False, is_awaited: bool = False) -> str:
    """Return a line from the terminal. What was typed before the question is no answer to it,
    unless the question `is_awaited`: the next one of a dialogue that the owner began. Raises
    EOFError for Ctrl-D."""
    noticed = _Interrupts()
    before = signal.signal(signal.SIGINT, noticed)
    try:
        line: str | None = _read(prompt, noticed, is_secret, is_awaited)
    except EOFError:
        line = None
    except KeyboardInterrupt:
        noticed.came = True
    except (
        termios.error,
        OSError,
    ):  # the terminal has gone: there is no key to be read, and none to be pressed
        raise KeyboardInterrupt from None
    finally:
        signal.signal(signal.SIGINT, before)
    if noticed.came:
        signal.raise_signal(signal.SIGINT)  # so that whoever counts stops sees this one
        raise KeyboardInterrupt
    if line is None:
        raise EOFError
    return line


def agrees(question: str) -> bool:
    """Return True for a yes; Ctrl-D is a no."""
    try:
        return read_line(f"{question} ").strip().casefold() in YES
    except EOFError:
        return False


def read_next(prompt: str) -> str:
    """Return the answer to the next question of a dialogue that the owner began. Raises EOFError
    for Ctrl-D."""
    return read_line(prompt, is_awaited=True)


def read_secret(prompt: str) -> str:
    """Return a line from the terminal that is not shown. Raises EOFError for Ctrl-D."""
    return read_line(prompt, is_secret=True)


class _Interrupts:
    """Notices each SIGINT and raises nothing: an exception raised between any two steps of Python
    may come to where none can leave (the end of a weak reference, of which a question has many),
    and is lost there."""

    def __init__(self) -> None:
        self.came = False
        self.tell: Callable[[], object] = lambda: None

    def __call__(self, *_: object) -> None:
        self.came = True
        self.tell()


def _read(prompt: str, noticed: _Interrupts, is_secret: bool, is_awaited: bool) -> str:
    from prompt_toolkit import PromptSession
    from prompt_toolkit.input.typeahead import store_typeahead

    session: PromptSession[str] = PromptSession()
    keys = session.input
    noticed.tell = lambda: _press_ctrl_c(keys)
    with keys.raw_mode():  # also between reading and not: there a Ctrl-C is a key, and keys wait
        waiting = _take(keys)
        if noticed.came or _has_ctrl_c(waiting):
            raise KeyboardInterrupt
        if is_awaited:
            store_typeahead(keys, waiting)
        try:
            return session.prompt(prompt, is_password=is_secret, handle_sigint=False)
        finally:
            noticed.tell = lambda: None
            _let_signal(keys)
            waiting = _take(keys)
            if _has_ctrl_c(waiting):
                noticed.came = True
            else:
                store_typeahead(keys, waiting)


def _press_ctrl_c(keys: Input) -> None:
    """Press Ctrl-C for the question that is about to be asked, and for the one that is."""
    from prompt_toolkit.application.current import get_app_or_none
    from prompt_toolkit.input.typeahead import store_typeahead
    from prompt_toolkit.key_binding import KeyPress
    from prompt_toolkit.keys import Keys

    store_typeahead(keys, [KeyPress(Keys.ControlC)])
    app = get_app_or_none()
    if app is not None and app.loop is not None:
        app.loop.call_soon_threadsafe(_leave, app)


def _leave(app: Application[Any]) -> None:
    if app.is_running and not app.is_done:
        app.exit(exception=KeyboardInterrupt())


def _let_signal(keys: Input) -> None:
    """Make a Ctrl-C a signal again from here on; what was pressed until now can be read as
    before."""
    attributes = termios.tcgetattr(keys.fileno())
    attributes[3] |= termios.ISIG
    termios.tcsetattr(keys.fileno(), termios.TCSANOW, attributes)


def _take(keys: Input) -> list[KeyPress]:
    """Return all that waits: what came in one piece with the line before, and what the terminal
    holds."""
    from prompt_toolkit.input.typeahead import get_typeahead

    waiting = get_typeahead(keys)
    while new := keys.read_keys():
        waiting += new
    return waiting


def _has_ctrl_c(waiting: list[KeyPress]) -> bool:
    from prompt_toolkit.keys import Keys

    return any(press.key == Keys.ControlC for press in waiting)
