"""Each reason of the gate is there in Chinese too, and is said where it is shown to a Chinese reader."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import pytest

from bench.gate import rows
from config import SafetyConfig
from context import Prompts
from context.phrases import FOLDER, reasons_in_words
from memory.runlog.inbox import Entry, Inbox
from runs.auto.ledger import Attempt
from runs.auto.report import write
from safety.findings import Risk
from safety.gate import Ask, Gate
from tests.conftest import CHECKOUT, CommandLine
from tests.driving import bash
from tests.screen import scripted
from tests.serving import Served, made_home
from tests.test_errors import BLANK, CHINESE, english_words, texts

WORDS = re.compile("[A-Za-z]{2,} [A-Za-z]{2,}")
RISKS = set(get_args(Risk))
HINT = "give each of these its Chinese in assets/words/reasons.zh.json"


def reasons() -> Iterator[tuple[str, str]]:
    """Where the gate's files name a reason, and the reason, its blanks filled: of a finding, or in a table after a risk."""
    for path in sorted((CHECKOUT / "safety").glob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            said: list[ast.expr] = []
            if not isinstance(node, ast.expr):
                continue
            if isinstance(node, ast.Call):
                name = (
                    node.func.id
                    if isinstance(node.func, ast.Name)
                    else getattr(node.func, "attr", "")
                )
                said = (
                    node.args[1:2]
                    if name == "Finding" or (name == "add" and len(node.args) == 3)
                    else []
                )
            elif (
                isinstance(node, ast.Tuple)
                and len(node.elts) > 1
                and isinstance(node.elts[0], ast.Constant)
            ):
                said = node.elts[1:2] if node.elts[0].value in RISKS else []
            for text in (text for each in said for text in texts(each)):
                yield f"{path.name}:{node.lineno}", text.replace("{}", "x1")


def test_every_reason_in_the_code_has_its_words() -> None:
    found = [(where, text) for where, text in reasons() if WORDS.search(text)]
    assert len(found) > 60
    missing = [
        f"{where} {text}"
        for where, text in found
        if not CHINESE.search(reasons_in_words(text, "zh"))
    ]
    assert missing == [], HINT


def test_every_reason_that_a_command_meets_has_its_words(tmp_path: Path) -> None:
    owner = tmp_path / "owner"
    gate = Gate(SafetyConfig(), owner / ".sopwith", owner, owner / "work", sandboxed=True)
    met: dict[str, str] = {}
    for row in rows():
        language = "python" if row.language == "py" else "bash"
        ask = Ask("code_run", {"type": language, "script": row.command}, ("execute",), (), "main")
        met.setdefault(gate.decide(ask).reason, row.command)
    assert len(met) > 300
    plain = {reason: reasons_in_words(reason, "zh") for reason in met}
    missing = [
        reason
        for reason, said in plain.items()
        if WORDS.search(reason) and not CHINESE.search(said)
    ]
    assert missing == [], HINT


def test_words_of_a_reason_fill_in_the_same_blanks() -> None:
    book: dict[str, str] = json.loads((FOLDER / "reasons.zh.json").read_text("utf-8"))
    for line, said in book.items():
        assert sorted(BLANK.findall(said)) == sorted(BLANK.findall(line)), line
        assert CHINESE.search(said), line
    assert not book.keys() & json.loads((FOLDER / "errors.zh.json").read_text("utf-8")).keys()


@pytest.mark.parametrize(
    ("english", "said"),
    [
        (
            "rm: deletes or overwrites something for good (file_trash would move it to the trash); asks https://a.b/c; d, which the request"
            " does not name (runs outside the sandbox)",
            "rm: 永久删除或覆盖内容（用 file_trash 会移到回收站）; 会访问 https://a.b/c; d，请求里没有提到它（在沙箱之外运行）",
        ),
        (
            "types 'a; rm -rf b; c' into a terminal, where it is a command (code_run has a sandbox)",
            "会在终端里输入 'a; rm -rf b; c'，在那里它是命令（code_run 有沙箱）",
        ),
        (
            "web_scan presses “Pay; now”, which spends money, and the request does not ask for that",
            "web_scan 会按 “Pay; now”，这会花钱，而请求没有要求这样做",
        ),
        (
            "/h/config.yaml is in the agent's own home: the owner edits it: ask_user",
            "/h/config.yaml 在代理自己的主文件夹里：由您编辑：用 ask_user 询问",
        ),
        (
            "mail.send sends something to others: the request does not name eve@example.org",
            "mail.send 会向别人发送内容：请求里没有提到 eve@example.org",
        ),
        (
            "rm: deletes or overwrites something for good: the owner's config forbids delete",
            "rm: 永久删除或覆盖内容：您的配置禁止 delete",
        ),
        ("what a server said; of two kinds", "what a server said; of two kinds"),
    ],
)
def test_reasons_are_told_apart_and_quotes_stay(english: str, said: str) -> None:
    assert reasons_in_words(english, "zh") == said
    assert reasons_in_words(english, "en") == english


def test_a_chinese_reader_meets_no_english_reason_and_the_log_has_one_form(
    cli: CommandLine, home: Path
) -> None:
    """In the pipe, in the trace, in the inbox and at its end; in English all of it is English."""
    scripted(home, [bash("rm -rf ~"), bash("rm -rf old; git push"), "Done."])
    done = cli("--lang", "zh", "run", "清理一下")
    assert done.code == 3
    run = json.loads(cli("runs", "list", "--json").stdout)["runs"][0]["run"]
    shown = {
        "run": done.stderr,
        "trace": cli("--lang", "zh", "runs", "show", run).stdout,
        "inbox": cli("--lang", "zh", "inbox", "list").stdout,
    }
    for where, text in shown.items():
        told = re.sub(r"sopwith \S+ \S+.*|script: .*|rm -rf old; git push", "", text)
        assert "永久删除或覆盖内容" in told and english_words(told, home) == [], (where, told)
    assert "系统或整个主目录" in shown["run"] and "系统或整个主目录" in shown["trace"]
    log = (home / "runs" / run / "log.jsonl").read_text("utf-8")
    events = [json.loads(line) for line in log.splitlines()]
    refused = next(event for event in events if event["type"] == "tool_ended")
    asked = next(event for event in events if event["type"] == "confirm")
    assert (
        refused["reason"].endswith("the system or a whole home")
        and "deletes or overwrites something for good" in asked["reason"]
    )
    assert "deletes or overwrites something for good" in cli("inbox", "list").stdout
    assert "the system or a whole home" in cli("runs", "show", run).stdout


def test_the_page_gets_each_reason_in_both_languages(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    """From the log and live; what a model said comes as it is."""
    folder = tmp_path_factory.mktemp("web")
    replies = [bash("rm -rf ~", "I clear up."), bash("rm -rf old"), "Gone."]
    with Served(made_home(folder, {"clear": replies}), folder / "cwd") as served:
        site = served.sign_in()
        with site.tab() as tab:
            run = site.begin("clear up", "clear")
            refused = tab.until("tool_ended", status="refused")
            asked = tab.until("confirm")
            site.post(f"/api/asked/{tab.until('asked_now')['asked']['id']}", {"decision": "no"})
        assert refused["words"] == {
            "en": refused["reason"],
            "zh": reasons_in_words(refused["reason"], "zh"),
        }
        assert asked["words"]["zh"].startswith("rm old: 永久删除或覆盖内容")
        site.ended(run)
        kept = site.get(f"/api/runs/{run}").json["events"]
        assert [event["words"] for event in kept if "words" in event] == [
            refused["words"],
            asked["words"],
        ]
        told = site.get(f"/api/conversations/{run}").json["runs"][0]["events"]
        assert [event["words"] for event in told if "words" in event] == [
            refused["words"],
            asked["words"],
        ]


def test_a_report_of_autonomous_mode_says_what_waits_in_the_owners_language(home: Path) -> None:
    reason = "code_run: rm: deletes or overwrites something for good; asks https://a.b/c?x; y, which the request does not name"
    Inbox(home).add(Entry("20261122-000000-abc.1", "20261122-000000-abc", "confirmation", reason))
    run = "20261122-000000-abc"
    attempt = Attempt(
        1,
        "i",
        "tidy",
        "tidy up",
        "",
        1,
        "",
        "2026-11-22T10:00:00",
        run,
        "waiting",
        report="reports/R01_tidy.md",
    )
    folder = home / "runs" / attempt.run
    folder.mkdir(parents=True)
    ended = {
        "type": "run_ended",
        "status": "waiting",
        "result": reason,
        "run": attempt.run,
        "at": "2026-11-22T10:00:00.000Z",
        "seconds": 1.0,
    }
    started = {
        "type": "run_started",
        "task": "tidy up",
        "run": attempt.run,
        "at": ended["at"],
        "session": "main",
    }
    (folder / "log.jsonl").write_text(f"{json.dumps(started)}\n{json.dumps(ended)}\n")
    write(home, Prompts("zh"), attempt)
    (report,) = (home / "reports").glob("R*.md")
    assert (
        report.read_text("utf-8").count(
            "rm: 永久删除或覆盖内容; 会访问 https://a.b/c?x; y，请求里没有提到它"
        )
        == 2
    )
