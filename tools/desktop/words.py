"""Words on a picture of the screen with their positions, by the program tesseract where it is installed."""

from __future__ import annotations

import csv
import io
import os
import shutil
import subprocess
from typing import Any, NamedTuple

CHINESE = ("chi_sim", "chi_tra")
SECONDS = 30.0
LARGER = 2  # letters on a screen are smaller than what tesseract was made for
MISSING = "to read words on the screen, install tesseract: sudo apt-get install tesseract-ocr tesseract-ocr-chi-sim"


class Line(NamedTuple):
    """Words in a row, each with its box [x, y, width, height] on the picture."""

    words: list[tuple[str, list[int]]]

    @property
    def text(self) -> str:
        """As it is read; between Chinese letters no blanks."""
        said = ""
        for word, _ in self.words:
            said += (
                word
                if not said or (ord(said[-1]) > 0x2E80 and ord(word[0]) > 0x2E80)
                else f" {word}"
            )
        return said

    def find(self, wanted: str) -> list[int] | None:
        """The box of the words in which `wanted` stands; capitals and blanks do not count."""
        letters = [(letter, box) for word, box in self.words for letter in word.casefold()]
        row = "".join(letter for letter, _ in letters)
        needle = "".join(wanted.casefold().split())
        start = row.find(needle) if needle else -1
        return (
            around([box for _, box in letters[start : start + len(needle)]]) if start >= 0 else None
        )


def around(boxes: list[list[int]]) -> list[int]:
    """The box that holds all of them."""
    left, top = min(box[0] for box in boxes), min(box[1] for box in boxes)
    return [
        left,
        top,
        max(b[0] + b[2] for b in boxes) - left,
        max(b[1] + b[3] for b in boxes) - top,
    ]


def read(picture: Any, wanted: str) -> list[tuple[str, list[int]]]:
    """Return each line of a PIL image with the box of the words wanted (`*`: of all), from top to bottom.

    Those in Chinese are read best when `wanted` is Chinese. Raises OSError for what the program would not do.
    """
    lines = _read(picture, wanted)
    if wanted == "*":
        return [(line.text, around([box for _, box in line.words])) for line in lines]
    return [(line.text, box) for line in lines if (box := line.find(wanted))]


def _read(picture: Any, wanted: str) -> list[Line]:
    program = shutil.which("tesseract")
    if program is None:
        raise OSError(MISSING)
    grey = picture.convert("L")
    file = io.BytesIO()
    grey.resize((grey.width * LARGER, grey.height * LARGER)).save(file, "PNG", compress_level=1)
    options = ["-l", "+".join(_languages(program, wanted)), "--psm", "11", "tsv"]
    try:
        said = subprocess.run(
            [program, "stdin", "stdout", *options],
            input=file.getvalue(),
            capture_output=True,
            timeout=SECONDS,
            check=False,
            env={**os.environ, "OMP_THREAD_LIMIT": "1"},
        )
    except subprocess.TimeoutExpired:
        raise OSError(
            f"tesseract has not read the picture in {SECONDS:g} s: look at a region"
        ) from None
    if said.returncode:
        raise OSError(f"tesseract: {said.stderr.decode(errors='replace').strip()[-200:]}")
    return _lines(said.stdout.decode("utf-8", "replace"))


def _lines(table: str) -> list[Line]:
    found: dict[tuple[str, ...], Line] = {}
    for row in csv.DictReader(io.StringIO(table), delimiter="\t", quoting=csv.QUOTE_NONE):
        text = (row.get("text") or "").strip()
        if row["level"] == "5" and text and float(row["conf"]) >= 0:
            box = [round(int(row[side]) / LARGER) for side in ("left", "top", "width", "height")]
            line = found.setdefault((row["block_num"], row["par_num"], row["line_num"]), Line([]))
            line.words.append((text, box))
    return sorted(found.values(), key=lambda line: (line.words[0][1][1], line.words[0][1][0]))


def _languages(program: str, wanted: str) -> list[str]:
    said = subprocess.run(
        [program, "--list-langs"], capture_output=True, text=True, timeout=10, check=False
    ).stdout
    chinese = [name for name in CHINESE if name in said.split()]
    if any("\u3400" <= letter <= "\u9fff" for letter in wanted):
        return chinese or ["eng"]
    return ["eng", *chinese]
