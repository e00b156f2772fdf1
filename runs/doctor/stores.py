"""Check what is kept, and the services that may share it: runs, jobs, SOPs, journal, Redis, Neo4j, the shared database, MCP servers."""

from __future__ import annotations

import shutil
from contextlib import closing
from pathlib import Path

from config import Config, Telegram
from context.phrases import in_words
from runs.doctor.check import Check, say

TELEGRAM_SECONDS = 5.0


def check_runs(config: Config) -> list[Check]:
    """How many runs there are."""
    from memory.logs import run_ids

    live, all_runs = len(run_ids(config.home, archived=False)), len(run_ids(config.home))
    if not all_runs:
        return []
    detail = say(config.lang, "runs", n=f"{all_runs:,}", archived=f"{all_runs - live:,}")
    return [Check("runs", True, detail)]


def check_schedules(config: Config) -> list[Check]:
    """Return True if jobs have a scheduler, and whether all of them can run."""
    from runs.schedule.due import JobFolder, problems
    from runs.schedule.ledger import is_at_work

    jobs = JobFolder(config.home).all()
    if not jobs:
        return []
    broken = sorted(problems(jobs))
    if broken:
        detail = say(config.lang, "broken jobs", n=len(jobs), names=", ".join(broken[:5]))
        return [Check("schedules", False, detail, f"sopwith schedule show {broken[0]}")]
    if not is_at_work(config.home):
        return [
            Check(
                "schedules",
                None,
                say(config.lang, "no scheduler", n=len(jobs)),
                "sopwith schedule install",
            )
        ]
    return [Check("schedules", True, say(config.lang, "jobs", n=len(jobs)))]


def check_sops(config: Config) -> Check:
    """How many SOPs there are, and which of them cannot be used."""
    from memory.sops import SopStore

    sops = SopStore(Path(__file__).parents[2] / "sops", config.home / "sops").all()
    broken = [sop for sop in sops if sop.problem]
    if broken:
        names = ", ".join(sop.name for sop in broken)
        detail = say(config.lang, "broken", names=names, problem=broken[0].problem)
        return Check("sops", False, detail, f"sopwith sops show {broken[0].name}")
    alone = sum(sop.runs_alone for sop in sops)
    return Check("sops", bool(sops), say(config.lang, "sops", n=len(sops), alone=alone))


def check_memory(config: Config) -> list[Check]:
    """Return what the journal holds and whether it can be searched, by words and by meaning."""
    from models.embeddings import embedder

    made = embedder(config.embeddings)
    by_meaning = (
        Check("embeddings", True, made.name)
        if made
        else Check("embeddings", None, say(config.lang, "no vectors"))
    )
    return [_check_journal(config), by_meaning]


def _check_journal(config: Config) -> Check:
    from memory.journal.lock import JournalError
    from memory.journal.store import INDEX, Store

    index = config.home / "journal" / INDEX
    if not index.is_file():
        return Check("journal", True, say(config.lang, "no journal"))
    try:
        store = Store(index, readonly=True)
        try:
            detail = say(
                config.lang, "journal", n=store.count(), waiting=sum(store.queues().values())
            )
        finally:
            store.close()
    except JournalError:
        return Check("journal", False, say(config.lang, "bad journal"), "sopwith memory rebuild")
    return Check("journal", True, detail)


def check_redis(config: Config) -> list[Check]:
    """Return True if the configured Redis answers; without it the window of a session is that of one process and the run logs."""
    if config.redis is None:
        return []
    from memory.window import MISSING, problem_of

    problem = problem_of(config.redis.url)
    if not problem:
        return [Check("redis", True, say(config.lang, "redis"))]
    fix = "scripts/setup --extra redis" if problem == MISSING else "redis-server"
    return [Check("redis", None, say(config.lang, "no redis", why=problem), fix)]


def check_graph(config: Config) -> list[Check]:
    """Return True if the configured Neo4j answers; without it the mind graph is in the journal's database alone."""
    if config.graph is None:
        return []
    from memory.graph.neo4j_graph import MISSING, GraphDown, Neo4jGraph

    try:
        Neo4jGraph(config.graph, config.home).version()
    except GraphDown as down:
        why = str(down).partition("\n")[0]
        fix = "scripts/setup --extra neo4j" if MISSING in why else "neo4j start"
        return [Check("neo4j", None, say(config.lang, "no neo4j", why=why), fix)]
    return [Check("neo4j", True, say(config.lang, "neo4j"))]


def check_queue(config: Config) -> list[Check]:
    """Return True if the database that machines share answers, when one is configured; how much there waits and is at work."""
    if config.queue is None:
        return []
    from runs.workers.database import MISSING, QueueError, opened

    query = "SELECT count(*) FILTER (WHERE status = 'queued'), count(*) FILTER (WHERE status = 'working') FROM sopwith_runs"
    try:
        with closing(opened(config)) as database:
            waiting, working = database.ask(lambda it: it.execute(query).fetchone()) or (0, 0)
    except QueueError as error:
        fix = "scripts/setup --extra queue" if str(error) == MISSING else ""
        return [Check("queue", False, in_words(str(error).splitlines()[0], config.lang), fix)]
    return [Check("queue", True, say(config.lang, "queue", waiting=waiting, working=working))]


def check_mcp(config: Config) -> list[Check]:
    """Return True if the configured MCP servers could be asked; none is started for it."""
    names = ", ".join(config.mcp.servers)
    if not names:
        return []
    from tools.mcp import problem

    if problem():
        return [
            Check("mcp", None, say(config.lang, "no mcp", names=names), "scripts/setup --extra mcp")
        ]
    gone = [
        name
        for name, each in config.mcp.servers.items()
        if each.command and not shutil.which(Path(each.command[0]).expanduser())
    ]
    if gone:
        return [
            Check(
                "mcp",
                False,
                say(config.lang, "no mcp program", names=", ".join(gone)),
                "sopwith mcp test",
            )
        ]
    return [Check("mcp", True, say(config.lang, "mcp", names=names))]


def check_notify(config: Config) -> list[Check]:
    """Return True if notifications could be sent; none is. Nothing where no address is set."""
    from runs.notify import problem
    from runs.notify.senders import MISSING

    if not config.notify.urls:
        return []
    found = problem(config)
    if found:
        is_missing = found.message.key == MISSING
        fix = "scripts/setup --extra notify" if is_missing else "sopwith config path"
        return [Check("notify", False, found.said(config.lang).splitlines()[0], fix)]
    return [Check("notify", True, say(config.lang, "notify", n=len(config.notify.urls)))]


def check_channels(config: Config) -> list[Check]:
    """Return True if the bot's token is taken; nothing where no channel is set."""
    found: list[Check] = []
    if config.channels.telegram:
        found.append(_check_telegram(config, config.channels.telegram))
    if config.channels.webhook:
        port = config.channels.webhook.port
        found.append(Check("webhook", True, say(config.lang, "webhook", port=port)))
    return found


def _check_telegram(config: Config, settings: Telegram) -> Check:
    import requests

    address = f"{settings.base_url.rstrip('/')}/bot{settings.token}/getMe"
    try:
        said = requests.post(address, timeout=TELEGRAM_SECONDS).json()
    except (requests.RequestException, ValueError):  # its text holds the token
        return Check("telegram", False, say(config.lang, "no telegram", why=settings.base_url))
    if not said.get("ok"):
        detail = say(config.lang, "no telegram", why=said.get("description"))
        return Check("telegram", False, detail, "sopwith config path")
    name = (said.get("result") or {}).get("username")
    return Check("telegram", True, say(config.lang, "telegram", name=name))
