"""The owner at the terminal: puts the agent's questions and asks for leave, showing exactly what
would happen."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from handler import Approval, Confirmation
from ui.event_text import leave_asked
from ui.sanitise import clean, one_line, visible
from ui.terminal import consent
from ui.words import reasons, say

if TYPE_CHECKING:
    from rich.console import Console

MAX_PREVIEW_LINES = 80
MAX_LINE_CHARS = 400  # a longer line is shown as several
MAX_UNCLEAR = 3  # answers that are neither yes nor no


class TerminalOwner:
    """Asks whoever sits at the terminal. `read_line` shows a prompt and returns a line, or raises
    EOFError; `read_secret` does not show what is typed."""

    def __init__(
        self,
        console: Console,
        read_line: Callable[[str], str],
        pause: Callable[[], None],
        read_secret: Callable[[str], str],
    ) -> None:
        self._console, self._pause = console, pause
        self._read_line, self._read_secret = read_line, read_secret
        self.has_skipped = False  # the last question was answered with Enter alone

    def ask(self, id: str, question: str, candidates: list[str]) -> str | None:
        """Return free text, or the candidate whose number was typed; None for Enter alone, which
        drops the question, and for Ctrl-D, which leaves it in the inbox."""
        self.has_skipped = False
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
        self.has_skipped = not text
        return text or None

    def confirm(self, confirmation: Confirmation) -> Approval | None:
        """Return leave for once, for the rest of the run, or none; ask again what is unclear, then
        take it as no."""
        self._pause()
        reason = visible(reasons(confirmation.said, confirmation.reason)).strip()
        self._say(leave_asked(one_line(confirmation.tool, 60), reason), "bold yellow")
        risk = one_line(say(f"risk.{confirmation.risk}"), 40)
        self._say(say("confirm.risk", risk=risk), "yellow")
        lines = [
            line[at : at + MAX_LINE_CHARS]
            for line in visible(confirmation.preview).split("\n")
            for at in range(0, len(line) or 1, MAX_LINE_CHARS)
        ]
        is_cut, unclear = self._show_effect(lines), 0
        while True:
            self._say(say("confirm.choices"))
            try:
                text = self._read_line(say("confirm.prompt")).strip()
            except EOFError:
                return Approval("no")
            if is_cut and text.lower() in ("v", "view"):
                self._show_effect(lines, whole=True)
                continue
            if approval := read_approval(text):
                return approval
            unclear += 1
            if unclear == MAX_UNCLEAR:
                return Approval("no", text)
            self._say(say("confirm.again"))

    def secret(self, question: str) -> str | None:
        """Return what is typed, without showing it; None when nothing is typed."""
        self._pause()
        self._say(clean(question).strip(), "bold")
        try:
            return self._read_secret(say("ask.secret")) or None
        except EOFError:
            return None

    def _show_effect(self, lines: list[str], *, whole: bool = False) -> bool:
        """Print what would happen; True when its middle is left out."""
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


def read_approval(text: str) -> Approval | None:
    """Return what an answer means; None when it is unclear. Only a plain yes is one."""
    answer = consent.read(text)
    return None if answer.meaning == "unclear" else Approval(answer.meaning, answer.reason)
