"""Answer what a request asks of Sopwith itself, without a model: hello, help, undo, stop, what it
knows, what was done on a day, a command typed as a sentence."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from config import Lang
from learning.route import Match, Where, task_of
from memory.sops import Sop
from models.base import Event, Model, Reply, Request
from models.errors import ModelUnavailable
from text.sentences import say

if TYPE_CHECKING:
    from runs.start.planned import Planned
    from text.time import TimeRange

_FILE = Path(__file__).parents[2] / "assets" / "routing" / "answers.toml"
MOST_SHOWN = 16
_OF_A_MODEL = ("hello", "thanks", "history", "stop", "known", "day")  # it has more to say


def is_answered(task: str, *, has_model: bool = False) -> bool:
    """Return True when a request asks about Sopwith itself; a greeting is a model's where there is
    one."""
    topic = _topic(task)
    return topic not in ("", *(_OF_A_MODEL if has_model else ()))


def asks_undo(task: str) -> bool:
    """Return True where a request asks for what was done last to be taken back."""
    return _topic(task) == "undo"


def answer(task: str, home: Path, sops: Sequence[Sop], lang: Lang) -> str:
    """Return the answer to such a request."""
    from runs.start.recalling import done_on, known

    topic = _topic(task)
    if topic == "known":
        return known(home, lang)
    day = day_asked(task)
    if day is not None:
        return done_on(day, home, lang)
    runnable = sorted((sop for sop in sops if sop.runs_alone), key=lambda sop: sop.is_seed)
    examples = "\n".join(
        f"- {example(sop, lang)} · {sop.summary(lang)}" for sop in runnable[:MOST_SHOWN]
    )
    key = "help" if topic == "hello" else topic
    return say(lang, f"answers.{key}", examples=examples, command=task_of(task))


def forgotten(home: Path, request: str, lang: Lang) -> str:
    """Take out of the memory what the owner wants forgotten, and say how much that was; the words
    would be kept again. Where several things may be meant, show them and take nothing out.

    Raises OSError, SopwithError.
    """
    from memory.written import forget

    found = forget(home, request)
    if found.is_done:
        return say(lang, "answers.forgotten", n=len(found.lines))
    if not found.lines:
        return say(lang, "answers.forget_none")
    lines = "\n".join(f"- {line}" for line in found.lines)
    return say(lang, "answers.forget_which", n=len(found.lines), lines=lines)


def _topic(task: str) -> str:
    said, tables = task_of(task), _tables()
    whole = task.lower().strip(" !.?！。？")  # hello is politeness too
    for topic in ("hello", "thanks", "help", "undo", "stop", "known"):
        if not {said, whole}.isdisjoint(tables[topic]["said"]):
            return topic
    if any(each in said for each in tables["history"]["holds"]):
        return "history"
    if day_asked(task):
        return "day"
    is_command = any(f"{said} ".startswith(f"{each} ") for each in tables["commands"]["begin"])
    return "command" if is_command else ""


def day_asked(task: str) -> TimeRange | None:
    """Return the time of which a request asks what the owner did: "what did I do yesterday"."""
    said, asked = task_of(task), _tables()["day"]["said"]
    if not any(each in said for each in _tables()["day"]["holds"]):
        return None
    from text.time import find

    times = find(said, datetime.now().astimezone())
    rest = "".join(said.replace(times[0].text, "", 1).split()) if times else ""
    return times[0] if rest in ["".join(each.split()) for each in asked] else None


def example(sop: Sop, lang: Lang) -> str:
    """Return a request for an SOP as it is typed: of a seed by hand, else a wording with values in
    its slots."""
    written = _tables()["examples"].get(sop.name) if sop.is_seed else None
    if written:
        return str(written[lang])
    if sop.procedure is None or not sop.procedure.wordings:
        return sop.name
    texts = [each.text for each in sop.procedure.wordings]
    found = next((each for each in texts if each.isascii() == (lang == "en")), texts[0])
    chosen = re.sub(
        r"\[([^\]|]*)([^\]]*)\]", lambda said: "" if said[2].endswith("|") else said[1], found
    )
    schemas = sop.procedure.parameters
    filled = re.sub(r"\{(\w+)(?::\w+)?\}", lambda slot: _value(slot[1], schemas[slot[1]]), chosen)
    return " ".join(filled.split())


def _value(name: str, schema: Mapping[str, Any]) -> str:
    """Return a value that a parameter may have."""
    known = [*schema.get("examples", ()), *schema.get("enum", ()), schema.get("default")]
    by_type = {"path": "notes.txt", "integer": str(schema.get("minimum", 10)), "number": "2.5"}
    usual = by_type.get(schema.get("format") or schema["type"], name.upper())
    return str(next((each for each in known if each is not None), usual))


@cache
def _tables() -> dict[str, Any]:
    return tomllib.loads(_FILE.read_text("utf-8"))


class Answering:
    """Stand in the place of a model where code has the answer; `say` gives it, or raises
    ModelUnavailable, or yields events on the way to it."""

    def __init__(
        self, say: Callable[[], str | Generator[Event, None, str]], name: str = "answers"
    ) -> None:
        self.name, self._say = name, say

    def reply(self, request: Request) -> Generator[Event, None, Reply]:
        """Return the answer."""
        said = self._say()
        text = said if isinstance(said, str) else (yield from said)
        return Reply(text, model=self.name, kind="rote")


class Recorded:
    """Give the reply that the run log already holds once more, then ask `model`: nobody is asked
    twice."""

    def __init__(self, reply: Reply, model: Model) -> None:
        self.name = model.name
        self._reply: Reply | None = reply
        self._model = model

    def reply(self, request: Request) -> Generator[Event, None, Reply]:
        """Return the recorded reply the first time."""
        if self._reply is None:
            return (yield from self._model.reply(request))
        reply, self._reply = self._reply, None
        reply.recorded = True
        return reply


def nobody(reason: str) -> str:
    """Raise ModelUnavailable: no SOP fits and no model is configured; `reason` says what to set."""
    raise ModelUnavailable(reason)


SOP = "reminder"
MORNING = "T09:00"  # of a day without a time
_SMALL = ("the", "a", "an", "my", "to", "about", "for", "of", "that", "this", "it")


def is_reminder(match: Match | None, *, in_job: bool = False) -> bool:
    """Return True for a request to be reminded later; one without a time is due now in a job."""
    if match is None or match.sop.name != SOP:
        return False
    text = match.parameters.get("text")
    if not in_job or not text:
        return True
    from text.time import moment_of

    return bool(moment_of(text, datetime.now().astimezone())[1])


def serve(task: str, match: Match, home: Path, where: Where, lang: Lang) -> str:
    """Keep, list or cancel reminders; return what to say. Raises OSError, RepositoryError."""
    if "cancel" in match.parameters:
        return _cancelled(match.parameters["cancel"], home, lang)
    if "show" in match.parameters:
        lines = [f"- {each.line}" for each in _coming(home)]
        head = say(lang, "reminder.list" if lines else "reminder.none")
        return "\n".join([head, *lines])
    return _kept(task, match, home, where, lang)


def _cancelled(words: str, home: Path, lang: Lang) -> str:
    """Take off the one reminder that is meant; none where several may be."""
    said = {word for word in words.casefold().split() if word not in _SMALL}
    coming = list(_coming(home))
    meant = [each for each in coming if all(word in each.text.casefold() for word in said)]
    if len(meant) == 1:
        from runs.schedule.folder import JobFolder

        JobFolder(home).remove(meant[0].id, f"schedule: {meant[0].id} cancelled")
        return say(lang, "reminder.cancelled", text=meant[0].line)
    lines = [f"- {each.line}" for each in meant or coming]
    if not lines:
        return say(lang, "reminder.none")
    return "\n".join([say(lang, "reminder.which", words=words), *lines])


class _Coming(NamedTuple):
    """A reminder that is still to come."""

    id: str
    text: str
    at: datetime

    @property
    def line(self) -> str:
        return f"{self.text} · {self.at:%Y-%m-%d %H:%M} ({self.id})"


def _coming(home: Path) -> Iterator[_Coming]:
    from runs.schedule.due import due_after
    from runs.schedule.folder import JobFolder
    from runs.schedule.jobs import Job

    now = datetime.now().astimezone()
    for id, job in JobFolder(home).all().items():
        if not isinstance(job, Job) or job.sop != SOP or not job.enabled:
            continue
        due = next(iter(due_after(job, now, now)), None)
        if due is not None:
            yield _Coming(id, str(job.parameters.get("text", "")), due.astimezone(job.zone))


def _kept(task: str, match: Match, home: Path, where: Where, lang: Lang) -> str:
    """Write the job of a reminder; return what to say, which without a time is a question."""
    from memory.journal.api import local_timezone
    from runs.start.planned import keep_job
    from text.time import moment_of

    now = datetime.now().astimezone()
    text, due = moment_of(match.parameters["text"], now)
    if not due:
        return _kept_again(task, text, match.sop, home, where, lang)
    at = due if "T" in due else f"{due}{MORNING}"
    text = text.removeprefix("to ").strip()
    what = {"cwd": str(where.cwd), "sop": SOP, "parameters": {"text": text}}
    keep_job(home, SOP, {"timezone": local_timezone(), "at": f"{at}:00", **what})
    return say(lang, "reminder.kept", text=text, when=at.replace("T", " "))


def _kept_again(task: str, text: str, sop: Sop, home: Path, where: Where, lang: Lang) -> str:
    """Keep a reminder that comes again and again: "every weekday at 9"."""
    from runs.start.planned import planned

    plan = planned(task, [sop], where) or planned(text, [sop], where, asked="remind me {}")
    return kept(plan, home, lang) if plan else say(lang, "reminder.when")


def kept(plan: Planned, home: Path, lang: Lang) -> str:
    """Keep a reminder at the times of a plan; return what to say. Raises OSError,
    RepositoryError."""
    plan.keep(home)
    text = plan.match.parameters["text"].removeprefix("to ").strip()
    return say(
        lang, "reminder.kept", text=text, when=f"{plan.when} → {plan.next.partition(', ')[0]}"
    )
