"""Keep what other processes say to a run while it works: the file `steer` in the run's folder, a
line for each, only ever appended.

Which ones the run has heard stands in its log (`letter` of `steered`), so a run that was killed
hears each of them once.
"""

from __future__ import annotations

from pathlib import Path


class Letters:
    """Hold the letters of one run."""

    def __init__(self, folder: Path) -> None:
        self._file, self._size = folder / "steer", -1

    def leave(self, text: str) -> None:
        """Leave one, from any process."""
        with self._file.open("ab") as file:
            file.write((" ".join(text.splitlines()) + "\n").encode("utf-8", "replace"))

    def after(self, heard: int) -> list[tuple[int, str]]:
        """Return those behind the first `heard` ones, with their numbers. The file is read when it
        has grown."""
        try:
            size = self._file.stat().st_size
        except FileNotFoundError:
            return []
        if size == self._size:
            return []
        self._size = size
        # what has no end yet is still being written
        lines = self._file.read_text("utf-8", "replace").split("\n")[:-1]
        return [
            (number, line)
            for number, line in enumerate(lines, 1)
            if number > heard and line.strip()
        ]
