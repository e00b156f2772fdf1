"""A package of somebody else brings a family of tools: installed for real, used by a run, held by
the same gate."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import LAUNCH
from tests.machine import ran

PACKAGE = {
    "pyproject.toml": """
[build-system]
requires = ["hatchling"]
build-backend = "hatchling.build"
[project]
name = "sopwith-stars"
version = "1"
[project.entry-points."sopwith.plugins"]
"family.stars" = "sopwith_stars:FAMILY"
"graph.book" = "sopwith_stars:Book"
""",
    "sopwith_stars.py": '''
"""A family with one tool that looks and one that removes."""
from pathlib import Path
from models.base import ToolResult
from tools.base import ToolContext, tool
from tools.registry import Family

@tool("none")
def star_look(ctx: ToolContext, name: str) -> ToolResult:
    """Look at a star."""
    return ToolResult("ok", f"{name} shines")

@tool("delete", paths=("path",))
def star_remove(ctx: ToolContext, path: str) -> ToolResult:
    """Remove a file."""
    ctx.path(path).unlink()
    return ToolResult("ok", "gone")

def problem() -> str:
    return ""

class Book:
    """A copy of the mind graph in a file: the number of its things, as of a version."""

    def __init__(self, config, home):
        self.path = Path(config.uri)

    def sent(self, version):
        return f"book {version}"

    def flush(self, rows):
        self.path.write_text(rows.version())
        return 1

    def version(self):
        return self.path.read_text()

FAMILY = Family("stars", "sopwith_stars", ("star_look", "star_remove"), r"\\bstars?\\b")
''',
}


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the package, built and installed by pip into a folder."""
    source = tmp_path_factory.mktemp("source")
    target = source.with_name("site")
    for name, text in PACKAGE.items():
        (source / name).write_text(text)
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-build-isolation"]
    subprocess.run([*pip, "--target", str(target), str(source)], check=True)
    return target


def run_task(
    home: Path, site: Path | None, replies: list[object], request: str
) -> list[dict[str, Any]]:
    """Run one task with a scripted model; return its events."""
    script = home.parent / "replies.json"
    script.write_text(json.dumps(replies))
    home.mkdir(exist_ok=True)
    (home / "config.yaml").write_text(
        f"plugins: [stars]\nmodels: [{{name: s, kind: scripted, model: '{script}'}}]\n"
    )
    done = ran(
        *LAUNCH,
        "run",
        "--events",
        "--approve",
        "never",
        request,
        env={**os.environ, "PYTHONPATH": str(site or "")},
    )
    if site is None:
        assert done.returncode == 2
        return [{"error": done.stderr}]
    return [json.loads(line) for line in done.stdout.splitlines()]


def call(name: str, /, **args: object) -> dict[str, object]:
    return {"calls": [{"name": name, "args": args}]}


def test_a_plugin_brings_tools_that_pass_the_gate(home: Path, installed: Path) -> None:
    kept = home.parent / "kept.txt"
    kept.write_text("mine")
    replies = [
        call("star_look", name="Vega"),
        call("star_remove", path=str(kept)),
        {"text": "done"},
    ]
    events = run_task(home, installed, replies, "look at the stars")
    ended = [(each["tool"], each["status"]) for each in events if each["type"] == "tool_ended"]
    assert events[0]["families"] == ["stars"]
    assert ended == [("star_look", "ok"), ("star_remove", "refused")]
    assert kept.read_text() == "mine"


def test_the_model_can_ask_for_a_family_of_a_plugin(home: Path, installed: Path) -> None:
    replies = [call("more_tools", family="stars"), {"text": "done"}]
    events = run_task(home, installed, replies, "look up")
    (ended,) = [each for each in events if each["type"] == "tool_ended"]
    assert ended["status"] == "ok"
    assert "star_look" in ended["data"]


def sopwith(home: Path, site: Path | None, *args: str) -> subprocess.CompletedProcess[str]:
    environ = {**os.environ, "PYTHONPATH": str(site or "")}
    command = [*LAUNCH, *args]
    return ran(*command, env=environ)


def test_a_package_keeps_a_copy_of_the_graph(home: Path, installed: Path) -> None:
    book = home.parent / "book.txt"
    home.mkdir(exist_ok=True)
    (home / "config.yaml").write_text(f"graph: {{kind: book, uri: '{book}'}}\n")
    done = sopwith(home, installed, "memory", "rebuild")
    assert (done.returncode, book.is_file()) == (0, True), done.stderr
    check = json.loads(sopwith(home, installed, "doctor", "--json").stdout)["checks"]
    assert {each["name"]: each["ok"] for each in check}["book"] is True
    missing = sopwith(home, None, "memory", "rebuild")
    assert "line 1: graph.kind must be one of neo4j; it is 'book'" in missing.stderr


def test_a_plugin_that_is_not_installed_is_named(home: Path) -> None:
    (said,) = run_task(home, None, [{"text": "done"}], "look at the stars")
    assert "'stars'" in said["error"]
    assert len(said["error"].splitlines()) <= 2
