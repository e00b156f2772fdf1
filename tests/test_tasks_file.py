"""The to-do list on disk: what is added is read again, hand edits are picked up, what cannot be
read is kept and named."""

import multiprocessing
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from memory.tasks import Task, TaskError, Tasks
from memory.tasks.todo import FILE
from tests.machine import PATIENCE_SECONDS
from tests.rows import cases

DAY = date(2026, 11, 22)


@pytest.fixture
def tasks(tmp_path: Path) -> Tasks:
    return Tasks(tmp_path, today=DAY)


def text(tasks: Tasks) -> str:
    return (tasks.home / FILE).read_text("utf-8")


def write(tasks: Tasks, said: str) -> None:
    (tasks.home / FILE).write_text(said, "utf-8")


def test_a_task_stands_on_a_line_that_a_person_reads(tasks: Tasks) -> None:
    tasks.add(
        "Call the  plumber",
        description="Tap drips.\n\n- kitchen",
        due="2026-11-24",
        priority="high",
        tags=["home"],
    )
    tasks.add("给妈妈打电话", due="2026-11-24T09:00", priority="low")
    assert text(tasks) == (
        "# TODO\n\n- [ ] Call the plumber due:2026-11-24 !high #home ^1\n  Tap drips.\n\n  - kitchen\n"
        "- [ ] 给妈妈打电话 due:2026-11-24T09:00 !low ^2\n"
    )
    assert tasks.all()[0] == Task(
        1, "Call the plumber", "Tap drips.\n\n- kitchen", "2026-11-24", "high", ("home",)
    )
    assert oct((tasks.home / FILE).stat().st_mode & 0o777) == "0o600"


HAND = """My own words stay.

## At home
* [ ] water the plants 截止:2026-12-01 !高 #家 #garden
      the ferns, too
1. [X] pay the rent
- [ ] fix issue #12 ^7
- [ ] copied ^7
- [ ] soon due:tomorrow
- [] no box
- just a point
- [%] what is this
- [ ] #only

**bold** is no point
---
tail without a line break"""


def test_what_a_person_writes_is_picked_up_and_the_rest_is_kept(tasks: Tasks) -> None:
    write(tasks, HAND)
    found = tasks.all()
    assert [(task.id, task.title, task.status) for task in found] == [
        (8, "water the plants", "open"),
        (9, "pay the rent", "done"),
        (7, "fix issue #12", "open"),
        (10, "copied", "open"),
        (11, "soon due:tomorrow", "open"),
    ]
    assert found[0] == Task(
        8, "water the plants", "the ferns, too", "2026-12-01", "high", ("家", "garden")
    )
    assert [problem.split(":")[0] for problem in tasks.problems()] == [
        f"{FILE}, line {n}" for n in (9, 10, 11, 12, 13)
    ]
    tasks.set(8, title="water them")
    tasks.set(9, status="open")
    was, now = HAND.split("\n"), text(tasks).split("\n")
    changed = {n: now[n] for n in range(len(was)) if was[n] != now[n]}
    assert changed == {
        3: "* [ ] water them due:2026-12-01 !high #家 #garden ^8",
        4: "  the ferns, too",
        5: "1. [ ] pay the rent ^9",
        7: "- [ ] copied ^10",
        8: "- [ ] soon due:tomorrow ^11",
    }


@cases
def test_what_no_list_can_hold_is_refused_and_changes_nothing(
    tasks: Tasks, said: dict[str, Any], what: str
) -> None:
    tasks.add("kept")
    before = text(tasks)
    with pytest.raises(TaskError, match=what):
        tasks.add(**said)
    with pytest.raises(TaskError, match=what):
        tasks.set(1, **said)
    assert text(tasks) == before


def _add(home: Path, name: str) -> None:
    for number in range(20):
        Tasks(home).add(f"{name} {number}")


def test_many_processes_lose_nothing(tmp_path: Path) -> None:
    fork = multiprocessing.get_context("fork")
    running = [fork.Process(target=_add, args=(tmp_path, name)) for name in "abc"]
    for each in running:
        each.start()
    for each in running:
        each.join(PATIENCE_SECONDS)
    found = Tasks(tmp_path).all()
    assert len({task.title for task in found}) == len({task.id for task in found}) == 60
