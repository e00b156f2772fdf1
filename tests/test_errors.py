"""Errors: each line that an owner can meet is there in Chinese too, and is said where the owner is
Chinese."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from string import Formatter

from config import Message, Worded, sentences
from tests.conftest import CHECKOUT, CommandLine
from tests.rows import cases, rows
from tests.scales import nodes_of, tree_of
from tests.screen import scripted
from text.sentences import say

FOLDERS = tuple(rows(__name__, "folders"))
ROOTS = (Worded,)
OWN = {"hint"}  # of Failure: no value of its text
CHINESE = re.compile("[\u4e00-\u9fff]")


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


def raised(tree: ast.Module, names: set[str]) -> Iterator[tuple[int, str]]:
    """Yield the line and each text that is raised, or given to a reader, as it stands."""
    for node in nodes_of(tree):
        if isinstance(node, ast.Call) and node.args:
            name = (
                node.func.attr if isinstance(node.func, ast.Attribute) else ast.unparse(node.func)
            )
            if name in names:
                yield from ((node.lineno, text) for text in texts(node.args[0]))


def test_every_error_has_a_key_in_both_languages() -> None:
    names = names_of_errors(*(kind.__name__ for kind in ROOTS)) | {"Message"}
    assert {"ConfigError", "NoSuchRun", "ModelUnavailable", "Failure", "StageError"} <= names
    found = [
        (path, line, text)
        for path in trees()
        for line, text in raised(trees()[path], names)
        if re.search("[A-Za-z]{2,} [A-Za-z]{2,}|^error[.]", text)
    ]
    known = sentences("en").keys() & sentences("zh").keys()
    assert len(found) > 300
    assert [each for each in found if each[2] not in known and "{}" not in each[2]] == []
    assert [each for each in found if not each[2].startswith("error.")] == []


def test_a_message_has_its_key_and_its_values() -> None:
    """Hold each `Error("error.KEY", name=…)` to the sentence of its key."""
    english, wrong = sentences("en"), []
    for path, tree in trees().items():
        for node in nodes_of(tree):
            if not isinstance(node, ast.Call) or not node.args:
                continue
            key = node.args[0].value if isinstance(node.args[0], ast.Constant) else None
            if isinstance(key, str) and key.startswith("error.") and key[6:]:
                given = {each.arg for each in node.keywords} - OWN
                fields = Formatter().parse(str(english.get(key, "{?}")))
                blanks = {name for _, name, _, _ in fields if name is not None}
                wrong += [(str(path), key)] if blanks != given else []
    assert wrong == []


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


def test_a_message_within_a_sentence_is_in_its_language() -> None:
    gone = Message("error.models.no-connection", words=Message("error.os.ECONNREFUSED"))
    said = say("zh", "doctor.unreachable", url="http://x", why=gone)
    assert "no connection" not in said and "连接" in said
