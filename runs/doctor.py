"""What works on this machine and what is missing, each with the command that mends it; never shows a key.

Only looks: the one thing that leaves the machine is a GET of `models` at each configured endpoint.
"""

from __future__ import annotations

import importlib.util
import json
import locale
import os
import platform
import re
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from config import Config, Lang, ModelConfig
from context.phrases import in_words
from memory.home import LAYOUT, HomeError, open_home

ASK_SECONDS = 3.0
MAX_LISTING_BYTES = 4_000_000
LITTLE_SPACE_BYTES = 200_000_000
MANY_RUNS = 200_000  # folders that a list has to look through
DU_SECONDS = 10.0
LIBRARIES = {  # module: package
    "openai": "openai",
    "yaml": "pyyaml",
    "psutil": "psutil",
    "requests": "requests",
    "rich": "rich",
    "prompt_toolkit": "prompt_toolkit",
    "fastjsonschema": "fastjsonschema",
    "json_repair": "json-repair",
    "pexpect": "pexpect",
    "pyte": "pyte",
    "tree_sitter": "tree-sitter",
    "tree_sitter_bash": "tree-sitter-bash",
    "cronsim": "cronsim",
}
INSTALLERS = {
    "apt-get": "sudo apt-get install",
    "dnf": "sudo dnf install",
    "pacman": "sudo pacman -S",
    "apk": "sudo apk add",
    "brew": "brew install",
}


@dataclass(frozen=True, slots=True)
class Check:
    """One line of the report. `ok` is None where nothing is broken and something could be better; `fix` is a command,
    or the line to add to config.yaml."""

    name: str
    ok: bool | None
    detail: str
    fix: str = ""


def checks(config: Config) -> list[Check]:
    """Looks at everything; takes as long as the slowest endpoint, a few seconds at most."""
    lang = config.lang
    libraries = check_libraries(lang)
    here = [
        check_python(),
        libraries,
        check_home(config),
        check_disk(config),
        *check_runs(config),
        *check_schedules(config),
        *check_privacy(config),
    ]
    around = [*check_programs(lang), check_terminal(lang)]
    if not libraries.ok:  # what follows needs them
        return [*here, *around]
    with ThreadPoolExecutor(max_workers=8) as pool:
        asked = list(pool.map(lambda model: check_model(model, lang), config.models))
    models = asked or [Check("models", False, _say(lang, "no model"), _say(lang, "no model fix"))]
    prices = [check for model in config.models for check in check_price(model, lang)]
    return [
        *here,
        *models,
        *prices,
        check_sops(config),
        *check_memory(config),
        *check_redis(config),
        *check_queue(config),
        *check_graph(config),
        *check_mcp(config),
        check_browser(config),
        check_screen(lang),
        check_shells(lang),
        *around,
        *check_desktop(config),
        *check_trash(config),
    ]


def check_python() -> Check:
    """An older Python than 3.11 does not come this far."""
    return Check("python", True, f"{platform.python_version()} ({sys.executable})")


def check_libraries(lang: Lang) -> Check:
    """The packages of requirements/core.in, looked up and not imported."""
    missing = [package for module, package in LIBRARIES.items() if importlib.util.find_spec(module) is None]
    if missing:
        return Check("packages", False, _say(lang, "missing", names=", ".join(missing)), "./sopwith doctor")
    return Check("packages", True, _say(lang, "all there", n=len(LIBRARIES)))


def check_home(config: Config) -> Check:
    """The home folder, or the right to make it."""
    home = config.home
    if not home.exists():
        parent = _nearest_folder(home)
        is_possible = os.access(parent, os.W_OK | os.X_OK)
        detail = _say(config.lang, "home later" if is_possible else "home never", home=home, parent=parent)
        return Check("home", is_possible, detail, "" if is_possible else "export SOPWITH_HOME=DIR")
    try:
        open_home(home)
    except HomeError as error:
        return Check("home", False, in_words(str(error), config.lang), "export SOPWITH_HOME=DIR")
    return Check("home", True, _say(config.lang, "home", home=home, layout=LAYOUT))


def check_disk(config: Config) -> Check:
    """Room for run logs and outputs."""
    free = shutil.disk_usage(_nearest_folder(config.home)).free
    detail = _say(config.lang, "free", gigabytes=f"{free / 1e9:.1f}", home=config.home)
    return Check("disk", free >= LITTLE_SPACE_BYTES, detail, f"du -h -d 1 {config.home}")


def check_runs(config: Config) -> list[Check]:
    """How many runs there are and how much of the disk they take; `du` counts, since there may be 100,000 folders."""
    from memory.runlog import run_ids

    live, all_runs = len(run_ids(config.home, archived=False)), len(run_ids(config.home))
    if not all_runs:
        return []
    try:
        command = ["du", "-sk", str(config.home / "runs")]
        said = subprocess.run(command, capture_output=True, text=True, timeout=DU_SECONDS, check=False).stdout
        size = f"{int(said.split()[0]) / 1e6:.2f}"
    except (OSError, ValueError, IndexError, subprocess.TimeoutExpired):
        size = "?"
    detail = _say(config.lang, "runs", n=f"{all_runs:,}", archived=f"{all_runs - live:,}", gigabytes=size)
    is_much = live > MANY_RUNS
    return [Check("runs", None if is_much else True, detail, "sopwith runs archive --days 30" if is_much else "")]


def check_schedules(config: Config) -> list[Check]:
    """Whether jobs have a scheduler, and whether all of them can run."""
    from runs.schedule.calendar import problems
    from runs.schedule.folder import JobFolder
    from runs.schedule.ledger import is_at_work

    jobs = JobFolder(config.home).all()
    if not jobs:
        return []
    broken = sorted(problems(jobs))
    if broken:
        detail = _say(config.lang, "broken jobs", n=len(jobs), names=", ".join(broken[:5]))
        return [Check("schedules", False, detail, f"sopwith schedule show {broken[0]}")]
    if not is_at_work(config.home):
        return [Check("schedules", None, _say(config.lang, "no scheduler", n=len(jobs)), "sopwith schedule install")]
    return [Check("schedules", True, _say(config.lang, "jobs", n=len(jobs)))]


def check_privacy(config: Config) -> list[Check]:
    """A config.yaml with a key in it is for the owner's eyes."""
    file = config.home / "config.yaml"
    if not any(model.api_key for model in config.models) or not file.exists() or not file.stat().st_mode & 0o077:
        return []
    return [Check("privacy", None, _say(config.lang, "readable", file=file), f"chmod 600 {file}")]


def check_model(model: ModelConfig, lang: Lang) -> Check:
    """Whether an endpoint answers, takes the key and knows the model."""
    name = f"model {model.name}"
    if model.kind == "scripted":
        is_there = Path(model.model).expanduser().is_file()
        return Check(name, is_there, _say(lang, "script" if is_there else "no script", file=model.model))
    if not (model.api_key.isascii() and model.api_key.isprintable()):
        return Check(name, False, _say(lang, "odd key"), _say(lang, "key fix"))
    from models.endpoint import Endpoint

    url = Endpoint(model, ASK_SECONDS, ASK_SECONDS, ASK_SECONDS).shown_url
    status, found = ask_models(model)
    if status in (401, 403):
        problem = "wrong key" if model.api_key else "no key"
        return Check(name, False, _say(lang, problem, url=url, status=status), _say(lang, "key fix"))
    if status is None or (status >= 500 and status != 501):
        why = found[0] if found else str(status)
        return Check(name, False, _say(lang, "unreachable", url=url, why=why), _say(lang, "unreachable fix", url=url))
    if not found:
        return Check(name, None, _say(lang, "no listing", url=url, status=status))
    if model.model not in found:
        some = ", ".join(found[:5])
        return Check(
            name, None, _say(lang, "unlisted", url=url, model=model.model, some=some), _say(lang, "unlisted fix")
        )
    return Check(name, True, _say(lang, "model", url=url, model=model.model))


def ask_models(model: ModelConfig) -> tuple[int | None, list[str]]:
    """GET `models`: the status with the names that it lists, or None with one line that says why there is no answer."""
    import requests

    from models.endpoint import Endpoint, is_local

    endpoint = Endpoint(model, ASK_SECONDS, ASK_SECONDS, ASK_SECONDS)
    url = f"{endpoint.base_url.rstrip('/')}/models"

    def sign(request: requests.PreparedRequest) -> requests.PreparedRequest:
        # As an `auth`, so that a .netrc does not take the place of the key.
        if model.api_key:
            request.headers["Authorization"] = f"Bearer {model.api_key}"
        return request

    with requests.Session() as session:
        session.trust_env = not is_local(endpoint.base_url)  # what is on this machine is behind no proxy
        try:
            with session.get(url, auth=sign, timeout=ASK_SECONDS, stream=True, allow_redirects=False) as answer:
                return answer.status_code, _listed(answer) if answer.status_code == 200 else []
        except requests.exceptions.SSLError:
            return None, ["TLS: its certificate is not trusted"]
        except requests.Timeout:
            return None, [f"no answer within {ASK_SECONDS:g} s"]
        except requests.ConnectionError:
            return None, ["no connection"]
        except (requests.RequestException, ValueError) as error:
            return None, [type(error).__name__]


def _listed(answer: Any) -> list[str]:
    """The model names of a listing; none when it is something else, too large or too slow."""
    body, end = b"", time.monotonic() + ASK_SECONDS
    for piece in answer.iter_content(65_536):
        body += piece
        if len(body) > MAX_LISTING_BYTES or time.monotonic() > end:
            return []
    try:
        listing = json.loads(body)
    except (ValueError, RecursionError):
        return []
    entries = listing.get("data") if isinstance(listing, dict) else None
    names = [entry.get("id") for entry in entries if isinstance(entry, dict)] if isinstance(entries, list) else []
    return [name for name in names if isinstance(name, str)]


def check_price(model: ModelConfig, lang: Lang) -> list[Check]:
    """A hosted model without a price is counted as a dear one, so that the cost limit holds."""
    from models.endpoint import OPENAI_URL, is_local

    if model.kind != "openai" or model.price or is_local(model.base_url or OPENAI_URL):
        return []
    return [Check(f"price {model.name}", None, _say(lang, "no price"), "price: {input: …, cached: …, output: …}")]


def check_sops(config: Config) -> Check:
    """How many SOPs there are, and which of them cannot be used."""
    from memory.sops import SopStore

    sops = SopStore(Path(__file__).parent.parent / "sops", config.home / "sops").all()
    broken = [sop for sop in sops if sop.problem]
    if broken:
        names = ", ".join(sop.name for sop in broken)
        detail = _say(config.lang, "broken", names=names, problem=broken[0].problem)
        return Check("sops", False, detail, f"sopwith sops show {broken[0].name}")
    alone = sum(sop.runs_alone for sop in sops)
    return Check("sops", bool(sops), _say(config.lang, "sops", n=len(sops), alone=alone))


def check_memory(config: Config) -> list[Check]:
    """What the journal holds and whether it can be searched, by words and by meaning."""
    from models.embeddings import embedder

    made = embedder(config.embeddings)
    by_meaning = (
        Check("embeddings", True, made.name) if made else Check("embeddings", None, _say(config.lang, "no vectors"))
    )
    return [_check_journal(config), by_meaning]


def _check_journal(config: Config) -> Check:
    from memory.journal_lock import JournalError
    from memory.journal_store import Store
    from memory.journal_sync import INDEX

    index = config.home / "journal" / INDEX
    if not index.is_file():
        return Check("journal", True, _say(config.lang, "no journal"))
    try:
        store = Store(index, readonly=True)
        try:
            detail = _say(config.lang, "journal", n=store.count(), waiting=sum(store.queues().values()))
        finally:
            store.close()
    except JournalError:
        return Check("journal", False, _say(config.lang, "bad journal"), "sopwith memory rebuild")
    return Check("journal", True, detail)


def check_redis(config: Config) -> list[Check]:
    """Whether the configured Redis answers; without it the window of a session is that of one process and the run logs."""
    if config.redis is None:
        return []
    from memory.window_places import MISSING, problem_of

    problem = problem_of(config.redis.url)
    if not problem:
        return [Check("redis", True, _say(config.lang, "redis"))]
    fix = "scripts/setup --extra redis" if problem == MISSING else "redis-server"
    return [Check("redis", None, _say(config.lang, "no redis", why=problem), fix)]


def check_browser(config: Config) -> Check:
    """Which browser web tasks would use; an address is asked, nothing is started."""
    from tools.browser import problem
    from tools.browser_start import answers, has_display, program

    lang, settings = config.lang, config.browser
    if problem():
        return Check("browser", None, _say(lang, "no browser package"), "scripts/setup --extra browser")
    if settings.address:
        is_there = answers(settings.address)
        detail = _say(lang, "browser there" if is_there else "browser gone", address=settings.address)
        return Check("browser", is_there, detail, "chromium --remote-debugging-port=9222 --user-data-dir=…")
    found = program()
    if not found:
        return Check("browser", None, _say(lang, "no browser"), _install("chromium"))
    is_headless = settings.headless == "on" or (settings.headless == "auto" and not has_display())
    return Check("browser", True, _say(lang, "browser headless" if is_headless else "browser", program=found))


def check_shells(lang: Lang) -> Check:
    """Whether there are shells that stay open, for programs that ask."""
    from tools.shell import problem

    if missing := problem():
        return Check("shells", None, in_words(missing, lang), "" if sys.platform == "win32" else _install("bash"))
    return Check("shells", True, _say(lang, "shells", bash=shutil.which("bash") or ""))


def check_screen(lang: Lang) -> Check:
    """Whether programs with windows can be used, and what typing and reading there lack."""
    from tools.desktop import lack

    if missing := lack():
        command = "scripts/setup --extra desktop" if missing == "packages" else ""
        return Check("desktop", None, _say(lang, f"screen {missing}"), command)
    lacks = [
        package for name, package in (("xclip", "xclip"), ("tesseract", "tesseract-ocr")) if not shutil.which(name)
    ]
    if lacks:
        return Check("desktop", None, _say(lang, "screen lacks", names=", ".join(lacks)), _install(" ".join(lacks)))
    return Check("desktop", True, _say(lang, "screen", display=os.environ["DISPLAY"]))


def check_mcp(config: Config) -> list[Check]:
    """Whether the configured MCP servers could be asked; none is started for it."""
    names = ", ".join(config.mcp.servers)
    if not names:
        return []
    from tools.mcp_client import problem

    if problem():
        return [Check("mcp", None, _say(config.lang, "no mcp", names=names), "scripts/setup --extra mcp")]
    gone = [
        name
        for name, each in config.mcp.servers.items()
        if each.command and not shutil.which(Path(each.command[0]).expanduser())
    ]
    if gone:
        return [Check("mcp", False, _say(config.lang, "no mcp program", names=", ".join(gone)), "sopwith mcp test")]
    return [Check("mcp", True, _say(config.lang, "mcp", names=names))]


def check_graph(config: Config) -> list[Check]:
    """Whether the configured Neo4j answers; without it the mind graph is in the journal's database alone."""
    if config.graph is None:
        return []
    from memory.graph.neo4j_graph import MISSING, GraphDown, Neo4jGraph

    try:
        Neo4jGraph(config.graph, config.home).version()
    except GraphDown as down:
        why = str(down).partition("\n")[0]
        fix = "scripts/setup --extra neo4j" if MISSING in why else "neo4j start"
        return [Check("neo4j", None, _say(config.lang, "no neo4j", why=why), fix)]
    return [Check("neo4j", True, _say(config.lang, "neo4j"))]


def check_queue(config: Config) -> list[Check]:
    """Whether the database that machines share answers, when one is configured; how much there waits and is at work."""
    if config.queue is None:
        return []
    from runs.shared.database import MISSING, QueueError, opened

    query = (
        "SELECT count(*) FILTER (WHERE status = 'queued'), count(*) FILTER (WHERE status = 'working') FROM sopwith_runs"
    )
    try:
        with closing(opened(config)) as database:
            waiting, working = database.ask(lambda it: it.execute(query).fetchone()) or (0, 0)
    except QueueError as error:
        fix = "scripts/setup --extra queue" if str(error) == MISSING else ""
        return [Check("queue", False, in_words(str(error).splitlines()[0], config.lang), fix)]
    return [Check("queue", True, _say(config.lang, "queue", waiting=waiting, working=working))]


def check_programs(lang: Lang) -> list[Check]:
    """Programs beside Python: git, and what is optional."""
    git = shutil.which("git")
    return [Check("git", git is not None, git or _say(lang, "no git"), _install("git")), check_sandbox(lang)]


def check_sandbox(lang: Lang) -> Check:
    """What holds the scripts that run; really tried."""
    from safety.sandbox import probe

    level = probe()
    fix = _install("bubblewrap") if level.fix and not shutil.which("bwrap") else level.fix
    reason = in_words(level.reason, lang)
    detail = _say(lang, f"sandbox {level.name}", program=level.program, reason=reason)
    return Check("sandbox", True if level.name == "full" else None, detail, fix)


def check_desktop(config: Config) -> list[Check]:
    """Whether the desktop shows that something waits in the inbox; nothing where there is none."""
    from runs.desktop import program

    found = program(os.environ)
    if found is None or config.inbox.desktop == "off":
        return []
    detail = _say(config.lang, "desktop" if found else "no desktop", program=found)
    return [Check("inbox", True if found else None, detail, "" if found else _install("libnotify-bin"))]


def check_trash(config: Config) -> list[Check]:
    """Whether the desktop's own trash takes what is removed; nothing where there is no desktop, or the owner wants none."""
    from safety import desktop_trash

    if config.safety.trash == "home" or not desktop_trash.has_screen(os.environ):
        return []
    is_there = desktop_trash.is_there(os.environ)
    detail = _say(config.lang, "trash" if is_there else "no trash", home=config.home)
    return [Check("trash", True if is_there else None, detail, "" if is_there else "scripts/setup --extra desktop")]


def check_terminal(lang: Lang) -> Check:
    """Whether the screen can show what is not ASCII."""
    encoding = sys.stdout.encoding or locale.getpreferredencoding(False)
    is_utf8 = encoding.lower().replace("-", "") == "utf8"
    detail = _say(lang, "terminal" if is_utf8 else "no utf8", encoding=encoding, term=os.environ.get("TERM", "-"))
    return Check("terminal", is_utf8, detail, "export LANG=C.UTF-8")


def _install(package: str) -> str:
    found = next((command for program, command in INSTALLERS.items() if shutil.which(program)), "")
    return f"{found} {package}" if found else ""


def _nearest_folder(path: Path) -> Path:
    return next(folder for folder in (path, *path.parents) if folder.is_dir())


def _say(lang: Lang, key: str, **values: object) -> str:
    text = _WORDS[key][lang == "zh"].format(**values)
    return text if lang == "zh" else re.sub(r"\b1 (job|run|turn)s\b", r"1 \1", text)


_WORDS = {  # key: (English, Chinese)
    "jobs": ("{n} jobs, and a scheduler at work", "{n} 个定时任务，调度器正在运行"),
    "no scheduler": ("{n} jobs, and no scheduler at work", "{n} 个定时任务，没有调度器在运行"),
    "broken jobs": ("{n} jobs, of which cannot run: {names}", "{n} 个定时任务，其中不能运行的：{names}"),
    "all there": ("all {n} are installed", "{n} 个都已安装"),
    "missing": ("not installed: {names}", "未安装：{names}"),
    "home": ("{home}, layout {layout}", "{home}，布局 {layout}"),
    "home later": ("{home} will be made on first use", "{home} 将在首次使用时创建"),
    "home never": ("{home} cannot be made: {parent} is not writable", "无法创建 {home}:{parent} 不可写"),
    "free": ("{gigabytes} GB free for {home}", "{home} 所在磁盘剩余 {gigabytes} GB"),
    "runs": (
        "{n} runs, {archived} of them archived; {gigabytes} GB",
        "共 {n} 次运行，其中 {archived} 次已存档；占用 {gigabytes} GB",
    ),
    "desktop": ("what waits in the inbox is shown by {program}", "收件箱有新条目时由 {program} 提示"),
    "no desktop": (
        "what waits in the inbox cannot be shown: no notify-send",
        "无法提示收件箱的新条目：没有 notify-send",
    ),
    "trash": ("what is removed goes to the desktop's trash", "移除的文件进入桌面的回收站"),
    "no trash": (
        "not installed: what is removed goes to {home}/trash, not to the desktop's own",
        "未安装：移除的文件进入 {home}/trash，而不是桌面的回收站",
    ),
    "readable": ("other users of this machine may read {file}", "本机其他用户可以读取 {file}"),
    "no model": (
        "none configured; only what an SOP covers can be done",
        "未配置模型；只能完成 SOP 覆盖的任务",
    ),
    "no model fix": (
        "export OPENAI_API_KEY=…   or   export OPENAI_BASE_URL=… SOPWITH_MODEL=…",
        "export OPENAI_API_KEY=…   或   export OPENAI_BASE_URL=… SOPWITH_MODEL=…",
    ),
    "model": ("{model} at {url}", "{model}，位于 {url}"),
    "script": ("replays {file}", "回放 {file}"),
    "no script": ("its file of replies is not there: {file}", "回复文件不存在：{file}"),
    "odd key": ("its api_key holds characters that no key has", "api_key 中含有密钥不会有的字符"),
    "wrong key": ("{url} refuses the key (status {status})", "{url} 拒绝了密钥（状态 {status}）"),
    "no key": ("{url} wants a key (status {status})", "{url} 需要密钥（状态 {status}）"),
    "key fix": (
        "export OPENAI_API_KEY=…   or api_key in config.yaml",
        "export OPENAI_API_KEY=…   或 config.yaml 中的 api_key",
    ),
    "unreachable": ("{url} does not serve: {why}", "{url} 无法使用：{why}"),
    "unreachable fix": ("curl -sS {url}/models", "curl -sS {url}/models"),
    "no listing": (
        "{url} answers (status {status}) and does not list its models",
        "{url} 有应答（状态 {status}），但没有列出模型",
    ),
    "unlisted": (
        "{url} answers and does not list {model}; it lists {some}",
        "{url} 有应答，但没有列出 {model}；它列出了 {some}",
    ),
    "unlisted fix": (
        "export SOPWITH_MODEL=…   or model in config.yaml",
        "export SOPWITH_MODEL=…   或 config.yaml 中的 model",
    ),
    "no price": (
        "no price is configured: its cost is estimated, rather too high",
        "未配置价格：费用按估算计，宁可偏高",
    ),
    "sops": ("{n}, of which {alone} can run without a model", "共 {n} 个，其中 {alone} 个无需模型即可运行"),
    "broken": ("cannot be used: {names} (the first: {problem})", "无法使用：{names}（第一个：{problem}）"),
    "no git": ("not found; changes of the memory cannot be undone without it", "未找到；没有它就无法撤销对记忆的更改"),
    "sandbox full": ("full: {program}", "完整：{program}"),
    "sandbox partial": (
        "partial: {reason}. Git hooks and the list of processes are not guarded",
        "部分：{reason}。Git 钩子和进程列表不受保护",
    ),
    "sandbox none": (
        "none: {reason}. Scripts ask first, and do not run unattended",
        "无：{reason}。脚本运行前先询问，无人值守时不运行",
    ),
    "journal": (
        "{n} turns; {waiting} still to be looked at for meaning and time",
        "共 {n} 条对话；{waiting} 项尚待处理（含义与时间）",
    ),
    "bad journal": (
        "its index cannot be used; the originals beside it hold everything",
        "索引无法使用；旁边的原文保存了全部内容",
    ),
    "no journal": ("nothing has been said yet", "还没有对话"),
    "no vectors": ("none: what was said is found by words and times", "无：只按词语和时间查找对话"),
    "redis": ("answers; the last turns of a session are shared", "可用；会话最近的对话由各进程共享"),
    "neo4j": ("answers; it has a copy of the mind graph", "可用；存有心智图谱的一份副本"),
    "no neo4j": (
        "{why} The mind graph is in the journal's database meanwhile",
        "{why} 这期间心智图谱取自日记的数据库",
    ),
    "no redis": (
        "{why}; the last turns of a session come from this process and the run logs",
        "{why}；会话最近的对话取自本进程和运行日志",
    ),
    "mcp": ("{names}; sopwith mcp test asks them", "{names}；用 sopwith mcp test 测试"),
    "no mcp": ("{names}: the package mcp is not installed", "{names}：未安装 mcp 包"),
    "no mcp program": ("the program of these servers is not there: {names}", "这些服务器的程序不存在：{names}"),
    "browser": ("{program}, in a window, with a profile of its own", "{program}，开窗口，使用自己的配置目录"),
    "browser headless": ("{program}, headless, with a profile of its own", "{program}，无界面，使用自己的配置目录"),
    "browser there": ("the owner's own answers at {address}", "主人的浏览器在 {address} 应答"),
    "browser gone": ("no browser answers at {address}", "{address} 没有浏览器应答"),
    "no browser": (
        "none is installed; pages are read without one (web_fetch)",
        "未安装；网页可不用浏览器读取（web_fetch）",
    ),
    "no browser package": ("not installed: web_scan, web_execute_js", "未安装：web_scan、web_execute_js"),
    "shells": ("{bash}: shell_run, shell_keys", "{bash}：shell_run、shell_keys"),
    "screen": ("X11 display {display}", "X11 显示 {display}"),
    "screen lacks": (
        "works; to type any text and read words: {names}",
        "可用；要输入任意文字、识别文字，还缺：{names}",
    ),
    "screen system": ("programs with windows are used on Linux with X11 only", "只能在 Linux 的 X11 上操作窗口程序"),
    "screen packages": ("not installed: desktop_look, desktop_do", "未安装：desktop_look、desktop_do"),
    "screen wayland": (
        "Wayland lets no program press for its user: log in to a session “on Xorg” to use desktop_do",
        "Wayland 不允许程序代替用户操作：要用 desktop_do，请登录 Xorg 会话",
    ),
    "screen display": ("no display (DISPLAY is not set)", "没有显示（未设置 DISPLAY）"),
    "queue": (
        "answers; {waiting} tasks wait, {working} are at work",
        "可用；{waiting} 个任务等待中，{working} 个进行中",
    ),
    "terminal": ("{term}, {encoding}", "{term}，{encoding}"),
    "no utf8": ("{encoding}, which cannot show every character", "{encoding}，无法显示所有字符"),
}
