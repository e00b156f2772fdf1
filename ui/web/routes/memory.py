"""The memory: recall, the journal by day, facts, MEMORY.md, what can be taken back. Routes:
docs/web-api.md."""

from __future__ import annotations

import re
from contextlib import suppress
from datetime import UTC, date, datetime, timedelta
from typing import Any

from config import Message, SopwithError
from memory.digest import entries
from memory.files import read_owner_text
from memory.history import Repository
from memory.home import MAIN
from memory.journal.api import local_timezone
from memory.journal.originals import zone
from memory.journal.store import INDEX, Store
from memory.notes import days as note_days
from memory.notes import read as read_note
from text.time import find
from ui.memory import facts_as_json, iso, opened, recalled, results_as_json, turn_as_json
from ui.memory import store as fact_store
from ui.web import shapes
from ui.web.routes.here import Here, Json, routes
from ui.web.site import Conflict, found
from ui.words import words_of

to = routes("memory")


@to.get("/api/memory/search")
def search(site: Here, q: str, limit: int = 20, session: str | None = None) -> Json:
    now = datetime.now(UTC).astimezone(zone(local_timezone()))
    most = max(1, min(limit, 100))
    found = results_as_json(recalled(site.config, q[:4_000], now, most, session or None))
    for row in found["results"]:
        row["why"] = words_of(row["why"])
    ranges = [
        {"start": iso(each.start), "end": iso(each.end), "text": each.text}
        for each in find(q[:4_000], now)
    ]
    return {**found, "ranges": ranges}


@to.get("/api/memory/overview")
def overview(site: Here) -> Json:
    with opened(site.config) as memory:
        memory.rest()
        held = memory.overview()
    return {**held, "first": iso(held["first"]), "last": iso(held["last"])}


@to.get("/api/memory/days")
def days(site: Here) -> Json:
    counted: dict[str, int] = {}  # turns, by the day of their file
    for file in (site.home / "journal").glob("????-??-??.md"):
        with suppress(OSError, SopwithError):
            counted[file.stem] = file.read_bytes().count(b"<!-- turn {")
    noted = {day.isoformat() for day in note_days(site.home)}
    rows = [
        {"day": day, "turns": counted.get(day, 0), "note": day in noted}
        for day in sorted({*counted, *noted}, reverse=True)
    ]
    return {"days": rows}


@to.get("/api/memory/days/{day}")
def one_day(site: Here, day: str, limit: int = 500) -> Json:
    when = _date(day)
    start = datetime(when.year, when.month, when.day, tzinfo=zone(local_timezone()))
    turns: list[Any] = []
    if (site.home / "journal" / INDEX).is_file():
        store = Store(site.home / "journal" / INDEX, readonly=True)
        try:
            end = start + timedelta(days=1)
            numbers = store.said_between(start, end, limit=max(1, min(limit, 5_000)))
            by_number = store.turns(numbers)
            turns = [turn_as_json(by_number[number]) for number in numbers if number in by_number]
        finally:
            store.close()
    return {"day": day, "turns": turns, "note": read_note(site.home, when, MAIN)}


@to.get("/api/memory/turns/{id}")
def turn(site: Here, id: str) -> Json:
    with opened(site.config) as memory:
        memory.rest()
        one = found(memory.turn(id), Message("error.web.no-journal-turn"))
        around = memory.around(one, 3)
    return {"turn": turn_as_json(one), "around": [turn_as_json(each) for each in around]}


@to.get("/api/memory/facts")
def facts(site: Here) -> Json:
    return facts_as_json(fact_store(site.config).all())


@to.get("/api/memory/file")
def memory_file(site: Here) -> Json:
    text = ""
    with suppress(FileNotFoundError):
        text = read_owner_text(site.home, "MEMORY.md").text
    rows = [
        {name: getattr(each, name) for name in ("id", "category", "text", "day", "source")}
        | {"verbatim": each.is_verbatim, "superseded_by": each.by or None}
        for each in entries(site.home)
    ]
    return {"entries": rows, "text": text}


@to.get("/api/memory/history")
def history(site: Here, limit: int = 50) -> Json:
    repository, most = Repository(site.home), max(1, min(limit, 500))
    wanted = [path for path in ("memory", "MEMORY.md") if (site.home / path).exists()]
    commits = {c.id: c for path in wanted for c in repository.log(path, most)}
    newest = sorted(commits.values(), key=lambda each: each.at, reverse=True)[:most]
    rows = []
    for commit in newest:
        run = re.search(r"^Sopwith-Run: (\S+)$", commit.message, re.MULTILINE)
        about = {"commit": commit.id, "at": commit.at, "text": commit.subject}
        rows.append({**about, "run": run[1] if run else None})
    return {"changes": rows}


@to.post("/api/memory/undo")
async def undo(site: Here) -> Json:
    return {"said": await site.said_by(["memory", "undo"])}


@to.post("/api/memory/note")
async def note(site: Here, body: shapes.Said) -> Json:
    if not body.text.strip():
        raise Conflict("error.ui-web.nothing-do-message-empty")
    if len(body.text) > 20_000:
        raise Conflict("error.ui-web.note-most-characters")
    return {"said": await site.said_by(["memory", "note", "--", body.text])}


@to.post("/api/memory/digest", status_code=202)
async def digest(site: Here) -> Json:
    return site.errand("digest", "MEMORY.md", ["memory", "digest"])


def _date(text: str) -> date:
    try:
        day = date.fromisoformat(text)
    except ValueError:
        day = date.max
    if not date.min < day < date.max - timedelta(days=1):  # zones need a day on each side
        raise Conflict("error.ui-web.day-day-looks-like")
    return day
