"""Asks an owner who is there which SOP a request means, where no lane is sure and no model can do it.

The question is like any other: events `asked` and `answered`, an entry in the inbox when nobody answers, and the run goes
on from there. What is chosen is done by rote, with all gates and guards; the wording is kept (learning/learned_wordings.py), a
no too. Where nobody is there, the reason that no model can do it names the nearest SOP. Source: seed 002 §7.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Generator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from agent_loop import End, Outcome
from learning.learned_wordings import is_refused, refuse
from learning.slots import Where
from memory.runlog.inbox import Entry, Inbox, call_hash
from models.base import Event
from models.errors import ModelUnavailable

if TYPE_CHECKING:
    from collections.abc import Callable

    from handler import Owner
    from learning.near import Near
    from memory.sops.store import Sop
    from replay.rote import Guards
    from runs.start.planned import Planned

LANE = "asked"
ABOUT = 0.5  # of what a request is about stands in an SOP that it may mean
YES = ("y", "yes", "ok", "1", "是", "是的", "好", "好的", "对", "可以", "行")
SAY = {
    "question": {
        "en": "Nobody can do this for sure without a model. Did you mean this?",
        "zh": "没有模型，无法确定该怎么做。您是不是想要这样？",
    },
    "none": {"en": "none of these", "zh": "都不是"},
    "passed_over": {"en": "not taken up: {}", "zh": "未处理：{}"},
    "added": {"en": "you did not say: {}", "zh": "您没有说：{}"},
    "plan": {
        "en": "Nobody can do this without a model. Shall it be done by rote at these times?",
        "zh": "没有模型，无法直接做这件事。要按这些时间照流程来做吗？",
    },
    "job": {"en": "{}: {} ({}; next: {})", "zh": "{}：{}（{}；下次：{}）"},
    "kept": {
        "en": "{} is kept as a job; next: {}. It runs while the scheduler does: sopwith schedule start",
        "zh": "{} 已存为任务；下次：{}。调度器运行时它才会执行：sopwith schedule start",
    },
    "nearest": {"en": "The nearest is: sopwith {}", "zh": "最接近的是：sopwith {}"},
    "broken": {
        "en": "{0} may be meant, and cannot be used: {1} (sopwith sops show {0})",
        "zh": "可能是指 {0}，但它无法使用：{1}（sopwith sops show {0}）",
    },
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

        return [
            each for each in near(self.task, self.known, self.where) if self._may_be_meant(each)
        ]

    def ask(self, why: ModelUnavailable) -> Generator[Event, None, Near | End]:
        """The SOP that the owner chose, or the end of the run: it waits for the answer, or has become a job. Raises ModelUnavailable
        for a no, where nobody is there, and where nothing is near."""
        from runs.start.planned import planned

        if plan := planned(self.task, self.known, self.where):
            return (yield from self._plan(plan, why))
        found = self.nearest()
        if not found:
            broken = self._broken()
            raise ModelUnavailable(f"{str(why).splitlines()[0]}\n{broken}") if broken else why
        texts = [self.shown(each) for each in found]
        chosen = yield from self._question(
            self._say("question"), texts, [each.sop.name for each in found], found[0].command, why
        )
        if isinstance(chosen, End):
            return chosen
        if chosen is None:
            for each in found:
                self._refuse(each.sop, each.parameters)
            raise why
        return found[chosen]

    def _broken(self) -> str:
        """What to say of an SOP that cannot be used, and that the request is about; empty when there is none."""
        from learning.index import Index

        broken = {sop.name: sop for sop in self.known if sop.problem and not sop.is_quarantined}
        problems = {name: sop.problem or "" for name, sop in broken.items()}
        ranking = Index().of(list(broken.values()))
        words = re.sub(r"\S*/\S*", " ", self.task)
        name = next(
            (name for name, _ in ranking.best(words, 1) if ranking.share(words, name) >= ABOUT), ""
        )
        return self._say("broken", name, problems[name]) if name else ""

    def _plan(self, plan: Planned, why: ModelUnavailable) -> Generator[Event, None, End]:
        """Asks whether the job is meant, and keeps it."""
        match = plan.match
        if is_refused(self.home, match.sop, self.task, match.parameters, self.where):
            raise why
        shown = self._say("job", plan.when, plan.task, match.sop.name, plan.next)
        chosen = yield from self._question(
            self._say("plan"), [shown], [match.sop.name], plan.command, why
        )
        if isinstance(chosen, End):
            return chosen
        if chosen is None:
            self._refuse(match.sop, match.parameters)
            raise why
        id = plan.keep(self.home)
        yield {
            "type": "scheduled",
            "job": id,
            "when": plan.when,
            "sop": match.sop.name,
            "parameters": match.parameters,
        }
        return End("CURRENT_TASK_DONE", Outcome(self._say("kept", id, plan.next)), 0)

    def _question(
        self,
        question: str,
        texts: list[str],
        names: Sequence[str],
        command: Sequence[str],
        why: ModelUnavailable,
    ) -> Generator[Event, None, int | End | None]:
        """Puts it: the number of the candidate that is meant, None for none, or the end of a run that waits."""
        texts = [*texts, self._say("none")]
        name, id = (
            call_hash("did_you_mean", {"question": question, "candidates": texts}),
            f"{self.run}.0",
        )
        given = self.inbox.answer_for(self.run, name)
        is_waiting = any(entry.id == id for entry in self.inbox.list())
        if not given and not self.attended and not is_waiting:
            raise ModelUnavailable(self.reason(command, why))
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
        return _meant(answer, texts[:-1], names)

    def _refuse(self, sop: Sop, parameters: dict[str, Any]) -> None:
        with suppress(OSError):  # a full disk: it is asked once more
            refuse(self.home, sop, self.task, parameters, self.run, self.where)

    def shown(self, each: Near) -> str:
        """One line: what would be done, by what, what that changes, and what of the request it passes over."""
        sop = each.sop
        notes = [
            sop.name,
            self._say(f"effects {sop.procedure.effects if sop.procedure else 'none'}"),
        ]
        for what, words in (("passed_over", each.passed_over), ("added", each.added)):
            if words:
                notes.append(self._say(what, ", ".join(f"“{word}”" for word in words)))
        return f"{each.said} ({'; '.join(notes)})"

    def reason(self, command: Sequence[str], why: ModelUnavailable) -> str:
        """Two lines for where nobody is asked: why nothing was done, and the command that does the nearest."""
        first = str(why).split("\n")[0] if self.has_models else self._say("not_sure")
        return f"{first}\n{self._say('nearest', shlex.join(command))}"

    def _may_be_meant(self, each: Near) -> bool:
        if (
            is_refused(self.home, each.sop, self.task, each.parameters, self.where)
            or each.sop.procedure is None
        ):
            return False
        return self.guards(each).start(each.sop.procedure, each.parameters) is None

    def _say(self, what: str, *args: str) -> str:
        return SAY[what][self.lang].format(*args)


def _meant(answer: str, texts: Sequence[str], names: Sequence[str]) -> int | None:
    """The candidate that an answer names: by its number, its text, its SOP, or a yes where there is only one."""
    said = answer.strip()
    if said.lower() in YES and len(texts) == 1:
        return 0
    found = (at for at, text in enumerate(texts) if said in (str(at + 1), text, names[at]))
    return next(found, None)


def chosen(each: Near) -> Event:
    """The event that says what the owner chose; from here on the run is one of this SOP."""
    fields: dict[str, Any] = {
        "sop": each.sop.name,
        "sop_version": each.sop.version,
        "parameters": each.parameters,
    }
    return {"type": "chosen", **fields, "lane": LANE}
