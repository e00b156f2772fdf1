"""Hold what a step brought against what the SOP expects of it."""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from models.base import ToolResult
from models.errors import Blame
from replay import template
from replay.extract import field_of
from replay.pages import page_text
from replay.procedure import Step
from replay.rote.course import Course, cut

YES = {"y", "yes", "ok", "1", "是", "对"}
PAGES = ("web_scan", "web_execute_js")


def check_requirements(course: Course) -> None:
    """Raise Diverged where something is missing that the SOP needs."""
    if wrong := next(_missing(course), ""):
        raise course.diverged("requires", wrong)
    needs = course.procedure.requires
    for kind, is_there in (("folder", Path.is_dir), ("file", Path.is_file)):
        for name in needs.get(f"{kind}s", ()):
            path = course.parameters.get(name)
            if path is not None and not _holds(is_there, Path(path)):
                raise course.diverged("requires", course.say(f"no_{kind}", path), declined=True)


def _missing(course: Course) -> Iterator[str]:
    needs = course.procedure.requires
    here = {"darwin": "darwin", "win32": "windows"}.get(sys.platform, "linux")
    if needs.get("platform") and here not in needs["platform"]:
        yield course.say("platform", ", ".join(needs["platform"]), here)
    for command in needs.get("commands", ()):
        if not shutil.which(command):
            yield course.say("no_command", command)
    for variable in needs.get("env", ()):
        if not os.environ.get(variable):
            yield course.say("no_env", variable)


def _holds(is_there: Callable[[Path], bool], path: Path) -> bool:
    try:
        return is_there(path)
    except (OSError, ValueError):  # a name that is too long, a folder that may not be entered
        return False


def hold_staged(course: Course, step: Step, result: ToolResult) -> None:
    """Raise Diverged when a staged script was not committed."""
    if result.status == "ok":
        return
    data = result.data if isinstance(result.data, dict) else {}
    why = data.get("held") or difference(course, Step(step.id), result)
    raise course.diverged(step.id, why, blamed(step, result))


def blamed(step: Step, result: ToolResult) -> Blame:
    """Return what a failed step is to be blamed on: the world where the system or the script itself
    refuses the input."""
    from replay.staged import holding  # only where a replay stops

    if step.id.startswith("check"):
        return "check"
    data = result.data if isinstance(result.data, dict) else {}
    code = data.get("exit_code")
    if holding.is_refusal(code, str(data.get("output", ""))):
        return "world"
    has_run = result.status == "ok" or code == 0
    return "expectation" if has_run else "step"


def hold_answer(course: Course, step: Step, result: ToolResult) -> None:
    """Take the owner's yes to the fields of a page; anything else ends the replay. Raises
    Declined."""
    said = str(result.data.get("answer", "")) if isinstance(result.data, dict) else ""
    if said.strip().casefold() not in YES | {course.say("yes").casefold()}:
        raise course.diverged(step.id, course.say("not_agreed"), declined=True)
    course.page.agree()


def difference(course: Course, step: Step, result: ToolResult) -> str:
    """Return how a result is none that the step expects; "" where it is. Raises Diverged."""
    return (
        _ends_otherwise(course, step, result)
        or _says_otherwise(course, step, result)
        or next(_other_fields(course, step, result), "")
    )


def _ends_otherwise(course: Course, step: Step, result: ToolResult) -> str:
    expect, shown = step.expect, cut(result.as_text())
    code = result.data.get("exit_code") if isinstance(result.data, dict) else None
    if "exit_code" in expect and code != expect["exit_code"]:
        return course.say("exit_code", expect["exit_code"], code, shown)
    status = expect.get("status", result.status if "exit_code" in expect else "ok")
    return "" if result.status == status else course.say("status", status, result.status, shown)


def _says_otherwise(course: Course, step: Step, result: ToolResult) -> str:
    shown, form = cut(result.as_text()), step.expect.get("matches")
    wanted = str(course.filled(step, step.expect.get("contains", "")))
    if wanted and wanted not in _said_by(course, step, result):
        return course.say("contains", wanted, shown)
    if form is not None and not re.search(form, course.extracted(step, result, "output")):
        return course.say("matches", form, shown)
    return ""


def _said_by(course: Course, step: Step, result: ToolResult) -> str:
    """Return the output of a call; of a page all that it says."""
    if step.tool in PAGES:
        return page_text(result.data)
    return str(course.extracted(step, result, "output"))


def _other_fields(course: Course, step: Step, result: ToolResult) -> Iterator[str]:
    for path, wanted in course.filled(step, step.expect.get("fields", {})).items():
        found = course.extracted(step, result, field_of(path))
        texts = [template.as_text(each) for each in (found if path[:4] == "all " else [found])]
        if template.as_text(wanted) not in (*texts, template.as_text(found)):
            yield course.say("field", path, template.as_text(wanted), template.as_text(found))


def saved(course: Course, step: Step, result: ToolResult) -> str:
    """Keep what a step saves of its result; return that in a few words. Raises Diverged."""
    for name, extractor in step.save.items():
        course.values[name] = course.extracted(step, result, extractor)
    if wrong := next(_wrong_counts(course, step), ""):
        raise course.diverged(step.id, wrong)
    if step.line:
        return "" if result.status == "ok" else result.status
    return ", ".join(f"{name}: {_size(course.values[name])}" for name in step.save)


def _size(value: Any) -> Any:
    return len(value) if isinstance(value, list | dict | str) else value


def _wrong_counts(course: Course, step: Step) -> Iterator[str]:
    for key, is_wrong in (("min_count", int.__lt__), ("max_count", int.__gt__)):
        for path, limit in step.expect.get(key, {}).items():
            count = _size(course.look(step, path)) or 0
            if is_wrong(int(count), limit):
                yield course.say(key, limit, path, count)
