"""Ask an owner who is there which SOP a request means, and for the values that it needs; else name
the nearest.

The question is like any other: events `asked` and `answered`, an entry in the inbox when nobody
answers, and the run goes on from there. What is chosen is done by rote, with all gates and guards;
a yes keeps the wording, a no is kept too.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Container, Generator, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from agent_loop import End, Outcome
from config import Lang
from learning.route import Remembered, Shown, Where, choose
from learning.route.place import words
from memory.inbox import Entry, Inbox, call_hash
from models.base import Event
from models.errors import ModelUnavailable
from replay.parameters import ParameterError, bind
from runs.start.answers import example, is_reminder, kept
from text.sentences import say

if TYPE_CHECKING:
    from collections.abc import Callable

    from handler import Owner
    from memory.sops import Sop
    from models.embeddings import Embedder
    from replay.procedure import Procedure
    from replay.rote import Guards
    from runs.start.planned import Planned

LANE = "asked"
_SAYS_LITTLE = {"enum", "minimum", "maximum"}  # of the schema of a value
TRIES = 3  # for a value
NEAR_SHARE = 0.34  # of a request's words, weighed by how rare they are
LEAST_ALIKE = 0.25  # cosine: 16 of 16 seeds that were meant lie above, 10 of 32 others below
YES = ("y", "yes", "ok", "1", "是", "是的", "好", "好的", "对", "可以", "行")


class Asking(NamedTuple):
    """Hold what the question stands on. `attended`: somebody is there who sees it; `guards` are
    those of the replay; `preview` says what a choice would change, where a stage can tell."""

    home: Path
    run: str
    task: str
    lang: Lang
    where: Where
    owner: Owner
    attended: bool
    inbox: Inbox
    known: Sequence[Sop]
    guards: Callable[[Shown], Guards]
    has_models: bool
    has_waited: bool = False
    preview: Callable[[Shown], str | None] = lambda shown: ""  # None: it would stop
    embedder: Callable[[], Embedder | None] = lambda: None

    def nearest(self) -> list[Shown]:
        """Return the SOPs that may be meant, without those that the owner has said no to."""
        remembered = Remembered(self.home)
        choice = choose(self.task, self.known, self.where.cwd, self.where.owner_home)
        found = [each for each in choice.shown if self._is_meant(each)]
        return [each for each in found if not remembered.is_refused(self.task, each)][:3]

    def _is_meant(self, each: Shown) -> bool:
        """Return True for what the request names a value of, and for what means something like it.
        What removes things is never guessed."""
        procedure = each.sop.procedure
        if procedure is None or procedure.effects != "destructive":
            is_told = not each.missing or each.told >= NEAR_SHARE / 2
            if is_told and _names_a_value(each):
                return True
            return self._is_near(each)
        is_told = each.told >= NEAR_SHARE and (not each.places or _names_a_value(each))
        return is_told or bool(procedure.required and not each.missing)

    def _is_near(self, each: Shown) -> bool:
        """Return True where enough words of the request are known, and a seed means something like
        it."""
        if each.told < NEAR_SHARE:
            return False
        made = self.embedder() if each.sop.is_seed else None
        return made is None or each.likeness(self.task, made) >= LEAST_ALIKE

    def ask(self, why: ModelUnavailable) -> Generator[Event, None, Shown | End]:
        """Return the SOP that the owner chose, or the end of the run: it waits, or has become a
        job.

        Raises ModelUnavailable for a no, where nobody is there, and where nothing is near.
        """
        from runs.start.planned import planned

        if self.task.lower().startswith(tuple(words()["spare"])):
            raise ModelUnavailable(self._say("spared"))
        plan = planned(self.task, self.known, self.where)
        if plan:
            return (yield from self._plan(plan, why))
        found = self.nearest()
        if not found:
            raise why
        able = [each for each in found if self._can_be_done(each)]
        if not able or not self._may_ask():
            raise ModelUnavailable(self.door(found, why))
        return (yield from self._which(self._say("question"), able, why))

    def confirm(self, pick: Shown) -> Generator[Event, None, Shown | End]:
        """Return what a model picked once the owner has seen it. Raises ModelUnavailable for a
        no."""
        refused = ModelUnavailable("")
        if not self._can_be_done(pick) or not self._may_ask():
            raise refused
        return (yield from self._which(self._say("pick"), [pick], refused))

    def _which(
        self, question: str, able: list[Shown], why: ModelUnavailable
    ) -> Generator[Event, None, Shown | End]:
        told = {self._call(each): (each, change) for each, change in self._foreseen(able)}
        if not told:
            raise why
        calls, able = list(told), [each for each, _ in told.values()]
        texts = [*(self.shown(*each) for each in told.values()), self._say("none")]
        answer = yield from self._question(question, texts, "0", calls)
        if isinstance(answer, End):
            return answer
        said = answer.partition(" (")[0]  # a candidate as it was shown
        number = _meant(said, calls, [each.sop.name for each in able])
        if number is None:
            self.inbox.remove_run(self.run)
            self._refuse(able)
            raise why
        found = yield from self._completed(able[number])
        if not isinstance(found, End):
            self.inbox.remove_run(self.run)
        return found

    def _foreseen(self, able: Sequence[Shown]) -> Iterator[tuple[Shown, str]]:
        """Yield what can be done, with what it would change; what would stop is not worth a yes."""
        for each in able:
            change = self.preview(each)
            if change is not None:
                yield each, change

    def _completed(self, shown: Shown) -> Generator[Event, None, Shown | End]:
        """Ask for the values that are missing, one by one."""
        procedure = shown.sop.procedure
        assert procedure is not None
        values = dict(shown.parameters)
        described = shown.sop.schemas(self.lang)
        for name in shown.missing:
            schema = described[name]
            meaning, wrong = str(schema.get("description") or name), ""
            for attempt in range(TRIES):
                text = (
                    self._say("again", wrong, name, meaning)
                    if wrong
                    else self._say("value", name, meaning)
                )
                answer = yield from self._question(text, [], f"{name}.{attempt}")
                if isinstance(answer, End):
                    return answer
                try:
                    values |= bind({name: schema}, (), {name: answer.strip()}, self.where.cwd)
                    break
                except ParameterError as error:
                    wrong = str(error)
            else:
                raise ModelUnavailable(wrong)
        parameters = procedure.bind(values, self.where.cwd)
        return replace(shown, parameters=parameters, missing=[])

    def _plan(self, plan: Planned, why: ModelUnavailable) -> Generator[Event, None, End]:
        """Ask whether the job is meant, and keep it."""
        match = plan.match
        if is_reminder(match):
            return End("CURRENT_TASK_DONE", Outcome(kept(plan, self.home, self.lang)), 0)
        shown = self._say("job", plan.when, plan.task, match.sop.name, plan.next)
        if not self._may_ask():
            command = shlex.join(["sopwith", *plan.command])
            raise ModelUnavailable(f"{self._say('door')}\n  {command}\n{self._say('set_up')}")
        answer = yield from self._question(self._say("plan"), [shown, self._say("none")], "0")
        if isinstance(answer, End):
            return answer
        self.inbox.remove_run(self.run)
        if _meant(answer, [shown], [match.sop.name]) is None:
            raise why
        id = plan.keep(self.home)
        fields = {"job": id, "when": plan.when, "sop": match.sop.name}
        yield {"type": "scheduled", **fields, "parameters": match.parameters}
        return End("CURRENT_TASK_DONE", Outcome(self._say("kept", id, plan.next)), 0)

    def _question(
        self, question: str, texts: list[str], part: str, calls: Sequence[str] = ()
    ) -> Generator[Event, None, str | End]:
        """Put a question: return the answer, or the end of a run that waits for it. `calls` tell it
        from others; what they would change may have become something else."""
        about = {"question": question, "candidates": [*(calls or texts)]}
        name = call_hash("did_you_mean", about)
        id = f"{self.run}.{part}"
        given = self.inbox.answer_for(self.run, name)
        answer: str | None = given[1].text if given else None
        if answer is None:
            yield {"type": "asked", "id": id, "turn": 1, "question": question, "candidates": texts}
            answer = self.owner.ask(id, question, texts) if self.attended else None
        if answer is None:
            self.inbox.add(Entry(id, self.run, "question", question, texts, call=name))
            return End("EXITED", Outcome(question, should_exit=True, ending="waiting"), 0)
        yield {"type": "answered", "id": id, "turn": 1, "text": answer}
        return answer

    def _may_ask(self) -> bool:
        """Return True where somebody is there, or the run has waited for the answer."""
        return self.attended or self.has_waited

    def _refuse(self, shown: Sequence[Shown]) -> None:
        with suppress(OSError):  # a full disk: it is asked once more
            Remembered(self.home).refuse(self.task, shown, self.run)

    def shown(self, each: Shown, preview: str = "") -> str:
        """Return one line: what would be done, with which values, and what that changes."""
        procedure = each.sop.procedure
        notes = [
            " ".join(each.sop.summary(self.lang).split()).rstrip(".。"),
            self._say(f"effects-{procedure.effects if procedure else 'none'}"),
            self._say("missing", ", ".join(each.missing)) if each.missing else "",
            self._say("unused", ", ".join(each.unused)) if each.unused else "",
            preview,
        ]
        return f"{self._call(each)} ({'; '.join(filter(None, notes))})"

    def door(self, found: Sequence[Shown], why: ModelUnavailable) -> str:
        """Return what to say where nobody can be asked: why no model could, or how to set one up,
        and the nearest that can be done."""
        lines = [self._line(each) for each in found]
        if self.has_models:
            return "\n".join([str(why), self._say("door_model"), *lines])
        return "\n".join([self._say("door"), *lines, self._say("set_up")])

    def _line(self, each: Shown) -> str:
        if each.problem:
            return f"  {each.sop.name}: {each.problem}"
        notes = [" ".join(each.sop.summary(self.lang).split())]
        notes += [self._say("unused", ", ".join(each.unused))] if each.unused else []
        if each.missing or not each.places:
            notes.append(self._say("example", example(each.sop, self.lang)))
        return f"  sopwith sops run {self._call(each, each.places)}  # {' · '.join(notes)}"

    def _call(self, each: Shown, named: Container[str] | None = None) -> str:
        """Return the SOP with its values as `sops run` takes them; with `named`, only with
        these."""
        values = [
            f"{name}={_as_text(value)}"
            for name, value in each.parameters.items()
            if named is None or name in named
        ]
        return " ".join(
            [each.sop.name, *map(shlex.quote, values), *(f"{name}=…" for name in each.missing)]
        )

    def _can_be_done(self, each: Shown) -> bool:
        procedure = each.sop.procedure
        if procedure is None or each.problem or not _can_be_said(each, procedure):
            return False
        needed = {*procedure.requires.get("folders", ()), *procedure.requires.get("files", ())}
        if not all(Path(each.parameters[name]).exists() for name in needed & each.places.keys()):
            return False
        return bool(each.missing) or self.guards(each).start(procedure, each.parameters) is None

    def _say(self, what: str, *blanks: str) -> str:
        return say(self.lang, f"asking.{what}", *blanks)


def _can_be_said(each: Shown, procedure: Procedure) -> bool:
    """Return False where the request names nothing, nothing will be asked for, and most wordings of
    the SOP name a value."""
    has_slots = [bool(wording.slots) for wording in procedure.wordings]
    if each.places or each.missing:
        return True
    return has_slots.count(True) <= has_slots.count(False)


def _names_a_value(each: Shown) -> bool:
    """Return True where the request says a text, or what the SOP needs. A choice or a number says
    little; so does the folder of what changes files."""
    procedure = each.sop.procedure
    if procedure is None:
        return True
    little = _SAYS_LITTLE | ({"default"} if procedure.effects != "none" else set())
    told = {name: procedure.parameters[name].keys() for name in each.places}
    return any(name in procedure.required or not keys & little for name, keys in told.items())


def _as_text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _meant(answer: str, texts: Sequence[str], names: Sequence[str]) -> int | None:
    """Return the candidate that an answer names: by its number, its text, its SOP, or a yes where
    there is only one."""
    said = answer.strip()
    if said.lower() in YES and len(texts) == 1:
        return 0
    found = (at for at, text in enumerate(texts) if said in (str(at + 1), text, names[at]))
    return next(found, None)


def chosen(each: Shown) -> Event:
    """Return the event that says what the owner chose; from here on the run is one of this SOP."""
    fields: dict[str, Any] = {
        "sop": each.sop.name,
        "sop_version": each.sop.version,
        "parameters": each.parameters,
    }
    return {"type": "chosen", **fields, "lane": LANE}
