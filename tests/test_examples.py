"""Check that what the help and the documents show can be typed as it stands there."""

import json
import re
import shlex
from pathlib import Path

import pytest

from tests.conftest import CHECKOUT, CommandLine
from tests.rows import cases
from ui.arguments import UsageError, build_parser, with_command
from ui.words import use

IN_DOCS = re.compile(r"^(?:    )(?:\./)?sopwith ([a-z].*)$", re.MULTILINE)


def shown(text: str) -> list[str]:
    """Return the words behind "sopwith" of one line, as a shell would give them."""
    return shlex.split(re.split(r"\s[|<>&]\s?", text)[0], comments=True)


def in_help(lang: str) -> list[str]:
    words = json.loads((CHECKOUT / "assets" / "words" / f"{lang}.json").read_text("utf-8"))
    lines = "\n".join(text for key, text in words.items() if key.endswith(".example")).splitlines()
    return [line.partition("sopwith ")[2] for line in lines if "sopwith " in line]


def in_docs() -> list[str]:
    pages = [*sorted((CHECKOUT / "docs").glob("*.md")), *sorted(CHECKOUT.glob("README*.md"))]
    return [found for page in pages for found in IN_DOCS.findall(page.read_text("utf-8"))]


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_each_example_of_the_help_can_be_parsed(lang: str) -> None:
    use(lang)
    lines = in_help(lang)
    assert len(lines) > 50
    for line in lines:
        parse(line)


def test_each_command_of_the_documents_can_be_parsed() -> None:
    use("en")
    lines = in_docs()
    assert len(lines) > 20
    for line in lines:
        parse(line)


def test_each_link_of_the_documents_leads_to_a_file() -> None:
    pages = [*(CHECKOUT / "docs").glob("*.md"), *CHECKOUT.glob("*.md")]
    links = [
        (page, link)
        for page in pages
        for link in re.findall(r"\]\(([^)#\s]+\.\w+)\)", page.read_text("utf-8"))
        if "://" not in link
    ]
    assert len(links) > 30
    assert [
        f"{page.name}: {link}" for page, link in links if not (page.parent / link).exists()
    ] == []


def test_the_documents_stay_short() -> None:
    pages = [*(CHECKOUT / "docs").glob("*.md"), *CHECKOUT.glob("README*.md")]
    assert sum(len(page.read_text("utf-8").split()) for page in pages) <= 14_000


def parse(line: str) -> None:
    try:
        words = with_command(shown(line))
        build_parser(words).parse_args(words)
    except UsageError as error:
        pytest.fail(f"sopwith {line}\n{error}")


@cases
def test_words_stand_on_both_sides_of_options(
    cli: CommandLine, home: Path, tmp_path: Path, words: list[str]
) -> None:
    done = cli("schedule", "add", "0 3 * * 0", *(word.format(folder=tmp_path) for word in words))
    assert done.code == 0, done
    job = json.loads((home / "schedule" / "largest-files.json").read_text("utf-8"))
    assert job["parameters"] == {"folder": str(tmp_path), "count": "1"}


def test_what_follows_two_dashes_is_a_word(cli: CommandLine) -> None:
    assert cli("sops", "search", "--json", "--", "largest", "--files").code == 0
