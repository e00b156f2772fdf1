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
from text.time import split_due
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
    ("title", "rest", "due"),
    [
        ("call mum tomorrow at 5pm", "call mum", "2026-11-23T17:00"),
        ("Tomorrow: call mum", "call mum", "2026-11-23"),
        ("renew the passport by Friday.", "renew the passport", "2026-11-27"),
        ("pay rent, due 2026-12-01", "pay rent", "2026-12-01"),
        ("明天给妈妈打电话", "给妈妈打电话", "2026-11-23"),
        ("周五前交报告", "交报告", "2026-11-26"),
        ("read 1984", "read 1984", ""),
        ("plans for May", "plans for May", ""),
        ("tomorrow", "tomorrow", ""),
        ("write up what happened yesterday", "write up what happened yesterday", ""),
        ("ask whether Friday suits Bob", "ask whether Friday suits Bob", ""),
    ],
)
def test_a_day_at_the_end_of_a_title_is_when_it_is_due(title: str, rest: str, due: str) -> None:
    assert split_due(title, NOW) == (rest, due)


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


def test_what_is_due_until_a_day_includes_what_is_late_and_that_day(ctx: ToolContext) -> None:
    today = datetime.now().astimezone().date()
    for days, clock in ((-2, ""), (0, "T09:00"), (1, "")):
        Tasks(ctx.home).add(f"in {days}", due=(today + timedelta(days)).isoformat() + clock)
    Tasks(ctx.home).add("some day")
    assert [
        line.split(" · ")[0][5:] for line in said(list_tasks.run(ctx, until="today")).splitlines()
    ] == [
        "in -2",
        "in 0",
    ]


@pytest.mark.parametrize(
    ("problem", "args"),
    [("no day is found", {"title": "a", "due": "asap"}), ("needs a title", {"title": "  "}), ("is no tag", {"title": "a", "tags": ["a b"]})],
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
OTHERS = [
    *("add task water the plants every monday", "remind me to call mum", "list scheduled tasks", "todo list", "kill task 3"),
    *("show all tasks of the process manager", "show tasks running on this machine", "add a taskbar icon", "delete task scheduler"),
    *("create a task force proposal in ~/x", "task: find the largest files in ~/x", "what is the task of chapter two"),
    *("do not add task buy milk", "delete all tasks", "add task", "task 3: done"),
    *("add todo comments to main.py", "add a task to the Makefile", "add task to tasks.json", "add task to ~/x/build.gradle"),
    *("add bread to the shopping list", "create tasks for the sprint in jira", "mark email 3 as read", "remove item 3"),
    *("查看任务管理器", "创建任务管理器的快捷方式", "新建任务计划程序", "任务：写周报", "添加任务 每周一浇花", "提醒我开会", "删除所有任务"),
]  # fmt: skip


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
