"""Errors: each line that an owner can meet is there in Chinese too, and is said where the owner is
Chinese."""

import ast
import json
import re
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

import pytest

from config import SopwithError, sentences
from context.phrases import FOLDER
from models.endpoint.failure import Failure
from models.errors import LimitReached, ModelUnavailable
from models.streams import NotAnAnswer
from tests.conftest import CHECKOUT, CommandLine
from tests.rows import cases, rows
from tests.scales import nodes_of, tree_of
from tests.screen import scripted
from ui import words

FOLDERS = tuple(rows(__name__, "folders"))
ROOTS = (SopwithError, LimitReached, ModelUnavailable, Failure, NotAnAnswer)
BLANK = re.compile(r"\{[^{}]*\}")
CHINESE = re.compile("[\u4e00-\u9fff]")


@pytest.fixture
def chinese() -> None:
    words.use("zh")


def book() -> dict[str, str]:
    found: dict[str, str] = json.loads((FOLDER / "errors.zh.json").read_text("utf-8"))
    return found


def sources() -> list[Path]:
    return [
        *sorted(CHECKOUT.glob("*.py")),
        *(path for name in FOLDERS for path in sorted((CHECKOUT / name).rglob("*.py"))),
    ]


@cache
def trees() -> dict[Path, ast.Module]:
    """Return all sources, each read once."""
    return {path: tree_of(path) for path in sources()}


def names_of_errors(*roots: str) -> set[str]:
    """Return the roots and all classes below them, as the sources have them: programs of their own
    are not imported."""
    bases = {
        node.name: {getattr(base, "attr", getattr(base, "id", "")) for base in node.bases}
        for tree in trees().values()
        for node in nodes_of(tree)
        if isinstance(node, ast.ClassDef)
    }
    found = set(roots)
    while more := {name for name, above in bases.items() if above & found} - found:
        found |= more
    return found


def texts(node: ast.expr) -> Iterator[str]:
    """Yield the texts that an expression can be, each blank as {}; of what is worked out elsewhere,
    a blank."""
    match node:
        case ast.Constant(value=str(text)):
            yield text
        case ast.JoinedStr(values=parts):
            yield "".join(
                str(part.value) if isinstance(part, ast.Constant) else "{}" for part in parts
            )
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            yield from (one + other for one in texts(left) for other in texts(right))
        case ast.IfExp(body=body, orelse=orelse):
            yield from texts(body)
            yield from texts(orelse)
        case _:
            yield "{}"


def lines_of(path: Path, names: set[str]) -> Iterator[tuple[str, str]]:
    for node in nodes_of(trees()[path]):
        if not isinstance(node, ast.Call):
            continue
        name = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
        is_setting = path.name == "config.py" and name == "error"
        said = node.args[2:3] if is_setting else node.args[:1] if name in names else []
        said += [
            keyword.value
            for keyword in node.keywords
            if name == "Failure" and keyword.arg == "hint"
        ]
        for text in (text for each in said for text in texts(each)):
            for line in text.split("\n"):
                yield (
                    f"{path.relative_to(CHECKOUT)}:{node.lineno}",
                    f"{{}} {line}" if is_setting else line,
                )


def test_every_error_has_its_words(chinese: None) -> None:
    names = names_of_errors(*(kind.__name__ for kind in ROOTS))
    assert {
        "ConfigError",
        "NoSuchRun",
        "ImportRefused",
        "JobError",
        "ModelUnavailable",
        "Failure",
    } <= names
    assert_in_chinese([each for path in trees() for each in lines_of(path, names)])


def assert_in_chinese(said: Iterable[tuple[str, str]]) -> None:
    """Hold that each text, given with its place, is said in Chinese."""
    ours = {
        line.replace("{}", "x1"): where
        for where, line in said
        if re.search("[A-Za-z]{2,} [A-Za-z]{2,}", line)
    }
    assert len(ours) >= 20
    missing = [f"{ours[line]} {line}" for line in ours if not CHINESE.search(words.in_words(line))]
    assert missing == [], "give each of these lines its Chinese in assets/words/errors.zh.json"


def test_a_message_has_its_key_and_its_values() -> None:
    """Hold each `Error("error.KEY", name=…)` to the sentence of its key."""
    english, wrong = sentences("en"), []
    for path, tree in trees().items():
        for node in nodes_of(tree):
            if not isinstance(node, ast.Call) or not node.args:
                continue
            key = node.args[0].value if isinstance(node.args[0], ast.Constant) else None
            if isinstance(key, str) and key.startswith("error.") and key[6:]:
                given = {each.arg for each in node.keywords}
                blanks = {
                    name.partition(":")[0][1:].rstrip("}")
                    for name in BLANK.findall(english.get(key, "{?}"))
                }
                wrong += [(str(path), key)] if blanks != given else []
    assert wrong == []


def test_fewer_lines_are_translated_backwards() -> None:
    """Lower the bound whenever messages get keys; at 0 context/phrases.py goes."""
    assert len(book()) <= 251


def test_words_fill_in_the_same_blanks() -> None:
    for line, said in book().items():
        assert sorted(BLANK.findall(said)) == sorted(BLANK.findall(line)), line
        assert len(set(BLANK.findall(line))) == len(BLANK.findall(line)), line
        assert CHINESE.search(said), line


@cases
def test_a_text_from_below_is_put_into_words(chinese: None, english: str, said: str) -> None:
    assert words.in_words(english) == said


@cases
def test_what_an_owner_meets_is_chinese(
    cli: CommandLine, home: Path, args: tuple[str, ...], said: str
) -> None:
    call = {"calls": [{"name": "code_run", "args": {"script": "true"}}], "usage": {"cost": 0.02}}
    scripted(home, [call, call])
    done = cli("--lang", "zh", *args)
    assert said in done.stderr and done.code != 0, done
    assert english_words(done.stderr, home) == []


@cases
def test_what_is_set_wrongly_is_said_in_chinese(
    cli: CommandLine, home: Path, text: str, said: str
) -> None:
    home.mkdir(parents=True, exist_ok=True)
    (home / "config.yaml").write_text(text, "utf-8")
    done = cli("--lang", "zh", "runs", "list")
    assert done.code == 2 and said in done.stderr, done


def english_words(text: str, home: Path) -> list[str]:
    """Three English words in a row that are no command to type."""
    text = re.sub(r"sopwith [a-zA-Z0-9 .-]+|--\S+", "", text.replace(str(home), ""))
    return re.findall(r"[a-z]{2,} [a-z]{2,} [a-z]{2,}", text)
