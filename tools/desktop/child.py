"""The process that looks at the display and moves mouse and keyboard: a JSON line in, a JSON line
out.

A process of its own, since pyautogui ends the process that imports it where there is no display,
and since a display that hangs must not hang a run. `python -m tools.desktop.child`; ends when its
input does.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from importlib import import_module, reload
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from config import Worded, listed
from models.images import MAX_IMAGE_BYTES
from tools.desktop.paste import Clipboard
from tools.desktop.windows import Busy, Scale, Window, Windows, holds

if TYPE_CHECKING:
    from PIL import Image

STEP_SECONDS = 0.1
FIRST_CHANGE_SECONDS = 1.0  # after that a click has missed
REST_SECONDS = 2.5  # of a screen that goes on moving
DRAG_SECONDS = 0.5
FADED = 12  # of 255: less is no change to the eye
LONGEST_BY_KEYS = 300  # letters; longer text is pasted
KEYS = {
    "plus": "+",
    "control": "ctrl",
    "return": "enter",
    "escape": "esc",
    "super": "win",
    "meta": "win",
    "cmd": "win",
    "page_up": "pageup",
    "page_down": "pagedown",
    "del": "delete",
    "ins": "insert",
    "spacebar": "space",
    "option": "alt",
}
CARET = (4, 60)  # pixels wide and high: what blinks where text is typed, and no effect of anything
CLICKS = {"click": ("left", 1), "double_click": ("left", 2), "right_click": ("right", 1)}


class Trouble(Worded):
    """Why something was not done: for the model."""


class Desktop:
    """One display, for one run."""

    def __init__(self) -> None:
        self.windows = Windows()
        self.windows.take()
        self.clipboard = Clipboard(self.windows.owns_clipboard)
        self._scale = Scale((0, 0))
        # for a window of pyautogui's own, and it wants tkinter
        cast("dict[str, Any]", sys.modules)["mouseinfo"] = None
        # looks for the display as it is imported
        self.hands = cast("Any", import_module("pyautogui"))
        self.hands.PAUSE = 0
        self.acts: dict[str, Callable[[dict[str, Any]], None]] = {
            **dict.fromkeys(CLICKS, self._click),
            "move": lambda asked: self.hands.moveTo(*asked["at"]),
            "drag": self._drag,
            "scroll": self._scroll,
            "type": self._type,
            "keys": self._keys,
            "focus": lambda asked: None,
        }

    def answer(self, asked: dict[str, Any]) -> dict[str, Any]:
        """Do what is asked, and answer in the positions that a model knows."""
        self._scale = Scale(self.windows.size())
        asked = self._scale.inward(asked)
        return self._scale.outward(self.look(asked) if asked["op"] == "look" else self.do(asked))

    def look(self, asked: dict[str, Any]) -> dict[str, Any]:
        """Return a picture of `rect` [x, y, width, height] or of all, in `file`."""
        found = self._seen()
        picture = self._grab()
        left, top, width, height = asked.get("rect") or [0, 0, *picture.size]
        right, bottom = min(left + width, picture.width), min(top + height, picture.height)
        left, top = max(0, left), max(0, top)
        if left >= right or top >= bottom:
            raise Trouble("error.desktop.off-screen")
        picture = picture.crop((left, top, right, bottom))
        found["file"] = kept(picture, asked["file"])
        found["picture"] = [left, top, *picture.size]
        return found

    def do(self, asked: dict[str, Any]) -> dict[str, Any]:
        """Do one action, in the window that was seen there; what of the picture has changed, and
        `file` with that part."""
        self._reach(asked)
        self._aims(asked)
        self._owner_is_away()
        self._know_keyboard()
        before = self._grab()
        try:
            self.acts[asked["action"]](asked)
            after = self._rested(before)
        except self.hands.FailSafeException:
            raise Trouble(_CORNER) from None
        finally:
            self.clipboard.give_back()
        found = self._seen() | {"note": self.clipboard.note}
        changed, box = _changed(before, after)
        if box:
            left, top, right, bottom = _wider(box, after.size)
            file = kept(after.crop((left, top, right, bottom)), asked["file"])
            found |= {"picture": [left, top, right - left, bottom - top], "file": file}
        return found | {"changed": changed}

    def _seen(self) -> dict[str, Any]:
        return {
            "size": self.windows.size(),
            "pointer": self.windows.pointer(),
            "windows": self.windows.listed(),
            "active": self.windows.active(),
        }

    def _reach(self, asked: dict[str, Any]) -> None:
        """Bring what was seen to the front when something else is there now, such as the terminal
        in which the owner has just been asked. Raises Trouble when it is not there any more, or not
        where it was."""
        expected: Window | None = asked.get("window")
        if expected is None:
            return
        there, at = self._there(expected), asked.get("at")
        has_moved = self._scale.told(there["rect"]) != expected["rect"]
        if at and has_moved:
            raise Trouble("error.desktop.moved", window=_named(there))
        if "popup" not in expected and not self._is_reached(asked, expected):
            if not self.windows.bring(expected["id"]):
                raise Trouble("error.desktop.not-front", window=_named(there))
            time.sleep(2 * STEP_SECONDS)
        if at and self._at(at) != expected["id"]:
            raise Trouble("error.desktop.covered", point=at)

    def _is_reached(self, asked: dict[str, Any], expected: Window) -> bool:
        """Return True if the window lies on top at the place, or has the keyboard where keys are
        pressed."""
        if asked["action"] in ("type", "keys", "focus"):
            there = self.windows.active()
        else:
            there = self._at(asked["at"] or expected["rect"])
        return there == int(expected["id"])

    def _aims(self, asked: dict[str, Any]) -> None:
        """Where a drag ends must be what was seen there, too."""
        if asked.get("to") and self._at(asked["to"]) != asked["onto"]:
            raise Trouble("error.desktop.covered", point=asked["to"])

    def _there(self, expected: Window) -> Window:
        listed = self.windows.listed()
        for each in listed:
            if each["id"] == expected["id"]:
                return each
        left = ", ".join(_named(each) for each in listed if each["title"]) or "none"
        raise Trouble("error.desktop.gone", window=_named(expected), names=left)

    def _at(self, at: list[int]) -> int:
        shown = (each for each in self.windows.listed() if "hidden" not in each)
        return next((each["id"] for each in shown if holds(each, at)), 0)

    def _owner_is_away(self) -> None:
        """Raise Trouble when the owner moved the pointer into a corner of the screen, as large as
        it is now."""
        width, height = self.windows.size()
        self.hands.FAILSAFE_POINTS[:] = [(x, y) for x in (0, width - 1) for y in (0, height - 1)]
        if self.windows.pointer() in self.hands.FAILSAFE_POINTS:
            raise Trouble(_CORNER)

    def _know_keyboard(self) -> None:
        """pyautogui looks once which key has which letter; the owner may have taken another layout
        since."""
        if self.windows.has_new_keyboard():
            keys = cast("Any", sys.modules["pyautogui._pyautogui_x11"])
            keys._display.close()
            reload(keys)

    def _click(self, asked: dict[str, Any]) -> None:
        button, clicks = CLICKS[asked["action"]]
        self.hands.moveTo(*asked["at"])
        # what reacts to the mouse that comes must be ready for the press
        time.sleep(STEP_SECONDS / 2)
        self.hands.click(button=button, clicks=clicks, interval=STEP_SECONDS / 2)

    def _drag(self, asked: dict[str, Any]) -> None:
        self.hands.moveTo(*asked["at"])
        self.hands.mouseDown()
        try:
            self.hands.moveTo(*asked["to"], duration=DRAG_SECONDS)
            time.sleep(STEP_SECONDS / 2)
        finally:
            self.hands.mouseUp()

    def _scroll(self, asked: dict[str, Any]) -> None:
        if asked.get("at"):
            self.hands.moveTo(*asked["at"])
        self.hands.scroll(-asked["amount"])

    def _type(self, asked: dict[str, Any]) -> None:
        text, is_secret = asked["text"], asked.get("secret", False)
        if (is_secret or len(text) <= LONGEST_BY_KEYS) and self.windows.types(text):
            self.hands.write(text, interval=0.005)
        elif is_secret:  # the clipboard is for everyone to read
            raise Trouble("error.desktop.letters")
        else:
            self.clipboard.put(text)
            before = self.clipboard.asked()
            has_v = self.windows.has_key("v")
            paste = ("ctrl", "shift", "v") if asked.get("is_terminal") else ("ctrl", "v")
            self.hands.hotkey(*(paste if has_v else ("shift", "insert")))
            self.clipboard.wait_until_taken(before)

    def _keys(self, asked: dict[str, Any]) -> None:
        chords = [[self._key(name) for name in chord] for chord in _chords(asked["text"])]
        for chord in chords:
            self.hands.hotkey(*chord)
            time.sleep(STEP_SECONDS / 4)

    def _key(self, name: str) -> str:
        plain = KEYS.get(name.lower(), name.lower() if len(name) > 1 else name)
        if len(plain) == 1 and not self.windows.has_key(plain):
            raise Trouble("error.desktop.no-layout-key", key_name=f"{plain!r}")
        if plain not in self.hands.KEYBOARD_KEYS:
            raise Trouble("error.desktop.no-key", key_name=f"{name!r}")
        return plain

    def _grab(self) -> Image.Image:
        from PIL import ImageGrab

        return ImageGrab.grab(xdisplay=os.environ["DISPLAY"])

    def _rested(self, before: Image.Image) -> Image.Image:
        """Return the screen when it has changed and come to rest, or after a while."""
        start, last = time.monotonic(), before
        while True:
            time.sleep(STEP_SECONDS)
            now = self._grab()
            seconds = time.monotonic() - start
            is_still = now.tobytes() == last.tobytes()
            is_same = is_still and _changed(before, now)[1] is None
            patience = FIRST_CHANGE_SECONDS if is_same else 0.0
            if seconds > (patience if is_still else REST_SECONDS):
                return now
            last = now


_CORNER = (
    "the mouse is in a corner of the screen, which stops everything: the owner's emergency stop. "
    "ask_user; it goes on when the owner has moved the mouse away"
)


def kept(picture: Image.Image, file: str) -> str:
    """Write a picture, and return the file: a PNG, or a JPEG where that would be more than
    endpoints take."""
    picture.save(file, compress_level=3)
    place = Path(file)
    if place.stat().st_size > MAX_IMAGE_BYTES:
        place.unlink()
        place = place.with_suffix(".jpg")
        picture.convert("RGB").save(place, quality=85)
    return str(place)


def _changed(
    before: Image.Image, after: Image.Image
) -> tuple[float, tuple[int, int, int, int] | None]:
    """Return how much is different, percent of the pixels, and the box around it."""
    from PIL import ImageChops

    if before.size != after.size:
        return 100.0, (0, 0, *after.size)
    seen = ImageChops.difference(before.convert("RGB"), after.convert("RGB")).convert("L")
    mask = seen.point(lambda value: 255 * (value >= FADED))
    box = mask.getbbox()
    if box and box[2] - box[0] <= CARET[0] and box[3] - box[1] <= CARET[1]:
        box = None
    return (100.0 * mask.histogram()[255] / (mask.width * mask.height) if box else 0.0), box


def _wider(box: tuple[int, int, int, int], size: tuple[int, int]) -> tuple[int, int, int, int]:
    """Return it with something around it, so that one sees what has changed."""
    left, top, right, bottom = box
    return max(0, left - 60), max(0, top - 40), min(size[0], right + 60), min(size[1], bottom + 40)


def _chords(text: str) -> list[list[str]]:
    """ "ctrl+s tab" as its keys; a plus by itself is a key."""
    return [
        chord.replace("++", "+plus").split("+") if chord != "+" else ["+"] for chord in text.split()
    ]


def _named(window: Window) -> str:
    return f"the window “{window['title'] or window['app'] or hex(window['id'])}”"


def _told(why: Exception) -> dict[str, Any]:
    """Return a trouble, with its key, for the process that asked."""
    return {"trouble": str(why), "said": listed(str(why))}


def main() -> None:
    """Answer until the input ends. A SIGTERM in the middle lets go of what is pressed."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    said = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # libraries that print must not get in between
    sys.stdout = sys.stderr
    try:
        desktop = Desktop()
    except Busy:
        said.write(json.dumps(_told(Trouble("error.desktop.busy"))) + "\n")
        return
    said.write("{}\n")
    said.flush()
    lost = import_module("Xlib.error").ConnectionClosedError
    for line in sys.stdin:
        asked = json.loads(line)
        try:
            answer = desktop.answer(asked)
        except (Trouble, OSError, subprocess.SubprocessError) as why:
            answer = _told(why)
        except lost as why:
            answer = _told(Trouble("error.desktop.display-ended", why=why))
        said.write(json.dumps(answer) + "\n")
        said.flush()


if __name__ == "__main__":
    main()
