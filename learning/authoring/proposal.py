"""Take of a model's reply what code can prove, and count what it refuses."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, zip_longest
from typing import Any

from learning.authoring.judge import Judge
from learning.authoring.reply import read_reply
from learning.authoring.sketch import Sketch
from learning.authoring.texts import Keeps, Texts
from learning.route import Where
from memory.sops import Sop
from replay.procedure import BUILT_IN, NAME, UNSAFE_NAME

MOST_PROPOSED = 12  # wordings in each language that are looked at
MAX_DESCRIPTION_CHARS = 300
MAX_NAME_CHARS = 24
REASONS = {  # why something was not taken, in English and Chinese
    "form": ("not one short line", "不是一行短句"),
    "slots": ("other slots", "槽位不对"),
    "value": ("holds a value of the run", "含有这次运行的取值"),
    "meaning": ("another meaning", "意思不同"),
    "places": ("a value in another place", "取值的位置不同"),
    "other": ("asks for another SOP", "说的是另一个 SOP"),
    "trip": ("does not give the values back", "取不回原来的值"),
    "known": ("said already", "已经有了"),
    "many": ("too many", "太多"),
    "address": ("addressed to an agent, or suspect", "对代理说话，或可疑"),
    "gate": ("not to be kept", "不能保存"),
    "name": ("no name for a parameter", "不能作参数名"),
}


@dataclass(slots=True)
class Proposal:
    """Hold what may be taken of a reply. `doubtful` are wordings that only an owner can say yes to: nothing speaks against them,
    and nothing proves that their words mean the same. `names`: of a parameter, a better one."""

    description: str = ""
    description_zh: str = ""
    wordings: list[str] = field(default_factory=list)
    doubtful: list[str] = field(default_factory=list)
    pitfalls: list[str] = field(default_factory=list)
    names: dict[str, str] = field(default_factory=dict)
    refused: Counter[str] = field(default_factory=Counter)

    @property
    def is_empty(self) -> bool:
        """True if nothing was taken."""
        texts = (self.description, self.description_zh, self.wordings, self.pitfalls)
        return not any(texts)

    def refusals(self, lang: str) -> str:
        """Return what was refused, as a part of a line: "3 (2 another meaning, 1 too many)"; "" for nothing."""
        at = int(lang == "zh")
        refused = +(self.refused + Counter({"meaning": len(self.doubtful)}))
        several = [f"{count} {REASONS[why][at]}" for why, count in refused.most_common()]
        return f"{refused.total()} ({', '.join(several)})" if several else ""


def proposed(
    sketch: Sketch, reply: str, *, others: Sequence[Sop], where: Where, keeps: Keeps
) -> Proposal:
    """Return what may be taken of a model's reply. `others`: the SOPs that there are; `keeps`: the evidence gate.

    Raises BadReply.
    """
    said = read_reply(reply)
    found = Proposal()
    _take_wordings(found, said, Judge.of(sketch, others, where), keeps)
    texts = Texts(found.refused, keeps)
    found.description = texts.taken(said["description"], MAX_DESCRIPTION_CHARS)
    found.description_zh = texts.taken(
        said["description_zh"], MAX_DESCRIPTION_CHARS, is_chinese=True
    )
    found.pitfalls = texts.several(said["pitfalls"])
    _take_names(found, said["names"], list(sketch.procedure.parameters))
    return found


def _take_wordings(found: Proposal, said: Mapping[str, Any], judge: Judge, keeps: Keeps) -> None:
    known = [each.text for each in judge.procedure.wordings]
    found.refused["many"] += sum(
        max(0, len(said[key]) - MOST_PROPOSED) for key in ("wordings", "wordings_zh")
    )
    for proposed in _in_turn(said["wordings"], said["wordings_zh"]):
        wording, why = judge.wording(proposed, [*known, *found.wordings, *found.doubtful])
        if why in ("", "meaning") and not keeps({"SKILL.md": wording}):
            why = "gate"
        if why == "meaning":
            found.doubtful.append(wording)
        elif why:
            found.refused[why] += 1
        else:
            found.wordings.append(wording)


def _in_turn(english: Sequence[Any], chinese: Sequence[Any]) -> Iterator[Any]:
    """Yield the first of each language, then the second."""
    pairs = zip_longest(english[:MOST_PROPOSED], chinese[:MOST_PROPOSED])
    yield from (each for each in chain.from_iterable(pairs) if each is not None)


def _take_names(found: Proposal, names: Mapping[str, Any], known: Sequence[str]) -> None:
    taken = set(known)
    for old, new in names.items():
        if new == old:
            continue
        if old not in known or new in taken or not _is_name(new):
            found.refused["name"] += 1
        else:
            found.names[old] = new
            taken.add(new)


def _is_name(text: Any) -> bool:
    if not isinstance(text, str) or len(text) > MAX_NAME_CHARS or text in BUILT_IN:
        return False
    return bool(NAME.fullmatch(text)) and not UNSAFE_NAME.fullmatch(text)
