"""A run as its calls: what each was asked with, what it answered, and whether it only reads."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import filterfalse, takewhile
from operator import attrgetter
from typing import Any

from learning.calls.forms import acts_of, refs_in
from learning.trace import Trace
from memory.evidence import Result
from replay.extract import json_of, table, whole_output
from replay.pages import Element, elements, page_text
from text import names

SCAN, ACT = "web_scan", "web_execute_js"
ABOUT_THE_RUN = names(
    "recall ask_user update_working_checkpoint start_long_term_update more_tools mcp_find"
)


@dataclass(frozen=True, slots=True)
class Call:
    """One call with its parsed answer. `root` is the extractor of the whole answer: json, csv, data
    or output."""

    tool: str
    args: dict[str, Any]
    value: Any
    root: str
    reads: bool
    result: Result

    @property
    def key(self) -> str:
        """Return the call as text: two calls of the same key ask for the same."""
        return json.dumps([self.tool, self.args], sort_keys=True, ensure_ascii=False)


@dataclass(frozen=True, slots=True)
class Run:
    """One run. `plan` are its reads before the first write, `after` those behind it; `rest` is all
    from the first write on."""

    trace: Trace
    plan: tuple[Call, ...]
    writes: tuple[Call, ...]
    after: tuple[Call, ...]
    rest: tuple[Call, ...]

    @classmethod
    def read(cls, trace: Trace) -> Run:
        """Read a trace; what failed, was refused or is about the run itself is left out."""
        from learning.looks import only_reads

        told = [each for each in trace.calls if each.status == "ok"]
        results = [each for each in told if each.tool not in ABOUT_THE_RUN]
        read = [only_reads(each, trace.request, trace.changed) for each in results]
        calls = _on_pages(map(_call, results, read))
        plan = list(takewhile(attrgetter("reads"), calls))
        tail = list(takewhile(attrgetter("reads"), reversed(calls[len(plan) :])))[::-1]
        between = calls[len(plan) : len(calls) - len(tail)]
        writes = tuple(filter(_is_write, between))
        after = [*filterfalse(_is_write, between), *tail]
        return cls(trace, _once(plan), writes, _once(after), (*between, *tail))

    @property
    def acts(self) -> list[Call]:
        """Return the writes, and the reads behind the first one that ask for something new."""
        known = {call.key for call in self.plan}
        reads = [call for call in self.after if call.tool != SCAN and call.key not in known]
        return [call for call in self.rest if call in self.writes or call in reads]

    @property
    def request(self) -> str:
        """Return the owner's words."""
        return self.trace.request


def _is_write(call: Call) -> bool:
    return not call.reads or call.tool == SCAN  # a page is opened where it is filled in


def _on_pages(calls: Iterable[Call]) -> list[Call]:
    """Return the calls with what was done on a page as data; what only looked there is left out."""
    pages = _Pages()
    ways = {SCAN: pages.scanned, ACT: pages.acted}
    kept = [each for call in calls for each in ways.get(call.tool, lambda it: [it])(call)]
    return kept + pages.looked


class _Pages:
    """Pages as they were shown, and the last look at the open one, for a script that needs it."""

    def __init__(self) -> None:
        self.known: dict[str, Element] = {}
        self.looked: list[Call] = []
        self.seen: dict[str, Element] = {}

    def scanned(self, call: Call) -> list[Call]:
        """Return a call that opens a page; keep one that looks at the open page for later."""
        self.seen = {each.ref: each for each in elements(_text(_shown(call.result)))}
        self.looked = [call]
        return self._needed() if call.args.get("url") else []

    def acted(self, call: Call) -> list[Call]:
        """Return a call that does something on a page as data, after the look that it needs."""
        script = str(call.args.get("script", ""))
        is_needed = not refs_in(script) <= set(self.known)
        looked = self._needed()
        before = looked if is_needed else []
        acts = acts_of(script, self.known)
        if acts is None:
            return [*before, call]
        args = {key: value for key, value in call.args.items() if key != "script"} | {"acts": acts}
        data = replace(call, args=args, value=page_text(call.result.data), root="output")
        return [*before, data] if acts else before

    def _needed(self) -> list[Call]:
        looked, self.looked = self.looked, []
        self.known |= self.seen
        return looked


def _shown(result: Result) -> Any:
    """Return a page as a whole where it was cut."""
    data = result.data if isinstance(result.data, dict) else {}
    return {"file": data["whole"]} if data.get("whole") else data


def _once(calls: Iterable[Call]) -> tuple[Call, ...]:
    """Return the calls without those that ask for the same again."""
    return tuple({call.key: call for call in reversed(list(calls))}.values())[::-1]


def _call(result: Result, reads: bool) -> Call:
    value, root = answered(result)
    return Call(result.tool, result.args, value, root, reads, result)


def answered(result: Result) -> tuple[Any, str]:
    """Return what a call answered, parsed as far as it can be, and the extractor of the whole."""
    data = result.data
    if isinstance(data, dict) and not {"output", "file"} & set(data):
        return data, "data"
    try:
        value = json_of(data)
        if isinstance(value, list | dict):
            return value, "json"
    except (ValueError, OSError):
        pass
    text = _text(data)
    try:
        return (table(text), "csv") if "\n" in text else (text, "output")
    except ValueError:
        return text, "output"


def _text(data: Any) -> str:
    try:
        return whole_output(data).strip("\n")
    except (ValueError, OSError):
        return ""


Group = tuple[tuple[Call, ...], ...]  # of each run the calls that are one step


def by_tool(runs: Sequence[Sequence[Call]]) -> list[Group]:
    """Return the calls by tool, of the tools that all runs called, in the first one's order."""
    tools = dict.fromkeys(call.tool for call in runs[0])
    common = [tool for tool in tools if all(any(c.tool == tool for c in run) for run in runs)]
    return [tuple(tuple(c for c in run if c.tool == tool) for run in runs) for tool in common]
