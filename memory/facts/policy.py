"""The evidence gate (L0): nothing becomes a fact or an SOP that no run has proved, or that must not be kept.

It opens the run log and checks; a prompt could be talked round. Each refusal names the rule and the line. The rules are
those of the SOP memory-management, the constitution. Source: seed 002 §2, §3.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from memory.facts.constitution import constitution
from memory.facts.forbidden import (
    ACCOUNTS,
    ADDRESSES,
    CONTACTS,
    CREDENTIAL,
    DEFINES,
    FETCHES,
    FETCHING_TOOLS,
    LITERAL,
    MISSING,
    ONLY_SAYS,
    ORDER,
    PROJECT,
    PROJECT_FILES,
    SAYS_MISSING,
    SYSTEM_PLACES,
    WRITTEN,
    is_account,
    is_contact,
    mask,
)
from memory.facts.lines import MAX_TEXT_CHARS, NEGATIVE, Fact, sections
from memory.facts.volatile import around, volatile
from memory.facts.words import TELLING, Value, coverage, same_said, stands_in, values, words
from memory.runlog.evidence import SAYS_NOTHING, Pointer, Result, RunRecord, read_record
from memory.runlog.log import RUN_ID, RunLogError
from safety.secrets import HIDDEN, Redactor

RULES = {  # rule → what is said, in English and in Chinese
    "evidence": ("no successful result of a run proves it: {what}", "没有任何运行的成功结果能证明它：{what}"),
    "changed": ("the run log does not say what it points to: {what}", "运行日志与它所指的内容不符：{what}"),
    "shared": ("nothing is kept from a shared session: run {what}", "共享会话里的内容不记：运行 {what}"),
    "temporary": ("it will not hold: {what}", "这是临时值，不会一直成立：{what}"),
    "secret": ("a secret; only the name of a credential may stay: {what}", "含有密文；只能记凭证的名字：{what}"),
    "personal": ("personal data; make it a parameter or leave it out: {what}", "个人数据，请改成参数或去掉：{what}"),
    "unproven": ("it stands in no result of the runs named, nor in the request: {what}", "所指运行的结果和请求里都没有它：{what}"),
    "general": ("general knowledge, or nothing that a run brought: {what}", "是通用常识，或不是运行得出的：{what}"),
    "project": ("it concerns one project only and belongs there: {what}", "只与某个项目有关，应放在那个项目里：{what}"),
    "instruction": ("an order found in what was fetched is data: {what}", "取来的内容里的指令只是数据：{what}"),
    "forbidden": ("the owner's rules forbid it: {what}", "主人的规则不许记：{what}"),
    "duplicate": ("known already: {what}", "已经记过：{what}"),
    "form": ("a fact is one short line of a known section: {what}", "一条事实应是已有分区里的一行短句：{what}"),
    "negative": ("what is missing here belongs into [NEGATIVE]: {what}", "“这里没有”应放入 [NEGATIVE]：{what}"),
}  # fmt: skip
_QUOTED_PATH = re.compile(r"[\"'](~?/[^\"'\n]{1,300})[\"']")
LEAST_COVERAGE = (
    0.5  # the share of a sentence's words that its proof must have where no value tells
)
MAX_QUOTED = 80
_WINDOW, _OVERLAP = 1_000, 120  # characters of a line that are looked at together


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why something may not be kept: the rule (one of `RULES`), where it stands ("sop.yaml:12"), and what it is about."""

    rule: str
    where: str
    what: str
    what_chinese: str = ""

    @property
    def text(self) -> str:
        """One line, in English."""
        return self.said("en")

    def said(self, lang: str) -> str:
        """One line in the language: where, which rule, what."""
        english, chinese = RULES[self.rule]
        if lang == "zh":
            return (
                f"{self.where}：[{self.rule}] {chinese.format(what=self.what_chinese or self.what)}"
            )
        return f"{self.where}: [{self.rule}] {english.format(what=self.what)}"

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, slots=True)
class Keeping:
    """Hold what the gate knows of where it works: the folders whose files are the owner's own, and what hides secrets."""

    roots: tuple[Path, ...] = ()
    redact: Callable[[str], str] = field(default_factory=lambda: Redactor({}))


# Facts


def check_fact(
    fact: Fact,
    evidence: Sequence[Pointer],
    home: Path,
    known: Iterable[Fact],
    keeping: Keeping | None = None,
) -> list[Refusal]:
    """Why a fact may not be kept; nothing when it may. `known` are the facts that are kept already.

    Each pointer must lead to a result in the run log; what the fact says must stand in these results, in the calls that
    brought them, or in the owner's own words. An unreadable log proves nothing.
    """
    keeping = keeping or Keeping()
    where = f"[{fact.section}]"
    refusals = check_wording(fact, known, keeping)
    if any(each.rule == "secret" for each in refusals):
        return refusals
    records, results, faults = _pointed(fact, evidence, home, where)
    refusals += faults
    if faults or not records:
        return refusals
    proof = _Proof.of(records, results)
    days = sorted({day for record in records for day in around(record.day)})
    lasting = (Path.home(), home)
    refusals += [
        Refusal("temporary", where, each.said("en"), each.said("zh"))
        for each in volatile(fact.text, days, kept=lasting)
        if each.kind == "today"
    ]
    refusals += _contacts(fact, proof, where)
    refusals += _local(fact, records, where)
    refusals += _order(fact, proof, keeping, where)
    refusals += _unbrought(fact, proof, where)
    rules = constitution(home)
    refusals += [Refusal("forbidden", where, word) for word in rules.forbidden(fact.text)]
    return [each for each in dict.fromkeys(refusals) if each.rule not in rules.waived]


def check_wording(
    fact: Fact, known: Iterable[Fact], keeping: Keeping | None = None
) -> list[Refusal]:
    """Return what holds for any fact, also for one that the owner says: its form, no secret, nothing temporary, said once."""
    keeping = keeping or Keeping()
    where, text = f"[{fact.section}]", fact.text
    found: list[Refusal] = []
    if (
        not text.strip()
        or "\n" in text
        or not text.isprintable()
        or len(text) > MAX_TEXT_CHARS
        or "{#" in text
    ):
        return [Refusal("form", where, repr(text[:MAX_QUOTED]))]
    if fact.section not in sections():
        found.append(Refusal("form", where, ", ".join(sections())))
    if secrets := list(_secrets(text, where, keeping, is_fact=True)):
        return secrets  # nothing else is said of it: that would repeat it
    found += [
        Refusal("temporary", where, each.said("en"), each.said("zh")) for each in volatile(text, is_fact=True, kept=[Path.home()])
    ]  # fmt: skip
    found += [
        Refusal("personal", where, mask(match[0]))
        for match in ACCOUNTS.finditer(text)
        if is_account(match[0])
    ]
    if match := ADDRESSES.search(text):
        found.append(Refusal("instruction", where, _quoted(match[0])))
    if (match := MISSING.search(text)) and fact.section not in (NEGATIVE, "LESSONS", "PREFERENCES"):
        found.append(Refusal("negative", where, _quoted(match[0])))
    same = next(
        (
            each
            for each in known
            if not each.retired and each.id != fact.id and same_said(text, each.text)
        ),
        None,
    )
    if same:
        found.append(Refusal("duplicate", where, f"#{same.id} {same.text}"))
    return found


def _pointed(
    fact: Fact, evidence: Sequence[Pointer], home: Path, where: str
) -> tuple[list[RunRecord], list[Result], list[Refusal]]:
    """The runs and results that evidence leads to, and what is wrong with it."""
    if not evidence:
        return [], [], [Refusal("evidence", where, "no run is named", "没有指明运行")]
    records: dict[str, RunRecord] = {}
    results, faults = [], []
    for pointer in evidence:
        record = records.get(pointer.run) or _record(home, pointer.run)
        if record is None:
            faults.append(
                Refusal(
                    "evidence", where, f"run {pointer.run} is not there", f"没有运行 {pointer.run}"
                )
            )
            continue
        records[pointer.run] = record
        if record.session != "main":
            faults.append(Refusal("shared", where, pointer.run))
            continue
        result = record.find(pointer)
        name = f"{pointer.run}:{pointer.turn}"
        if result is None:
            faults.append(Refusal("changed", where, name))
        elif record.is_trial:
            faults.append(
                Refusal(
                    "evidence", where, f"{name} was a trial on a copy", f"{name} 只是在副本上的试跑"
                )
            )
        else:
            results.append(result)
    is_proved = fact.section == "PREFERENCES" or any(
        _proves(each, fact.section == NEGATIVE) for each in results
    )
    if not faults and not is_proved:  # of a preference, the owner's words in that run are the proof
        said = ", ".join(f"{each.tool}: {each.status}" for each in results)
        faults.append(Refusal("evidence", where, said))
    return list(records.values()), results, list(dict.fromkeys(faults))


def _record(home: Path, run: str) -> RunRecord | None:
    try:
        return read_record(home, run)
    except (RunLogError, KeyError, TypeError):  # a log that was tampered with
        return None


def _proves(result: Result, is_negative: bool) -> bool:
    """A success; of what is missing also the error that says so. What only repeats the model's words proves nothing."""
    if result.tool in SAYS_NOTHING or result.status not in (
        ("ok", "error") if is_negative else ("ok",)
    ):
        return False
    return not _only_says(result)


def _only_says(result: Result) -> bool:
    """Return True if a script only prints what its author wrote into it."""
    script = result.args.get("script") if result.tool == "code_run" else None
    if not isinstance(script, str) or re.search(r"\$\(|\$\{?\w|`|\{\w", script):
        return False
    script = re.sub(r"'[^']*'|\"[^\"]*\"", "_", script)
    if here := re.match(r"\s*cat\s*<<-?\s*\S+", script):
        return len(script[here.end() :].strip().splitlines()) >= 0 and "|" not in here[0]
    statements = [each.strip() for each in re.split(r"[;\n|&]+", script) if each.strip()]
    return bool(statements) and all(ONLY_SAYS.match(each) for each in statements)


@dataclass(frozen=True, slots=True)
class _Proof:
    """Hold what the results brought, what was handed to the tools, and what the owner said."""

    results: tuple[Result, ...]
    brought: tuple[str, ...]  # one text a result
    handed: str
    said: str
    cwd: Path

    @classmethod
    def of(cls, records: Sequence[RunRecord], results: Sequence[Result]) -> _Proof:
        telling = [
            each for each in results if each.tool not in SAYS_NOTHING and not _only_says(each)
        ]
        said = "\n".join(text for record in records for text in record.said)
        handed = "\n".join(_handed(each.args) for each in telling if each.status == "ok")
        written = {id(each): text for record in records for each, text in record.written()}
        brought = tuple(_brought(each, written[id(each)]) for each in telling)
        return cls(tuple(telling), brought, handed, said, records[0].cwd)

    @property
    def seen(self) -> str:
        return "\n".join(self.brought)

    @property
    def all(self) -> str:
        return f"{self.seen}\n{self.said}\n{self.handed}"

    def supports(self, value: Value) -> bool:
        """Return True if the value stands where it counts: of what was handed to a tool, only what the tool had to find."""
        if stands_in(value, self.seen) or stands_in(value, self.said):
            return True
        return value.kind in ("path", "relative", "url", "option", "name", "version") and stands_in(
            value, self.handed
        )


def _handed(args: Mapping[str, Any]) -> str:
    return "\n".join(str(value) for name, value in args.items() if name not in WRITTEN)


def _brought(result: Result, written: str) -> str:
    """Return the lines of a result, without those that the model had written into a call before it came."""
    lines = [re.sub(r"^\d+\|", "", line).strip() for line in result.text.splitlines()]
    return "\n".join(line for line in lines if len(line) < 8 or line not in written)


def _unbrought(fact: Fact, proof: _Proof, where: str) -> Iterator[Refusal]:
    """Yield what the fact says and no run brought."""
    if fact.section == "PREFERENCES":
        missing = [value.text for value in values(fact.text) if not stands_in(value, proof.said)]
        if missing or coverage(fact.text, proof.said) < LEAST_COVERAGE:
            what = ", ".join(missing) or fact.text
            yield Refusal(
                "unproven", where, f"{what} (not in the owner's words)", f"{what}（主人没有这样说）"
            )
        return
    found = values(fact.text)
    missing = [value.text for value in found if not proof.supports(value)]
    if missing:
        yield Refusal("unproven", where, ", ".join(missing[:5]))
    elif match := DEFINES.search(fact.text):
        yield Refusal("general", where, _quoted(match[0]))
    elif not any(value.kind in TELLING for value in found) and not _is_backed(fact, proof, found):
        yield Refusal("general", where, _quoted(fact.text))


def _is_backed(fact: Fact, proof: _Proof, found: Sequence[Value]) -> bool:
    """Return True if a fact without a telling value is one: half of its words stand in the proof, or a number beside a word."""
    text = SAYS_MISSING.sub(" ", fact.text) if fact.section == NEGATIVE else fact.text
    if coverage(text, proof.all) >= LEAST_COVERAGE:
        return True
    numbers = [value for value in found if value.kind == "number" and len(value.text) > 2]
    return any(
        stands_in(number, line) and words(text) & words(line)
        for number in numbers
        for line in proof.seen.splitlines()
    )


def _contacts(fact: Fact, proof: _Proof, where: str) -> Iterator[Refusal]:
    """An address or telephone number may stay when the owner said it."""
    for match in CONTACTS.finditer(fact.text):
        if is_contact(match) and match[0] not in proof.said:
            yield Refusal("personal", where, mask(match[0]))


def _local(fact: Fact, records: Sequence[RunRecord], where: str) -> Iterator[Refusal]:
    """A relative path means something from one folder only; a path inside a project, to that project only. Where a
    project lies may be known everywhere."""
    if match := PROJECT.search(fact.text):
        yield Refusal("project", where, _quoted(match[0]))
    folders = {record.cwd for record in records}
    for value in values(fact.text):
        if value.kind == "relative" and not _is_host(value.text):
            yield Refusal("project", where, value.text)
        elif (value.kind == "path" or value.text.startswith(("/", "~/"))) and (
            root := _project_around(Path(value.text).expanduser())
        ):
            yield Refusal("project", where, f"{value.text} ({root})")
        elif value.kind == "name" and any(
            _is_project_file(folder, value.text) for folder in folders
        ):
            yield Refusal("project", where, value.text)


def _is_host(text: str) -> bool:
    """ "github.com/owner/name" leads to the same place from everywhere."""
    return (
        re.match(
            r"[\w-]+(?:\.[\w-]+)*\.(?:com|org|net|io|dev|cn|de|uk|edu|gov|co|ai|app|local)/", text
        )
        is not None
    )


def _project_around(path: Path) -> Path | None:
    """The project that a path lies in; None for the project's own folder, and for the owner's home."""
    if not path.is_absolute():
        return None
    home = Path.home()
    for folder in path.parents:
        if folder in (home, Path("/")):
            return None
        if any((folder / name).exists() for name in PROJECT_FILES):
            return folder
    return None


def _is_project_file(folder: Path, name: str) -> bool:
    is_project = folder != Path.home() and any((folder / mark).exists() for mark in PROJECT_FILES)
    return is_project and "." in name and (folder / name).is_file()


def _order(fact: Fact, proof: _Proof, keeping: Keeping, where: str) -> Iterator[Refusal]:
    """An order that came with what was fetched, or a fact whose only proof is a page that speaks to an agent."""
    is_owners = coverage(fact.text, proof.said) >= LEAST_COVERAGE
    if ORDER.search(fact.text) and not is_owners:
        lines = (line for text in proof.brought for line in text.splitlines())
        if any(coverage(fact.text, line) >= 0.7 for line in lines):
            yield Refusal("instruction", where, _quoted(fact.text))
            return
    telling = [value for value in values(fact.text) if not stands_in(value, proof.said)]
    backing = [
        (result, text)
        for result, text in zip(proof.results, proof.brought, strict=True)
        if any(stands_in(value, text) for value in telling)
        or coverage(fact.text, text) >= LEAST_COVERAGE
    ]
    if (
        backing
        and not is_owners
        and all(_is_fetched(result, keeping, proof.cwd) for result, _ in backing)
    ):
        for _, text in backing:
            if match := ADDRESSES.search(text):
                yield Refusal("instruction", where, _quoted(match[0]))
                return


def _is_fetched(result: Result, keeping: Keeping, cwd: Path) -> bool:
    """Return True if a result is what others wrote: a page, a server's answer, a file outside the owner's folders."""
    if FETCHING_TOOLS.search(result.tool):
        return True
    roots = keeping.roots or (Path.home(), cwd)
    named = [str(result.args.get("path", ""))]
    if result.tool == "code_run":
        script = str(result.args.get("script", ""))
        if FETCHES.search(script):
            return True
        named = [
            found[1] for found in _QUOTED_PATH.finditer(script)
        ]  # whose folders may have blanks in their names
        named += [match[0] for match in LITERAL.finditer(_QUOTED_PATH.sub("", script))]
    places = [cwd / Path(name).expanduser() for name in named if name]
    return any(
        "Downloads" in place.parts or not any(place.is_relative_to(root) for root in roots)
        for place in places
    )


def says_missing(text: str) -> bool:
    """Return True if a sentence says that something is not there."""
    return MISSING.search(text) is not None


# SOPs


def check_sop(
    files: Mapping[str, str], home: Path, keeping: Keeping | None = None, *, is_draft: bool = False
) -> list[Refusal]:
    """Why the files of an SOP's folder may not be stored; nothing when they may.

    `is_draft`: the owner wrote it and nothing has run yet; then it needs no evidence, and all else holds. What its
    cases and its trace hold is data of the runs; its text, steps and scripts are what would be done again.
    """
    keeping = keeping or Keeping()
    evidence = _Evidence.read(files, home)
    refusals = [] if is_draft and not evidence.names_runs else list(evidence.faults())
    days = sorted({day for record in evidence.records.values() for day in around(record.day)})
    lasting = (Path.home(), home)
    for path, number, line in _lines(files):
        where = f"{path}:{number}"
        secrets = list(_secrets(line, where, keeping, is_fact=False, is_kept=_is_record(path)))
        refusals += secrets  # nothing else is said of such a line: that would repeat it
        if not secrets and not _is_record(path):
            for part in _windows(RUN_ID.sub("", line)):
                found = volatile(part, days, kept=lasting)
                refusals += [
                    Refusal("temporary", where, each.said("en"), each.said("zh")) for each in found
                ]
                if match := ADDRESSES.search(part):
                    refusals.append(Refusal("instruction", where, _quoted(match[0])))
            refusals += evidence.line_faults(path, line, where)
    refusals += _personal(files)
    return list(dict.fromkeys(refusals))


def _is_record(path: str) -> bool:
    """Files that hold what the runs were, not what the SOP does."""
    return path == "evidence.json" or path.startswith(("cases/", "references/trace-"))


def _lines(files: Mapping[str, str]) -> Iterator[tuple[str, int, str]]:
    """Every line with its file and number; what Sopwith itself puts into the front matter is left out."""
    for path, text in sorted(files.items()):
        for number, line in enumerate(text.splitlines(), 1):
            if line.strip() and not (
                path.startswith("SKILL") and re.match(r"\s+sopwith-\w+:", line)
            ):
                yield path, number, line


def _windows(line: str) -> Iterator[str]:
    """A line in parts that overlap: no pattern gets to see so much that it becomes slow."""
    for start in range(0, max(len(line) - _OVERLAP, 1), _WINDOW - _OVERLAP):
        yield line[start : start + _WINDOW]


def _personal(files: Mapping[str, str]) -> Iterator[Refusal]:
    """Personal data as constants. A parameter may have an address as its default: it can be given another."""
    for path, text in sorted(files.items()):
        if _is_record(path):
            continue
        is_parameter = False
        for number, line in enumerate(text.splitlines(), 1):
            if path == "sop.yaml" and line[:1] not in (" ", "\t", "#", ""):
                is_parameter = line.startswith("parameters:")
            if not is_parameter:
                for part in _windows(line):
                    yield from (
                        Refusal("personal", f"{path}:{number}", mask(each))
                        for each in _personal_data(part)
                    )


def _personal_data(text: str) -> Iterator[str]:
    yield from (match[0] for match in CONTACTS.finditer(text) if is_contact(match))
    yield from (match[0] for match in ACCOUNTS.finditer(text) if is_account(match[0]))


@dataclass(frozen=True, slots=True)
class _Evidence:
    """evidence.json, and the runs that it names."""

    said: Mapping[str, Any]
    text: str
    records: dict[str, RunRecord]

    @classmethod
    def read(cls, files: Mapping[str, str], home: Path) -> _Evidence:
        text = files.get("evidence.json", "")
        try:
            said = json.loads(text) if text else {}
        except (ValueError, RecursionError):
            said = {}
        said = said if isinstance(said, dict) else {}
        named = [each["run"] for key in ("runs", "proofs") for each in _dicts(said.get(key)) if isinstance(each.get("run"), str)]  # fmt: skip
        found = {run: record for run in dict.fromkeys(named) if (record := _record(home, run))}
        return cls(said, text, found)

    @property
    def names_runs(self) -> bool:
        return bool(_dicts(self.said.get("runs")))

    def faults(self) -> Iterator[Refusal]:
        """Yield what is wrong with the evidence: each run must be there, done, the owner's own, and as it was."""
        taught = _dicts(self.said.get("runs"))
        proofs = [
            record
            for each in _dicts(self.said.get("proofs"))
            if (record := self.records.get(str(each.get("run"))))
        ]
        has_proof = any(_is_success(record) for record in proofs)
        if not taught and not has_proof:
            yield Refusal("evidence", "evidence.json:1", "no run is named", "没有指明运行")
        for each in taught:
            yield from self._run_faults(each)

    def _run_faults(self, each: Mapping[str, Any]) -> Iterator[Refusal]:
        run = str(each.get("run", ""))
        where, record = self._where(run), self.records.get(run)
        if record is None:
            yield Refusal("evidence", where, f"run {run} is not there", f"没有运行 {run}")
        elif record.session != "main":
            yield Refusal("shared", where, run)
        elif record.status != "done":
            yield Refusal(
                "evidence",
                where,
                f"run {run} ended as {record.status}",
                f"运行 {run} 的结局是 {record.status}",
            )
        else:
            found = []
            for result in _dicts(each.get("results")):
                turn, named = result.get("turn"), str(result.get("hash", ""))
                seen = record.find(Pointer(run, turn, named)) if isinstance(turn, int) else None
                if seen is None:
                    yield Refusal(
                        "changed", self._where(named) if named else where, f"{run}:{turn}"
                    )
                else:
                    found.append(seen)
            if not any(each.status == "ok" and each.tool not in SAYS_NOTHING for each in found):
                yield Refusal(
                    "evidence",
                    where,
                    f"run {run} names no successful result",
                    f"运行 {run} 没有指明成功的结果",
                )

    def _where(self, text: str) -> str:
        at = self.text.find(text) if text else 0
        return f"evidence.json:{self.text.count(chr(10), 0, max(at, 0)) + 1}"

    def line_faults(self, path: str, line: str, where: str) -> Iterator[Refusal]:
        """Places and addresses that no run brought, and lines taken over from what was fetched."""
        if not self.records:
            return
        if path == "sop.yaml" or path.startswith("scripts/"):
            for match in LITERAL.finditer("" if line.startswith("#!") else line):
                text = match[0].rstrip("/.,")
                if not SYSTEM_PLACES.match(text) and not self._brought(text):
                    yield Refusal("unproven", where, text)
        elif len(said := line.strip(" -*#>\t`")) >= 30 and ORDER.search(said):
            fetched = (
                each.text
                for record in self.records.values()
                for each in record.results
                if _is_fetched(each, Keeping(), record.cwd)
            )
            if any(said in text for text in fetched):
                yield Refusal("instruction", where, _quoted(said))

    def _brought(self, text: str) -> bool:
        home = str(Path.home())
        spellings = {
            text,
            text.replace("~", home, 1) if text.startswith("~") else text,
            text.replace(home, "~", 1),
        }
        return any(
            spelling in place
            for spelling in spellings
            for record in self.records.values()
            for place in (*record.said, str(record.cwd), *(each.args_text for each in record.results), *(each.text for each in record.results))
        )  # fmt: skip


def _is_success(record: RunRecord) -> bool:
    return (
        record.session == "main"
        and record.status == "done"
        and any(each.status == "ok" for each in record.results)
    )


def _dicts(value: Any) -> list[dict[str, Any]]:
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


# Both


def _secrets(
    line: str, where: str, keeping: Keeping, *, is_fact: bool, is_kept: bool = False
) -> Iterator[Refusal]:
    """Values of credentials; and the marks that the run log has in their place, since they would be done literally."""
    hidden = keeping.redact(line)
    if hidden != line:
        yield Refusal("secret", where, _quoted(hidden))
    elif HIDDEN in line and not is_kept:
        yield Refusal("secret", where, _quoted(line.strip()))
    elif is_fact and (match := CREDENTIAL.search(line)):
        yield Refusal("secret", where, _quoted(line.replace(match["value"], HIDDEN)))


def _quoted(text: str) -> str:
    return f'"{text.strip()[:MAX_QUOTED]}"'
