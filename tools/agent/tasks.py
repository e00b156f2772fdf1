"""The tools of the owner's to-do list (memory/tasks/todo.py): put a task on it, read it, change
one, take one off.

Writing to it is writing to memory: after a run has read what others wrote the gate asks, since
autonomous mode works the list off. Taking a task off asks like any deleting.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import Annotated, Any, Literal

from config import Message, SopwithError
from memory.tasks import FILE, Status, Task, Tasks
from models.base import ToolResult
from tools.base import Between, ToolContext, ToolError, tool

SHOWN = 100  # tasks in one answer
_ARTICLES = ("the", "a", "an", "my")
_MARKS = {"open": "", "doing": "~ ", "waiting": "? ", "done": "✓ "}
Which = Literal["open", "doing", "waiting", "done", "all"]
Level = Literal["high", "medium", "low"]


def problem() -> str:
    """Return "": psutil is of the core."""
    return ""


@tool("memory")
def create_task(
    ctx: ToolContext,
    title: str,
    due: str | None = None,
    priority: Level = "medium",
    tags: list[str] | None = None,
    description: str | None = None,
) -> ToolResult:
    """Put a task on the owner's to-do list.

    due: in words or like 2026-11-24T09:00; left out: as the title says
    """
    from text.time import due_of, split_due

    now = datetime.now().astimezone()
    with _told(), ctx.recorded(ctx.home / FILE):
        name, when = split_due(title, now) if due is None else (title, "")
        if due and due.strip():
            when = due_of(due, now)
        task = Tasks(ctx.home).add(
            ctx.redact(name),
            description=ctx.redact(description or ""),
            due=when,
            priority=priority,
            tags=tags or [],
        )
    return _one(task)


@tool("read")
def list_tasks(
    ctx: ToolContext,
    status: Which | None = None,
    until: str | None = None,
    tag: str | None = None,
    text: str | None = None,
    id: Annotated[int, Between(1)] | None = None,
) -> ToolResult:
    """Read the owner's to-do list, what is due first at the top.

    status: all but done when left out
    until: only what is due by then, in words or like 2026-11-24
    """
    with _told():
        tasks = Tasks(ctx.home)
        if id is not None:
            return _one(tasks.get(id), whole=True)
        found = _of_status(tasks, status)
        if until is not None:
            last = _end_of(until)
            found = [each for each in found if "" < each.due <= last]
        if tag is not None:
            found = [each for each in found if tag.removeprefix("#") in each.tags]
        return _listed(_saying(found, text or ""), tasks.problems())


def _of_status(tasks: Tasks, status: Which | None) -> list[Task]:
    if status is None:
        return tasks.open()
    return [each for each in tasks.all() if status in ("all", each.status)]


def _saying(tasks: list[Task], wanted: str) -> list[Task]:
    """Return the tasks that hold each of the words, articles left out."""
    words = [word for word in wanted.casefold().split() if word not in _ARTICLES]
    texts = [f"{task.title}\n{task.description}".casefold() for task in tasks]
    return [
        task for task, text in zip(tasks, texts, strict=True) if all(word in text for word in words)
    ]


def _as_it_is(ctx: ToolContext, args: dict[str, Any]) -> dict[str, Any]:
    """Return what the gate should know of a change: the title that the task has now."""
    try:
        return {"title": Tasks(ctx.home).get(args["id"]).title}
    except (SopwithError, OSError):
        return {}


@tool("memory", about=_as_it_is)
def update_task(
    ctx: ToolContext,
    id: int,
    status: Status | None = None,
    title: str | None = None,
    due: str | None = None,
    priority: Level | None = None,
    tags: list[str] | None = None,
    description: str | None = None,
) -> ToolResult:
    """Change a task of the to-do list: done, put off, worded anew.

    due: "" for none
    """
    from text.time import due_of

    with _told(), ctx.recorded(ctx.home / FILE):
        when = due_of(due, datetime.now().astimezone()) if due and due.strip() else due
        changes: dict[str, Any] = {
            "status": status,
            "title": title and ctx.redact(title),
            "due": when,
            "priority": priority,
            "tags": None if tags is None else tuple(tags),
            "description": description if description is None else ctx.redact(description),
        }
        return _one(Tasks(ctx.home).set(id, **changes))


@tool("memory", "delete")
def delete_task(ctx: ToolContext, id: int, title: str) -> ToolResult:
    """Take a task off the to-do list for good; one that was done is set done instead.

    title: as it is now, so that the owner sees what goes
    """
    with _told(), ctx.recorded(ctx.home / FILE):
        tasks = Tasks(ctx.home)
        task = tasks.get(id)
        if " ".join(title.split()).casefold() != task.title.casefold():
            raise ToolError(
                "error.agent.other-task", id=id, title=f"{task.title!r}", asked=f"{title[:80]!r}"
            )
        return _one(tasks.remove(id))


@contextmanager
def _told() -> Iterator[None]:
    """Yield what is wrong with the list, or with what should be put on it, is for the model to
    read."""
    try:
        yield
    except SopwithError as error:
        raise ToolError(str(error)) from error


def _end_of(until: str) -> str:
    """Return the last minute that counts: a day means all of it."""
    from text.time import due_of

    due = due_of(until, datetime.now().astimezone())
    return due if "T" in due else f"{due}T23:59"


def _one(task: Task, *, whole: bool = False) -> ToolResult:
    text = _with_description(task) if whole else _line(task)
    return ToolResult("ok", {"output": text, "id": task.id, "title": task.title})


def _listed(found: list[Task], problems: list[str]) -> ToolResult:
    lines = [f"- {_with_description(task)}" for task in found[:SHOWN]]
    if len(found) > SHOWN:
        lines.append(f"[… {len(found) - SHOWN} more …]")
    data: dict[str, Any] = {"output": "\n".join(lines), "count": len(found)}
    only = found[0] if len(found) == 1 else None
    data |= {"id": only.id, "title": only.title} if only else {"id": 0, "title": ""}
    data |= {} if found else {"note": Message("error.agent.no-task-fits")}
    return ToolResult("ok", data | ({"unreadable": problems[:10]} if problems else {}))


def _with_description(task: Task) -> str:
    return "\n   ".join([_line(task), *task.description.splitlines()])


def _line(task: Task) -> str:
    """`#3 Call mum · 2026-11-24 09:00 · high · #home`: the number is the id, which no screen may
    count anew."""
    known = [
        task.due.replace("T", " "),
        task.priority if task.priority != "medium" else "",
        *(f"#{t}" for t in task.tags),
    ]
    return " · ".join([f"{_MARKS[task.status]}#{task.id} {task.title}", *filter(None, known)])
