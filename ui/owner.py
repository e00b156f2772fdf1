"""The owner at the terminal: puts the agent's questions and asks for leave, showing exactly what would happen."""

from __future__ import annotations

import re
import signal
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

from handler import Approval, Confirmation
from ui.clean import clean, one_line
from ui.words import say

if TYPE_CHECKING:
    from rich.console import Console

MAX_PREVIEW_LINES = 80
_ONCE = {"1", "y", "yes", "once", "o", "ok", "是", "好", "可以", "允许", "一次"}
_RUN = {"2", "r", "run", "本次运行", "本次"}
_NO = {"", "3", "n", "no", "否", "不", "不行", "不可以"}
_NO_BECAUSE = re.compile(r"(?:3|no?|否|不|不行)[\s,，:：]+(.+)", re.IGNORECASE | re.DOTALL)


class TerminalOwner:
    """Asks whoever sits at the terminal. `read_line` shows a prompt and returns a line, or raises EOFError."""

    def __init__(self, console: Console, read_line: Callable[[str], str], pause: Callable[[], None]) -> None:
        self._console, self._read_line, self._pause = console, read_line, pause

    def ask(self, id: str, question: str, candidates: list[str]) -> str | None:
        """The answer: free text, or the candidate whose number was typed. Nothing at all: the question waits."""
        self._pause()
        self._say(say("ask.title", question=clean(question).strip()), "bold")
        for number, candidate in enumerate(candidates, 1):
            self._say(f"  {number}. {one_line(candidate)}")
        hint = say("ask.pick") if candidates else say("ask.free")
        try:
            text = self._read_line(hint).strip()
        except EOFError:
            return None
        if text.isdecimal() and 1 <= int(text) <= len(candidates):
            return candidates[int(text) - 1]
        return text or None

    def confirm(self, confirmation: Confirmation) -> Approval | None:
        """Once, for the rest of the run, or no: no is what anything unclear means, and its text is the reason."""
        self._pause()
        tool, reason = one_line(confirmation.tool, 60), clean(confirmation.reason).strip()
        self._say(say("confirm.title", tool=tool, reason=reason), "bold yellow")
        self._say(say("confirm.risk", risk=one_line(confirmation.risk, 40)), "yellow")
        lines = clean(confirmation.preview).splitlines()
        is_cut = self._show_effect(lines)
        while True:
            self._say(say("confirm.choices"))
            try:
                text = self._read_line(say("confirm.prompt")).strip()
            except EOFError:
                return Approval("no", say("confirm.nobody"))
            if not (is_cut and text.lower() in ("v", "view")):
                return read_approval(text)
            self._show_effect(lines, whole=True)

    def _show_effect(self, lines: list[str], *, whole: bool = False) -> bool:
        """Prints what would happen; True when its middle is left out."""
        is_cut = len(lines) > MAX_PREVIEW_LINES and not whole
        half = MAX_PREVIEW_LINES // 2
        for line in lines[:half] if is_cut else lines:
            self._say("  │ " + line)
        if is_cut:
            self._say("  │ " + say("confirm.cut", n=len(lines) - 2 * half), "yellow")
            for line in lines[-half:]:
                self._say("  │ " + line)
        return is_cut

    def _say(self, text: str, style: str = "") -> None:
        from rich.text import Text

        self._console.print(Text(text, style))


def read_approval(text: str) -> Approval:
    """What an answer means. Only a plain yes is one."""
    word = text.strip().lower()
    if word in _ONCE:
        return Approval("once")
    if word in _RUN:
        return Approval("run")
    if word in _NO:
        return Approval("no")
    because = _NO_BECAUSE.fullmatch(text.strip())
    return Approval("no", because[1] if because else text.strip())


def read_line(prompt: str) -> str:
    """A line from the terminal. What was typed before the question is no answer to it. Raises EOFError for Ctrl-D.

    Not `input`: a Ctrl-C that comes while that begins is noticed only at the next key.
    """
    import termios

    from prompt_toolkit import PromptSession

    termios.tcflush(sys.stdin.fileno(), termios.TCIFLUSH)
    session: PromptSession[str] = PromptSession()
    try:
        return session.prompt(prompt)
    except KeyboardInterrupt:
        signal.raise_signal(signal.SIGINT)  # so that whoever counts stops sees this one
        raise
