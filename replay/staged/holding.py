"""Hold a staged script against its SOP's expectation, and say in words what differs or what was done."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from models.base import ToolResult
from replay.procedure import Step
from replay.staged import expectation
from safety.changes import ChangeSet

Lang = Literal["en", "zh"]
_SAID: Mapping[str, Mapping[Lang, str]] = {
    "failed": {"en": "Stopped: the script ended with exit code {}: {}", "zh": "已停止：脚本以退出码 {} 结束：{}"},
    "too_few_new": {"en": "Stopped: it should make {} ({} or more), and made {}", "zh": "已停止：应当生成 {}（至少 {} 个），实际 {} 个"},
    "too_few_changed": {"en": "Stopped: it should change {} ({} or more), and changed {}", "zh": "已停止：应当修改 {}（至少 {} 个），实际 {} 个"},
    "too_few_gone": {"en": "Stopped: it should take away {} ({} or more), and took away {}", "zh": "已停止：应当移走 {}（至少 {} 个），实际 {} 个"},
    "too_few_mode": {"en": "Stopped: it should change the rights of {} ({} or more), and did so for {}", "zh": "已停止：应当修改 {} 的权限（至少 {} 个），实际 {} 个"},
    "too_many_new": {"en": "Stopped: it should make {} (at most {}), and made {}", "zh": "已停止：应当生成 {}（至多 {} 个），实际 {} 个"},
    "too_many_changed": {"en": "Stopped: it should change {} (at most {}), and changed {}", "zh": "已停止：应当修改 {}（至多 {} 个），实际 {} 个"},
    "too_many_gone": {"en": "Stopped: it should take away {} (at most {}), and took away {}", "zh": "已停止：应当移走 {}（至多 {} 个），实际 {} 个"},
    "too_many_mode": {"en": "Stopped: it should change the rights of {} (at most {}), and did so for {}", "zh": "已停止：应当修改 {} 的权限（至多 {} 个），实际 {} 个"},
    "unexpected_new": {"en": "Stopped: it would make {}, which it never did before", "zh": "已停止：它会生成 {}，以前从未这样"},
    "unexpected_changed": {"en": "Stopped: it would change {}, which it never did before", "zh": "已停止：它会修改 {}，以前从未这样"},
    "unexpected_gone": {"en": "Stopped: it would take away {}, which it never did before", "zh": "已停止：它会移走 {}，以前从未这样"},
    "unexpected_mode": {"en": "Stopped: it would change the rights of {}, which it never did before", "zh": "已停止：它会修改 {} 的权限，以前从未这样"},
    "empty_output": {"en": "Stopped: the answer is empty, which it never was before", "zh": "已停止：答案是空的，以前从未这样"},
    "other_type": {"en": "Stopped: the answer should be of the type {}: {}", "zh": "已停止：答案应当是 {} 类型：{}"},
    "zero_output": {"en": "Stopped: the answer is {}, which it never was before", "zh": "已停止：答案是 {}，以前从未这样"},
    "other_form": {"en": "Stopped: the answer should look like {!r}: {}", "zh": "已停止：答案应当形如 {!r}：{}"},
    "missing_key": {"en": "Stopped: the answer has no {}", "zh": "已停止：答案里没有 {}"},
    "new": {"en": "{} new", "zh": "新增 {}"},
    "changed": {"en": "{} changed", "zh": "修改 {}"},
    "gone": {"en": "{} gone", "zh": "移走 {}"},
    "moved": {"en": "{} moved", "zh": "移动 {}"},
    "mode": {"en": "{} with other rights", "zh": "权限改变 {}"},
    "nothing": {"en": "Done. Nothing had to be changed.", "zh": "完成。没有需要改动的。"},
    "done": {"en": "Done: {}.", "zh": "完成：{}。"},
}  # fmt: skip

_WRONG = re.compile(
    r"\b(?:error|cannot|can't|no such|not found|denied|invalid|failed)\b", re.IGNORECASE
)


def difference(
    step: Step | None,
    result: ToolResult,
    changes: ChangeSet,
    values: Mapping[str, Any],
    lang: Lang,
) -> str:
    """Return what differs from the expectation of a step, in one line; "" when nothing does."""
    output = str(result.data.get("output", ""))
    if result.status != "ok":
        return say("failed", lang, result.data.get("exit_code"), last_line(output))
    found = expectation.touched(changes)
    wrong = expectation.unmet(step.expect if step else {}, found, output, values)
    return say(wrong[0], lang, *wrong[1]) if wrong else ""


def answer(values: Mapping[str, Any], lang: Lang) -> str:
    """Return the answer of an SOP that has no text of its own: what was printed, else what was changed."""
    printed = str(values.get("output") or "").strip("\n")
    if printed.strip():
        return printed
    counts: Mapping[str, Sequence[str]] = values.get("changes") or {}
    parts = [say(kind, lang, _named(paths)) for kind, paths in counts.items() if paths]
    return say("done", lang, ", ".join(parts)) if parts else say("nothing", lang)


def _named(paths: Sequence[str]) -> str:
    return paths[0] if len(paths) == 1 else str(len(paths))


def last_line(output: str) -> str:
    """Return the last line that says what went wrong; else the last one."""
    lines = [line for line in output.splitlines() if line.strip()]
    wrong = [line for line in lines if _WRONG.search(line)]
    return (wrong or lines or [""])[-1].strip()[:300]


def say(key: str, lang: Lang, *values: Any) -> str:
    """Return a text in a language."""
    return _SAID[key][lang].format(*values)
