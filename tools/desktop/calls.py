"""The tools for programs with windows: desktop_look shows the screen, desktop_do moves mouse and
keyboard. docs/desktop.md."""

from __future__ import annotations

import importlib.util
import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

from config import Message
from models.base import ToolResult
from models.images import shrink
from safety.calls import TERMINALS
from safety.taint import Origin
from tools.base import ToolContext, ToolError, tool
from tools.desktop import link as desktop_link
from tools.desktop.link import Seen
from tools.desktop.windows import holds

LOOK_SECONDS = 30.0
DO_SECONDS = 30.0
SHOWN_WINDOWS = 30
MOST_STEPS = 100  # of a wheel
_WITH_POINT = ("click", "double_click", "right_click", "move", "drag")
_WITH_TEXT = ("type", "keys")
_MARKS = {
    "active": "has the keyboard",
    "hidden": "minimised",
    "popup": "menu or note",
    "ours": "Sopwith runs in it: its owner's alone",
}
Action = Literal[
    "click", "double_click", "right_click", "move", "drag", "scroll", "type", "keys", "focus"
]


def lack() -> str:
    """Return what this machine lacks, or ""."""
    if sys.platform != "linux":
        return "system"
    if not all(map(importlib.util.find_spec, ("pyautogui", "PIL"))):
        return "packages"
    if "WAYLAND_DISPLAY" in os.environ or os.environ.get("XDG_SESSION_TYPE") == "wayland":
        return "wayland"
    return "" if os.environ.get("DISPLAY") else "display"


def problem() -> str:
    """Return why there is no desktop to use on this machine, or ""."""
    missing = lack()
    return Message(f"error.desktop.{missing}") if missing else ""


def aimed(ctx: ToolContext, args: dict[str, Any]) -> dict[str, Any]:
    """Return what the gate should know of a call: the window that it would act in, by its program
    and title."""
    seen = desktop_link.last_seen(ctx)
    if seen is None:
        return {}
    try:
        window = _window(seen, args)
    except ToolError:
        window = None
    found = _told(window) if window else {}
    onto = _onto(seen, args.get("to"))
    if onto and onto is not window:
        found["onto"] = _told(onto)
    return found


def _told(window: dict[str, Any]) -> dict[str, Any]:
    return {"app": window["app"], "title": window["title"], "ours": "ours" in window}


def _onto(seen: Seen, to: Any) -> dict[str, Any] | None:
    """Return the window in which a drag ends."""
    return desktop_link.window_at(seen, to) if _is_point(to) else None


def _is_point(value: Any) -> bool:
    return isinstance(value, list) and len(value) == 2


@tool("read")
def desktop_look(
    ctx: ToolContext, window: str | None = None, region: list[int] | None = None
) -> ToolResult:
    """Show the screen or a part of it: a picture, and the open windows. Positions are pixels of the
    screen.

    window: title or id
    region: x, y, width, height
    """
    _check()
    desktop, file = desktop_link.opened(ctx), _file(ctx, "screen")
    asked: dict[str, Any] = {"file": str(file)}
    if region:
        if len(region) != 4 or min(region[2:]) < 1:
            raise ToolError("error.desktop.region")
        asked["rect"] = region
    elif window:
        first = desktop.ask("look", ctx.seconds(LOOK_SECONDS), file=str(file))
        asked["rect"] = _rect_of(desktop_link.window_named(first, window))
    answer = desktop.ask("look", ctx.seconds(LOOK_SECONDS), **asked)
    seen, shown = desktop_link.remember(ctx, answer), answer["file"]
    data = {"output": "\n".join([_picture(answer), *_windows(seen)]), "file": shown}
    return ToolResult("ok", data, Origin.SCREEN, images=[shown])


def _rect_of(window: dict[str, Any]) -> list[int]:
    if "hidden" in window:
        id = hex(window["id"])
        raise ToolError(
            "error.desktop.minimised-desktop-do-action", window=window["title"], id=repr(id)
        )
    return list(window["rect"])


@tool("write", "network", about=aimed)
def desktop_do(
    ctx: ToolContext,
    action: Action,
    at: list[int] | None = None,
    to: list[int] | None = None,
    text: str | None = None,
    window: str | None = None,
    amount: int | None = None,
    secret: str | None = None,
) -> ToolResult:
    """Use mouse or keyboard in a window that desktop_look has shown; says how much of the screen
    changed (0 %: missed) and shows that part.

    at: x, y
    to: x, y, where a drag ends
    text: to type; of keys such as ctrl+s, or tab tab enter
    window: title or id, brought to the front before
    amount: steps to scroll down; -3 is up
    secret: in place of text, a question to the owner, whose answer is typed unseen
    """
    _check()
    seen = desktop_link.last_seen(ctx)
    if seen is None:
        raise ToolError("error.desktop.nothing-been-looked-yet")
    _check_point("at", at, seen)
    _check_point("to", to, seen)
    _check_needs(action, {"at": at, "to": to, "text": text or secret, "amount": amount})
    chosen = _window(seen, {"at": at, "window": window})
    if chosen is None and action in (*_WITH_TEXT, "focus"):
        raise ToolError("error.desktop.window-keyboard-say-window")
    if action == "scroll" and chosen and at is None:
        at = _inside(chosen, seen["pointer"])
    asked = {
        "action": action,
        "at": at,
        "to": to,
        "text": _typed(ctx, text, secret),
        "secret": bool(secret),
        "amount": amount,
        "window": chosen,
        "onto": (_onto(seen, to) or {"id": 0})["id"],
        "is_terminal": bool(chosen and re.search(TERMINALS, chosen["app"])),
        "file": str(_file(ctx, "changed")),
    }
    answer = desktop_link.opened(ctx).ask("do", ctx.seconds(DO_SECONDS), **asked)
    return _done(ctx, answer, seen)


def _typed(ctx: ToolContext, text: str | None, secret: str | None) -> str | None:
    """Return the text to be typed. Raises ToolError for letters that are none, and when nobody says
    the secret."""
    if secret:
        said = ctx.secret(secret)
        if said is None:
            raise ToolError("error.desktop.nobody-type-secret")
        return said
    if text and re.search("[\0\ud800-\udfff]", text):
        raise ToolError("error.desktop.text-holds-nul-character")
    return text


def _done(ctx: ToolContext, answer: dict[str, Any], before: Seen) -> ToolResult:
    """Return what an action has changed."""
    seen, changed = desktop_link.remember(ctx, answer), f"{float(answer['changed']):.2g} %"
    lines = [*_changed(answer, changed), *_window_news(before, seen), answer["note"]]
    data: dict[str, Any] = {"output": "\n".join(filter(None, lines)), "changed": changed}
    if "picture" not in answer:
        return ToolResult("ok", data, Origin.SCREEN)
    return ToolResult("ok", data | {"file": answer["file"]}, Origin.SCREEN, images=[answer["file"]])


def _changed(answer: dict[str, Any], changed: str) -> Iterator[str]:
    if "picture" not in answer:
        yield "0 % of the screen changed: it missed, or there was nothing to change"
        return
    left, top, width, height = answer["picture"]
    yield f"{changed} of the screen changed; the picture shows x {left}–{left + width}, y {top}–{top + height}"


def _window_news(before: Seen, seen: Seen) -> Iterator[str]:
    news = {"opened:": _only_in(seen, before), "closed:": _only_in(before, seen)}
    if seen["active"] != before["active"]:
        news["the keyboard is with"] = _active(seen)
    for said, windows in news.items():
        if windows:
            yield f"{said} {desktop_link.listed(windows)}"


def _only_in(one: Seen, other: Seen) -> list[dict[str, Any]]:
    known = {each["id"] for each in other["windows"]}
    return [each for each in one["windows"] if each["id"] not in known]


def _active(seen: Seen) -> list[dict[str, Any]]:
    """Return the window that has the keyboard, if one has it."""
    return [each for each in seen["windows"] if each["id"] == seen["active"]]


def _window(seen: Seen, args: dict[str, Any]) -> dict[str, Any] | None:
    """Return the window that a call means: where it presses, the one that it names, or the one that
    has the keyboard."""
    named = desktop_link.window_named(seen, str(args["window"])) if args.get("window") else None
    at: Any = args.get("at")
    if not _is_point(at):
        return named or next(iter(_active(seen)), None)
    there = desktop_link.window_at(seen, at)
    if named is None or (there and "popup" in there):
        return there
    if "hidden" in named or not holds(named, at):
        name = named["title"] or named["app"]
        raise ToolError("error.desktop.which-lies", point=at, window=name, box=named["rect"])
    return named  # under another one; it is brought to the front


def _inside(window: dict[str, Any], pointer: list[int]) -> list[int]:
    """Return where the mouse is, or the middle of the window in which it is not: a wheel turns what
    lies under the mouse."""
    left, top, width, height = window["rect"]
    if holds(window, pointer):
        return list(pointer)
    return [left + width // 2, top + height // 2]


def _check_point(name: str, point: list[int] | None, seen: Seen) -> None:
    """Raise ToolError for a point that is none, lies off the screen, or is the owner's emergency
    stop."""
    if point is None:
        return
    width, height = seen["size"]
    is_inside = len(point) == 2 and 0 <= point[0] < width and 0 <= point[1] < height
    if not is_inside:
        raise ToolError("error.desktop.screen-which", point=name, width=width, height=height)
    if point[0] in (0, width - 1) and point[1] in (0, height - 1):
        raise ToolError("error.desktop.corners-screen-owner-emergency", point=name)


def _check_needs(action: Action, given: dict[str, Any]) -> None:
    """Raise ToolError when a call lacks what its action needs."""
    needed = ["at"] * (action in _WITH_POINT) + ["to"] * (action == "drag")
    needed += ["text"] * (action in _WITH_TEXT) + ["amount"] * (action == "scroll")
    if missing := [name for name in needed if not given[name]]:
        raise ToolError("error.desktop.needs", action=action, names=", ".join(missing))
    if abs(given["amount"] or 0) > MOST_STEPS:
        raise ToolError("error.desktop.amount-most-steps-once")


def _picture(answer: dict[str, Any]) -> str:
    left, top, width, height = answer["picture"]
    screen = " × ".join(map(str, answer["size"]))
    if [width, height] == list(answer["size"]):
        return f"the whole screen, {screen}"
    factor = answer["factor"]
    zoom = factor / shrink(width * factor, height * factor)
    divide = f"divide positions in the picture by {zoom:.3g}, then " if zoom > 1 else ""
    return f"a part of the screen ({screen}): its left upper corner is [{left}, {top}], {width} × {height}; {divide}add that to positions in the picture"


def _windows(seen: Seen) -> list[str]:
    """Return a line for each that could be meant, topmost first."""
    lines = []
    for each in seen["windows"]:
        about = {**each, "active": True} if each["id"] == seen["active"] else each
        marks = ", ".join(said for mark, said in _MARKS.items() if mark in about)
        title = each["title"] or "(no title)"
        more = f" ({marks})" if marks else ""
        lines.append(f"{hex(each['id'])} {each['rect']} {each['app']}: {title}{more}")
    if not lines:
        return ["no window is open"]
    rest = [f"… {len(lines) - SHOWN_WINDOWS} more"] if len(lines) > SHOWN_WINDOWS else []
    return ["windows, topmost first:", *lines[:SHOWN_WINDOWS], *rest]


def _check() -> None:
    if missing := problem():
        raise ToolError(missing)


def _file(ctx: ToolContext, kind: str) -> Path:
    ctx.folder.mkdir(parents=True, exist_ok=True)
    return ctx.folder / f"{kind}-{ctx.name}.png"
