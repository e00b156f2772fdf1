"""The windows of an X11 display: what lies where, which one has the keyboard, and how one comes to
the front.

In the desktop's child process alone (desktop_child.py). Positions are pixels of the screen: X11
knows no other unit, so a toolkit's scale factor changes nothing here. Source: Extended Window
Manager Hints 1.5.
"""

from __future__ import annotations

import os
import time
from importlib import import_module
from typing import Any

from models.images import shrink

# id, title, app, rect [x, y, width, height] with its frame; popup, hidden, ours: true or absent
Window = dict[str, Any]
FRONT_SECONDS = 1.5
_OTHER_GROUPS = 0x6000  # of the keyboard's state: its second to fourth layout is on


class Busy(Exception):
    """Another run has the desktop."""


class Windows:
    """One connection. `take` makes this the only run that has the desktop, until the connection
    ends."""

    def __init__(self) -> None:
        self._x, self._event = import_module("Xlib.X"), import_module("Xlib.protocol.event")
        error = import_module("Xlib.error")
        self._gone = (error.BadWindow, error.BadDrawable, error.BadMatch)
        self._ignored = error.CatchError(*self._gone)
        self.display: Any = import_module("Xlib.display").Display()
        self.root = self.display.screen().root
        self._keys: list[tuple[int, ...]] = []
        self.has_new_keyboard()

    def take(self) -> None:
        """Raise Busy. What is owned is a selection: the server gives it back when the process ends,
        however it ends."""
        mine = self.root.create_window(0, 0, 1, 1, 0, self._x.CopyFromParent)
        name = self._atom("_SOPWITH_DESKTOP")
        self.display.grab_server()
        try:
            if self.display.get_selection_owner(name) != self._x.NONE:
                raise Busy
            mine.set_selection_owner(name, self._x.CurrentTime)
        finally:
            self.display.ungrab_server()
            self.display.sync()

    def ours(self, found: list[Window]) -> int:
        """Return the window that Sopwith itself runs in, where its owner is asked: the terminal's,
        by what that has told its programs or by its process; 0: none."""
        told = os.environ.get("WINDOWID", "")
        if told.isdecimal() and any(each["id"] == int(told) for each in found):
            return int(told)
        import psutil

        pids = {self._pid(each["id"]): each["id"] for each in found}
        return next((pids[each.pid] for each in psutil.Process().parents() if each.pid in pids), 0)

    def _pid(self, id: int) -> int:
        said = self._property(self.display.create_resource_object("window", id), "_NET_WM_PID")
        return int(said[0]) if said else 0

    def size(self) -> tuple[int, int]:
        """Return the size of the whole screen as it is now, all monitors together."""
        found = self.root.get_geometry()
        return found.width, found.height

    def pointer(self) -> tuple[int, int]:
        """Return where the mouse is."""
        found = self.root.query_pointer()
        return found.root_x, found.root_y

    def listed(self) -> list[Window]:
        """Return all that lies on the screen or is minimised, topmost first."""
        clients = {self._frame_of(id): id for id in self._client_ids()}
        found = []
        for frame in reversed(self.root.query_tree().children):
            try:
                if each := self._described(frame, clients.pop(frame.id, 0)):
                    found.append(each)
            except self._gone:  # it went while we looked
                continue
        # what is left names the program's connection
        mask = ~self.display.display.info.resource_id_mask
        apps = {each["id"] & mask: each["app"] for each in found if "popup" not in each}
        ours = self.ours(found)
        for each in found:
            # a menu belongs to the program that shows it
            each["app"] = apps.get(each["id"] & mask, each["app"])
            if ours and each["id"] & mask == ours & mask:
                each["ours"] = True
        return found

    def active(self) -> int:
        """Return the id of the window that has the keyboard, 0 where none has."""
        if self._has_manager():
            ids = self._property(self.root, "_NET_ACTIVE_WINDOW")
            return int(ids[0]) if ids is not None and len(ids) else 0
        focus = self.display.get_input_focus().focus
        # nobody manages windows: the keyboard is where the mouse is
        if focus == self._x.PointerRoot:
            child = self.root.query_pointer().child
            return int(child.id) if child else 0
        return 0 if focus == self._x.NONE or focus.id == self.root.id else self._frame_of(focus.id)

    def bring(self, id: int) -> bool:
        """Bring a window to the front and give it the keyboard; return True if it came."""
        window = self.display.create_resource_object("window", id)
        if self._has_manager():
            message = self._event.ClientMessage(
                window=window,
                client_type=self._atom("_NET_ACTIVE_WINDOW"),
                data=(32, [2, self._x.CurrentTime, 0, 0, 0]),  # 2: as the owner's own panel would
            )
            self.root.send_event(
                message,
                event_mask=self._x.SubstructureRedirectMask | self._x.SubstructureNotifyMask,
            )
        else:
            window.configure(stack_mode=self._x.Above, onerror=self._ignored)
            window.set_input_focus(
                self._x.RevertToParent, self._x.CurrentTime, onerror=self._ignored
            )
        end = time.monotonic() + FRONT_SECONDS
        while time.monotonic() < end:
            self.display.sync()
            if self.active() == id:
                return True
            time.sleep(0.03)
        return False

    def owns_clipboard(self) -> int:
        """Return the window that holds the clipboard, 0 when it is empty."""
        owner = self.display.get_selection_owner(self._atom("CLIPBOARD"))
        return 0 if owner == self._x.NONE else int(owner.id)

    def types(self, text: str) -> bool:
        """Return True if each letter has a key here, with the shift that a US keyboard would take,
        as pyautogui presses it."""
        is_shifted = import_module("pyautogui").isShiftCharacter
        for letter in text:
            key = self.display.keysym_to_keycode(ord(letter)) if " " <= letter <= "~" else 0
            if not key or self.display.keycode_to_keysym(key, int(is_shifted(letter))) != ord(
                letter
            ):
                return False
        state = self.root.query_pointer().mask
        return not (state & self._x.LockMask or state & _OTHER_GROUPS)

    def has_key(self, letter: str) -> bool:
        """Return True if this keyboard has a key for a letter; a Russian one has none for v."""
        return bool(self.display.keysym_to_keycode(ord(letter)))

    def has_new_keyboard(self) -> bool:
        """Return True if the layout is another than when this was last asked; from now on it is the
        one that is known here."""
        info = self.display.display.info
        first, count = info.min_keycode, info.max_keycode - info.min_keycode + 1
        keys = [tuple(each) for each in self.display.get_keyboard_mapping(first, count)]
        before, self._keys = self._keys, keys
        if keys == before or not before:
            return False
        about = {"type": self._x.MappingNotify, "request": self._x.MappingKeyboard}
        range_ = {"first_keycode": first, "count": count}
        said = self._event.MappingNotify(sequence_number=0, **about, **range_)
        self.display.refresh_keyboard_mapping(said)
        return True

    def _described(self, frame: Any, client: int) -> Window | None:
        """Return a child of the root as a model and the gate see it; None for what nobody could see
        or press."""
        shown = frame.get_attributes()
        box = frame.get_geometry()
        is_shown = shown.map_state == self._x.IsViewable
        is_real = shown.win_class == self._x.InputOutput and min(box.width, box.height) > 2
        if not is_real or not (is_shown or client):
            return None
        window = self.display.create_resource_object("window", client) if client else frame
        names = _text(self._property(window, "WM_CLASS")).split("\0")
        titles = (self._property(window, name) for name in ("_NET_WM_NAME", "WM_NAME"))
        border = 2 * box.border_width
        found: Window = {
            "id": window.id,
            "title": _text(next(filter(None, titles), ""))[:200],
            "app": [*names, ""][1][:60],
            "rect": [box.x, box.y, box.width + border, box.height + border],
        }
        marks = {"popup": shown.override_redirect and not client, "hidden": not is_shown}
        return found | {mark: True for mark, is_so in marks.items() if is_so}

    def _client_ids(self) -> list[int]:
        listed = self._property(self.root, "_NET_CLIENT_LIST") if self._has_manager() else None
        return list(map(int, listed or []))

    def _frame_of(self, id: int) -> int:
        """Return the child of the root that a window is in: what its manager has put around it, or
        itself."""
        try:
            window = self.display.create_resource_object("window", id)
            while (above := window.query_tree().parent) and above.id != self.root.id:
                window = above
        except self._gone:
            return 0
        return int(window.id)

    def _has_manager(self) -> bool:
        return self._property(self.root, "_NET_SUPPORTING_WM_CHECK") is not None

    def _property(self, window: Any, name: str) -> Any:
        try:
            found = window.get_full_property(self._atom(name), self._x.AnyPropertyType)
        except self._gone:
            return None
        return found.value if found else None

    def _atom(self, name: str) -> int:
        return int(self.display.intern_atom(name))


def _text(value: Any) -> str:
    raw = value if isinstance(value, str) else bytes(value or b"").decode("utf-8", "replace")
    return " ".join(raw.split())


class Scale:
    """The screen as its picture shows it: `factor` pixels of the screen are one position."""

    def __init__(self, size: tuple[int, int]) -> None:
        self.factor = shrink(*size)

    def told(self, pixels: Any) -> list[int]:
        """Return a point, a size or a box as positions."""
        return [round(value / self.factor) for value in pixels]

    def pixels(self, told: Any) -> list[int]:
        """Return positions as pixels of the screen."""
        return [int(value * self.factor) for value in told]

    def inward(self, asked: dict[str, Any]) -> dict[str, Any]:
        """Return a request with pixels in the place of positions; the window stays as it was
        told."""
        points = {key: self.pixels(asked[key]) for key in ("at", "to", "rect") if asked.get(key)}
        return asked | points

    def outward(self, answer: dict[str, Any]) -> dict[str, Any]:
        """Return an answer with positions in the place of pixels."""
        single = {
            key: self.told(answer[key]) for key in ("size", "pointer", "picture") if key in answer
        }
        return answer | single | {
            "factor": self.factor,
            "windows": [each | {"rect": self.told(each["rect"])} for each in answer["windows"]],
        }  # fmt: skip


def holds(window: dict[str, Any], at: list[int]) -> bool:
    """Return True if a position lies in the box of a window."""
    left, top, width, height = window["rect"]
    return bool(left <= at[0] < left + width and top <= at[1] < top + height)
