"""Keep a reminder as a job of the schedule, list those that are kept, cancel one; its time is read by text/time. No model
is needed."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from config import Lang
from learning.route import Match, Where
from text.sentences import say

if TYPE_CHECKING:
    from memory.sops import Sop
    from runs.start.planned import Planned

SOP = "reminder"
MORNING = "T09:00"  # of a day without a time
_SMALL = ("the", "a", "an", "my", "to", "about", "for", "of")


def is_reminder(match: Match | None) -> bool:
    """Return True for a request to be reminded, which is a job and nothing to do now."""
    return match is not None and match.sop.name == SOP


def serve(task: str, match: Match, home: Path, where: Where, lang: Lang) -> str:
    """Keep, list or cancel reminders; return what to say. Raises OSError, RepositoryError."""
    if "cancel" in match.parameters:
        return _cancelled(match.parameters["cancel"], home, lang)
    if "show" in match.parameters:
        return _listed(home, lang)
    return _kept(task, match, home, where, lang)


def _listed(home: Path, lang: Lang) -> str:
    lines = [f"- {each.line}" for each in _coming(home)]
    return "\n".join([say(lang, "reminder.list"), *lines]) if lines else say(lang, "reminder.none")


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
    """Keep a reminder at the times of a plan; return what to say. Raises OSError, RepositoryError."""
    plan.keep(home)
    text = plan.match.parameters["text"].removeprefix("to ").strip()
    return say(
        lang, "reminder.kept", text=text, when=f"{plan.when} → {plan.next.partition(', ')[0]}"
    )
