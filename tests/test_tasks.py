"""The to-do list through its tools, the gate and the SOP: added, shown, finished and taken off, with and without a model."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest

from handler import Approval
from learning.route import Where, exact_match
from memory.sops import SopStore
from memory.tasks import Tasks
from memory.tasks.todo import FILE
from models.base import Event, ToolResult
from runs.assemble import Options
from tests.conftest import CHECKOUT, CommandLine
from tests.driving import SpokenOwner, agent, call, drive
from text.time import due_of
from tools.agent.tasks import create_task, delete_task, list_tasks, update_task
from tools.base import ToolContext, ToolError

NOW = datetime(2026, 11, 22, 15, 0, tzinfo=timezone(timedelta(hours=1)))  # a Sunday


@pytest.fixture
def ctx(tmp_path: Path) -> ToolContext:
    return ToolContext(
        tmp_path, tmp_path, tmp_path, redact=lambda text: text.replace("hunter2", "[secret]")
    )


def said(result: Any) -> str:
    assert isinstance(result, ToolResult) and result.status == "ok" and not result.origin
    return str(result.data["output"])


@pytest.mark.parametrize(
    ("words", "due"),
    [
        ("2026-12-01", "2026-12-01"),
        ("2026-12-01T08:30", "2026-12-01T08:30"),
        ("tomorrow", "2026-11-23"),
        ("tomorrow at 5pm", "2026-11-23T17:00"),
        ("Friday 09:30", "2026-11-27T09:30"),
        ("before Friday", "2026-11-26"),
        ("by Friday", "2026-11-27"),
        ("this evening", "2026-11-22T20:00"),
        ("next week", "2026-11-29"),
        ("in 20 minutes", "2026-11-22T15:20"),
        ("by the end of the month", "2026-11-30"),
        ("明天下午三点", "2026-11-23T15:00"),
        ("周五之前", "2026-11-26"),
        ("下周", "2026-11-29"),
    ],
)
def test_a_due_date_is_understood_in_words(words: str, due: str) -> None:
    assert due_of(words, NOW) == due


def test_a_task_is_put_on_the_list_changed_and_taken_off(ctx: ToolContext) -> None:
    line = said(create_task.run(ctx, "Ask for hunter2", None, "high", ["home"], "twice\nnot once"))
    assert line == "#1 Ask for [secret] · high · #home"
    assert said(create_task.run(ctx, "Pay rent", "2026-12-01")) == "#2 Pay rent · 2026-12-01"
    assert said(list_tasks.run(ctx)).splitlines()[0] == "- #2 Pay rent · 2026-12-01"
    assert (
        said(list_tasks.run(ctx, id=1))
        == "#1 Ask for [secret] · high · #home\n   twice\n   not once"
    )
    assert said(update_task.run(ctx, 2, status="done", due="")) == "✓ #2 Pay rent"
    assert said(list_tasks.run(ctx, tag="#home", text="TWICE")).startswith("- #1 ")
    assert said(list_tasks.run(ctx, status="done")) == "- ✓ #2 Pay rent"
    with pytest.raises(ToolError, match=r"task 1 is 'Ask for \[secret\]', not 'Pay rent'"):
        delete_task.run(ctx, 1, "Pay rent")
    assert said(delete_task.run(ctx, 2, " pay  Rent ")) == "✓ #2 Pay rent"
    assert [task.id for task in Tasks(ctx.home).all()] == [1]
    empty = list_tasks.run(ctx, text="nothing like it")
    assert isinstance(empty, ToolResult) and empty.data == {
        "output": "",
        "count": 0,
        "note": "no task fits",
        "id": 0,
        "title": "",
    }


@pytest.mark.parametrize(
    ("problem", "args"),
    [("no day is found", {"title": "a", "due": "blorp"}), ("needs a title", {"title": "  "}), ("is no tag", {"title": "a", "tags": ["a b"]})],
)  # fmt: skip
def test_what_cannot_be_put_on_the_list_is_for_the_model_to_read(
    problem: str, args: Any, ctx: ToolContext
) -> None:
    with pytest.raises(ToolError, match=problem):
        create_task.run(ctx, **args)
    assert not (ctx.home / FILE).exists()


SEEDS = SopStore(CHECKOUT / "sops", Path("/nonexistent")).all()
ASKED: list[tuple[str, dict[str, Any]]] = [
    ("add task buy milk", {"title": "buy milk"}),
    ("Add a task to call mum tomorrow at 5pm, please", {"title": "call mum tomorrow at 5pm"}),
    ('add task: buy 2 litres of "fresh" milk', {"title": 'buy 2 litres of "fresh" milk'}),
    (
        "create an urgent task: renew the passport by Friday",
        {"urgent": "renew the passport by Friday"},
    ),
    ("todo: fix the bike", {"title": "fix the bike"}),
    ("add task my taxes", {"title": "my taxes"}),
    ("add to my to-do list: pay rent", {"title": "pay rent"}),
    ("show my tasks", {"show": "show"}),
    ("Show me my to-do list", {"show": "show me"}),
    ("what tasks do I have?", {"show": "what"}),
    ("what's on my to-do list", {"show": "what's"}),
    ("what is due today?", {"until": "today"}),
    ("which tasks are due this week", {"until": "this week"}),
    ("mark task 3 as done", {"finished": 3}),
    ("task 3 is done", {"finished": 3}),
    ("delete task 12", {"gone": 12}),
    ("添加任务 明天给妈妈打电话", {"title": "明天给妈妈打电话"}),
    ("加一个待办：买牛奶", {"title": "买牛奶"}),
    ("帮我新建一个任务：周五前交报告", {"title": "周五前交报告"}),
    ("添加一个紧急任务：交房租", {"urgent": "交房租"}),
    ("查看我的待办", {"show": "查看"}),
    ("我有哪些待办事项", {"show": "哪些"}),
    ("今天到期的任务有哪些", {"until": "今天"}),
    ("把任务 3 标记为完成", {"finished": 3}),
    ("任务3完成了", {"finished": 3}),
    ("删除任务 3", {"gone": 3}),
]


@pytest.mark.parametrize(("request_", "values"), ASKED)
def test_a_request_for_the_list_is_understood_without_a_model(
    request_: str, values: dict[str, Any]
) -> None:
    found = exact_match(request_, SEEDS, Where(Path("/w"), Path("/o")))
    assert found and found.sop.name == "task-management" and found.parameters == values


def test_the_list_is_kept_by_rote_in_both_languages(home: Path, cli: CommandLine) -> None:
    line = "water the ferns, and then the tomatoes, the mint and the basil behind the old shed by the gate"
    assert cli("run", f"add task {line}").stdout == f"On the to-do list: #1 {line}\n"
    assert cli("run", "加一个待办：买牛奶", "--lang", "zh").stdout == "已加入待办：#2 买牛奶\n"
    assert cli("run", "show my tasks").stdout == f"2 tasks to do:\n- #1 {line}\n- #2 买牛奶\n"
    assert cli("run", "任务 1 完成了", "--lang", "zh").stdout == f"已完成：✓ #1 {line}\n"
    code, _, err = cli("run", "task 9 is done")
    assert code == 1 and "there is no task 9 in TODO.md (there are: 1, 2)" in err
    assert cli("run", "delete task 2").code == 3  # nobody is there: it waits in the inbox
    assert [task.title for task in Tasks(home).open()] == ["买牛奶"]
    assert (
        cli("run", "delete task 2", "--approve", "all").stdout == "Taken off the list: #2 买牛奶\n"
    )


def of(events: list[Event], kind: str) -> list[Event]:
    return [event for event in events if event["type"] == kind]


def test_a_model_is_offered_the_list_and_asks_before_it_deletes(home: Path) -> None:
    replies = [
        call("create_task", title="buy milk", due="2026-12-01"),
        call("delete_task", id=1, title="buy milk"),
        call("list_tasks"),
        "done",
    ]
    owner = SpokenOwner(approvals=[Approval("no")])
    events = drive(
        agent(home, replies).start("put milk on my to-do list", Options(rote=False), owner)
    )
    assert "tasks" in of(events, "run_started")[0]["families"]
    assert [event["status"] for event in of(events, "tool_ended")] == ["ok", "refused", "ok"]
    assert owner.shown[0].risk == "delete" and "buy milk" in owner.shown[0].preview
