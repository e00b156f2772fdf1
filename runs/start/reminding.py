"""Keep a reminder as a job of the schedule; its time is read by text/time. No model is needed."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from config import Lang
from learning.route import Match, Where
from text.sentences import say

if TYPE_CHECKING:
    from memory.sops import Sop
    from runs.start.planned import Planned

SOP = "reminder"
MORNING = "T09:00"  # of a day without a time


def is_reminder(match: Match | None) -> bool:
    """Return True for a request to be reminded, which is a job and nothing to do now."""
    return match is not None and match.sop.name == SOP


def keep(task: str, match: Match, home: Path, where: Where, lang: Lang) -> str:
    """Write the job of a reminder; return what to say, which without a time is a
    question. Raises OSError, RepositoryError."""
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
