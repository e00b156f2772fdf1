"""Names the families of tools: what most tasks never need is offered, and imported, when one asks for it.

A family is a module of `tools/` with its tools and a function `problem()`: "" when the family can work on this machine,
else one sentence that says what is missing and the command that mends it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from importlib import import_module
from typing import NamedTuple

from safety import desktop_calls
from tools.base import Tool


class Family(NamedTuple):
    """A family by name. `words`: a request in which this pattern is found has the family from the start."""

    name: str
    module: str
    tools: tuple[str, ...]
    words: str

    def load(self) -> dict[str, Tool]:
        """Its tools by name; imports the module."""
        module = import_module(self.module)
        return {name: getattr(module, name) for name in self.tools}

    def problem(self) -> str:
        """Why it cannot work here, or ""; imports the module."""
        said: str = import_module(self.module).problem()
        return said


_ROWS: tuple[Family, ...] = (
    Family(
        "fetch",
        "tools.web.fetch",
        ("web_fetch",),
        r"https?://|\bwww\.|\bweb ?(?:page|site)s?\b|\burls?\b|网页|网站|网址|链接",
    ),
    Family(
        "tasks",
        "tools.agent.tasks",
        ("create_task", "list_tasks", "update_task", "delete_task"),
        r"\bto-?dos?\b|\b(?:my|new|open|add|add a) tasks?\b|\btask list\b|待办|备忘|(?:我的|个|新|添加)任务",
    ),
    Family("mcp", "tools.mcp.client", ("mcp_find", "mcp_call"), r"\bmcp\b"),
    Family(
        "browser",
        "tools.browser.calls",
        ("web_scan", "web_execute_js"),
        r"\bbrowsers?\b|\bchrom(?:e|ium)\b|\bclick|\b(?:log|sign) ?in(?:to)?\b|\bforms?\b|\btabs?\b|浏览器|点击|登录|填表|表单|标签页",
    ),
    Family("desktop", "tools.desktop.calls", ("desktop_look", "desktop_do"), desktop_calls.WORDS),
    Family(
        "terminal",
        "tools.shells.calls",
        ("shell_run", "shell_keys"),
        r"\b(?:ssh|sudo|repl|vim|tmux)\b|\binteractive|\bterminals?\b|\bshells?\b(?! (?:command|script)s?\b)|\bdev(?:elopment)? server|终端|交互|远程登录",
    ),
    Family(
        "processes",
        "tools.processes.calls",
        ("process_look", "process_stop", "process_wait"),
        r"\bprocess(?:es)?\b|\bports? \d|\bports?\b.*\b(?:use[ds]?|using|free|taken|listen\w*)\b|\bkill\b|\bcpu\b|进程|端口|占用|卡死",
    ),
    Family(
        "helpers",
        "tools.agent.delegate",
        ("delegate",),
        r"\b(?:helpers?|sub-?agents?|in parallel|at the same time|delegate)\b|帮手|子代理|同时做|并行|分头",
    ),
)
FAMILIES: dict[str, Family] = {family.name: family for family in _ROWS}


def named_in(request: str, families: Mapping[str, Family] = FAMILIES) -> list[str]:
    """The families that a request asks for by its words."""
    return [
        family.name
        for family in families.values()
        if re.search(family.words, request, re.IGNORECASE)
    ]
