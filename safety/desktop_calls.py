"""Judge calls of the desktop's tools: a mouse and a keyboard reach whatever their owner reaches.

What a press on a window does nobody can know from its place, so each program that is used is asked about (a yes for the run
holds for that program); so is whom typed text names, and each text for a terminal, where it is a command.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from safety.findings import Finding
    from safety.targets import Named

# A request with these words is about what stands on the screen.
WORDS = (
    r"\bscreen(?:shot)?s?\b|\bwindow\b|\bopen windows\b|\bmouse\b|\bkeyboard\b|\bdesktop (?:app|application|program|tool)s?\b"
    r"|屏幕|截图|截屏|窗口|鼠标|键盘|桌面(?:程序|应用|软件)"
)
TERMINALS = (
    r"(?i)term\b|terminal|konsole|kitty|alacritty|tilix|guake|yakuake|wezterm|ghostty|terminator"
)
_OURS = re.compile(r"(?i)\bsopwith\b")
_STARTS = re.compile(
    r"(?i)\b(?:win|super|meta|cmd|winleft|winright)\b|\balt\+f2\b|\b(?:ctrl|control)\+alt\b|\balt\+(?:ctrl|control)\b"
)


def look(
    tool: str, args: Mapping[str, Any], about: Mapping[str, Any], named: Named
) -> Iterator[Finding]:
    """The findings. `about`: `app` and `title` of the window that the call acts in, `ours` when Sopwith runs in it; `onto`:
    the same of the window in which a drag ends."""
    from safety.findings import Finding

    is_asked_for = bool(re.search(WORDS, named.request, re.IGNORECASE))
    if tool == "desktop_look":
        if not is_asked_for:
            yield Finding(
                "secret",
                "desktop_look shows all that is on the screen, of which the request does not speak",
            )
        return
    action, app, title = (
        str(args.get("action")),
        str(about.get("app", "")),
        str(about.get("title", "")),
    )
    windows = [about, about["onto"]] if about.get("onto") else [about]
    if ours := next(
        (each for each in windows if each.get("ours") or _OURS.search(str(each.get("title", "")))),
        None,
    ):
        name = str(ours.get("title") or ours.get("app"))[:80]
        yield Finding(
            "agent", f"“{name}” is Sopwith's own window: what is decided there is the owner's"
        )
        return
    if action == "focus" and is_asked_for:
        return
    for program in map(_program, windows):
        yield Finding(
            "change", f"desktop_do uses {program} with the owner's mouse and keyboard", "target"
        )
    if title:
        yield Finding("change", f"{action} in “{title[:80]}”")
    text = str(args.get("text") or "")
    if action == "keys" and _STARTS.search(text):
        yield Finding("unknown", f"presses {text[:80]}, which may start any program", "target")
    if action in ("type", "keys") and re.search(TERMINALS, app):
        yield Finding(
            "unknown",
            f"types {text[:200]!r} into a terminal, where it is a command (code_run has a sandbox)",
            "target",
        )
    elif action == "type":
        yield from _typed(text, named)


def _program(window: Mapping[str, Any]) -> str:
    title = str(window.get("title", ""))[:80]
    return str(window.get("app", "")) or (f"“{title}”" if title else "a window that is not known")


def _typed(text: str, named: Named) -> Iterator[Finding]:
    from safety.findings import Finding
    from safety.targets import of_call

    targets = [
        each
        for each in of_call({"message": text}, effect="send")
        if each.kind in ("address", "account", "phone", "url")
    ]
    for target in named.unknown(targets, strict=True)[:5]:
        yield Finding(
            "send",
            f"desktop_do types {target.value[:120]}, which the request does not name",
            "target",
        )
