"""Check what the page says in two languages, and that its libraries are the files that VERSIONS
names."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import pytest

from tests.conftest import CHECKOUT
from tests.machine import ran

WEB = CHECKOUT / "assets" / "web"
SAID = re.compile(r"""\bsay(?:Or)?\(\s*(?:"([^"]+)"|`([^`]+)`)""")
OURS = sorted(file for file in WEB.rglob("*.js") if "vendor" not in file.parts)


def words(lang: str) -> dict[str, str]:
    found: dict[str, str] = json.loads((WEB / "words" / f"{lang}.json").read_text("utf-8"))
    return found


def test_both_languages_say_the_same_with_the_same_values() -> None:
    english, chinese = words("en"), words("zh")
    assert list(english) == list(chinese)
    for key, text in english.items():
        assert set(re.findall(r"\{(\w+)\}", text)) >= set(re.findall(r"\{(\w+)\}", chinese[key])), (
            key
        )
        assert text.strip(), key
        assert chinese[key].strip(), key


def test_every_word_that_the_page_says_is_there_and_every_word_is_said() -> None:
    """A key that is put together, such as status.${name}, stands for all that it may become."""
    known, said = set(words("en")), set()
    for file in OURS:
        text = file.read_text("utf-8")
        for fixed, built in SAID.findall(text):
            if fixed:
                assert fixed in known, f"{file.name}: {fixed}"
                said.add(fixed)
            else:
                pattern = ".+".join(map(re.escape, re.split(r"\$\{.*?\}", built)))
                fitting = {key for key in known if re.fullmatch(pattern, key)}
                assert fitting, f"{file.name}: {built}"
                said |= fitting
        said |= {key for key in known if f'"{key}"' in text}
    assert known - said == set()


@pytest.mark.parametrize("file", OURS, ids=lambda file: str(file.relative_to(WEB)))
def test_a_script_of_the_page_says_its_job_and_stays_small(file: Path) -> None:
    """First line, size, and no way to run text as code or to write HTML but through the
    sanitiser."""
    text = file.read_text("utf-8")
    assert text.startswith("// ")
    assert text.count("\n") < 400
    assert not re.search(
        r"\beval\(|new Function|document\.write|insertAdjacentHTML|outerHTML", text
    )
    for line in text.splitlines():
        if "innerHTML" in line:
            assert re.search(r"innerHTML = (rendered|plain\.sanitize)\(", line), line


def test_pages_hold_no_script_or_style_of_their_own_and_name_no_other_host() -> None:
    for file in WEB.glob("*.html"):
        text = file.read_text("utf-8")
        assert re.findall(r"<script(?![^>]* src=)|<style|\son\w+=|\sstyle=", text) == [], file.name
        assert "://" not in text, file.name
    for file in (*OURS, *WEB.rglob("*.css")):
        hosts = set(re.findall(r"https?://([\w.-]+)", file.read_text("utf-8")))
        assert hosts == set(), file.name


def test_libraries_are_the_files_that_were_looked_at() -> None:
    done = ran(sys.executable, str(CHECKOUT / "scripts" / "vendor_web"), "--check")
    assert (done.returncode, done.stderr) == (0, "")
    named = {
        line.split()[3]
        for line in (WEB / "vendor" / "VERSIONS").read_text("utf-8").splitlines()
        if line[0] != "#"
    }
    there = {
        str(file.relative_to(CHECKOUT))
        for file in (WEB / "vendor").iterdir()
        if file.name != "VERSIONS"
    }
    assert there == {name for name in named if name.startswith("assets/")}
