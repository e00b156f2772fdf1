"""The input line of a conversation, in a thread of its own: it stays usable while a run works in
the main thread."""

from __future__ import annotations

import io
import signal
import sys
import threading
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, ExitStack, nullcontext
from pathlib import Path
from queue import SimpleQueue
from types import TracebackType
from typing import TYPE_CHECKING, Any

from ui.sanitise import clean
from ui.words import say

if TYPE_CHECKING:
    from prompt_toolkit import PromptSession
    from prompt_toolkit.formatted_text import ANSI
    from prompt_toolkit.input import Input
    from prompt_toolkit.key_binding import KeyBindings
    from rich.console import Console

    from ui.terminal.terminal import TerminalScreen

MAX_TAIL_LINES = 8  # of the answer that grows, above the input line
LEAVES = "/quit"


class InputLine:
    """Lines typed go to the tasks, to the run that works, or to the question that waits; never to
    two of them. A command is no answer: it comes after the task, and the one that leaves leaves at
    once where a question waits.

    Ctrl-C reaches the main thread as SIGINT while a run works, and only clears the line otherwise;
    a second one before anything else is sent leaves, as Ctrl-D does.
    """

    def __init__(
        self, console: Console, screen: TerminalScreen, history: Path, words: Sequence[str]
    ) -> None:
        self._console, self._screen = console, screen
        self._history, self._words = history, list(words)
        self._tasks: SimpleQueue[str | None] = SimpleQueue()
        self._answers: SimpleQueue[str | None] = SimpleQueue()
        self._steer: Callable[[str], None] | None = None  # set while a run works
        self._question = ""  # set while an answer is waited for
        self._is_secret = False  # that answer is
        self._session: PromptSession[str] | None = None
        self._thread = threading.Thread(target=self._work, name="input line", daemon=True)
        self._open = ExitStack()
        self._stopping = threading.Lock()  # held while the run that works is told to stop
        self._leaving = self._was_interrupted = False

    def __enter__(self) -> InputLine:
        from prompt_toolkit.patch_stdout import patch_stdout

        self._history.touch(mode=0o600)
        keys = _keyboard()
        self._session = self._make_session(keys)
        self._open.enter_context(keys.raw_mode())
        self._open.enter_context(patch_stdout(raw=True))
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        self._leaving = True
        app = self._session.app if self._session else None
        if app is not None and app.loop is not None and app.is_running:
            app.loop.call_soon_threadsafe(
                lambda: app.exit(exception=EOFError()) if app.is_running else None
            )
        self._thread.join(2)
        self._open.close()

    def next_task(self) -> str:
        """Return the next line that is no steering and no answer. Raises EOFError when the owner
        leaves."""
        text = self._tasks.get()
        if text is None:
            raise EOFError
        return text

    def later(self, text: str) -> None:
        """Take a line as the next task."""
        self._tasks.put(text)

    def works(self, steer: Callable[[str], None] | None) -> None:
        """Let this run hear what is typed from now on; with None, no run works."""
        self._steer = steer
        with self._stopping:
            pass  # from here on none comes that was meant for the run which has ended

    def came_late(self) -> None:
        """Say how to leave: the last Ctrl-C found no run to stop, as at an empty line."""
        if not self._leaving:
            self._was_interrupted = True
            print(say("chat.how_to_leave"))

    def read_answer(self, prompt: str) -> str:
        """Return the next line, as the answer to a question. Raises EOFError when the owner
        leaves."""
        while not self._answers.empty():
            self._answers.get()
        self._question = prompt
        try:
            text = self._answers.get()
        finally:
            self._question = ""
        if text is None:
            raise EOFError
        return text

    def read_secret(self, prompt: str) -> str:
        """Return the next line, which is shown nowhere and kept in no history. Raises EOFError when
        the owner leaves."""
        self._is_secret = True
        try:
            return self.read_answer(prompt)
        finally:
            self._is_secret = False

    def _make_session(self, keys: Input) -> PromptSession[str]:
        from prompt_toolkit import PromptSession
        from prompt_toolkit.completion import WordCompleter
        from prompt_toolkit.filters import Condition
        from prompt_toolkit.history import FileHistory

        line = self

        class Lines(FileHistory):
            def append_string(self, string: str) -> None:  # it also stores
                if not line._is_secret:
                    super().append_string(string)

        return PromptSession(
            input=keys,
            history=Lines(str(self._history)),
            is_password=Condition(lambda: self._is_secret),
            completer=WordCompleter(self._words, sentence=True),
            complete_while_typing=False,
            erase_when_done=True,
            refresh_interval=0.2,
            key_bindings=_bindings(),
        )

    def _work(self) -> None:
        """Show one prompt after the other until the owner leaves; runs in a thread."""
        while not self._leaving and self._session is not None:
            try:
                text = self._session.prompt(self._message, handle_sigint=False)
            except KeyboardInterrupt:
                self._interrupt()
            except EOFError:
                self._leave()
                return
            else:
                self._take(text)

    def _take(self, text: str) -> None:
        self._was_interrupted = False
        command = text.strip().partition(" ")[0]
        if self._question and (self._is_secret or command not in self._words):
            self._echo("" if self._is_secret else text)
            self._answers.put(text)
        elif self._question and command == LEAVES:
            self._leave()
        elif text.strip():
            self._echo(text)
            self._pass_on(text, command)

    def _pass_on(self, text: str, command: str) -> None:
        """Tell the run that works, or keep the line for later."""
        if self._steer is not None and not text.startswith("/"):
            self._steer(text)
            return
        self._tasks.put(text)
        if self._steer is not None:
            print(say("chat.later", command=command))

    def _echo(self, text: str) -> None:
        print("› " + clean(text))

    def _interrupt(self) -> None:
        if self._stop():
            return
        if self._was_interrupted:
            self._leave()
        else:
            self._was_interrupted = True
            print(say("chat.how_to_leave"))

    def _leave(self) -> None:
        self._leaving = True
        self._answers.put(None)
        self._tasks.put(None)
        if not self._question:
            self._stop()

    def _stop(self) -> bool:
        """Stop the run that works. False when none does."""
        with self._stopping:
            if self._steer is None:
                return False
            # to the very thread, so that what it waits for is cut short
            signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
            return True

    def _message(self) -> ANSI:
        """Return what stands before the line: the moving part of the screen, then the mark of the
        prompt."""
        from prompt_toolkit.formatted_text import ANSI

        if self._question:
            return ANSI(self._question)
        moving = _rendered(self._console, self._screen) if self._steer is not None else ""
        return ANSI(moving + "\x1b[1m› \x1b[0m")


def _keyboard() -> Input:
    """Return the keys of the terminal, never echoed by it nor turned into signals: not between two
    prompts, and not while something is printed above one, when prompt_toolkit would hand the
    terminal back for a moment and lose a key."""
    from prompt_toolkit.input.vt100 import Vt100Input

    class Keyboard(Vt100Input):
        def cooked_mode(self) -> AbstractContextManager[None]:
            return nullcontext()

    return Keyboard(sys.stdin)


def _bindings() -> KeyBindings:
    """Enter sends, also what was pasted as several lines; Alt-Enter begins a new line."""
    from prompt_toolkit.key_binding import KeyBindings

    keys = KeyBindings()

    @keys.add("escape", "enter")
    def _(event: Any) -> None:
        event.current_buffer.insert_text("\n")

    return keys


def _rendered(console: Console, screen: TerminalScreen) -> str:
    """Return the moving part of the screen as text with colours."""
    from ui.lists import make_console

    target = io.StringIO()
    page = make_console(
        file=target, force_terminal=True, width=console.width, color_system=console.color_system
    )
    for line in screen.moving_lines(console.width, MAX_TAIL_LINES):
        page.print(line)
    return target.getvalue()
