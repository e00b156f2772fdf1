"""Open the run log and see what it proves: the results that evidence points to, and the owner's
words.

An unreadable log proves nothing; a result that only repeats what the model wrote proves nothing.
Source: seed 002 §3.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

from memory.evidence import SAYS_NOTHING, Pointer, Result, RunRecord, read_record
from memory.facts.rules import Refusal, first, table
from memory.logs import RunLogError
from memory.wording import stands_in
from memory.wording.tokens import Value

LEAST_COVERAGE = 0.5  # of a sentence's words that its proof has where no value tells
_HANDED_KINDS = ("path", "relative", "url", "option", "name", "version")
_EXPANDS = re.compile(r"\$\(|\$\{?\w|`|\{\w")
_STRING = re.compile(r"'[^']*'|\"[^\"]*\"")
_HERE_TEXT = re.compile(r"\s*cat\s*<<-?\s*\S+")
_MIN_LINE_CHARS = 8  # shorter lines are in any script by accident


@dataclass(frozen=True, slots=True)
class Proof:
    """Hold what results brought (a text each), what was handed to the tools, and what the owner
    said."""

    records: tuple[RunRecord, ...]
    brought: tuple[str, ...]
    fetched: frozenset[str]  # those of them that others wrote: a page, a server's answer
    handed: str
    said: str

    @property
    def seen(self) -> str:
        """Return all that the results say."""
        return "\n".join(self.brought)

    @property
    def all(self) -> str:
        """Return all that counts."""
        return f"{self.seen}\n{self.said}\n{self.handed}"

    def supports(self, value: Value) -> bool:
        """Return True if the value stands where it counts: of what was handed to a tool, only what
        it had to find."""
        if stands_in(value, f"{self.seen}\n{self.said}"):
            return True
        return value.kind in _HANDED_KINDS and stands_in(value, self.handed)


def proof_of(
    home: Path, evidence: Sequence[Pointer], *, is_preference: bool, is_negative: bool
) -> Proof | list[Refusal]:
    """Return what evidence proves, or what is wrong with it. Of a preference the owner's words are
    the proof."""
    if not evidence:
        return [Refusal("evidence", "", "no run is named", "没有指明运行")]
    runs = dict.fromkeys(each.run for each in evidence)
    records = {run: record for run in runs if (record := record_of(home, run))}
    results: list[Result] = []
    faults: dict[Refusal, None] = {}
    for pointer in evidence:
        found = _pointed(records.get(pointer.run), pointer)
        if isinstance(found, Result):
            results.append(found)
        else:
            faults[found] = None
    if not faults and not is_preference:
        faults = dict.fromkeys(_unproved(results, is_negative))
    return list(faults) or _proof(list(records.values()), results)


def _unproved(results: Sequence[Result], is_negative: bool) -> Iterator[Refusal]:
    """Refuse what no success proves; for what is missing, the error that says so is a proof too."""
    good = ("ok", "error") if is_negative else ("ok",)
    if not any(_tells(each) and each.status in good for each in results):
        said = ", ".join(f"{each.tool}: {each.status}" for each in results)
        yield Refusal("evidence", "", said)


def record_of(home: Path, run: str) -> RunRecord | None:
    """Return what the log of a run says; None where there is none, or one that was tampered
    with."""
    try:
        return read_record(home, run)
    except (RunLogError, KeyError, TypeError):
        return None


def not_there(run: str, where: str = "") -> Refusal:
    """Return the refusal of a run without a log."""
    return Refusal("evidence", where, f"run {run} is not there", f"没有运行 {run}")


def _pointed(record: RunRecord | None, pointer: Pointer) -> Result | Refusal:
    name = f"{pointer.run}:{pointer.turn}"
    if record is None:
        return not_there(pointer.run)
    if record.session != "main":
        return Refusal("shared", "", pointer.run)
    result = record.find(pointer)
    if result is None:
        return Refusal("changed", "", name)
    if record.is_trial:
        return Refusal(
            "evidence", "", f"{name} was a trial on a copy", f"{name} 只是在副本上的试跑"
        )
    return result


def _proof(records: Sequence[RunRecord], results: Sequence[Result]) -> Proof:
    telling = list(filter(_tells, results))
    written = {id(each): text for record in records for each, text in record.written()}
    brought = [_brought(each, written[id(each)]) for each in telling]
    pairs = zip(telling, brought, strict=True)
    return Proof(
        records=tuple(records),
        brought=tuple(brought),
        fetched=frozenset(text for each, text in pairs if fetches(each)),
        handed="\n".join(_handed(each.args) for each in telling if each.status == "ok"),
        said="\n".join(chain.from_iterable(record.said for record in records)),
    )


def fetches(result: Result) -> bool:
    """Return True if a result is what others wrote: a page, a server's answer."""
    if re.search(table()["fetching_tools"], result.tool):
        return True
    return first("fetched", str(result.args.get("script", ""))) != ""


def _tells(result: Result) -> bool:
    """Return True if a result says more than the words that the model put into its call."""
    if result.tool in SAYS_NOTHING:
        return False
    script = result.args.get("script") if result.tool == "code_run" else None
    return not isinstance(script, str) or not _only_prints(script)


def _only_prints(script: str) -> bool:
    """Return True if a script only prints what its author wrote into it."""
    if _EXPANDS.search(script):
        return False
    script = _STRING.sub("_", script)
    if here := _HERE_TEXT.match(script):
        return "|" not in here[0]
    statements = [each.strip() for each in re.split(r"[;\n|&]+", script)]
    return all(_is_print(each) for each in statements if each)


def _is_print(statement: str) -> bool:
    return statement.startswith(first("only_says", statement) or "\0")


def _handed(args: Mapping[str, Any]) -> str:
    own = table()["model_writes"]
    return "\n".join(str(value) for name, value in args.items() if name not in own)


def _brought(result: Result, written: str) -> str:
    """Return the lines of a result, without those that the model had written into a call before it
    came."""
    lines = (re.sub(r"^\d+\|", "", line).strip() for line in result.text.splitlines())
    return "\n".join(_own_lines(lines, written))


def _own_lines(lines: Iterator[str], written: str) -> Iterator[str]:
    for line in lines:
        if len(line) < _MIN_LINE_CHARS or line not in written:
            yield line
