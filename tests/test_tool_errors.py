"""Check that what a tool says when it does not go well is English for the model, and in the owner's
language on every screen."""

import ast
from collections.abc import Iterator
from pathlib import Path

from tests.conftest import CHECKOUT, CommandLine
from tests.driving import call
from tests.scales import nodes_of
from tests.screen import scripted
from tests.test_errors import assert_in_chinese, names_of_errors, texts, trees
from ui import words

FAILED = {"error", "timeout", "refused", "cancelled"}
TOLD = {
    "reason",
    "error",
    "note",
    "problem",
}  # names in a result's data whose values are sentences of ours
OTHERS = {"Trouble", "PrivateAddress"}  # what becomes a result without being a ToolError
TELLING = {"problem", "_why", "_held"}  # functions of the tools that give such a sentence


def said() -> Iterator[tuple[str, str]]:
    """Place and text of each thing that a tool can say: what it raises, and the sentences in its
    results."""
    names = names_of_errors("ToolError") | OTHERS
    for path, tree in trees().items():
        for node in nodes_of(tree):
            for each in _told(node, names, path.parent.name == "tools"):
                for line in (line for text in texts(each) for line in text.split("\n")):
                    yield f"{path.relative_to(CHECKOUT)}:{each.lineno}", line


def _told(node: ast.AST, names: set[str], is_of_tools: bool) -> Iterator[ast.expr]:
    if isinstance(node, ast.Call):
        name = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
        if name in names:
            yield from node.args[:1]
        elif name == "ToolResult" and len(node.args) > 1 and isinstance(node.args[0], ast.Constant):
            yield from node.args[1:2] if node.args[0].value in FAILED else []
    elif isinstance(node, ast.Dict) and is_of_tools:
        keys = [key.value if isinstance(key, ast.Constant) else "" for key in node.keys]
        yield from (value for key, value in zip(keys, node.values, strict=True) if key in TOLD)
    elif isinstance(node, ast.FunctionDef) and is_of_tools and node.name in TELLING:
        yield from (
            each.value for each in ast.walk(node) if isinstance(each, ast.Return) and each.value
        )


def test_everything_that_a_tool_says_has_its_words() -> None:
    words.use("zh")
    assert_in_chinese(said())


def test_a_run_in_chinese_shows_no_english_of_ours(cli: CommandLine, home: Path) -> None:
    scripted(
        home,
        [
            call("file_read", path="nowhere.txt"),
            call("code_run", script="sleep 9", timeout=1),
            "完成。",
        ],
    )
    shown = cli("--lang", "zh", "run", "看看", "--no-rote", "--approve", "all")
    assert "nowhere.txt 不存在" in shown.stderr and "已到时限 1 秒" in shown.stderr, shown
    assert "does not exist" not in shown.stderr
    log = cli("runs", "show", "last", "--json").stdout
    assert "nowhere.txt does not exist" in log  # the log and the model have one form
