"""A program with a window for tests of the desktop: a button that counts, a field, a list, a
canvas, a menu; it tells what it got.

`python tests/tk_window.py FILE TITLE +X+Y`: FILE holds the state as JSON after each change.
"""

from __future__ import annotations

import json
import sys
import tkinter
from collections.abc import Callable
from pathlib import Path
from typing import Any

state: dict[str, Any] = {
    "count": 0,
    "text": "",
    "password": "",
    "top": 0,
    "drag": [],
    "keys": [],
    "chosen": "",
    "at": {},
}


def _menu(root: tkinter.Tk, tell: Callable[..., None]) -> tkinter.Menu:
    menu = tkinter.Menu(root, tearoff=False, font=("DejaVu Sans", 14))
    menu.add_command(label="Order", command=lambda: tell(chosen="order"))
    menu.add_command(label="Cancel", command=lambda: tell(chosen="cancel"))
    return menu


def main(file: Path, title: str, where: str) -> None:
    """Open the window and show it until it is closed."""
    root = tkinter.Tk(className="Lamps")
    root.title(title)
    root.geometry("460x520" + where)

    def tell(**changes: Any) -> None:
        state.update(changes)
        new = file.with_suffix(".new")
        new.write_text(json.dumps(state), "utf-8")
        new.replace(file)

    label = tkinter.Label(root, text="Pressed 0 times", font=("WenQuanYi Zen Hei", 20))

    def press() -> None:
        tell(count=state["count"] + 1)
        label.config(text=f"Pressed {state['count']} times")

    button = tkinter.Button(root, text="Press", font=("DejaVu Sans", 16), command=press)
    button.place(x=20, y=20, width=150, height=50)
    label.place(x=190, y=30)
    field = tkinter.Entry(root, font=("WenQuanYi Zen Hei", 16))
    field.place(x=20, y=90, width=420, height=40)
    field.bind("<KeyRelease>", lambda _: tell(text=field.get()))
    field.bind("<<Paste>>", lambda _: root.after(20, lambda: tell(text=field.get())))
    hidden = tkinter.Entry(root, show="*", font=("DejaVu Sans", 16))
    hidden.place(x=20, y=140, width=420, height=40)
    hidden.bind("<KeyRelease>", lambda _: tell(password=hidden.get()))

    def scrolled(first: float, _: float) -> None:
        tell(top=round(200 * float(first)))

    rows = tkinter.Listbox(root, font=("DejaVu Sans", 12), yscrollcommand=scrolled)
    rows.insert("end", *(f"Lamp number {number}" for number in range(200)))
    rows.place(x=20, y=190, width=200, height=200)
    canvas = tkinter.Canvas(root, background="white")
    canvas.place(x=240, y=190, width=200, height=200)
    box = canvas.create_rectangle(20, 20, 60, 60, fill="orange")

    def drag(event: tkinter.Event[tkinter.Canvas]) -> None:
        canvas.coords(box, event.x - 20, event.y - 20, event.x + 20, event.y + 20)
        tell(drag=[event.x, event.y])

    canvas.tag_bind(box, "<B1-Motion>", drag)
    menu = _menu(root, tell)
    place = tkinter.Label(root, text="右键菜单", font=("WenQuanYi Zen Hei", 24), background="white")
    place.place(x=20, y=410, width=420, height=80)
    place.bind("<Button-3>", lambda event: menu.tk_popup(event.x_root, event.y_root))
    root.bind_all("<Control-s>", lambda _: tell(keys=[*state["keys"], "ctrl+s"]))
    root.bind_all("<F5>", lambda _: tell(keys=[*state["keys"], "f5"]))

    def places() -> None:
        """Print the middle of each thing, in pixels of the screen."""
        root.update()
        found = {
            "field": field,
            "hidden": hidden,
            "rows": rows,
            "canvas": canvas,
            "place": place,
            "press": button,
        }
        if root.winfo_ismapped():
            tell(
                at={
                    name: [
                        each.winfo_rootx() + each.winfo_width() // 2,
                        each.winfo_rooty() + each.winfo_height() // 2,
                    ]
                    for name, each in found.items()
                }
            )

    root.bind("<Configure>", lambda _: root.after_idle(places))
    root.after(100, places)
    root.mainloop()


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], sys.argv[3])
