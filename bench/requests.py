"""Score first requests of new users, without a model: done, shown, wrong, or met by a wall.

Each request of `requests-dev.json` is a run of its own, unattended, in a fresh home with folders,
files and a to-do list. Its events say which SOP ran and what was asked; its values must stand in
them. `requests.jsonl` in the cache has each row.
"""

from __future__ import annotations

import json
import re
import subprocess
import tempfile
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from bench.lesson import sopwith
from bench.places import CACHE, Figure
from bench.worlds import look, make

DATA = "requests-dev.json"
AT_ONCE = 2
NONSENSE = {"request": "xyzzy plugh", "want": "any"}  # its refusal is the wall
WORLD = r"""
mkdir -p Downloads projects/a tmp .sopwith
for n in 1 2 3; do head -c ${n}00000 /dev/zero > Downloads/film$n.mp4; echo pdf > Downloads/invoice$n.pdf; done
touch -d '100 days ago' Downloads/film1.mp4 Downloads/invoice1.pdf
echo 'TODO: pay the invoice' > projects/a/notes.txt; echo log > tmp/old.log; touch -d '40 days ago' tmp/old.log; echo log > tmp/new.log
printf '# TODO\n\n- [ ] Buy stamps ^1\n- [ ] Buy milk ^2\n' > .sopwith/TODO.md
"""


def score(data: Path) -> list[Figure]:
    """Return how many requests are served, and how the rest end."""
    rows = [NONSENSE, *json.loads((data / DATA).read_text("utf-8"))["requests"]]
    with tempfile.TemporaryDirectory(prefix="sopwith-figures-") as folder:
        homes = [Path(folder) / str(number) / "home" for number in range(len(rows))]
        with ThreadPoolExecutor(AT_ONCE) as pool:
            answers = list(pool.map(_answered, homes, rows))
    rows, wall, answers = rows[1:], answers[0].text, answers[1:]
    for answer in answers:
        answer.is_wall = answer.text == wall
    _write_details(rows, answers)
    found = Counter(answer.verdict(row) for answer, row in zip(answers, rows, strict=True))
    return [
        Figure(f"first requests, {each}", found[each], of=len(rows), baseline=rest)
        for each, rest in (("served", 0), ("wall", len(rows)), ("wrong", 0))
    ]


def _write_details(rows: list[dict[str, Any]], answers: list[_Answer]) -> None:
    lines = [
        {**row, "verdict": answer.verdict(row), "code": answer.code, "sop": answer.sop}
        | {"said": answer.text[-600:]}
        for row, answer in zip(rows, answers, strict=True)
    ]
    CACHE.mkdir(parents=True, exist_ok=True)
    text = "\n".join(json.dumps(line, ensure_ascii=False) for line in lines)
    (CACHE / "requests.jsonl").write_text(text + "\n", "utf-8")


def _answered(home: Path, row: dict[str, Any]) -> _Answer:
    """Ask in a fresh home; return what came of it."""
    make(home, WORLD)
    before = look(home)
    lang = "zh" if re.search("[\u4e00-\u9fff]", row["request"]) else "en"
    done = sopwith(home, "--lang", lang, "run", "--events", row["request"])
    return _Answer(home, done, row["request"], is_changed=look(home) != before)


class _Answer:
    """The end of one request."""

    is_wall = False

    def __init__(
        self, home: Path, done: subprocess.CompletedProcess[str], asked: str, *, is_changed: bool
    ) -> None:
        lines = [line for line in done.stdout.splitlines() if line.startswith("{")]
        events = [json.loads(line) for line in lines]
        later = [event for event in events if event["type"] != "run_started"]
        self.home, self.code, self.is_changed = home, done.returncode, is_changed
        results = [str(each.get("result", "")) for each in events[-1:]]
        self.text = "\n".join([*results, done.stderr]).replace(asked, "…")
        self.shown = json.dumps(later, ensure_ascii=False) + done.stderr
        self.sop = next((str(each["sop"]) for each in events if each.get("sop")), "")
        self.asks = any(each["type"] in ("asked", "confirm") for each in events)

    def verdict(self, row: dict[str, Any]) -> str:
        """Return served, wrong, or wall."""
        judge = {"serve": self._serve, "ask": self._ask, "no": self._no, "any": self._any}
        return judge.get(row["want"], self._help)(row)

    def _serve(self, row: dict[str, Any]) -> str:
        if self.code not in (0, 3):
            return "served" if self._is_near(row) else "wall"
        return "served" if self._is_meant(row) else "wrong"

    def _ask(self, row: dict[str, Any]) -> str:
        if self.is_changed:
            return "wrong"
        if self.code == 0:
            return "wrong" if self.sop else "wall"
        if self.asks:
            return "served" if self._is_meant(row) else "wrong"
        return "served" if self._is_near(row) else "wall"

    def _no(self, row: dict[str, Any]) -> str:
        """Return served when nothing is done and the words are more than the wall."""
        if self.is_changed or self.code == 0:
            return "wrong"
        return "wall" if self.is_wall else "served"

    def _any(self, row: dict[str, Any]) -> str:
        """Return served for what is done, shown, or declined with more than the wall."""
        if self.is_changed and self.code != 0:
            return "wrong"
        return "wall" if self.is_wall else "served"

    def _help(self, row: dict[str, Any]) -> str:
        return "served" if self.code == 0 and not self.sop else "wall"

    def _is_meant(self, row: dict[str, Any]) -> bool:
        """Return True when the SOP is the wanted one, as far as it has a name, and all values were
        used."""
        is_sop = not self.sop or self.sop == row.get("sop") or row.get("sop") not in SEEDS
        return is_sop and all(self._holds(value) for value in row.get("values", {}).values())

    def _is_near(self, row: dict[str, Any]) -> bool:
        """Return True when the refusal shows what was meant, with the values."""
        words = str(row.get("sop", "")).split("-")
        is_named = all(word in self.text.lower() for word in words)
        return not self.is_wall and is_named and self._is_meant(row)

    def _holds(self, value: str | int) -> bool:
        text = str(value)
        if text.startswith("~"):
            return text in self.shown or text.replace("~", str(self.home)) in self.shown
        return bool(re.search(rf"(?<!\d){re.escape(text)}(?!\d)", self.shown))


SEEDS = {"largest-files", "port-in-use", "clean-old-files", "find-files", "system-report"}
