"""The positions that a model reads and gives, where the screen is larger than the picture that a model takes."""

from __future__ import annotations

from typing import Any

from models.images import shrink


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
        """Return a request with pixels in the place of positions; the window stays as it was told."""
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
