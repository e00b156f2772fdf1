"""A sensible owner in front of `teach NAME --record`: types the task, answers by the kind of each
question.

The wording of the questions may change: an answer is chosen by a few words of the last lines, and
Enter is the rest.
"""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bench.person import Person, Stuck
from bench.worlds import environment

LAUNCH = [sys.executable, str(Path(__file__).resolve().parent.parent / "launch.py")]
MOST_ANSWERS = 40
SECONDS = 120
_ROW = re.compile(r"^\s*(\d+)[.)]?\s+(.+?)\s+→\s+(\(.+\)|\w+)\s*$")
_WAS = re.compile(r"(\w+)\s*[(\[](?:was |before |now )?(.*?)[)\]]\s*[:?>]?$")
_YES_NO = re.compile(r"\[(?:y/n|是/否)\]|\(y/n\)", re.IGNORECASE)


def sopwith(home: Path, *args: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Run a command of the checkout for the owner of `home`, with nobody at the keys; 124 after
    `SECONDS`."""
    command = [*LAUNCH, *args]
    try:
        return subprocess.run(
            command,
            cwd=cwd or home,
            env=environment(home),
            capture_output=True,
            text=True,
            stdin=subprocess.DEVNULL,
            timeout=SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(command, 124, "", "no answer in time")


def filled(request: str, values: dict[str, str]) -> str:
    """Return the request with its values, quoted where a person would."""
    return re.sub(r"\{(\w+)\}", lambda found: _said(values[found[1]]), request)


def _said(value: str) -> str:
    if not re.search(r"[\s'&$]", value):
        return value
    return f'"{value}"'


@dataclass
class Owner:
    """Knows what varies, how to ask, what proves it, and other values to try."""

    task: dict[str, Any]
    sets: list[dict[str, str]] = field(default_factory=list)
    said: set[str] = field(default_factory=set)
    naming: Iterator[str] | None = None

    def __post_init__(self) -> None:
        first = {**self.task["values"], **self.task["others"][0]["values"]}
        second = self.task.get("proof2")
        self.sets = [first, {**self.task["values"], **second}] if second else [first]

    def answer(self, shown: str) -> str:
        """Return the line to type below these lines."""
        prompt = shown.splitlines()[-1].strip()
        lately = "\n".join(shown.splitlines()[-14:]).lower()
        if _YES_NO.search(prompt):
            return "y"
        if self._was(prompt):
            return self._another_value(prompt)
        if re.search(r"request|how will you ask|怎么说", prompt.lower()):
            return self._once("request", filled(self.task["request"], self.task["values"]))
        if re.search(r"check", prompt.lower()):
            return self._once("check", self.task["check"])
        if re.search(r"\bvalues?\b|\bvar(y|ies)\b", prompt.lower()) and "vary" in lately:
            return self._next_naming(shown)
        return ""

    def _once(self, kind: str, text: str) -> str:
        if kind in self.said:
            return ""
        self.said.add(kind)
        return text

    def _was(self, prompt: str) -> re.Match[str] | None:
        found = _WAS.search(prompt)
        known = {*self.task["values"], *self.task["values"].values()}
        return found if found and (found[1] in known or found[2] in known) else None

    def _another_value(self, prompt: str) -> str:
        """Return the value of the set that is being tried; the next set when a name comes again."""
        found = self._was(prompt)
        name = self._name_of(found[1], found[2]) if found else ""
        if f"value {name}" in self.said:
            self.said -= {f"value {each}" for each in self.task["values"]}
            self.sets = self.sets[1:]
        self.said.add(f"value {name}")
        return self.sets[0].get(name, "") if self.sets else ""

    def _name_of(self, name: str, was: str) -> str:
        values: dict[str, str] = self.task["values"]
        if name in values:
            return name
        return next((each for each, value in values.items() if value == was), "")

    def _next_naming(self, shown: str) -> str:
        if self.naming is None:
            self.naming = iter(list(self._namings(shown)))
        return next(self.naming, "")

    def _namings(self, shown: str) -> Iterator[str]:
        """Yield what makes the shown table of values the task's own."""
        rows = [found for line in shown.splitlines()[-14:] if (found := _ROW.match(line))]
        left = dict(self.task["values"])
        for number, value, name in (row.groups() for row in rows):
            meant = next((each for each, wanted in left.items() if wanted == value), None)
            is_in = not name.startswith("(")
            if meant is None:
                if is_in:
                    yield number
                continue
            del left[meant]
            if not is_in:
                yield number
            if name != meant:
                yield f"{number} {meant}"
        for name, value in left.items():
            yield f"{name}={shlex.quote(value) if ' ' in value else value}"


def teach(task: dict[str, Any], home: Path, transcript: Path) -> str:
    """Record the task in the world of `home`; return "" or why it could not be recorded."""
    return lesson(task, home, transcript, ("--record",), [*task["typed"], "exit"])


def lesson(
    task: dict[str, Any], home: Path, transcript: Path, options: Sequence[str], typed: Sequence[str]
) -> str:
    """Lead a sensible owner through `teach NAME OPTIONS`; return "" or what went wrong."""
    start = home / task["start"] if task.get("start") else home
    command = [*LAUNCH, "--lang", "en", "teach", task["id"], *options]
    person = Person(command, cwd=start, env=environment(home), transcript=transcript)
    owner = Owner(task)
    try:
        for line in typed:
            for part in line.split("\n"):
                if person.question() is None:
                    return "ended early"
                person.types(part)
        for _ in range(MOST_ANSWERS):
            shown = person.question()
            if shown is None:
                return ""
            person.types(owner.answer(shown))
        return "too many questions"
    except Stuck as stuck:
        return f"stuck: {str(stuck).splitlines()[0]}"
    finally:
        person.leaves()
