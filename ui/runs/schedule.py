"""Jobs on the screen: `schedule
add|list|show|enable|disable|remove|run-now|history|start|install`."""

from __future__ import annotations

import re
import shlex
import signal
import sys
import threading
from argparse import Namespace
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from itertools import product
from pathlib import Path
from typing import Any

from config import Config, SopwithError
from memory.inbox import Inbox
from memory.journal.api import local_timezone
from runs.notify import delivering
from runs.parts import chosen_models
from runs.schedule.due import coming, due_after, health
from runs.schedule.folder import JobFolder
from runs.schedule.jobs import DAYS, Broken, Job, JobError, job_of
from runs.schedule.ledger import Ledger, Owner, Row, is_at_work, micros
from runs.schedule.outcomes import LOOKED_BACK, Outcomes
from safety.secrets import without
from ui.command import DRY_RUN, JSON, LIMIT, LIMITS, Argument, Option, command, is_at_terminal
from ui.lists import columns, print_json, print_list, print_table, worded
from ui.sanitise import clean, one_line
from ui.terminal import read_next
from ui.terminal import text_screen as plain
from ui.words import say, tell_error, words_of

SHOWN_ROWS = 30  # of a history for people; --limit says otherwise
_SHOWN = (  # fields of a job
    *("enabled", "max_delay_hours", "catch_up", "notify", "approve"),
    *("session", "model", "cwd", "limits"),
)


class ScheduleUsage(SopwithError):
    """The command cannot be meant for this job."""

    exit_code = 2


class AtWork(SopwithError):
    """The job is at work already."""


class _Jobs:
    """The jobs of a home folder with what the ledger says of them, read once."""

    def __init__(self, config: Config) -> None:
        self.folder, self.ledger = JobFolder(config.home), Ledger(config.home)
        self.now = datetime.now(UTC)
        self.all = self.folder.all()
        self._counted = self.ledger.counted(self.folder.rules(), self.now)
        outcomes = Outcomes(config, self.ledger, self.folder)
        for row in self.ledger.open_rows():  # answered since, or left by a kill: the log holds
            if row.run and (row.status == "waiting" or not self.ledger.is_alive(row.owner)):
                job = self.all.get(row.job)
                outcomes.settle(row, job if isinstance(job, Job) else None)

    def entry(self, id: str, lang: str) -> dict[str, Any]:
        """Return a job as machines read it (contract `schedule list`)."""
        job = self.all[id]
        rows = self.ledger.rows(id, LOOKED_BACK)
        last = {"last": row_as_json(rows[0])} if rows else {}
        if isinstance(job, Broken):
            found = {"id": id, "when": "", "next": [], "enabled": False, "health": "broken"}
            return {**found, "problem": words_of(job.problem), **last}
        since, cursor = self._counted[id]
        due, following = next(due_after(job, since, cursor), None), coming(job, since, self.now)
        return {
            "id": id,
            "when": when(job),
            "next": [at.astimezone(job.zone).isoformat(timespec="seconds") for at in following],
            "enabled": job.enabled,
            "health": health(job, rows, due, self.now),
            "task": job.task,
            "timezone": job.timezone,
            **last,
        }


def when(job: Job) -> str:
    """Say in the owner's language when a job is due."""
    if job.at is not None:
        return say("when.at", at=f"{job.at.astimezone(job.zone):%Y-%m-%d %H:%M}")
    if job.cron:
        return _through_the_day(job) or _on_days(job) or say("when.cron", line=job.cron[0])
    count, unit = job.every or (0, "")
    return say(f"when.every_{unit}", n=count)


def _through_the_day(job: Job) -> str:
    """Say that a job is due again and again from a time of each day on; "" where it is not."""
    steps = re.fullmatch(r"every_(\d+)([mh])", str(job.fields.get("repeat")))
    if steps is None:
        return ""
    often = say(f"when.every_{steps[2]}", n=int(steps[1]))
    return say("when.each_day_from", often=often, time=str(job.fields["schedule"]).strip("[]' "))


def _on_days(job: Job) -> str:
    """Say the times and the days of a job; "" where only its cron line tells them."""
    rows = [line.split() for line in job.cron]
    kind, days = _named_days(" ".join(rows[0][2:]))
    times = list(dict.fromkeys(time for row in rows for time in _times(*row[:2])))
    if not kind or "" in times:
        return ""
    count, unit = job.every or (0, "")
    kind = "once" if job.is_once else f"every_{unit}" if unit else kind
    return say(f"when.{kind}", n=count, days=days, times=", ".join(times))


def _times(minutes: str, hours: str) -> list[str]:
    """Return the times of a day that two fields of a cron line name; [""] where they are no
    numbers."""
    if not re.fullmatch(r"[\d,]+ [\d,]+", f"{minutes} {hours}"):
        return [""]
    pairs = product(hours.split(","), minutes.split(","))
    return [f"{int(hour):02d}:{int(minute):02d}" for hour, minute in pairs]


def _named_days(fields: str) -> tuple[str, str]:
    """Return how the last three fields of a cron line are said, and the days that they name; ""
    where nothing says it."""
    for rule, kind, each in _DAYS:
        if said := rule.fullmatch(fields):
            return kind, say("when.and").join(map(each, said[1].split(",")))
    return "", ""


def _weekday(said: str) -> str:
    return say(f"when.{DAYS[int(said) % 7] if said.isdecimal() else said}")


_DAYS: list[tuple[re.Pattern[str], str, Callable[[str], str]]] = [
    (re.compile(rule), kind, each)  # the last three fields of a cron line
    for rule, kind, each in (
        (r"(\*) \* \*", "daily", str),
        (r"(\*) \* 1-5", "weekday", str),
        (r"(\*) \* (?:0,6|6,0)", "weekend", str),
        (
            r"((?:\d+|L)(?:,(?:\d+|L))*) \* \*",
            "monthly",
            lambda said: say("when.last_day" if said == "L" else "when.day", n=said.lstrip("0")),
        ),
        (
            r"\* \* ([0-7](?:#[1-5]|L))",
            "monthly",
            lambda said: say(f"when.nth_{said[2:] or 'last'}", day=_weekday(said[0])),
        ),
        (r"\* \* ((?:[0-7]|[a-z]{3})(?:,(?:[0-7]|[a-z]{3}))*)", "weekly", _weekday),
    )
]


@command(
    "schedule add",
    Argument("when"),
    Argument("task", "*"),
    Option("--name", "JOB", key="opt.job-name"),
    Option("--sop", "SOP", key="opt.job-sop"),
    Option("--timezone", "ZONE"),
    Option("--yes", key="opt.yes-keep"),
    Option("--approve", "ask|never|all", key="opt.job-approve", default="ask", is_choice=True),
    *LIMITS,
    JSON,
)
def add(args: Namespace, config: Config) -> int:
    """`schedule add WHEN TASK`: shows what it understood, and keeps it. With --sop the task's words
    are k=v."""
    jobs, since = _Jobs(config), datetime.now(UTC)
    fields = _asked_for(args, config)
    words = re.findall(r"\w+", str(fields.get("sop", fields.get("prompt"))).lower())
    stem = "-".join(words[:4])[:30].strip("-_") or "job"
    id = args.name or jobs.folder.free(stem)
    if id in jobs.all:
        raise ScheduleUsage(say("schedule.taken", id=id))
    job = job_of(id, fields)
    following = coming(job, since, since)
    if not following:
        raise JobError("error.job.over", when=args.when)
    if not args.json:
        print(say("schedule.job", id=job.id, when=when(job), timezone=job.timezone))
        print(f"  {clean(job.task)}")
        for at in (each.astimezone(job.zone) for each in following):
            print(f"  {at:%Y-%m-%d %H:%M %Z} {say('when.' + DAYS[at.isoweekday() % 7])}")
        if not args.yes and not _agrees():
            return 1
    jobs.folder.write(id, fields, f"schedule: {id} added")
    jobs.folder.all()
    jobs.ledger.counted({id: (job.rule, since)}, since)
    _say_kept(config, job, as_json=args.json)
    return 0


def _asked_for(args: Namespace, config: Config) -> dict[str, Any]:
    """Return the fields of the job's file. Raises SopwithError."""
    from runs.schedule.when import read_when

    timezone = args.timezone or local_timezone()
    fields = read_when(args.when, datetime.now(UTC).replace(microsecond=0), timezone)
    fields.setdefault("timezone", timezone)
    fields |= _what(args, config)
    chosen_models(config, args.model)  # says which there are
    limits = {"turns": args.max_turns, "cost_usd": args.max_cost, "minutes": args.max_minutes}
    options = {
        "session": args.session,
        "model": args.model,
        "approve": None if args.approve == "ask" else args.approve,
        "cwd": str(args.cwd) if args.cwd else None,
        "limits": _given(limits),
    }
    return fields | _given(options)


def _given(values: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in values.items() if value not in (None, {})}


def _say_kept(config: Config, job: Job, *, as_json: bool) -> None:
    if as_json:
        print_json({"job": _Jobs(config).entry(job.id, config.lang)})
        return
    print(say("schedule.kept", id=job.id, path=config.home / "schedule" / f"{job.id}.json"))
    if not is_at_work(config.home):
        print(say("schedule.no_scheduler"))
    if job.prompt and not config.models:
        from ui.sops.sops import choice_of

        if choice_of(config, job.prompt, Path.cwd()).decision != "rote":
            print(say("schedule.no_model"))


def _what(args: Namespace, config: Config) -> dict[str, Any]:
    """Return what is to be done: the task, or an SOP whose parameters fit."""
    task = without(config, " ".join(args.task).strip())
    if not args.sop:
        if not task:
            raise ScheduleUsage(say("schedule.no_task"))
        return {"prompt": task}
    from ui.sops import sops

    sop = sops.find(config, args.sop)
    values = sops.parameters([without(config, each) for each in args.task])
    if sop.procedure is None or not sop.runs_alone:
        raise ScheduleUsage(say("schedule.not_alone", sop=sop.name, status=sop.status))
    sop.procedure.bind(values, args.cwd or Path.home())
    return {"sop": sop.name, **({"parameters": values} if values else {})}


def _agrees() -> bool:
    """Return True when the owner keeps the job, and where nobody can be asked."""
    if not is_at_terminal():
        return True
    try:
        return read_next(say("schedule.keep")).strip().lower() in ("", "y", "yes", "是", "好")
    except (EOFError, KeyboardInterrupt):
        return False


def listed(config: Config) -> dict[str, Any]:
    """Return all jobs as `schedule list --json` shows them."""
    jobs = _Jobs(config)
    entries = [jobs.entry(id, config.lang) for id in jobs.all]
    return {"jobs": entries, "running": is_at_work(config.home)}


@command("schedule list", JSON)
def list_(args: Namespace, config: Config) -> int:
    """`schedule list`."""
    found = listed(config)
    heads = columns("job:cyan health next when task*", health=worded("health."))
    print_list(args, found, heads, [_cells(each) for each in found["jobs"]], say("schedule.none"))
    if not (args.json or found["running"]) and any(each["next"] for each in found["jobs"]):
        print(say("schedule.no_scheduler"))
    return 0


def _cells(entry: dict[str, Any]) -> list[str]:
    soon = entry["next"][0][:16].replace("T", " ") if entry["next"] else "-"
    soon = soon if entry["enabled"] else say("schedule.off")
    what = entry.get("problem") or entry.get("task", "")
    return [one_line(entry["id"], 200), _health(entry), soon, entry["when"], one_line(what, 200)]


def _health(entry: dict[str, Any]) -> str:
    return say("health." + entry["health"].replace(" ", "_"))


@command("schedule show", Argument("job"), JSON)
def show(args: Namespace, config: Config) -> int:
    """`schedule show JOB`: the job, its next five due times, and what became of the last ones."""
    jobs = _Jobs(config)
    job = jobs.folder.get(args.job)
    entry = jobs.entry(args.job, config.lang)
    rows = jobs.ledger.rows(args.job, 5)
    if args.json:
        fields = dict(job.fields) if isinstance(job, Job) else None
        return print_json(
            {**entry, "fields": fields, "history": [row_as_json(row) for row in rows]}
        )
    print(f"{args.job} · {_health(entry)} · {jobs.folder.folder / args.job}.json")
    if "problem" in entry:
        print(f"  {clean(entry['problem'])}")
    if isinstance(job, Job):
        _print_job(job, entry)
    _print_rows(rows, jobs.all)
    return 0


def _print_job(job: Job, entry: dict[str, Any]) -> None:
    print(say("schedule.job", id=job.id, when=entry["when"], timezone=job.timezone))
    print(f"  {clean(job.task)}")
    said = [f"{key}: {one_line(str(job.fields[key]), 200)}" for key in _SHOWN if key in job.fields]
    if said:
        print(f"  {' · '.join(said)}")
    if job.paused:
        print(f"  {clean(job.paused)}")
    for at in entry["next"]:
        print(f"  → {at[:16].replace('T', ' ')}")


@command("schedule history", Argument("job", "?"), LIMIT, JSON)
def history(args: Namespace, config: Config) -> int:
    """`schedule history [JOB]`: each due time and what became of it, newest first."""
    rows = rows_of(config, args.job or "", args.limit or (0 if args.json else SHOWN_ROWS))
    if args.json:
        return print_json({"history": [row_as_json(row) for row in rows]})
    _print_rows(rows, JobFolder(config.home).all())
    return 0


def rows_of(config: Config, id: str, limit: int) -> list[Row]:
    """Return the due times of a job, or of all, newest first. Raises SopwithError for no job."""
    jobs = _Jobs(config)
    rows = jobs.ledger.rows(id, limit)
    if id and not rows:
        jobs.folder.get(id)
    return rows


def row_as_json(row: Row) -> dict[str, Any]:
    """Return a row as machines read it; moments in UTC."""
    kept = ("job", "status", "reason", "kind", "n", "result", "model_calls", "cost")
    return {
        **{key: getattr(row, key) for key in kept},
        "due": row.at.isoformat(),
        "run": row.run or None,
        "until": _moment(row.until if row.n > 1 else 0),
        "began": _moment(row.began),
        "ended": _moment(row.ended),
    }


def _moment(micros: int) -> str | None:
    return datetime.fromtimestamp(micros / 1e6, UTC).isoformat() if micros else None


def _print_rows(rows: list[Row], jobs: dict[str, Job | Broken]) -> None:
    cells = []
    for row in rows:
        zone = getattr(jobs.get(row.job), "zone", None)
        due = f"{row.at.astimezone(zone):%Y-%m-%d %H:%M}"
        due = say("schedule.many", due=due, n=row.n) if row.n > 1 else due
        cells.append([due, row.job, row.status, row.run, _outcome(row)])
    print_table(columns("due job:cyan status run result*"), cells, say("schedule.no_history"))


def _outcome(row: Row) -> str:
    return one_line(words_of(row.reason or row.result), 200)


@command("schedule enable", Argument("job"))
def enable(args: Namespace, config: Config) -> int:
    """`schedule enable JOB`: its times count from now on; a pause is over."""
    return _switch(args, config, True)


@command("schedule disable", Argument("job"))
def disable(args: Namespace, config: Config) -> int:
    """`schedule disable JOB`."""
    return _switch(args, config, False)


def _sound(folder: JobFolder, id: str) -> Job:
    """Return a job whose file can be read. Raises ScheduleUsage."""
    job = folder.get(id)
    if isinstance(job, Broken):
        raise ScheduleUsage(say("schedule.broken", id=job.id, problem=words_of(job.problem)))
    return job


def _switch(args: Namespace, config: Config, enabled: bool) -> int:
    folder = JobFolder(config.home)
    _sound(folder, args.job)
    verb = "enabled" if enabled else "disabled"
    folder.change(args.job, f"schedule: {args.job} {verb}", enabled=enabled, paused=None)
    if enabled:
        Inbox(config.home).remove(f"job-{args.job}-paused")
    _Jobs(config)  # from now on the rule counts
    print(say(f"schedule.{verb}", id=args.job))
    return 0


@command("schedule remove", Argument("job"))
def remove(args: Namespace, config: Config) -> int:
    """`schedule remove JOB`: the file goes; the history and the ledger keep what was."""
    folder = JobFolder(config.home)
    folder.get(args.job)
    commit = folder.remove(args.job, f"schedule: {args.job} removed")
    print(say("schedule.removed", id=args.job))
    if commit:
        home = shlex.quote(str(config.home))
        print(say("schedule.removed_back", id=args.job, home=home, commit=commit[:10]))
    return 0


@command("schedule run-now", Argument("job"), Option("--events"), DRY_RUN, JSON)
def run_now(args: Namespace, config: Config) -> int:
    """`schedule run-now JOB`: does it here and now, as it would be done at its time; it has its row
    in the ledger."""
    from runs.run import EXIT_CODES
    from runs.schedule.child import do

    jobs = _Jobs(config)
    job = _sound(jobs.folder, args.job)
    rows = [each for each in jobs.ledger.open_rows() if each.job == args.job]
    if any(each.status != "waiting" and jobs.ledger.is_alive(each.owner) for each in rows):
        raise AtWork(say("schedule.at_work", id=args.job))
    with delivering(config, tell_error), Owner(config.home, by_hand=True) as owner:
        now = datetime.now(UTC)
        [row] = jobs.ledger.add(
            [Row(job.id, micros(now), kind="hand", owner=owner.name, noticed=micros(now))], {}
        )
        screen = plain.EventsScreen() if args.events else plain.PlainScreen()
        do(config, jobs.ledger, row, screen.show)
        [row] = jobs.ledger.rows(job.id, 1, row.at, row.at + timedelta(microseconds=1))
    if row.status in ("failed", "skipped") and row.reason:
        print(words_of(row.reason), file=sys.stderr)
    return EXIT_CODES.get(row.status, 1)


@command("schedule start", Option("--unless-running"))
def start(args: Namespace, config: Config) -> int:
    """`schedule start`: works in the foreground until it is stopped."""
    from runs.heartbeat import Heartbeat
    from runs.schedule.scheduler import Scheduler

    if is_at_work(config.home):
        if args.unless_running:
            return 0
        print(say("schedule.another"), file=sys.stderr)
    stop = threading.Event()

    def ended(row: Row) -> None:
        at = f"{row.at.astimezone():%Y-%m-%d %H:%M:%S}"
        print(f"{at} {row.job}: {row.status} {_outcome(row)}".rstrip(), flush=True)

    scheduler = Scheduler(config, told=tell_error, ended=ended)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, lambda *_: stop.set())
    print(say("schedule.started", n=len(JobFolder(config.home).all())), file=sys.stderr, flush=True)
    upkeep = threading.Thread(target=Heartbeat(config).run, args=(stop,), daemon=True)
    upkeep.start()
    with delivering(config, tell_error):
        scheduler.run(stop)
    upkeep.join(2.0)
    return 0


@command("schedule install", Option("--remove"))
def install(args: Namespace, config: Config) -> int:
    """`schedule install [--remove]`."""
    from runs.schedule.install import installed, removed

    if args.remove:
        gone = removed(config.home, Path.home())
        print("".join(f"{line}\n" for line in gone), end="")
        print(say("schedule.uninstalled" if gone else "schedule.not_installed"))
        return 0
    name, lines = installed(config.home, Path.home())
    print("\n".join(lines))
    print(say("schedule.installed", name=name))
    return 0
