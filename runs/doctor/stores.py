"""Report what works here: the models, what is kept, and the services that may share it. Nothing is
changed, no key is shown."""

from __future__ import annotations

import shutil
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

from config import Config, Lang, ModelConfig, SopwithError, Telegram
from runs.control.remote import queue_of
from runs.doctor.machine import Check, check_machine, check_programs, extra, found
from text import plugin
from text.sentences import say

TELEGRAM_SECONDS = 5.0
TRY_SECONDS = 60.0  # for a tool call and its answer; a local model may have to be loaded first
NEEDED = ("asked", "call", "answer")  # of what is tried: without these no task is done


def checks(config: Config, *, tries_models: bool = False) -> list[Check]:
    """Look at everything; takes as long as the slowest endpoint, a few seconds at most.
    `tries_models`: each is asked for a tool call too, which a provider bills."""
    return [
        *check_machine(config),
        *_schedules(config),
        *check_models(config, tries_models=tries_models),
        _sops(config),
        _journal(config),
        _embeddings(config),
        *check_redis(config),
        *_queue(config),
        *check_graph(config),
        *_mcp(config),
        *check_programs(config),
        *_notify(config),
        *_channels(config),
    ]


def check_models(config: Config, *, tries_models: bool) -> list[Check]:
    """Ask all endpoints at the same time; then each that may serve for one tool call, where that is
    wanted."""
    lang, models = config.lang, config.models
    if not models:
        return [found(lang, "models", False, "no-model", say(lang, "doctor.no-model-fix"))]
    with ThreadPoolExecutor(max_workers=8) as pool:
        asked = list(pool.map(lambda model: _listed(model, lang), models))
    if not tries_models:
        return asked
    able = [m for m, check in zip(models, asked, strict=True) if check.ok is not False]
    return asked + [_tried(model, lang) for model in able if model.kind != "scripted"]


def _listed(model: ModelConfig, lang: Lang) -> Check:
    """Say if an endpoint answers, takes the key and knows the model."""
    name = f"model {model.name}"
    if model.kind == "scripted":
        is_there = Path(model.model).expanduser().is_file()
        return found(lang, name, is_there, "script" if is_there else "no-script", file=model.model)
    if not (model.api_key.isascii() and model.api_key.isprintable()):
        return found(lang, name, False, "odd-key", say(lang, "doctor.key-fix"))
    return _asked(model, lang)


def _asked(model: ModelConfig, lang: Lang) -> Check:
    from models.endpoint import Endpoint, read_listing

    name = f"model {model.name}"
    with closing(Endpoint(model)) as endpoint:
        answer, url = read_listing(endpoint), endpoint.shown_url
    status = answer.status
    if status in (401, 403):
        problem, fix = "wrong-key" if model.api_key else "no-key", say(lang, "doctor.key-fix")
        return found(lang, name, False, problem, fix, url=url, status=status)
    if status == 0 or (status >= 500 and status != 501):
        fix, why = f"curl -sS {url}/models", status or answer.problem
        return found(lang, name, False, "unreachable", fix, url=url, why=why)
    if not answer.names:
        return found(lang, name, None, "no-listing", url=url, status=status)
    if model.model in answer.names:
        return found(lang, name, True, "model", url=url, model=model.model)
    fix, some = say(lang, "doctor.unlisted-fix"), ", ".join(answer.names[:5])
    return found(lang, name, None, "unlisted", fix, url=url, model=model.model, some=some)


def _tried(model: ModelConfig, lang: Lang) -> Check:
    """Ask a model for one tool call, and send its result back."""
    from models.endpoint import try_model

    name = f"call {model.name}"
    for finding in try_model(model, TRY_SECONDS):
        if finding.what in NEEDED and not finding.ok:
            fix = f"sopwith models test {model.name}"
            why = finding.detail.partition("\n")[0] or finding.what
            return found(lang, name, False, "not-tried", fix, why=why)
        if finding.what == NEEDED[-1]:
            break
    return found(lang, name, True, "tried")


def _schedules(config: Config) -> list[Check]:
    """Say if jobs have a scheduler, and whether all of them can run."""
    from runs.schedule.due import problems
    from runs.schedule.folder import JobFolder
    from runs.schedule.ledger import is_at_work

    lang, jobs = config.lang, JobFolder(config.home).all()
    if not jobs:
        return []
    if broken := sorted(problems(jobs)):
        fix, names = f"sopwith schedule show {broken[0]}", ", ".join(broken[:5])
        return [found(lang, "schedules", False, "broken-jobs", fix, n=len(jobs), names=names)]
    if not is_at_work(config.home):
        fix = "sopwith schedule install"
        return [found(lang, "schedules", None, "no-scheduler", fix, n=len(jobs))]
    return [found(lang, "schedules", True, "jobs", n=len(jobs))]


def _sops(config: Config) -> Check:
    """Count the SOPs, and name those that cannot be used."""
    from memory.sops import SopStore

    sops = SopStore(Path(__file__).parents[2] / "sops", config.home / "sops").all()
    if broken := [sop for sop in sops if sop.problem]:
        names, fix = ", ".join(sop.name for sop in broken), f"sopwith sops show {broken[0].name}"
        problem = broken[0].problem
        return found(config.lang, "sops", False, "broken", fix, names=names, problem=problem)
    alone = sum(sop.runs_alone for sop in sops)
    return found(config.lang, "sops", bool(sops), "sops", n=len(sops), alone=alone)


def _journal(config: Config) -> Check:
    """Say what the journal holds."""
    from memory.journal.lock import JournalError
    from memory.journal.store import INDEX, Store

    index = config.home / "journal" / INDEX
    if not index.is_file():
        return found(config.lang, "journal", True, "no-journal")
    try:
        with closing(Store(index, readonly=True)) as store:
            count, waiting = store.count(), sum(store.queues().values())
    except JournalError:
        return found(config.lang, "journal", False, "bad-journal", "sopwith memory rebuild")
    return found(config.lang, "journal", True, "journal", n=count, waiting=waiting)


def _embeddings(config: Config) -> Check:
    """Say if what was said can be searched by its meaning."""
    from models.embeddings import embedder

    made = embedder(config.embeddings)
    if made is None:
        return found(config.lang, "embeddings", None, "no-vectors")
    return Check("embeddings", True, made.name)


def check_redis(config: Config) -> list[Check]:
    """Ask the configured Redis; without it the window of a session is that of one process and the
    run logs."""
    if config.redis is None:
        return []
    from memory.window import MISSING, problem_of

    problem = problem_of(config.redis.url)
    if not problem:
        return [found(config.lang, "redis", True, "redis")]
    fix = extra("redis") if problem == MISSING else "redis-server"
    return [found(config.lang, "redis", None, "no-redis", fix, why=problem)]


def check_graph(config: Config) -> list[Check]:
    """Ask the configured graph; without it the mind graph is in the journal's database alone."""
    if config.graph is None:
        return []
    name = config.graph.kind
    try:
        plugin.one("graph", name)(config.graph, config.home).version()
    except SopwithError as down:
        why = str(down).partition("\n")[0]
        fix = extra("neo4j") if "not installed" in why else "neo4j start"
        return [found(config.lang, name, None, "no-neo4j", fix, why=why)]
    return [found(config.lang, name, True, "neo4j")]


def _queue(config: Config) -> list[Check]:
    """Ask the database that machines share; say how much there waits and is at work."""
    if config.queue is None:
        return []
    try:
        waiting, working = queue_of(config).counts(config)
    except SopwithError as error:
        fix = extra("queue") if error.message.key == "error.queue.missing" else ""
        return [Check("queue", False, error.said(config.lang).splitlines()[0], fix)]
    return [found(config.lang, "queue", True, "queue", waiting=waiting, working=working)]


def _mcp(config: Config) -> list[Check]:
    """Say if the configured MCP servers could be asked; none is started for it."""
    servers, lang = config.mcp.servers, config.lang
    if not servers:
        return []
    from tools.mcp import problem

    names = ", ".join(servers)
    if problem():
        return [found(lang, "mcp", None, "no-mcp", extra("mcp"), names=names)]
    programs = {name: each.command[0] for name, each in servers.items() if each.command}
    gone = [n for n, program in programs.items() if not shutil.which(Path(program).expanduser())]
    if gone:
        fix = "sopwith mcp test"
        return [found(lang, "mcp", False, "no-mcp-program", fix, names=", ".join(gone))]
    return [found(lang, "mcp", True, "mcp", names=names)]


def _notify(config: Config) -> list[Check]:
    """Say if notifications could be sent; none is. Nothing where no address is set."""
    from runs.notify import problem
    from runs.notify.notices import MISSING

    if not config.notify.urls:
        return []
    if wrong := problem(config):
        fix = extra("notify") if wrong.message.key == MISSING else "sopwith config path"
        return [Check("notify", False, wrong.said(config.lang).splitlines()[0], fix)]
    return [found(config.lang, "notify", True, "notify", n=len(config.notify.urls))]


def _channels(config: Config) -> list[Check]:
    """Say if the bot's token is taken; nothing where no channel is set."""
    telegram, webhook = config.channels.telegram, config.channels.webhook
    lines = [_telegram(config, telegram)] if telegram else []
    if webhook:
        lines.append(found(config.lang, "webhook", True, "webhook", port=webhook.port))
    return lines


def _telegram(config: Config, settings: Telegram) -> Check:
    import requests

    lang, address = config.lang, f"{settings.base_url.rstrip('/')}/bot{settings.token}/getMe"
    try:
        said = requests.post(address, timeout=TELEGRAM_SECONDS).json()
    except (requests.RequestException, ValueError):  # its text holds the token
        return found(lang, "telegram", False, "no-telegram", why=settings.base_url)
    if not said.get("ok"):
        fix, why = "sopwith config path", said.get("description")
        return found(lang, "telegram", False, "no-telegram", fix, why=why)
    name = (said.get("result") or {}).get("username")
    return found(lang, "telegram", True, "telegram", name=name)
