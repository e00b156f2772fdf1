"""The tools for programs with windows: desktop_look shows the screen, desktop_do moves mouse and keyboard. docs/desktop.md."""

from __future__ import annotations

import importlib.util
import os
import re
import sys
import time
from typing import Any, Literal

from models.base import ToolResult
from models.images import MAX_SIDE
from safety.calls import TERMINALS
from safety.taint import Origin
from tools.base import ToolContext, ToolError, tool
from tools.desktop import link as desktop_link
from tools.desktop.link import Seen

LOOK_SECONDS = 90.0  # reading words takes longest
DO_SECONDS = 30.0
SHOWN_WINDOWS = 30
SHOWN_WORDS = 120
_WITH_POINT = ("click", "double_click", "right_click", "move", "drag")
_WITH_TEXT = ("type", "keys")
Action = Literal[
    "click", "double_click", "right_click", "move", "drag", "scroll", "type", "keys", "focus"
]


_LACKS = {
    "system": "the desktop tools need Linux with X11; here code_run may do it, by osascript and screencapture on macOS (with the "
    "owner's leave for Accessibility and Screen Recording), by PowerShell on Windows",
    "packages": "the desktop needs packages that are not installed: scripts/setup --extra desktop",
    "wayland": "Wayland lets no program look at others or press for its user: log in to a session “on Xorg” (X11)",
    "display": "there is no display here: start it from a desktop session, or set DISPLAY (such as export DISPLAY=:0)",
}


def lack() -> str:
    """Return what of `_LACKS` this machine lacks, or ""."""
    if sys.platform != "linux":
        return "system"
    if importlib.util.find_spec("pyautogui") is None or importlib.util.find_spec("PIL") is None:
        return "packages"
    if os.environ.get("WAYLAND_DISPLAY") or os.environ.get("XDG_SESSION_TYPE") == "wayland":
        return "wayland"
    return "" if os.environ.get("DISPLAY") else "display"


def problem() -> str:
    """Why there is no desktop to use on this machine, or ""."""
    return _LACKS.get(lack(), "")


def aimed(ctx: ToolContext, args: dict[str, Any]) -> dict[str, Any]:
    """Return what the gate should know of a call: the window that it would act in, by its program and title."""
    seen = desktop_link.last_seen(ctx)
    try:
        window = _window(seen, args) if seen else None
    except ToolError:
        window = None
    found = (
        {"app": window["app"], "title": window["title"], "ours": "ours" in window} if window else {}
    )
    onto = _onto(seen, args.get("to"))
    if onto and onto is not window:
        found["onto"] = {"app": onto["app"], "title": onto["title"], "ours": "ours" in onto}
    return found


def _onto(seen: Seen | None, to: Any) -> dict[str, Any] | None:
    """The window in which a drag ends."""
    return (
        desktop_link.window_at(seen, to) if seen and isinstance(to, list) and len(to) == 2 else None
    )


@tool("read", paths=("find_image",))
def desktop_look(
    ctx: ToolContext,
    window: str | None = None,
    region: list[int] | None = None,
    find_text: str | None = None,
    find_image: str | None = None,
) -> ToolResult:
    """Show the screen or a part of it: a picture, and the open windows. Positions are pixels of the screen.

    window: title or id
    region: x, y, width, height
    find_text: words to find, or * for all
    find_image: a PNG to find, such as one of an earlier region
    """
    _check()
    desktop, file = desktop_link.opened(ctx), _file(ctx, "screen")
    asked: dict[str, Any] = {"file": str(file), "words": find_text}
    if find_image:
        asked["image"] = str(ctx.path(find_image))
    if region:
        if len(region) != 4 or min(region[2:]) < 1:
            raise ToolError("region: x, y, width, height")
        asked["rect"] = region
    elif window:
        first = desktop.ask("look", _left(ctx, LOOK_SECONDS), file=str(file))
        chosen = desktop_link.window_named(first, window)
        if "hidden" in chosen:
            raise ToolError(
                f"{chosen['title']} is minimised: desktop_do(action='focus', window={hex(chosen['id'])!r})"
            )
        asked["rect"] = chosen["rect"]
    answer = desktop.ask("look", _left(ctx, LOOK_SECONDS), **asked)
    seen = desktop_link.remember(ctx, answer)
    lines = [_picture(answer), *_windows(seen)]
    if find_image:
        lines.append(
            _found("the image is at", [_middle(box) for box in answer["places"]])
            or "the image is not there"
        )
    if find_text:
        words = [f"{text!r} {_middle(box)}" for text, box in answer["words"]]
        lines.append(
            _found("words, with their middle:\n", words, "\n")
            or f"no words {find_text!r} were read there"
        )
    shown = answer["file"]
    return ToolResult(
        "ok", {"output": "\n".join(lines), "file": shown}, Origin.SCREEN, images=[shown]
    )


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
    """Use mouse or keyboard in a window that desktop_look has shown; says how much of the screen changed (0 %: missed) and shows that part.

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
        raise ToolError("nothing has been looked at yet: desktop_look first")
    _complete(action, at, to, text, amount, secret, seen)
    chosen = _window(seen, {"action": action, "at": at, "window": window})
    if action == "scroll" and at is None and chosen:
        at = _inside(chosen, seen["pointer"])
    if chosen is None and action in (*_WITH_TEXT, "focus"):
        raise ToolError("no window has the keyboard: say window, or click into one first")
    desktop, file = desktop_link.opened(ctx), _file(ctx, "changed")
    asked = {
        "action": action,
        "at": at,
        "to": to,
        "text": text,
        "amount": amount,
        "window": chosen,
        "file": str(file),
    }
    asked["onto"] = (_onto(seen, to) or {"id": 0})["id"]
    asked["is_terminal"] = bool(chosen and re.search(TERMINALS, chosen["app"]))
    if secret:
        asked["text"] = ctx.secret(secret)
        asked["secret"] = True
        if asked["text"] is None:
            raise ToolError("nobody is there to type the secret")
    answer = desktop.ask("do", _left(ctx, DO_SECONDS), **asked)
    return _done(ctx, answer, seen)


def _done(ctx: ToolContext, answer: dict[str, Any], before: Seen) -> ToolResult:
    """Return what an action has changed."""
    seen = desktop_link.remember(ctx, answer)
    changed, lines = float(answer["changed"]), []
    if "picture" in answer:
        left, top, width, height = answer["picture"]
        lines.append(
            f"{changed:.2g} % of the screen changed; the picture shows x {left}–{left + width}, y {top}–{top + height}"
        )
    else:
        lines.append("0 % of the screen changed: it missed, or there was nothing to change")
    old = {each["id"]: each for each in before["windows"]}
    now = {each["id"]: each for each in seen["windows"]}
    opened, gone = (
        [now[id] for id in now if id not in old],
        [old[id] for id in old if id not in now],
    )
    lines += [f"opened: {desktop_link.listed(opened)}"] if opened else []
    lines += [f"closed: {desktop_link.listed(gone)}"] if gone else []
    if seen["active"] != before["active"] and seen["active"] in now:
        lines.append(f"the keyboard is with {desktop_link.listed([now[seen['active']]])}")
    lines += [answer["note"]] if answer["note"] else []
    data: dict[str, Any] = {"output": "\n".join(lines), "changed": f"{changed:.2g} %"}
    if "picture" not in answer:
        return ToolResult("ok", data, Origin.SCREEN)
    return ToolResult("ok", data | {"file": answer["file"]}, Origin.SCREEN, images=[answer["file"]])


def _window(seen: Seen, args: dict[str, Any]) -> dict[str, Any] | None:
    """The window that a call means: where it presses, the one that it names, or the one that has the keyboard."""
    named = desktop_link.window_named(seen, str(args["window"])) if args.get("window") else None
    at = args.get("at")
    if isinstance(at, list) and len(at) == 2:
        there = desktop_link.window_at(seen, at)
        if named and (there is None or (there["id"] != named["id"] and "popup" not in there)):
            left, top, width, height = named["rect"]
            if "hidden" in named or not (
                left <= at[0] < left + width and top <= at[1] < top + height
            ):
                raise ToolError(
                    f"{at} is not in {named['title'] or named['app']}, which lies at {_box(named)}"
                )
            return named  # under another one; it is brought to the front
        return there
    return named or next((each for each in seen["windows"] if each["id"] == seen["active"]), None)


def _inside(window: dict[str, Any], pointer: list[int]) -> list[int]:
    """Where the mouse is, or the middle of the window in which it is not: a wheel turns what lies under the mouse."""
    left, top, width, height = window["rect"]
    if left <= pointer[0] < left + width and top <= pointer[1] < top + height:
        return list(pointer)
    return [left + width // 2, top + height // 2]


def _complete(
    action: Action,
    at: list[int] | None,
    to: list[int] | None,
    text: str | None,
    amount: int | None,
    secret: str | None,
    seen: Seen,
) -> None:
    """Raises ToolError when a call lacks something, or would leave the screen."""
    width, height = seen["size"]
    corners = [[x, y] for x in (0, width - 1) for y in (0, height - 1)]
    for name, point in (("at", at), ("to", to)):
        if point is None:
            continue
        if len(point) != 2 or not (0 <= point[0] < width and 0 <= point[1] < height):
            raise ToolError(f"{name}: x, y on the screen, which is {width} × {height}")
        if point in corners:
            raise ToolError(f"{name}: the corners of the screen are the owner's emergency stop")
    needed = {
        "at": action in _WITH_POINT and at is None,
        "to": action == "drag" and to is None,
        "text": action in _WITH_TEXT and not (text or (secret and action == "type")),
        "amount": action == "scroll" and not amount,
    }
    if text and ("\0" in text or text != text.encode("utf-8", "replace").decode()):
        raise ToolError("text: holds a NUL character or half a surrogate pair")
    if missing := [name for name, is_missing in needed.items() if is_missing]:
        raise ToolError(f"{action} needs {', '.join(missing)}")
    if amount and abs(amount) > 100:
        raise ToolError("amount: at most 100 steps at once")


def _picture(answer: dict[str, Any]) -> str:
    left, top, width, height = answer["picture"]
    screen = " × ".join(map(str, answer["size"]))
    if [width, height] == list(answer["size"]):
        said = f"the whole screen, {screen}"
        if len(answer.get("monitors", ())) > 1:
            said += (
                f" on {len(answer['monitors'])} monitors: {', '.join(map(str, answer['monitors']))}"
            )
        return said
    zoom = min(answer["factor"], MAX_SIDE / max(width, height))
    divide = f"divide positions in the picture by {zoom:.3g}, then " if zoom > 1 else ""
    return f"a part of the screen ({screen}): its left upper corner is [{left}, {top}], {width} × {height}; {divide}add that to positions in the picture"


def _windows(seen: Seen) -> list[str]:
    """A line for each that could be meant, topmost first."""
    lines = []
    for each in seen["windows"]:
        marks = [mark for mark, is_so in (("has the keyboard", each["id"] == seen["active"]), ("minimised", "hidden" in each), ("menu or note", "popup" in each), ("Sopwith runs in it: its owner's alone", "ours" in each)) if is_so]  # fmt: skip
        more = f" ({', '.join(marks)})" if marks else ""
        lines.append(
            f"{hex(each['id'])} {_box(each)} {each['app']}: {each['title'] or '(no title)'}{more}"
        )
    rest = [f"… {len(lines) - SHOWN_WINDOWS} more"] if len(lines) > SHOWN_WINDOWS else []
    return (
        ["windows, topmost first:", *lines[:SHOWN_WINDOWS], *rest]
        if lines
        else ["no window is open"]
    )


def _found(what: str, places: list[str], between: str = ", ") -> str:
    more = [f"… {len(places) - SHOWN_WORDS} more"] if len(places) > SHOWN_WORDS else []
    return (
        f"{what} {between.join(places[:SHOWN_WORDS] + more)}".replace("\n ", "\n") if places else ""
    )


def _middle(box: list[int]) -> str:
    return f"[{box[0] + box[2] // 2}, {box[1] + box[3] // 2}]"


def _box(window: dict[str, Any]) -> str:
    left, top, width, height = window["rect"]
    return f"[{left}, {top}, {width}, {height}]"


def _check() -> None:
    if missing := problem():
        raise ToolError(missing)


def _file(ctx: ToolContext, kind: str) -> Any:
    ctx.folder.mkdir(parents=True, exist_ok=True)
    return ctx.folder / f"{kind}-{re.sub(r'[^A-Za-z0-9_.-]', '_', ctx.call)[:60] or 'call'}.png"


def _left(ctx: ToolContext, most: float) -> float:
    """Seconds that a call may still take."""
    return max(1.0, min(most, ctx.deadline - time.monotonic()))
