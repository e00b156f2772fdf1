"""The screen of a terminal: what stays is printed above, what changes (the spinner, the text that
grows) lives below it."""

from __future__ import annotations

import re
import threading
import time
from functools import cache
from typing import TYPE_CHECKING, ClassVar

from models.base import Event
from ui import event_text as describe
from ui.sanitise import clean, last_line, one_line
from ui.terminal import text_screen as plain
from ui.words import say

if TYPE_CHECKING:
    from rich.console import Console, JustifyMethod, RenderableType
    from rich.live import Live
    from rich.markdown import Markdown, MarkdownElement
    from rich.text import Text

SPINNER = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"
MAX_DIFF_LINES = 60
REDRAW_SECONDS = 0.1
TAIL_CHARS = 4000  # of a text that grows
_MARKS = re.compile(
    r"^\s*(?:[-*+] |\d+[.)] |#{1,6} |>|\||```|~~~)|`[^`\n]+`|\*\*[^*\n]+\*\*|\]\([^)\n]+\)",
    re.MULTILINE,
)
_HIDDEN = re.compile(  # what only the agent reads, outside of code blocks
    r"(?P<code>^ {0,3}(```|~~~).*?(?:^ {0,3}\2|\Z))"
    r"|^\s*<(summary|think|thinking|tool_use)>.*?(?:</\3>|\Z)|<[a-z_]{0,9}\Z",
    re.MULTILINE | re.DOTALL,
)
_MARK_STYLES = {"ok": "green", "error": "red", "timeout": "red"}
_MARK_STYLES |= dict.fromkeys(("refused", "cancelled"), "yellow")
_NOTE_STYLES = {
    "model_failed": "yellow",
    "model_retry": "yellow",
    "model_adapted": "dim",
    "handover": "dim",
    "uncertain": "yellow",
    "learned": "green",
}


class TerminalScreen(plain.Screen):
    """Shows a run on a terminal. With `live` it draws its own moving part; without, somebody else
    draws `status`."""

    def __init__(self, console: Console, *, live: bool = True, attended: bool = True) -> None:
        self.console, self.attended = console, attended
        self._draws_live = live
        self._live: Live | None = None
        # two that draw at once would take lines of each other away
        self._drawing = threading.RLock()
        self._said = ""  # what this turn has said, printed for good
        self._grows: list[str] = []  # the pieces of what it is saying
        self._since = time.monotonic()
        self._doing = ""  # what the spinner stands for; "" when nothing is under way
        self._tool = ("", "")  # name and arguments of the call that runs
        self._output = ""  # its last line
        self._rote = ""  # the step of the replay
        self._note = ""  # what that step is there for
        self._held = ""  # a setback, until it is clear whether somebody goes on

    def show(self, event: Event) -> None:
        """Show one event."""
        with self._drawing:
            self._show(event)

    def _show(self, event: Event) -> None:
        held, self._held = self._held, ""
        if held and event["type"] != "run_ended":
            self._print(held, "yellow")
        if plain.is_setback(event):
            self._held = plain.progress(event)
            return
        shows = getattr(self, f"_on_{event['type']}", None)
        if shows is not None:
            shows(event)
        elif line := plain.progress(event):
            self._print(line, _NOTE_STYLES.get(event["type"], "dim"))
        if event["type"] == "run_ended":
            self.close()
        elif self._draws_live and self._doing:
            self._go_live()

    def pause(self) -> None:
        """Take the moving part away, until the next event."""
        with self._drawing:
            self._flush()
            self._doing = ""
            self.close()

    def close(self) -> None:
        """Take the moving part away."""
        with self._drawing:
            live, self._live = self._live, None
            if live is not None:
                live.stop()

    def status(self) -> RenderableType:
        """Return the moving part: the end of the text that grows, and what is going on with its
        seconds."""
        from rich.console import Group

        return Group(*self.moving_lines(self.console.width, max(3, self.console.height - 4)))

    def moving_lines(self, width: int, height: int) -> list[Text]:
        """Return the same as lines: the last `height` of the text, and at most two of what is going
        on."""
        return [*self._tail_lines(width, height), *self._status_lines(width)]

    def _status_lines(self, width: int) -> list[Text]:
        doing, (tool, args), output = self._doing, self._tool, self._output
        if not doing:
            return []
        elapsed = time.monotonic() - self._since
        mark = SPINNER[int(time.monotonic() * 10) % len(SPINNER)] + " "
        if doing != "tool":
            tool, args, output = say(f"doing.{doing}"), "", ""
        lines = [_fit(mark, "cyan", tool, args, say("time.seconds", n=int(elapsed)), width)]
        return [*lines, _dim("  " + output, width)] if output else lines

    # One method for each event that has a look of its own.

    def _on_handover(self, event: Event) -> None:
        self._rote = ""
        self._print(plain.progress(event), "dim")

    def _on_run_started(self, event: Event) -> None:
        self._rote = ""
        self._start("working")

    def _on_turn_started(self, event: Event) -> None:
        self._said = ""
        self._start("thinking")

    def _on_text(self, event: Event) -> None:
        self._grows.append(event["delta"])

    def _on_text_reset(self, event: Event) -> None:
        if self._grows:
            self._print(say("text.reset"), "dim")
        self._grows, self._said = [], ""

    def _on_model_called(self, event: Event) -> None:
        self._flush()
        self._note = describe.step_note(event)
        self._start("working")

    def _on_rote(self, event: Event) -> None:
        if event["state"] == "started":
            if not self._rote:
                self._print(f"↻ {describe.rote(event)}", "cyan")
            self._rote = one_line(str(event.get("step", "")), 40)

    def _on_tool_started(self, event: Event) -> None:
        if event["tool"] in describe.QUIET_TOOLS:
            self._doing = ""
            return
        step = f"[{self._rote}] " if self._rote else ""
        self._tool = (
            one_line(event["tool"], 60),
            step + (self._note or describe.arguments(event.get("args"))),
        )
        self._output = ""
        self._start("tool")

    def _on_tool_output(self, event: Event) -> None:
        if line := last_line(event["delta"]):
            self._output = one_line(line, 500)

    def _on_tool_ended(self, event: Event) -> None:
        name, args = self._tool if self._doing == "tool" else (one_line(event["tool"], 60), "")
        self._start("working")
        self._tool, self._output = ("", ""), ""
        if event["tool"] in describe.QUIET_TOOLS:
            return
        status = event["status"]
        mark = describe.MARKS.get(status, "?") + " "
        took = describe.seconds(event.get("seconds", 0.0))
        self.console.print(
            _fit(mark, _MARK_STYLES.get(status, ""), name, args, took, self.console.width)
        )
        if status != "ok" and (reason := describe.problem(event)):
            self._print(f"  {reason}", _MARK_STYLES.get(status, ""))
        self._print_diff(describe.diff(event))

    def _on_run_ended(self, event: Event) -> None:
        self._flush()
        self._doing = ""
        result = clean(str(event.get("result") or "")).strip()
        status = event["status"]
        if status == "done":
            self._print_result(result, is_rote=bool(event.get("rote")))
        elif result and status != "waiting":
            self._print(
                clean(describe.ended(event)).strip(), "yellow" if status == "limit" else "red"
            )
        if event.get("turns") or status == "done":  # nothing was begun: the reason says it all
            self._print(describe.closing(event), "dim")
        for line in plain.what_next(event):
            self._print(line, "dim")

    # How things are printed.

    def _print_result(self, result: str, *, is_rote: bool) -> None:
        if "".join(result.split()) in "".join(self._said.split()):
            return  # it has been streamed
        if is_rote and "\n" in result and not _MARKS.search(result):  # lines of a program
            self._print(f"{result}\n", "")
        else:
            self._print_block(result)

    def _on_asked(self, event: Event) -> None:
        """Ask a question: through the owner's prompt where one is open, else here."""
        self._flush()
        self._doing = ""
        if not self.attended:
            self._print(plain.progress(event), "")

    _on_confirm = _on_asked

    def _start(self, doing: str) -> None:
        if doing != self._doing:
            self._doing, self._since = doing, time.monotonic()

    def _flush(self) -> None:
        """Print the text that grew; it has come to its end."""
        text, self._grows = visible_text("".join(self._grows)), []
        if text.strip():
            self._print_block(text)

    def _print_block(self, block: str) -> None:
        block = clean(block)  # only now: a sequence may come in two pieces
        self._said += block
        self.console.print(_markdown(block))
        self.console.print()

    def _print(self, text: str, style: str) -> None:
        from rich.text import Text

        self.console.print(Text(text, style))

    def _print_diff(self, lines: list[str]) -> None:
        from rich.text import Text

        styles = {"+": "green", "-": "red", "@": "cyan"}
        for line in lines[:MAX_DIFF_LINES]:
            self.console.print(Text("  " + line.expandtabs(4), styles.get(line[:1], "dim")))
        if len(lines) > MAX_DIFF_LINES:
            self._print("  " + say("diff.more", n=len(lines) - MAX_DIFF_LINES), "dim")

    def _tail_lines(self, width: int, height: int) -> list[Text]:
        """Return the last `height` lines of the text that grows."""
        from rich.text import Text

        text = clean(visible_text("".join(self._grows)[-TAIL_CHARS:])).rstrip()
        return list(Text(text).wrap(self.console, width))[-height:] if text else []

    def _go_live(self) -> None:
        if self._live is None:
            from rich.live import Live

            self._live = Live(
                get_renderable=self.status,
                console=self.console,
                auto_refresh=False,
                transient=True,
                redirect_stdout=False,
                redirect_stderr=False,
            )
            self._live.start()
            threading.Thread(
                target=self._redraw, args=[self._live], name="redraw", daemon=True
            ).start()

    def _redraw(self, live: Live) -> None:
        """Move the spinner, and the text that grows, as long as this one is shown."""
        while self._live is live:
            time.sleep(REDRAW_SECONDS)
            with self._drawing:
                if self._live is live:
                    live.refresh()


def visible_text(text: str) -> str:
    """Return a reply without what only the agent reads, also where its end has not come yet."""
    return _HIDDEN.sub(lambda found: found["code"] or "", text)


def _fit(mark: str, mark_style: str, head: str, detail: str, took: str, width: int) -> Text:
    """`✓ code_run find … 0.3 s` in one line: the detail gives way first."""
    from rich.cells import cell_len
    from rich.text import Text

    line = Text(no_wrap=True, overflow="ellipsis")
    line.append(mark, mark_style)
    line.append(head, "bold")
    room = width - 1 - cell_len(mark) - cell_len(head) - cell_len(took) - 2
    if detail and room > 3:
        shown = Text(" " + detail, "dim")
        shown.truncate(room, overflow="ellipsis")
        line.append_text(shown)
    line.append(f" {took}", "dim")
    line.truncate(width - 1, overflow="ellipsis")
    return line


def _dim(text: str, width: int) -> Text:
    from rich.text import Text

    line = Text(text, "dim", no_wrap=True)
    line.truncate(width - 1, overflow="ellipsis")
    return line


def _markdown(text: str) -> RenderableType:
    """Return Markdown without hidden link targets, in the terminal's own colours."""
    return _markdown_kind()(
        text, hyperlinks=False, code_theme="ansi_dark", inline_code_theme="ansi_dark"
    )


@cache
def _markdown_kind() -> type[Markdown]:
    """Rich's Markdown with headings at the margin, as all else is."""
    from rich.markdown import Heading, Markdown

    class MarginHeading(Heading):
        LEVEL_ALIGN: ClassVar[dict[str, JustifyMethod]] = {}

    class Page(Markdown):
        elements: ClassVar[dict[str, type[MarkdownElement]]] = {
            **Markdown.elements,
            "heading_open": MarginHeading,
        }

    return Page
