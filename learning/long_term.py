"""Say what a run that asked to be remembered leaves behind: facts, each through the evidence gate.

`start_long_term_update` only marks a run. When it has ended, its results are looked at: sentences
of the mark that name what a result shows are proposed as facts. Whatever is proposed, the gate
decides. Source: seed 002 §3.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from config import SopwithError
from learning.trace import Trace
from memory.evidence import SAYS_NOTHING, Result, RunRecord, read_record
from memory.facts import Fact, FactRefused, FactStore, Refusal
from memory.wording import TELLING, coverage, stands_in, values
from models.base import Event
from text import pattern

MARK = "start_long_term_update"
MAX_FACTS = 10  # of one run

_SENTENCE = pattern(r"(?<=[.!?])\s+(?=[A-Z`\"'/~])|(?<=[。！？；;])\s*|\n+")
_BULLET = pattern(
    r"^\s*(?:[-*•]|\d{1,2}[.)、])\s+|^\s*(?:(?:verified )?facts?|note|记住|事实)\s*[:：]\s*",
    re.IGNORECASE,
)
_PROCEDURE = pattern(
    r"(?i)\b(?:how to|steps?:|procedure|first\b.{1,80}\bthen|workflow|recipe)\b|步骤|流程|方法[:：]|先.{1,40}(?:再|然后)"
)
_MISSING = pattern(
    r"(?i)n't |\b(?:not|no) (?:\w+ )?(?:installed|available|found|reachable|supported|there|here)\b|\bdoes not exist\b|\bunavailable\b|\bmissing\b"
    r"|未安装|没有|没装|不可用|不存在|找不到|无法|不支持|连不上"
)
_PREFERS = pattern(
    r"(?i)\b(?:prefer|likes?|wants?|would like|owner'?s? (?:style|language|choice))|喜欢|偏好|希望|习惯|主人(?:要|想)"
)
_CREDENTIAL = pattern(
    r"(?i)\b(?:password|passphrase|credentials?|api[ _-]?key|token|secret)\b|_(?:TOKEN|KEY|SECRET|PASSWORD)\b|密码|口令|密钥|令牌|凭证"
)
_TOOL = pattern(
    r"(?i)\b(?:installed|command|tool|works? with|starts? (?:only )?with|option|flag|version)\b|/s?bin/|命令|工具|选项|版本"
)


@dataclass(frozen=True, slots=True)
class Proposal:
    """A fact that may be kept, and the turns whose results are to prove it."""

    section: str
    text: str
    turns: tuple[int, ...]


def after_run(
    trace: Trace,
    events: Sequence[Event],
    home: Path,
    redact: Callable[[str], str] | None = None,
) -> list[Event]:
    """Return what became of a run that called `start_long_term_update`: `learned` events, nothing
    for any other run.

    Of a fact: `{what: "fact", name: the fact, status: "stored" | "refused", reason}`; the reason of
    a stored one says where it comes from. Nothing that goes wrong here is raised: the task itself
    is done.
    """
    marks = list(_marks(events))
    record = read_record(home, trace.run) if marks else None
    if record is None:
        return []
    what = "\n".join(marks)
    if record.session != "main":
        return [_learned(what, "refused", Refusal("shared", MARK, trace.run).said(trace.lang))]
    store = FactStore(home, redact)
    found: list[Event] = []
    distinct = {each.text: each for each in _proposed(what, record)}
    for proposal in list(distinct.values())[:MAX_FACTS]:
        found += _keep(proposal, store, record, trace.lang)
    return found


def _marks(events: Sequence[Event]) -> Iterator[str]:
    """Yield the texts with which the run was marked."""
    marked = (e for e in events if (e["type"], e.get("tool")) == ("tool_ended", MARK))
    for event in marked:
        match event:
            case {"status": "ok", "data": {"marked": True, "what": str(what)}}:
                yield what


def _learned(name: str, status: str, reason: str) -> Event:
    return {"type": "learned", "what": "fact", "name": name, "status": status, "reason": reason}


def _first_line(text: str) -> str:
    return text.strip().partition("\n")[0][:200]


# The mark itself


def _proposed(what: str, record: RunRecord) -> Iterator[Proposal]:
    """Yield the sentences of the mark that name something, with the turns that speak of it."""
    for sentence in _SENTENCE.split(what):
        text = _BULLET.sub("", sentence).strip().rstrip(".。；;").strip()
        if not text or _PROCEDURE.search(text):
            continue
        section = section_of(text)
        named = {value.kind for value in values(text)} & {*TELLING, "number"}
        if named or section in ("NEGATIVE", "PREFERENCES"):
            yield Proposal(section, text, turns_for(section, text, record))


def section_of(text: str) -> str:
    """Return the section in which a fact belongs, by its words."""
    kinds = {value.kind for value in values(text)}
    if _MISSING.search(text):
        return "NEGATIVE"
    if _CREDENTIAL.search(text):
        return "CREDENTIALS"
    if _PREFERS.search(text):
        return "PREFERENCES"
    if _TOOL.search(text) or kinds & {"option"}:
        return "TOOLS"
    return "PATHS" if "path" in kinds else "ENVIRONMENT"


def turns_for(section: str, text: str, record: RunRecord) -> tuple[int, ...]:
    """Return the turns that prove a sentence: the last to show each value, else the nearest."""
    if section == "PREFERENCES":  # proved by the owner's words in this run; the mark says where
        return tuple(each.turn for each in record.results if each.tool == MARK)[-1:]
    good = ("ok", "error") if section == "NEGATIVE" else ("ok",)
    results = [each for each in telling(record.results) if each.status in good]
    turns = {turn for value in values(text) for turn in _last(results, partial(stands_in, value))}
    return tuple(sorted(turns or _nearest(text, results)))


def telling(results: Sequence[Result]) -> list[Result]:
    """Return the results of calls that say something of the world."""
    return [each for each in results if each.tool not in SAYS_NOTHING]


def _nearest(text: str, results: Sequence[Result]) -> list[int]:
    """Return the turn of the last result that shares most with a sentence."""
    told = [(coverage(text, f"{each.text}\n{each.args_text}"), each.turn) for each in results]
    return [turn for _, turn in sorted(told)[-1:]]


def _last(results: Sequence[Result], is_in: Callable[[str], bool]) -> list[int]:
    """Return the turn of the last result that shows a value, else of the last such call."""
    shown = [each.turn for each in results if is_in(each.text)]
    asked = [each.turn for each in results if is_in(each.args_text)]
    return (shown or asked)[-1:]


def says_only_facts(events: Sequence[Event], learned: Sequence[Event]) -> bool:
    """Return True when all that was marked is stored as facts: it teaches no procedure."""
    stored = {str(each["name"]).rstrip(".。") for each in learned if each["status"] == "stored"}
    said = (each for what in _marks(events) for each in _SENTENCE.split(what))
    sentences = {_BULLET.sub("", each).strip().rstrip(".。；;").strip() for each in said} - {""}
    return bool(sentences) and sentences <= stored


# Through the gate


def _keep(proposal: Proposal, store: FactStore, record: RunRecord, lang: str) -> list[Event]:
    """Store a proposal, or say why not; of what this run left already nothing is said."""
    proofs = (each for each in record.results if each.turn in proposal.turns)
    evidence = tuple(map(record.pointer, proofs))
    try:
        fact = store.add(proposal.section, proposal.text, evidence, run=record.run)
    except FactRefused as refused:
        if _is_known_from(record.run, refused.refusals, store.all()):
            return []
        return [_refused(proposal, refused, lang)]
    except (SopwithError, OSError) as error:
        return [_learned(proposal.text, "refused", _first_line(str(error)))]
    return [_learned(fact.text, "stored", f"[{fact.section}] {fact.source}")]


def _refused(proposal: Proposal, refused: FactRefused, lang: str) -> Event:
    reason = "; ".join(each.said(lang) for each in refused.refusals)
    hidden = [each.what for each in refused.refusals if each.rule == "secret"]
    return _learned((hidden or [proposal.text])[0], "refused", reason)


def _is_known_from(run: str, refusals: Sequence[Refusal], known: Sequence[Fact]) -> bool:
    if {each.rule for each in refusals} != {"duplicate"}:
        return False
    by_id: Mapping[str, Fact] = {each.id: each for each in known}
    same = by_id.get(refusals[0].what[1:7])
    return same is not None and any(pointer.run == run for pointer in same.evidence)
