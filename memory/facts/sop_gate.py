"""The evidence gate for SOPs: which files of an SOP's folder may not be stored, by the rules of
memory/facts/gate.py.

What its cases and its trace hold is data of the runs; its text, steps and scripts are what would be
done again.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memory.evidence import SAYS_NOTHING, Pointer, RunRecord
from memory.facts.gate import Redact, secret_in
from memory.facts.personal import accounts, contacts, mask
from memory.facts.proof import fetches, not_there, record_of
from memory.facts.rules import Refusal, first, matches, quoted
from memory.facts.volatile import around, volatile
from memory.logs.reading import RUN_ID
from safety.secrets import HIDDEN

_WINDOW, _OVERLAP = 1_000, 120  # characters of a line that are looked at together
_LEAST_ORDER_CHARS = 30
_OWN_METADATA = re.compile(r"\s+sopwith-\w+:")


def check_sop(
    files: Mapping[str, str], home: Path, redact: Redact | None = None, *, is_draft: bool = False
) -> list[Refusal]:
    """Return why the files of an SOP's folder may not be stored; nothing when they may.

    `is_draft`: the owner wrote it and nothing has run yet; then it needs no evidence, and all else
    holds.
    """
    evidence = _Evidence.read(files, home)
    needs_evidence = evidence.names_runs or not is_draft
    refusals = list(evidence.faults()) if needs_evidence else []
    days = sorted({day for record in evidence.records.values() for day in around(record.day)})
    lasting = (Path.home(), home)
    for path, number, line in _lines(files):
        where = f"{path}:{number}"
        if secret := _secret(path, line, redact):
            refusals.append(Refusal("secret", where, secret))
            continue  # nothing else is said of such a line: that would repeat it
        if not _is_record(path):
            for part in _windows(RUN_ID.sub("", line)):
                refusals += _of_any_text(part, where, days, lasting)
            refusals += evidence.line_faults(path, line, where)
    refusals += _personal(files)
    return list(dict.fromkeys(refusals))


def _secret(path: str, line: str, redact: Redact | None) -> str:
    """Return the secret that a record or a text would keep; the marks that the run log has in place
    of secrets are none in a record."""
    if _is_record(path):
        line = line.replace(HIDDEN, "")
    return secret_in(line, redact, is_fact=False)


def _of_any_text(
    part: str, where: str, days: list[str], lasting: tuple[Path, ...]
) -> Iterator[Refusal]:
    for each in volatile(part, days, kept=lasting):
        yield Refusal("temporary", where, each.said("en"), each.said("zh"))
    if said := first("addresses", part):
        yield Refusal("instruction", where, quoted(said))


def _is_record(path: str) -> bool:
    """Return True for files that hold what the runs were, not what the SOP does."""
    return path == "evidence.json" or path.startswith(("cases/", "references/trace-"))


def _lines(files: Mapping[str, str]) -> Iterator[tuple[str, int, str]]:
    """Yield every line with its file and number, without what Sopwith itself puts into the front
    matter."""
    for path, text in sorted(files.items()):
        for number, line in enumerate(text.splitlines(), 1):
            is_own = path.startswith("SKILL") and _OWN_METADATA.match(line)
            if line.strip() and not is_own:
                yield path, number, line


def _windows(line: str) -> Iterator[str]:
    """Yield a line in parts that overlap: no pattern gets to see so much that it becomes slow."""
    for start in range(0, max(len(line) - _OVERLAP, 1), _WINDOW - _OVERLAP):
        yield line[start : start + _WINDOW]


def _personal(files: Mapping[str, str]) -> Iterator[Refusal]:
    """Yield personal data as constants. A parameter may have an address as its default: it can be
    given another."""
    is_parameter = False
    for path, number, line in _lines(files):
        if path != "sop.yaml":
            is_parameter = False
        elif line[:1] not in (" ", "\t", "#"):
            is_parameter = line.startswith("parameters:")
        if is_parameter or _is_record(path):
            continue
        for part in _windows(line):
            for said in (*contacts(part), *accounts(part)):
                yield Refusal("personal", f"{path}:{number}", mask(said))


@dataclass(frozen=True, slots=True)
class _Evidence:
    """evidence.json, and the runs that it names."""

    said: Mapping[str, Any]
    text: str
    records: dict[str, RunRecord]

    @classmethod
    def read(cls, files: Mapping[str, str], home: Path) -> _Evidence:
        text = files.get("evidence.json", "")
        said = _loaded(text)
        named = (each.get("run") for key in ("runs", "proofs") for each in _dicts(said.get(key)))
        found = {run: record_of(home, run) for run in named if isinstance(run, str)}
        return cls(said, text, {run: record for run, record in found.items() if record})

    @property
    def names_runs(self) -> bool:
        return bool(_dicts(self.said.get("runs")))

    def faults(self) -> Iterator[Refusal]:
        """Yield what is wrong with the evidence: each run must be there, done, the owner's own, and
        as it was."""
        if not self.names_runs and not self._is_proven():
            yield Refusal("evidence", "evidence.json:1", "no run is named", "没有指明运行")
        for each in _dicts(self.said.get("runs")):
            run = str(each.get("run", ""))
            where, record = self._where(run), self.records.get(run)
            fault = _run_fault(run, record, where)
            if fault is not None:
                yield fault
            elif record is not None:
                yield from self._result_faults(record, _dicts(each.get("results")), where)

    def _is_proven(self) -> bool:
        named = {str(each.get("run")) for each in _dicts(self.said.get("proofs"))}
        return any(_is_success(self.records[run]) for run in named & self.records.keys())

    def _result_faults(
        self, record: RunRecord, results: list[dict[str, Any]], where: str
    ) -> Iterator[Refusal]:
        found = []
        for result in results:
            turn, named = result.get("turn"), str(result.get("hash", ""))
            seen = record.find(Pointer(record.run, turn, named)) if isinstance(turn, int) else None
            if seen is None:
                place = self._where(named) if named else where
                yield Refusal("changed", place, f"{record.run}:{turn}")
            else:
                found.append(seen)
        if not any(each.status == "ok" and each.tool not in SAYS_NOTHING for each in found):
            said = f"run {record.run} names no successful result"
            yield Refusal("evidence", where, said, f"运行 {record.run} 没有指明成功的结果")

    def _where(self, text: str) -> str:
        at = self.text.find(text) if text else 0
        return f"evidence.json:{self.text.count(chr(10), 0, max(at, 0)) + 1}"

    def line_faults(self, path: str, line: str, where: str) -> Iterator[Refusal]:
        """Yield places and addresses that no run brought, and lines taken over from what was
        fetched."""
        if not self.records:
            return
        if path == "sop.yaml" or path.startswith("scripts/"):
            for text in _places("" if line.startswith("#!") else line):
                if not self._brought(text):
                    yield Refusal("unproven", where, text)
            return
        said = line.strip(" -*#>\t`")
        if len(said) >= _LEAST_ORDER_CHARS and first("order", said) and self._is_fetched(said):
            yield Refusal("instruction", where, quoted(said))

    def _is_fetched(self, said: str) -> bool:
        results = (each for record in self.records.values() for each in record.results)
        return any(said in each.text for each in results if fetches(each))

    def _brought(self, text: str) -> bool:
        home = str(Path.home())
        spellings = {text, text.replace(home, "~", 1), re.sub(r"^~", home, text)}
        places = [place for record in self.records.values() for place in _texts_of(record)]
        return any(spelling in place for spelling in spellings for place in places)


def _texts_of(record: RunRecord) -> Iterator[str]:
    yield from record.said
    yield str(record.cwd)
    for each in record.results:
        yield each.args_text
        yield each.text


def _places(line: str) -> Iterator[str]:
    """Yield the paths and addresses that a line names, but for those that every system has."""
    for match in matches("place", line):
        text = match[0].rstrip("/.,")
        if not text.startswith(first("system_place", text) or "\0"):
            yield text


def _run_fault(run: str, record: RunRecord | None, where: str) -> Refusal | None:
    if record is None:
        return not_there(run, where)
    if record.session != "main":
        return Refusal("shared", where, run)
    if record.status != "done":
        said = f"run {run} ended as {record.status}"
        return Refusal("evidence", where, said, f"运行 {run} 的结局是 {record.status}")
    return None


def _is_success(record: RunRecord) -> bool:
    is_sound = _run_fault(record.run, record, "") is None
    return is_sound and any(each.status == "ok" for each in record.results)


def _loaded(text: str) -> dict[str, Any]:
    try:
        said = json.loads(text or "{}")
    except (ValueError, RecursionError):
        return {}
    return said if isinstance(said, dict) else {}


def _dicts(value: Any) -> list[dict[str, Any]]:
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []
