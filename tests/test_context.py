"""What the model reads when a run begins: order of the blocks, what is cut, what others may not see."""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path
from typing import Any, Literal

import pytest

from bench import tokens
from context.builder import MAX_EARLIER_TASKS, MAX_HEADER_BYTES, FoldedTask, build
from context.prompts import Prompts
from memory.sops import SopStore

ROOT = Path(__file__).parent.parent

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


def test_a_long_description_is_cut_at_the_end_of_a_clause() -> None:
    system, _ = built(
        sop_headers=["pdf: Reads, fills, and merges PDF files, version 1.7 too. Use it when the owner asks for a form"]
    )
    assert system.endswith("- pdf: Reads, fills, and merges PDF files, version 1.7 too")


def test_a_description_without_clauses_is_cut_hard() -> None:
    for endless in ("word " * 100, "字" * 100):
        line = built(sop_headers=[f"endless: {endless}"])[0].splitlines()[-1]
        assert line.startswith(f"- endless: {endless[:10]}")
        assert line.endswith("…")
        assert len(line.encode()) < MAX_HEADER_BYTES + 20


def first_request(task: str, lang: Literal["en", "zh"], **changed: Any) -> list[tokens.Segment]:
    """What a run with the shipped tools and seeds sends first, as tokens."""
    seeds = SopStore(ROOT / "sops", ROOT / "no such folder").header_lines(lang, seeds=True)
    assert len(seeds) == 9
    given: dict[str, Any] = {"sop_headers": seeds, "l2_index": "", "cwd": Path("/home/ann/work/reports"), "lang": lang}
    system, user = built(task, sop_folder="/home/ann/sopwith/sops", **(given | changed))
    tools = json.loads((ROOT / "assets" / "tools_schema.json").read_text(encoding="utf-8"))
    messages = [{"role": "system", "content": system}, {"role": "user", "content": user}]
    return tokens.segments({"tools": tools, "messages": messages})


TASKS = {
    "en": ("Rename the photos in ~/Pictures/2026 by the day they were taken.", "Why does the build fail?"),
    "zh": ("把 ~/Pictures/2026 里的照片按拍摄日期重命名。", "为什么构建失败了？"),
}


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_first_request_is_small(lang: Literal["en", "zh"]) -> None:
    assert tokens.count(first_request(TASKS[lang][0], lang)) <= 1150


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_what_does_not_change_with_the_task_is_enough_for_a_prompt_cache(lang: Literal["en", "zh"]) -> None:
    one, other = TASKS[lang]
    first = first_request(one, lang)
    second = first_request(other, lang, cwd=Path("/tmp"), now=datetime(2027, 1, 2))
    assert tokens.repeated(first, second) >= 1024
