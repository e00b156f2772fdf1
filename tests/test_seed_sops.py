"""The seeds that are shipped: valid for other agents too, honest about the tools there are, and
they do what they say."""

import importlib
import os
import re
import time
from pathlib import Path
from typing import Any

import pytest

from memory.sops import Sop, SopStore
from models.base import Request, ToolCall, ToolResult
from replay.rote import RoteModel
from tests.drained import drained, result_of
from tests.rows import rows
from tools.base import ToolContext
from tools.registry import all_tools, families

SEEDS = SopStore(Path(__file__).parent.parent / "sops", Path("/nonexistent"))
TEXT_ONLY = [
    "autonomous-operation",
    "desktop-control",
    "memory-management",
    "scheduled-task",
    "web-setup",
]
WITH_STEPS = rows(__name__, "with_steps")
OLD = time.time() - 40 * 86400


def _sop(name: str) -> Sop:
    sop = SEEDS.get(name)
    assert sop is not None
    return sop


def _do(call: ToolCall, folder: Path) -> ToolResult:
    context = ToolContext(
        cwd=folder, folder=folder / "run", home=folder / "home", call=call.id, tool_seconds=60
    )
    return result_of(all_tools()[call.name].run(context, **(call.args or {})))


def _run(
    seed: str, tmp_path: Path, lang: Any = "en", /, **parameters: Any
) -> tuple[str, list[ToolCall]]:
    """Replays a seed with the real tools; the answer, and the calls that were made."""
    procedure = _sop(seed).procedure
    assert procedure is not None
    work = tmp_path / "work"
    work.mkdir(exist_ok=True)
    model = RoteModel(procedure, parameters, sop=seed, version=1, lang=lang, cwd=work)
    last: ToolResult | None = None
    calls: list[ToolCall] = []
    while True:
        _, reply = drained(model.reply(Request(turn=1, messages=[], last=last)))
        if not reply.calls:
            return reply.text, calls
        calls.append(reply.calls[0])
        last = _do(reply.calls[0], work)


@pytest.fixture
def box(tmp_path: Path) -> Path:
    folder = tmp_path / "box"
    folder.mkdir()
    return folder


def _old(path: Path, content: str = "old") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content, encoding="utf-8")
    os.utime(path, (OLD, OLD))
    return path


@pytest.mark.parametrize("name", TEXT_ONLY + WITH_STEPS)
def test_a_seed_is_valid_whole_and_in_both_languages(name: str) -> None:
    sop = _sop(name)
    assert importlib.import_module("skills_ref").validate(sop.folder) == []
    assert (sop.problem, sop.status, sop.is_seed) == (None, "active", True)
    assert (sop.procedure is not None) is (name in WITH_STEPS)
    chinese = (sop.folder / "SKILL.zh.md").read_text(encoding="utf-8")
    assert re.search(r"[一-鿿]{4}", sop.body("zh")) and f"name: {name}\n" in chinese
    assert not re.search(r"[一-鿿]", sop.body("en"))
    assert sop.summary("zh") != sop.description and len(sop.description) <= 110
    meanings = [schema["description"] for schema in sop.schemas("zh").values()]
    assert all(re.search(r"[一-鿿]", meaning) for meaning in meanings), meanings


def test_the_store_holds_exactly_these() -> None:
    assert [sop.name for sop in SEEDS.all()] == sorted(TEXT_ONLY + WITH_STEPS)


@pytest.mark.parametrize("name", TEXT_ONLY + WITH_STEPS)
def test_a_seed_speaks_of_no_tool_that_is_not_there(name: str) -> None:
    words = set(re.findall(r"`([a-z]+_[a-z_]+)`", _sop(name).body("en") + _sop(name).body("zh")))
    known = {*all_tools(), *(tool for family in families().values() for tool in family.tools)}
    assert words <= known | {"key_info", "related_sop"}


@pytest.mark.parametrize("name", WITH_STEPS)
def test_a_seed_is_asked_for_in_both_languages(name: str) -> None:
    procedure = _sop(name).procedure
    assert procedure is not None
    chinese = [wording for wording in procedure.wordings if re.search(r"[一-鿿]", wording.text)]
    assert 0 < len(chinese) < len(procedure.wordings)


def test_largest_files_of_an_empty_folder(box: Path, tmp_path: Path) -> None:
    assert _run("largest-files", tmp_path, folder=str(box))[0] == f"There are no files in `{box}`."
    assert _run("largest-files", tmp_path, "zh", folder=str(box))[0] == f"`{box}` 里没有文件。"


def test_names_with_line_breaks_emoji_and_backticks_stay_one_line_each(
    box: Path, tmp_path: Path
) -> None:
    names = ["a\nb", "😀 中文", "tick`tick", "pipe|pipe", "\x1b[31mred"]
    for name in names:
        (box / name).write_text("hello", encoding="utf-8")
    (box / os.fsdecode(b"bad-\xff")).write_text("hello", encoding="utf-8")
    searches: dict[str, dict[str, Any]] = {"largest-files": {}, "find-files": {"text": "hello"}}
    for seed, more in searches.items():
        text, _ = _run(seed, tmp_path, folder=str(box), **more)
        assert "\x1b" not in text and "a\\nb" in text and "😀 中文" in text and "bad-" in text
        assert len([line for line in text.splitlines() if re.match(r"\d+\. |- ", line)]) == 6


def test_clean_old_files_moves_exactly_the_old_ones_to_the_trash(box: Path, tmp_path: Path) -> None:
    old = [_old(box / "a\nb.txt"), _old(box / "sub" / "😀 $(touch pwned).txt"), _old(box / "-rf")]
    kept = [box / "new.txt", _old(box / ".git" / "config"), _old(box / ".hidden")]
    kept[0].write_text("new", encoding="utf-8")
    (box / "link").symlink_to(_old(tmp_path / "outside.txt"))
    text, calls = _run("clean-old-files", tmp_path, folder=str(box), days=30)
    assert (
        text
        == f"Moved 3 files (12.0 KB), last changed more than 30 days ago, from {box} to the trash."
    )
    assert [call.name for call in calls] == ["code_run", "file_trash", "code_run"]
    assert not any(path.exists() for path in old) and all(path.exists() for path in kept)
    assert (tmp_path / "outside.txt").exists() and (box / "link").is_symlink()
    assert not list(tmp_path.rglob("pwned"))
    assert sorted(calls[1].args["paths"]) == sorted(map(str, old)) if calls[1].args else False


def test_nothing_old_is_said_without_a_commit(box: Path, tmp_path: Path) -> None:
    (box / "new.txt").write_text("new", encoding="utf-8")
    for lang, says in (
        ("en", "is older than 30 days. Nothing was moved."),
        ("zh", "没有超过 30 天的文件"),
    ):
        text, calls = _run("clean-old-files", tmp_path, lang, folder=str(box), days=30)
        assert says in text and [call.name for call in calls] == ["code_run"]


def test_the_check_finds_an_old_file_that_is_still_there(box: Path, tmp_path: Path) -> None:
    procedure = _sop("clean-old-files").procedure
    assert procedure is not None
    check = procedure.steps[-1]
    env = {"folder": str(box), "since": str(int(time.time()) - 30 * 86400)}

    def exit_code() -> int:
        return int(
            _do(ToolCall("c", "code_run", {**check.args, "env": env}), tmp_path).data["exit_code"]
        )

    assert exit_code() == 0
    _old(box / ".hidden")
    assert exit_code() == 0
    _old(box / "sub" / "left.txt")
    assert exit_code() == 1


@pytest.mark.parametrize(("lang", "head"), [("en", "**Memory "), ("zh", "**内存空闲 ")])
def test_system_report_answers_in_its_first_line(lang: str, head: str, tmp_path: Path) -> None:
    text, calls = _run("system-report", tmp_path, lang)
    assert text.startswith(head) and len(calls) == 1
    assert len(re.findall(r"^\d\. ", text, re.MULTILINE)) == 5 and text.count("`/`") >= 1
