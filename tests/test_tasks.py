"""The to-do list through its tools, the gate and the SOP: added, shown, finished and taken off,
with and without a model."""

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
from tests.rows import cases, rows
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


@cases
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


@cases
def test_what_cannot_be_put_on_the_list_is_for_the_model_to_read(
    problem: str, args: Any, ctx: ToolContext
) -> None:
    with pytest.raises(ToolError, match=problem):
        create_task.run(ctx, **args)
    assert not (ctx.home / FILE).exists()


SEEDS = SopStore(CHECKOUT / "sops", Path("/nonexistent")).all()
ASKED: list[tuple[str, dict[str, Any]]] = [(*row,) for row in rows(__name__, "asked")]


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
