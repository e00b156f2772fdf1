"""The owner's to-do list, `TODO.md` in the home folder: one line a task, written by the agent and
by hand.

    - [ ] Call the plumber due:2026-11-24 !high #home ^12
      The kitchen tap drips.

The box says how it stands: `[ ]` open, `[~]` doing, `[?]` waiting, `[x]` done. Behind the title
stand what is known of it and its number; a line that was written by hand gets its number when the
list is next read. What is indented below is the description. Every other line stays as it is, also
one that was meant as a task and cannot be read: `problems` names those. A changed task changes its
own lines alone. Any number of processes may change the list at once; a kill leaves the old list or
the new. Source: seed 001 §2.3, §6.2.

    SopwithError
    └── TaskError   there is no such task; the list, or what should be put into it, cannot be used
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from itertools import count
from pathlib import Path
from typing import Any, Literal, get_args

from config import Message, SopwithError
from memory.files import read_owner_text, write_atomic
from memory.files.writing import locked

FILE = "TODO.md"
Status = Literal["open", "doing", "waiting", "done"]
Priority = Literal["high", "medium", "low"]
MAX_TITLE_CHARS, MAX_DESCRIPTION_CHARS, MAX_TAGS = 300, 8000, 20
HEADING = "# TODO\n\n"
_BOXES: dict[str, Status] = {" ": "open", "~": "doing", "?": "waiting", "x": "done", "X": "done"}
_BOX_OF = {status: box for box, status in _BOXES.items() if box != "X"}
_PRIORITIES: dict[str, Priority] = {
    "高": "high",
    "中": "medium",
    "低": "low",
    **{p: p for p in get_args(Priority)},
}
_RANK = {"high": 0, "medium": 1, "low": 2}
_ITEM = re.compile(r"(?P<bullet>[-*+]|\d{1,4}[.)])[ \t]+\[(?P<box>.)\][ \t]+(?P<rest>\S.*?)[ \t]*")
_BULLET = re.compile(r"(?:[-*+]|\d{1,4}[.)])(?:[ \t]+(?=[^\s*-])|(?=\[))")
_TAG = r"#(?=[^\W_]*[^\W\d_])[\w/-]{1,60}"
_TOKEN = re.compile(rf"(?:due|done|截止|完成)[:：]\S+|![^\W\d_]+|{_TAG}|\^\d{{1,6}}")
_NUMBER = re.compile(r"\^(\d{1,6})\s*$")
_DAYS = {"due": "due", "截止": "due", "done": "done", "完成": "done"}
_DUE = re.compile(r"\d{4}-\d\d-\d\d(?:T\d\d:\d\d)?")


class TaskError(SopwithError):
    """There is no such task; the list, or what should be put into it, cannot be used. One line."""


@dataclass(frozen=True, slots=True)
class Task:
    """One task. `due` is a local day or minute in ISO form (2026-11-24, 2026-11-24T09:00) or "",
    `done` the day it was done."""

    id: int
    title: str
    description: str = ""
    due: str = ""
    priority: Priority = "medium"
    tags: tuple[str, ...] = ()
    status: Status = "open"
    done: str = ""

    @property
    def urgency(self) -> tuple[bool, str, int, int]:
        """Return what is due first comes first, then what matters most, then what has waited
        longest."""
        return (not self.due, self.due, _RANK[self.priority], self.id)


@dataclass(frozen=True, slots=True)
class _Line:
    """A task in its place: its own line and, indented below, its description, from `start` to
    before `end`."""

    task: Task
    start: int
    end: int
    bullet: str


@dataclass(slots=True)
class _Page:
    """The whole file as lines, and what was found in them."""

    lines: list[str]
    found: list[_Line] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    unnumbered: set[int] = field(default_factory=set)  # starts of tasks without a number

    def tell(self, start: int, wrong: str, what: str = "") -> None:
        """Keep what is wrong with a line."""
        what = what or self.lines[start].strip()[:80]
        self.problems.append(f"{FILE}, line {start + 1}: {wrong}: {what}")


class Tasks:
    """The list of one home folder. `today` is the day that `done` gets; None takes the day here and
    now.

    Every method raises TaskError, Unreadable (memory/files/owner_files.py) and OSError; the list is
    then as it was.
    """

    def __init__(self, home: Path, today: date | None = None) -> None:
        self.home = home
        self._today = today

    def all(self) -> list[Task]:
        """Return every task, in the order of the file; lines without a number get one, in the file
        too."""
        page = self._read()
        if page.unnumbered:
            with (
                contextlib.suppress(OSError),
                self._changing() as page,
            ):  # a full disk: they are numbered alike next time
                pass
        return [line.task for line in page.found]

    def open(self) -> list[Task]:
        """Return what is not done, the most urgent first."""
        return sorted(
            (task for task in self.all() if task.status != "done"), key=lambda task: task.urgency
        )

    def problems(self) -> list[str]:
        """Return the lines that were meant as tasks, or as something known of one, and cannot be
        read; one line each."""
        return self._read().problems

    def get(self, id: int) -> Task:
        """Return the task of this number."""
        return _line(self._read(), id).task

    def add(
        self,
        title: str,
        *,
        description: str = "",
        due: str = "",
        priority: Priority = "medium",
        tags: Sequence[str] = (),
        status: Status = "open",
    ) -> Task:
        """Put a task behind the last one; return it once it is on the disk."""
        with self._changing() as page:
            number = 1 + max((line.task.id for line in page.found), default=0)
            task = _checked(Task(number, title, description, due, priority, tuple(tags), status))
            at = page.found[-1].end if page.found else len(page.lines)
            page.lines[at:at] = _rendered(task, "-")
        return task

    def set(self, id: int, **changes: Any) -> Task:
        """Change fields of a task (title, description, due, priority, tags, status) and return it.
        None changes nothing."""
        with self._changing() as page:
            line = _line(page, id)
            wanted = {name: value for name, value in changes.items() if value is not None}
            task = replace(line.task, **wanted)
            if wanted.keys() - {"status"}:
                task = _checked(task)
            if task.status != line.task.status:
                day = (self._today or date.today()).isoformat()
                task = replace(task, done=day if task.status == "done" else "")
            page.lines[line.start : line.end] = _rendered(task, line.bullet)
        return task

    def remove(self, id: int) -> Task:
        """Take a task out of the list and return it."""
        with self._changing() as page:
            line = _line(page, id)
            del page.lines[line.start : line.end]
        return line.task

    @contextlib.contextmanager
    def _changing(self) -> Iterator[_Page]:
        """Yield the page with all numbers in it, locked against our other processes; write it when
        the block ends well."""
        with locked(self.home / ".todo.lock"):
            page = self._read()
            before = "".join(page.lines)
            for line in page.found:
                if line.start in page.unnumbered:
                    page.lines[line.start] = f"{page.lines[line.start].rstrip()} ^{line.task.id}\n"
            yield page
            if (after := "".join(page.lines)) != before:
                write_atomic(
                    self.home / FILE, after, None if (self.home / FILE).exists() else 0o600
                )

    def _read(self) -> _Page:
        try:
            known = read_owner_text(self.home, FILE)
        except FileNotFoundError:
            return _Page(HEADING.splitlines(keepends=True))
        if known.is_cut:
            raise TaskError("error.tasks.larger-than-do-list", file=FILE)
        lines = known.text.split("\n")
        page = _Page([f"{line}\n" for line in (lines if lines[-1] else lines[:-1])])
        _find(page)
        return page


def _find(page: _Page) -> None:
    """Read the tasks of a page. A number that stands twice is the first one's; the other gets a new
    one."""
    numbers = [int(found[1]) for line in page.lines if (found := _NUMBER.search(line))]
    fresh = count(1 + max(numbers, default=0))
    taken: set[int] = set()
    for start, text in enumerate(page.lines):
        item = _ITEM.fullmatch(text.rstrip("\n"))
        if item is not None and item["box"] in _BOXES:
            _take(page, start, item, taken, fresh)
        elif _BULLET.match(text):
            page.tell(start, "this is no task (- [ ] title)")


def _take(
    page: _Page, start: int, item: re.Match[str], taken: set[int], fresh: Iterator[int]
) -> None:
    title, known, wrong = _parsed(item["rest"])
    for each in wrong:
        page.tell(start, "what this says is not known (due:2026-11-24, !high, #tag)", each)
    if not title:
        page.tell(start, "this task has no title")
        return
    number = known.pop("id", 0)
    if number == 0 or number in taken:
        page.lines[start] = re.sub(r"[ \t]*\^\d{1,6}[ \t]*(?=\n)", "", page.lines[start])
        page.unnumbered.add(start)
        number = next(fresh)
    taken.add(number)
    end = _end_of_description(page.lines, start + 1)
    description = _dedented(page.lines[start + 1 : end])
    task = Task(number, title, description, status=_BOXES[item["box"]], **known)
    page.found.append(_Line(task, start, end, item["bullet"]))


def _parsed(rest: str) -> tuple[str, dict[str, Any], list[str]]:
    """Return the title, what stands behind it, and what there cannot be read; such a word stays in
    the title."""
    words, known, wrong = rest.split(), dict[str, Any](tags=()), list[str]()
    while words and _TOKEN.fullmatch(words[-1]):
        said = _said(words[-1])
        if said is None:
            wrong.append(words[-1])
            break
        words.pop()
        name, value = said
        known[name] = (value, *known[name]) if name == "tags" else value
    if words and re.fullmatch(rf"\\+(?:{_TOKEN.pattern})", words[-1]):
        words[-1] = words[-1][1:]
    return " ".join(words), known | {"tags": tuple(dict.fromkeys(known["tags"]))}, wrong


def _said(word: str) -> tuple[str, Any] | None:
    """Return what a word behind a title says of the task; None when it says nothing that is
    known."""
    if word[0] == "^":
        return "id", int(word[1:])
    if word[0] == "#":
        return "tags", word[1:]
    if word[0] == "!":
        level = _PRIORITIES.get(word[1:].casefold())
        return ("priority", level) if level else None
    key, _, value = word.replace("：", ":").partition(":")
    return (_DAYS[key], value) if is_due(value) else None


def _rendered(task: Task, bullet: str) -> list[str]:
    words = task.title.split(" ")
    # a title may end like something known of a task
    if re.fullmatch(rf"\\*(?:{_TOKEN.pattern})", words[-1]):
        words[-1] = f"\\{words[-1]}"
    words += [f"due:{task.due}"] if task.due else []
    words += [f"!{task.priority}"] if task.priority != "medium" else []
    words += [f"#{tag}" for tag in task.tags]
    words += [f"done:{task.done}"] if task.done else []
    below = (
        [f"  {line}".rstrip() + "\n" for line in task.description.split("\n")]
        if task.description
        else []
    )
    return [f"{bullet} [{_BOX_OF[task.status]}] {' '.join(words)} ^{task.id}\n", *below]


def _end_of_description(lines: Sequence[str], start: int) -> int:
    """Return the line number behind the last indented line; an empty one between two of them
    belongs to it."""
    end = start
    for at in range(start, len(lines)):
        if lines[at][0] in " \t" and lines[at].strip():
            end = at + 1
        elif lines[at].strip():
            break
    return end


def _dedented(lines: Sequence[str]) -> str:
    import textwrap

    return textwrap.dedent("".join(lines)).strip("\n")


def _checked(task: Task) -> Task:
    """Return it in the form in which it is read again. Raises TaskError."""
    for wrong in _wrong(task):
        raise TaskError(wrong)
    description = "\n".join(
        line.rstrip() for line in task.description.replace("\r", "").split("\n")
    )
    tags = tuple(dict.fromkeys(tag.removeprefix("#") for tag in task.tags))
    return replace(
        task, title=" ".join(task.title.split()), description=_dedented([description]), tags=tags
    )


def _wrong(task: Task) -> Iterator[str]:
    bad_tags = [tag for tag in task.tags if not re.fullmatch(_TAG, f"#{tag.removeprefix('#')}")]
    statuses, priorities = ", ".join(get_args(Status)), ", ".join(get_args(Priority))
    is_known = {task.status: get_args(Status), task.priority: get_args(Priority)}
    rules = (
        (not task.title.strip(), Message("error.tasks.title")),
        (
            re.search("[\0\ud800-\udfff]", task.title + task.description) is not None,
            Message("error.tasks.text"),
        ),
        (
            len(task.title) > MAX_TITLE_CHARS,
            Message("error.tasks.long-title", count=MAX_TITLE_CHARS),
        ),
        (
            len(task.description) > MAX_DESCRIPTION_CHARS,
            Message("error.tasks.long-text", count=MAX_DESCRIPTION_CHARS),
        ),
        (
            task.due != "" and not is_due(task.due),
            Message("error.tasks.no-day", text=f"{task.due!r}"),
        ),
        (
            any(said not in known for said, known in is_known.items()),
            Message("error.tasks.states", states=statuses, priorities=priorities),
        ),
        (len(task.tags) > MAX_TAGS, Message("error.tasks.tags", count=MAX_TAGS)),
        (bad_tags != [], Message("error.tasks.no-tag", text=bad_tags[:1])),
    )
    yield from (said for is_broken, said in rules if is_broken)


def is_due(text: str) -> bool:
    """Return True for a day or a minute as the list holds them."""
    if not _DUE.fullmatch(text):
        return False
    try:
        datetime.fromisoformat(text)
    except ValueError:
        return False
    return True


def _line(page: _Page, id: int) -> _Line:
    found = next((line for line in page.found if line.task.id == id), None)
    if found is None:
        known = ", ".join(str(line.task.id) for line in page.found[-20:]) or "none"
        raise TaskError("error.tasks.task", id=id, file=FILE, known=known)
    return found
