"""Check what the model reads when a run begins: order of the blocks, what is cut, what others may
not see."""

import json
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any, Literal

import pytest

from bench import tokens
from config import ContextConfig, Share
from context import Prompts
from context.builder import Block, Brief, Context, ContextBuilder, Injector
from context.injectors import INJECTORS
from context.workspace import Workspace
from memory.home import Session
from memory.reader import reader_for
from memory.runlog import RunLog
from memory.sops import SopStore
from tests.rows import cases, rows

ROOT = Path(__file__).parent.parent
Lang = Literal["en", "zh"]
NOW = datetime(2026, 11, 21, 22, 22)
FILES = dict(rows(__name__, "files"))
MAX_FIRST_TOKENS, MIN_STABLE_TOKENS = 1700, 1024
ORDER = rows(__name__, "order")


def lay(home: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).write_text(text, "utf-8")
    return home


def an_sop(home: Path, name: str, description: str, more: str = "", body: str = "Do it.") -> None:
    lay(
        home,
        {
            f"sops/{name}/SKILL.md": f"---\nname: {name}\ndescription: {description}\n{more}---\n{body}\n"
        },
    )


def earlier_run(
    home: Path, request: str, result: str, turns: int = 1, session: str = "main"
) -> str:
    log = RunLog.create(home)
    stamp = {"run": log.run, "at": "2026-11-21T20:00:00.000Z"}
    log.append({"type": "run_started", **stamp, "task": request, "session": session})
    log.append({"type": "run_ended", **stamp, "result": result, "turns": turns, "status": "done"})
    log.close()
    return log.run


def built(
    home: Path,
    task: str = "count the files",
    *,
    lang: Lang = "en",
    session: str = "main",
    max_tokens: int = 50_000,
    injectors: tuple[Injector, ...] = INJECTORS,
    redact: Callable[[str], str] = str,
    **changed: Any,
) -> Context:
    who = Session.parse(session)
    given: dict[str, Any] = {"cwd": Path("/srv/project"), "now": NOW}
    brief = Brief(
        task=task,
        prompts=Prompts(lang),
        reader=reader_for(home, who, NOW.date()),
        workspace=Workspace(home, lang, who, NOW.date()),
        sops=SopStore(ROOT / "sops", home / "sops"),
        seeds_folder=Path("/home/ann/sopwith/sops"),
        learned_folder=home / "sops",
        **(given | changed),
    )
    context = ContextBuilder(injectors, redact).build(brief, max_tokens)
    assert [message["role"] for message in context.messages] == ["system", "user"]
    return context


def said(context: Context) -> tuple[str, str]:
    system, user = (message["content"] for message in context.messages)
    return system, user


def places(text: str, words: list[str]) -> list[int]:
    return [text.index(word) for word in words]


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_stable_blocks_make_the_system_prompt_in_a_fixed_order(home: Path, lang: Lang) -> None:
    system, user = said(
        built(
            lay(home, FILES), lang=lang, previous=[earlier_run(home, "list the logs", "three logs")]
        )
    )
    assert system.index(Prompts(lang).text("system")) == 0
    assert places(system, ORDER) == sorted(places(system, ORDER))
    asked = [
        "paid the rent",
        "the plumber",
        "list the logs",
        "three logs",
        "/srv/project",
        "2026-11-21 ",
        "count the",
    ]
    assert places(user, asked) == sorted(places(user, asked))


def test_system_prompt_is_the_same_for_every_task_folder_and_day(home: Path) -> None:
    first = said(built(lay(home, FILES)))[0]
    later = said(
        built(home, "something else", cwd=Path("/tmp"), previous=[earlier_run(home, "a", "b")])
    )
    assert later[0] == first


def test_shared_session_reads_nothing_of_the_owner(home: Path) -> None:
    an_sop(
        home, "pay-rent", "Pays the rent to the landlord", "triggers: [count]\nalways_load: true\n"
    )
    for session in ("shared:team", "nonsense"):
        context = built(lay(home, FILES), session=session)
        told = "".join(said(context)) + json.dumps(context.event(1))
        for private in ("Ann", "Redux", "192.168", "rent", "plumber", "landlord"):
            assert private not in told, private
        assert "inky" in told and "tea at four" in told and context.failed == []


def test_shared_session_does_not_read_the_runs_of_others(home: Path) -> None:
    own = earlier_run(home, "hello group", "hi", session="shared:team")
    assert "hello group" in said(built(home, session="shared:team", previous=[own]))[1]
    private = earlier_run(home, "pay the rent", "paid")
    context = built(home, session="shared:team", previous=[private])
    assert "rent" not in "".join(said(context)) and context.failed == ["earlier"]


def test_each_block_stays_within_its_budget_and_says_what_was_left_out(home: Path) -> None:
    lay(home, {name: "".join(f"line {number} of it\n" for number in range(5000)) for name in FILES})
    context = built(home)
    limits = {injector.name: injector.max_tokens for injector in INJECTORS}
    assert {name for name, size in context.blocks.items() if (limits[name] or size) < size} == set()
    assert {"agents", "spirit", "owner", "tools", "memory", "notes"} <= set(context.cut)
    system, user = said(context)
    assert system.count("lines left out]") == 5
    assert "line 0 of it" in system and "line 4999 of it" not in system
    assert "line 4999 of it" in user and "line 0 of it" not in user


def test_an_injector_that_fails_is_left_out_and_said(
    home: Path, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(_: Brief) -> Block:
        raise ValueError("no such thing")

    caplog.set_level("INFO", "sopwith.context")
    context = built(home, injectors=(*INJECTORS, Injector("broken", 15, 100, True, broken)))
    assert context.failed == ["broken"] and context.event(3)["failed"] == ["broken"]
    assert "no such thing" in caplog.text and said(context)[1].endswith("count the files")


def test_secrets_in_files_are_hidden_from_model_and_log(home: Path) -> None:
    lay(home, {"TOOLS.md": "the key is hunter2hunter2"})
    context = built(home, redact=lambda text: text.replace("hunter2hunter2", "[key]"))
    assert "the key is [key]" in said(context)[0] and "hunter2" not in json.dumps(context.event(1))


def test_a_long_conversation_keeps_its_newest_messages(home: Path) -> None:
    runs = [earlier_run(home, f"request {number}.", "done " * 2000, 3) for number in range(30)]
    context = built(home, previous=runs)
    user = said(context)[1]
    assert "request 29." in user and "request 9." not in user
    assert user.count("done " * 1999) >= 3
    assert context.blocks["earlier"] <= 8000 and "earlier" not in context.cut


def test_unproven_sops_are_not_advertised(home: Path) -> None:
    statuses = ("draft", "candidate", "probation", "active", "suspended")
    for status in statuses:
        status_line = f"metadata: {{sopwith-status: {status}}}\n"
        an_sop(home, f"its-{status}", f"Is {status}", status_line)
    an_sop(home, "from-elsewhere", "Is a text that the owner put there")
    system = said(built(home))[0]
    named = [name for name in (*statuses, "from-elsewhere") if name in system]
    assert named == ["probation", "active", "from-elsewhere"]


@cases
def test_a_part_of_the_context_can_be_switched_off(
    home: Path, key: str, whole: str, gone: str
) -> None:
    def told(share: Share) -> str:
        return "".join(
            said(
                built(
                    lay(home, FILES),
                    previous=[earlier_run(home, "list the logs", "three logs")],
                    recall=lambda request: ["a memory"],
                    shares=ContextConfig(**{key: share}),
                )
            )
        )

    assert whole in told(Share()) and gone not in told(Share(0))


def test_sops_that_the_request_calls_up_are_there_whole(home: Path) -> None:
    an_sop(home, "tea", "Makes tea", "triggers: [Kettle, 茶]\n", "Boil the water first.")
    an_sop(home, "coffee", "Makes coffee", "triggers: [bean]\n", "Grind it.")
    an_sop(home, "manners", "How to behave", "always_load: true\n", "Say please.")
    system, user = said(built(home, "put the kettle on"))
    assert (
        "Boil the water first." in user
        and "Grind it." not in system + user
        and "Say please." in system
    )
    assert "Boil the water" in said(built(home, "泡茶"))[1]
    assert "Boil" not in said(built(home, "count"))[1]


def first_request(home: Path, task: str, lang: Lang, **changed: Any) -> list[tokens.Segment]:
    """Return what a run with the shipped tools and seeds sends first, as tokens."""
    assert len(SopStore(ROOT / "sops", home / "sops").header_lines(lang, seeds=True)) >= 9
    context = built(home, task, lang=lang, **({"cwd": Path("/home/ann/work/reports")} | changed))
    tools = json.loads((ROOT / "assets" / "tools_schema.json").read_text(encoding="utf-8"))
    messages = json.loads(
        json.dumps(context.messages).replace(str(ROOT), "/opt/sopwith")
    )  # wherever the checkout lies
    return tokens.segments({"tools": tools, "messages": messages})


TASKS = {
    "en": (
        "Rename the photos in ~/Pictures/2026 by the day they were taken.",
        "Why does the build fail?",
    ),
    "zh": ("把 ~/Pictures/2026 里的照片按拍摄日期重命名。", "为什么构建失败了？"),
}


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_first_request_of_a_fresh_home_is_small(home: Path, lang: Lang) -> None:
    assert tokens.count(first_request(home, TASKS[lang][0], lang)) <= MAX_FIRST_TOKENS


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_what_does_not_change_with_the_task_is_enough_for_a_prompt_cache(
    home: Path, lang: Lang
) -> None:
    one, other = TASKS[lang]
    first = first_request(home, one, lang)
    second = first_request(home, other, lang, cwd=Path("/tmp"), now=datetime(2027, 1, 2))
    assert tokens.repeated(first, second) >= MIN_STABLE_TOKENS


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_a_small_window_gets_short_rules_and_no_list_of_sops(home: Path, lang: Lang) -> None:
    whole, short = (first_request(home, "x", lang, is_small=small) for small in (False, True))
    assert tokens.count(short) < tokens.count(whole) - 400
    context = built(home, lang=lang, is_small=True)
    assert list(context.blocks) == ["rules", "environment", "task"]
    assert "ask_user" in said(context)[0]
