"""Asks an owner who is there which SOP a request means, where no lane is sure and no model can do it.

The question is like any other: events `asked` and `answered`, an entry in the inbox when nobody answers, and the run goes
on from there. What is chosen is done by rote, with all gates and guards; the wording is kept (learning/learned_wordings.py), a
no too. Where nobody is there, the reason that no model can do it names the nearest SOP. Source: seed 002 §7.
"""

from __future__ import annotations

import shlex
from collections.abc import Generator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from agent_loop import End, Outcome
from learning.learned_wordings import is_refused, refuse
from learning.slots import Where
from memory.inbox import Entry, Inbox, call_hash
from models.base import Event, ModelUnavailable

if TYPE_CHECKING:
    from collections.abc import Callable

    from handler import Owner
    from learning.near import Near
    from memory.sops import Sop
    from models.rote import Guards

LANE = "asked"
YES = ("y", "yes", "ok", "1", "是", "是的", "好", "好的", "对", "可以", "行")
SAY = {
    "question": {
        "en": "Nobody can do this for sure without a model. Did you mean this?",
        "zh": "没有模型，无法确定该怎么做。您是不是想要这样？",
    },
    "none": {"en": "none of these", "zh": "都不是"},
    "passed_over": {"en": "not taken up: {}", "zh": "未处理：{}"},
    "nearest": {"en": "The nearest is: sopwith sops run {}", "zh": "最接近的是：sopwith sops run {}"},
    "not_sure": {
        "en": "no learned procedure covers this for sure, and no model is configured (see: sopwith doctor).",
        "zh": "没有学会的流程能确定地做这件事，也没有配置模型（参见：sopwith doctor）。",
    },
    "effects none": {"en": "changes nothing", "zh": "不改变任何东西"},
    "effects local": {"en": "changes files here", "zh": "会改动这里的文件"},
    "effects external": {"en": "reaches other machines", "zh": "会影响其他机器"},
    "effects destructive": {"en": "cannot be undone", "zh": "无法撤销"},
}


class Asking(NamedTuple):
    """What the question stands on. `attended`: somebody is there who sees it; `guards` are those of the replay."""

    home: Path
    run: str
    task: str
    lang: str
    where: Where
    owner: Owner
    attended: bool
    inbox: Inbox
    known: Sequence[Sop]
    guards: Callable[[Near], Guards]
    has_models: bool

    def nearest(self) -> list[Near]:
        """The SOPs that may be meant, but those that the guards would stop and those that the owner has said no to."""
        from learning.near import near  # most runs are sure, or have a model

        return [each for each in near(self.task, self.known, self.where) if self._may_be_meant(each)]

    def ask(self, why: ModelUnavailable) -> Generator[Event, None, Near | End]:
        """The SOP that the owner chose, or the end of a run that waits for the answer. Raises ModelUnavailable for a no, where
        nobody is there, and where nothing is near."""
        found = self.nearest()
        if not found:
            raise why
        question, texts = self._say("question"), [*(self.shown(each) for each in found), self._say("none")]
        name, id = call_hash("did_you_mean", {"question": question, "candidates": texts}), f"{self.run}.0"
        given = self.inbox.answer_for(self.run, name)
        is_waiting = any(entry.id == id for entry in self.inbox.list())
        if not given and not self.attended and not is_waiting:
            raise ModelUnavailable(self.reason(found[0], why))
        if given:
            answer: str | None = given[1].text
        else:
            yield {"type": "asked", "id": id, "turn": 1, "question": question, "candidates": texts}
            answer = self.owner.ask(id, question, texts) if self.attended else None
        if answer is None:
            self.inbox.add(Entry(id, self.run, "question", question, texts, call=name))
            return End("EXITED", Outcome(question, should_exit=True, ending="waiting"), 0)
        yield {"type": "answered", "id": id, "turn": 1, "text": answer}
        if given:
            self.inbox.remove(id)
        chosen = self._meant(answer, found, texts)
        if chosen is None:
            with suppress(OSError):  # a full disk: it is asked once more
                for each in found:
                    refuse(self.home, each.sop, self.task, each.parameters, self.run, self.where)
            raise why
        return chosen

    def shown(self, each: Near) -> str:
        """One line: what would be done, by what, what that changes, and what of the request it passes over."""
        sop = each.sop
        notes = [sop.name, self._say(f"effects {sop.procedure.effects if sop.procedure else 'none'}")]
        if each.passed_over:
            words = ", ".join(f"“{word}”" for word in each.passed_over)
            notes.append(self._say("passed_over", words))
        return f"{each.said} ({'; '.join(notes)})"

    def reason(self, each: Near, why: ModelUnavailable) -> str:
        """Two lines for where nobody is asked: why nothing was done, and the command that does the nearest SOP."""
        values = [f"{key}={value}" for key, value in each.parameters.items()]
        first = str(why).split("\n")[0] if self.has_models else self._say("not_sure")
        return f"{first}\n{self._say('nearest', shlex.join([each.sop.name, *values]))}"

    def _may_be_meant(self, each: Near) -> bool:
        if is_refused(self.home, each.sop, self.task, each.parameters, self.where) or each.sop.procedure is None:
            return False
        return self.guards(each).start(each.sop.procedure, each.parameters) is None

    def _meant(self, answer: str, found: Sequence[Near], texts: Sequence[str]) -> Near | None:
        """The candidate that an answer names: by its number, its text, its SOP, or a yes where there is only one."""
        said = answer.strip()
        if said.lower() in YES and len(found) == 1:
            return found[0]
        for number, each in enumerate(found, 1):
            if said in (str(number), texts[number - 1], each.sop.name):
                return each
        return None

    def _say(self, what: str, *args: str) -> str:
        return SAY[what][self.lang].format(*args)


def chosen(each: Near) -> Event:
    """The event that says what the owner chose; from here on the run is one of this SOP."""
    fields: dict[str, Any] = {"sop": each.sop.name, "sop_version": each.sop.version, "parameters": each.parameters}
    return {"type": "chosen", **fields, "lane": LANE}
