"""Judge calls of the desktop's tools: a mouse and a keyboard reach whatever their owner reaches.

What a press on a window does nobody can know from its place, so each program that is used is asked
about (a yes for the run holds for that program); so is whom typed text names, and each text for a
terminal, where it is a command.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from safety.findings import Ask, Finding, found
from safety.taint import Named, of_call
from text import pattern

# A request with these words is about what stands on the screen.
_WORDS = pattern(
    r"(?i)\bscreen(?:shot)?s?\b|\bwindow\b|\bopen windows\b|\bmouse\b|\bkeyboard\b|\bdesktop (?:app|application|program|tool)s?\b"
    r"|屏幕|截图|截屏|窗口|鼠标|键盘|桌面(?:程序|应用|软件)"
)
TERMINALS = (
    r"(?i)term\b|terminal|konsole|kitty|alacritty|tilix|guake|yakuake|wezterm|ghostty|terminator"
)
_OURS = pattern(r"(?i)\bsopwith\b")
_STARTS = pattern(
    r"(?i)\b(?:win|super|meta|cmd|winleft|winright)\b|\balt\+f2\b|\b(?:ctrl|control)\+alt\b|\balt\+(?:ctrl|control)\b"
)
_SENT = ("address", "account", "phone", "url")


def desktop_calls(ask: Ask, named: Named) -> Iterator[Finding]:
    """Give what a call would do.

    Hints: `app` and `title` of the window that it acts in, `ours` when Sopwith runs in it; `onto`:
    the same of the window in which a drag ends.
    """
    is_asked_for = bool(_WORDS.search(ask.request))
    if ask.tool == "desktop_look":
        yield from () if is_asked_for else [found("secret", "shows_screen")]
        return
    windows = [ask.hints, ask.hints["onto"]] if ask.hints.get("onto") else [ask.hints]
    ours = next(filter(_is_ours, windows), None)
    if ours:
        yield found("agent", "own_window", name=str(ours.get("title") or ours.get("app"))[:80])
    elif not (ask.args.get("action") == "focus" and is_asked_for):
        yield from _used(ask, windows, named)


def _is_ours(window: Mapping[str, Any]) -> bool:
    return bool(window.get("ours")) or bool(_OURS.search(str(window.get("title", ""))))


def _used(ask: Ask, windows: list[Mapping[str, Any]], named: Named) -> Iterator[Finding]:
    action, title = str(ask.args.get("action")), str(ask.hints.get("title", ""))
    text = str(ask.args.get("text") or "")
    for window in windows:
        yield _program(window)
    if title:
        yield found("change", "acts_in", action=action, name=title[:80])
    if action == "keys" and _STARTS.search(text):
        yield found("unknown", "presses_keys", is_target=True, name=text[:80])
    is_typed = action in ("type", "keys")
    if is_typed and re.search(TERMINALS, str(ask.hints.get("app", ""))):
        yield found("unknown", "types_into_terminal", is_target=True, name=repr(text[:200]))
    elif action == "type":
        yield from typed(ask.tool, text, named)


def _program(window: Mapping[str, Any]) -> Finding:
    title, app = str(window.get("title", ""))[:80], str(window.get("app", ""))
    if not (app or title):
        return found("change", "uses_unknown_window", is_target=True)
    return found("change", "uses_program", is_target=True, what=app or f"“{title}”")


def typed(tool: str, text: str, named: Named) -> Iterator[Finding]:
    """Give the addresses in a typed text that the request does not name."""
    targets = of_call({"message": text}, effect="send")
    sent = [each for each in targets if each.kind in _SENT]
    for target in named.unknown(sent, strict=True)[:5]:
        yield found("send", "types", is_target=True, tool=tool, name=target.value[:120])
