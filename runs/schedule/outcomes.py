"""Settle a due time: the run log's word goes into the ledger, a report to `schedule/done/`, a
notice to the inbox.

"Done" is what the run log says, never what a model says. Everything here may be done again after a
kill: the report has one name for its run, the notice one id, and the ledger takes an end once.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime, tzinfo
from hashlib import sha256
from pathlib import Path

from config import Config, Message, restored
from context import Prompts
from memory.files import write_atomic
from memory.inbox import Entry, Inbox
from memory.logs import read_events, summarise, worker
from models.base import Event
from runs.notify import Notice, Outbox, missed, of_run
from runs.schedule.folder import JobFolder
from runs.schedule.jobs import Job, is_id
from runs.schedule.ledger import FAILED, Ledger, Row, failures, micros
from text.sentences import said_in, say

REMINDER = "reminder"  # the SOP whose run is the reminder
MAX_FAILURES = 3  # in a row; then the job is paused
LOOKED_BACK = 50  # rows in which they are looked for
MAX_RESULT_CHARS = 4000
MAX_TOLD_CHARS = 300


class Outcomes:
    """Settles the rows of one home folder."""

    def __init__(self, config: Config, ledger: Ledger, folder: JobFolder) -> None:
        self._config, self._home, self._ledger, self._folder = config, config.home, ledger, folder
        self._prompts, self._inbox = Prompts(config.lang), Inbox(config.home)
        self._outbox = Outbox(config)
        self._broken: Mapping[str, str] = {}  # files, and what is wrong with them

    def settle(self, row: Row, job: Job | None, note: str = "") -> Row | None:
        """Return the row as the run log has it, once the run has ended or waits; None while that is
        open. `note`: why no model was asked. Raises OSError, LedgerError, RunLogError."""
        summary = summarise(self._home, row.run) if row.run else None
        if summary is None or summary.status in ("working", "interrupted"):
            return None
        if summary.status == "damaged":
            return self._end(
                replace(row, status="failed", reason=Message("error.due.damaged")), job, []
            )
        events = list(read_events(self._home, row.run))
        last = events[-1]
        settled = replace(
            row,
            status=summary.status,
            reason={"waiting": Message("error.due.waiting"), "no_model": note}.get(
                summary.status, ""
            ),
            ended=micros(datetime.fromisoformat(last["at"])),
            result=restored(str(last.get("result", ""))[:MAX_RESULT_CHARS], last.get("said", ())),
            model_calls=summary.model_calls,
            cost=summary.cost,
        )
        return self._end(settled, job, events)

    def fail(self, row: Row, job: Job | None, reason: str, now: datetime) -> Row:
        """End a row without a run that could say how it went."""
        return self._end(replace(row, status="failed", reason=reason, ended=micros(now)), job, [])

    def skip(self, row: Row, job: Job | None, reason: str, now: datetime) -> Row:
        """End a claimed row that is not to be run after all."""
        skipped = replace(row, status="skipped", reason=reason, ended=micros(now))
        self._ledger.end(skipped)
        if job is not None:
            self.tell_skipped(skipped, job)
        return skipped

    def tell_skipped(self, row: Row, job: Job) -> None:
        """Tell the owner of a due time that passed, when it was the only one or they want to hear
        of everything."""
        if {"always": True, "failure": job.is_single, "never": False}[job.notify]:
            reason = self._said(row.reason)
            text = self._prompts.text(
                "schedule_missed", job=job.id, due=_local(row.at, job.zone), reason=reason
            )
            self._tell(f"job-{row.job}-{row.due}", text, f"sopwith schedule run-now {job.id}")
            self._outbox.put(missed(self._config, f"job-{row.job}-{row.due}", job.id, text))

    def tell_broken(self, problems: Mapping[str, str]) -> None:
        """Tell the owner, once, of files that are no jobs; "" for one that is a job."""
        for id, problem in problems.items():
            if problem == self._broken.get(id):
                continue
            name = id if is_id(id) else sha256(os.fsencode(id)).hexdigest()[:12]
            if problem:
                said = self._said(problem)
                text = self._prompts.text("schedule_broken", job=id, problem=said)
                self._tell(f"job-{name}-broken", text, f"sopwith schedule show {shlex.quote(id)}")
            else:
                self._inbox.remove(f"job-{name}-broken")
        self._broken = problems

    def pause_if_failing(self, job: Job, since: datetime) -> bool:
        """Pause a job whose last three runs have failed, and tell the owner. `since`: from when its
        rule counts."""
        recent = [
            row for row in self._ledger.rows(job.id, LOOKED_BACK) if row.noticed >= micros(since)
        ]
        count = failures(recent)
        if count < MAX_FAILURES or not job.enabled:
            return False
        last = next(row for row in recent if row.status in FAILED)
        reason = _short(self._said(last.reason or last.result or last.status))
        text = self._prompts.text("schedule_paused", job=job.id, n=count, reason=reason)
        self._folder.change(
            job.id, f"schedule: {job.id} paused after {count} failures", enabled=False, paused=text
        )
        self._tell(f"job-{job.id}-paused", text, f"sopwith schedule enable {job.id}")
        self._outbox.put(missed(self._config, f"job-{job.id}-{recent[0].due}-paused", job.id, text))
        return True

    def _end(self, row: Row, job: Job | None, events: list[Event]) -> Row:
        if job is not None:
            if events:
                self._report(row, job, events)
            if job.notify != "never":
                self._tell_end(row, job, events)
        self._ledger.end(row)
        return row

    def _tell_end(self, row: Row, job: Job, events: list[Event]) -> None:
        """Tell the owner as the job says; each reminder is told, always."""
        last = events[-1] if events else {}
        if row.status == "done" and last.get("sop") == REMINDER:
            self._tell(f"job-{row.job}-{row.due}", row.result, f"sopwith schedule show {row.job}")
            self._outbox.put(self._notice(row, job))
            return
        if row.status in FAILED or job.notify == "always":
            self._notify(row, job)
        if self._is_news(row, job, last):
            self._outbox.put(self._notice(row, job))

    def _is_news(self, row: Row, job: Job, last: Event) -> bool:
        """Return True unless the job has said the very same the last time, and changed nothing."""
        if last.get("changes") or row.status == "waiting" or job.notify == "always":
            return True
        earlier = self._ledger.rows(job.id, 1, end=row.at)
        said = [(each.status, each.result, each.reason) for each in earlier]
        return (row.status, row.result, row.reason) not in said

    def _notice(self, row: Row, job: Job) -> Notice | None:
        if row.run and (found := of_run(self._config, row.run, job.id)):
            return found
        return missed(self._config, f"job-{row.job}-{row.due}", job.id, row.reason)

    def _notify(self, row: Row, job: Job) -> None:
        result = self._said(row.reason or row.result)
        text = self._prompts.text(
            "schedule_ended",
            job=row.job,
            due=_local(row.at, job.zone),
            status=say(self._config.lang, f"status.{row.status}"),
            result=_short(result),
        )
        shown = f"runs show {row.run}" if row.run else f"schedule show {row.job}"
        self._tell(f"job-{row.job}-{row.due}", text, f"sopwith {shown}")

    def _said(self, text: str) -> str:
        return said_in(self._config.lang, text)

    def _tell(self, id: str, text: str, command: str) -> None:
        self._inbox.add(Entry(id=id, run="", kind="notice", text=text, command=command))

    def _report(self, row: Row, job: Job, events: list[Event]) -> None:
        """`schedule/done/YYYY-MM-DD_HHMM_<id>.md`, by the job's own clock."""
        folder = self._home / "schedule" / "done"
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        write_atomic(_report_path(folder, row, job.zone), self._report_text(row, job, events))

    def _how(self, first: Event, last: Event) -> str:
        """Say whether the run was done by rote, or by which models."""
        if last["rote"] and last["sop"]:
            version = str(first.get("sop_version") or "")
            return self._prompts.text("schedule_by_rote", sop=last["sop"], version=version)
        models = ", ".join(first.get("models") or ["-"])
        return self._prompts.text("schedule_by_model", models=models)

    def _report_text(self, row: Row, job: Job, events: list[Event]) -> str:
        first, last = events[0], events[-1]
        calls = [event for event in events if event["type"] == "tool_ended"]
        steps = [
            f"{number}. {call['tool']}: {call['status']} ({call['seconds']:.1f} s)"
            for number, call in enumerate(calls, 1)
        ]
        return self._prompts.text(
            "schedule_report",
            job=row.job,
            status=row.status,
            due=_local(row.at, job.zone),
            timezone=job.timezone,
            began=_local(datetime.fromisoformat(first["at"]), job.zone),
            ended=_local(datetime.fromisoformat(last["at"]), job.zone),
            seconds=last["seconds"],
            run=row.run,
            how=self._how(first, last),
            model_calls=last["model_calls"],
            turns=last["turns"],
            cost=last["cost"],
            task=first["task"],
            result=said_in(self._config.lang, restored(last["result"], last.get("said", ()))) or "-",
            steps="\n".join(steps) or "-",
        ) + "\n"  # fmt: skip


def is_worked_on(home: Path, row: Row) -> bool:
    """Return True while a process is at the run of a row."""
    return bool(row.run) and worker(home / "runs" / row.run) is not None


def _report_path(folder: Path, row: Row, zone: tzinfo) -> Path:
    """Return the file of this run's report; a second run of the same minute has another."""
    stem, number = f"{row.at.astimezone(zone):%Y-%m-%d_%H%M}_{row.job}", 1
    while True:
        path = folder / f"{stem}{'' if number == 1 else f'_{number}'}.md"
        if not path.exists() or f" {row.run} " in path.read_text("utf-8", "replace"):
            return path
        number += 1


def _local(at: datetime, zone: tzinfo) -> str:
    return f"{at.astimezone(zone):%Y-%m-%d %H:%M:%S}".removesuffix(":00")


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= MAX_TOLD_CHARS else line[:MAX_TOLD_CHARS] + "…"
