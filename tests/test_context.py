"""What the model reads when a run begins: order of the blocks, what is cut, what others may not see."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Any, Literal

import pytest

from context.builder import MAX_EARLIER_TASKS, FoldedTask, build
from context.prompts import Prompts

NOW = datetime(2026, 11, 21, 22, 22)
HEADERS = ["largest-files: the largest files in a folder", "system-report: disk, memory and load of this machine"]


def built(task: str = "count the files", *, lang: Literal["en", "zh"] = "en", **changed: Any) -> tuple[str, str]:
    given: dict[str, Any] = {
        "prompts": Prompts(lang),
        "sop_headers": HEADERS,
        "l2_index": "PRINTER: the office printer is called inky",
        "cwd": Path("/srv/project"),
        "session": "main",
        "now": NOW,
        "previous": [],
    }
    system, user = build(task, **(given | changed))
    assert (system["role"], user["role"]) == ("system", "user")
    return system["content"], user["content"]


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_stable_blocks_come_first(lang: Literal["en", "zh"]) -> None:
    system, user = built(lang=lang)
    assert system.index(Prompts(lang).text("system")) == 0
    assert 0 < system.index("inky") < system.index("largest-files") < system.index("system-report")
    assert user.index("/srv/project") < user.index("2026-11-21") < user.index("count the files")


def test_system_prompt_is_the_same_for_every_task_folder_and_day() -> None:
    first = built("count the files")[0]
    later: dict[str, Any] = {"cwd": Path("/tmp"), "now": datetime(2027, 1, 2), "previous": [FoldedTask("a", "b", 1)]}
    assert built("something else", **later)[0] == first


def test_shared_session_hides_the_facts_of_the_owner() -> None:
    system, user = built(session="shared:team")
    assert "inky" not in system + user
    assert "largest-files" in system


def test_blocks_that_are_empty_leave_nothing_behind() -> None:
    system, _ = built(sop_headers=[], l2_index=" \n")
    assert system == Prompts("en").text("system")


def test_task_is_never_cut() -> None:
    task = "x" * 200_000 + "{cwd} {platform}"
    assert built(task)[1].endswith(task)


def test_earlier_tasks_are_folded_to_request_result_and_turns() -> None:
    _, user = built(previous=[FoldedTask("list the logs", "three logs", 4), FoldedTask("and their size", "2 MB", 1)])
    assert user.index("list the logs") < user.index("three logs") < user.index("and their size") < user.index("2 MB")
    assert user.index("2 MB") < user.index("count the files")
    assert "4 turns" in user


def test_last_result_is_kept_longer_than_the_ones_before_it() -> None:
    long = "first " + "word " * 500 + "last"
    _, user = built(previous=[FoldedTask("a", long, 1), FoldedTask("b", long, 1)])
    assert user.count(long) == 1
    older = user[: user.index(long)]
    assert "first word" in older
    assert "word last" in older
    assert len(older) < 600


def test_a_long_conversation_stays_short() -> None:
    folded = [FoldedTask(f"request {number} " + "r" * 5000, "done " * 5000, 3) for number in range(200)]
    _, user = built(previous=folded)
    assert f"{200 - MAX_EARLIER_TASKS} older" in user
    assert "request 199" in user
    assert "request 179" not in user
    assert len(user) < 25_000
