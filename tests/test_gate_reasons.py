"""A reason of the gate is a key with values: each has its sentence in both languages, said where a
Chinese reader meets it."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import config
from bench.gate import rows
from config import SafetyConfig
from safety import Ask
from safety.gate import Gate
from tests.conftest import CommandLine
from tests.driving import bash
from tests.screen import scripted
from tests.serving import Served, made_home
from tests.test_errors import CHINESE, english_words
from text.sentences import joined as sentences

BLANK = re.compile(r"\{[^{}]*\}")


def sentences_of(lang: config.Lang) -> dict[str, list[str]]:
    found = {key: text for key, text in config.sentences(lang).items() if key.startswith("gate.")}
    return {key: text if isinstance(text, list) else [text] for key, text in found.items()}


def test_each_reason_has_the_same_blanks_in_both_languages() -> None:
    english, chinese = sentences_of("en"), sentences_of("zh")
    assert english.keys() == chinese.keys()
    for key, texts in english.items():
        wanted = {blank for text in texts for blank in BLANK.findall(text)}
        assert {blank for text in chinese[key] for blank in BLANK.findall(text)} == wanted, key
        assert all(CHINESE.search(text) for text in chinese[key]), key


def test_every_reason_that_a_command_meets_has_its_sentence(tmp_path: Path) -> None:
    owner = tmp_path / "owner"
    gate = Gate(SafetyConfig(), owner / ".sopwith", owner, owner / "work", sandboxed=True)
    met = set()
    for row in rows():
        language = "python" if row.language == "py" else "bash"
        ask = Ask("code_run", {"type": language, "script": row.command}, ("execute",), (), "main")
        said = gate.decide(ask).listed
        met |= {each[0] for each in said}
        assert bool(CHINESE.search(sentences("zh", said))) == bool(said)
    assert len(met) >= 20


def test_a_chinese_reader_meets_no_english_reason_and_the_log_has_one_form(
    cli: CommandLine, home: Path
) -> None:
    """In the pipe, in the trace, in the inbox and at its end; in English all of it is English."""
    scripted(home, [bash("rm -rf ~"), bash("git push"), "Done."])
    done = cli("--lang", "zh", "run", "清理一下")
    assert done.code == 3
    run = json.loads(cli("runs", "list", "--json").stdout)["runs"][0]["run"]
    shown = {
        "run": done.stderr,
        "trace": cli("--lang", "zh", "runs", "show", run).stdout,
        "inbox": cli("--lang", "zh", "inbox", "list").stdout,
    }
    for where, text in shown.items():
        told = re.sub(r"sopwith \S+ \S+.*|script: .*|git push", "", text)
        assert "向别的机器发送内容" in told and english_words(told, home) == [], (where, told)
    assert "系统或整个主文件夹" in shown["run"] and "系统或整个主文件夹" in shown["trace"]
    log = (home / "runs" / run / "log.jsonl").read_text("utf-8")
    events = [json.loads(line) for line in log.splitlines()]
    refused = next(event for event in events if event["type"] == "tool_ended")
    asked = next(event for event in events if event["type"] == "confirm")
    assert refused["reason"].endswith("the system or a whole home")
    assert asked["said"][0][0] == "gate.does_send"
    assert asked["reason"] == sentences("en", asked["said"])
    assert asked["reason"] in cli("inbox", "list").stdout


def test_what_a_model_is_told_of_a_refusal_is_on_no_screen(cli: CommandLine, home: Path) -> None:
    scripted(home, [bash("rm -rf ~"), "Done."])
    done = cli("run", "clean up")
    trace = cli("runs", "show", "last").stdout
    assert "the system or a whole home" in done.stderr
    assert "work around" not in done.stderr + done.stdout + trace
    log = next((home / "runs").glob("*/log.jsonl")).read_text("utf-8")
    assert "Do not work around it." in log


def test_what_a_model_is_told_of_a_refusal_ends_no_replay(cli: CommandLine) -> None:
    done = cli("run", f"delete {Path.home()}")
    assert done.code == 1 and "the system or a whole home" in done.stderr
    assert "work around" not in done.stderr + done.stdout


def test_the_page_gets_each_reason_in_both_languages(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    """From the log and live; what a model said comes as it is."""
    folder = tmp_path_factory.mktemp("web")
    replies = [bash("rm -rf ~", "I clear up."), bash("git push"), "Gone."]
    with Served(made_home(folder, {"clear": replies}), folder / "cwd") as served:
        site = served.sign_in()
        with site.tab() as tab:
            run = site.begin("clear up", "clear")
            refused = tab.until("tool_ended", status="refused")
            asked = tab.until("confirm")
            site.post(f"/api/asked/{tab.until('asked_now')['asked']['id']}", {"decision": "no"})
        assert refused["words"]["en"] == refused["reason"]
        assert refused["words"]["zh"] == sentences("zh", refused["said"])
        assert asked["words"]["zh"].startswith("git push：向别的机器发送内容")
        site.ended(run)
        kept = site.get(f"/api/runs/{run}").json["events"]
        words = [event["words"] for event in kept if "words" in event]
        assert words[:2] == [refused["words"], asked["words"]]
