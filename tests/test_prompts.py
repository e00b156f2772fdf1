"""The texts of assets/prompts: the same in both languages, and safe to fill in."""

import re
from pathlib import Path

import pytest

from context.prompts import FOLDER, PLACEHOLDER, Prompts

NAMES = sorted(path.stem for path in (FOLDER / "en").glob("*.md"))


@pytest.mark.parametrize("name", NAMES)
def test_both_languages_have_the_same_placeholders(name: str) -> None:
    placeholders = [
        set(PLACEHOLDER.findall((FOLDER / lang / f"{name}.md").read_text(encoding="utf-8")))
        for lang in ("en", "zh")
    ]
    assert placeholders[0] == placeholders[1]


@pytest.mark.parametrize("name", NAMES)
def test_chinese_prompts_are_written_in_chinese(name: str) -> None:
    text = (FOLDER / "zh" / f"{name}.md").read_text(encoding="utf-8")
    assert any("\u4e00" <= char <= "\u9fff" for char in text)


def test_braces_in_values_are_left_alone() -> None:
    said = 'print({text}, "{reason}", {{x}})'
    assert said in Prompts("en").text("steered", text=said, reason="never seen")


def test_a_missing_value_is_named() -> None:
    with pytest.raises(KeyError, match="reason"):
        Prompts("en").text("refused")


def test_a_prompt_is_read_when_it_is_first_asked_for(tmp_path: Path) -> None:
    (tmp_path / "zh").mkdir()
    prompts = Prompts("zh", tmp_path)
    (tmp_path / "zh" / "late.md").write_text("晚到 {who}\n", encoding="utf-8")
    assert prompts.text("late", who="客人") == "晚到 客人"
    (tmp_path / "zh" / "late.md").unlink()
    assert prompts.text("late", who="又一位") == "晚到 又一位"


def test_every_prompt_that_the_code_asks_for_exists() -> None:
    from context.turns import REMINDERS

    root = FOLDER.parent.parent
    folders = (path for name in ("context", "runs") for path in (root / name).rglob("*.py"))
    asked = {
        name
        for path in (root / "handler.py", *folders)
        for name in re.findall(r"\.(?:text|say)\(\s*['\"](\w+)['\"]", path.read_text("utf-8"))
    }
    asked |= {f"reminder_{each.kind}" for each in REMINDERS if each.kind != "tools"}
    assert {"environment", "reminder_must_ask", "only"} <= asked
    assert asked <= set(NAMES)


def test_the_documented_sizes_are_those_of_the_files() -> None:
    from bench import tokens

    text = (FOLDER.parent.parent / "docs" / "prompt.md").read_text("utf-8")
    rows = re.findall(r"^\| `(\w+)` \| (\d+) \| (\d+) \|", text, re.M)
    assert len(rows) > 15
    wrong = {
        (name, lang): (int(said), size)
        for name, *sizes in rows
        for lang, said in zip(("en", "zh"), sizes, strict=True)
        if abs(
            int(said)
            - (
                size := len(
                    tokens.encode((FOLDER / lang / f"{name}.md").read_text("utf-8").strip())
                )
            )
        )
        > 5
    }
    assert wrong == {}
