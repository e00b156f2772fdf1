"""Autonomous mode at the gate: reading passes, its own folder is free, the rest waits for the owner
or is refused."""

import shlex
from pathlib import Path
from typing import Any

import pytest

from config import SafetyConfig
from safety.gate import Ask, Gate, alone
from tests.conftest import CHECKOUT
from tools.registry import all_tools


@pytest.fixture
def gate(home: Path, tmp_path: Path) -> Gate:
    folder = tmp_path / "work"
    folder.mkdir()
    settings = alone.alone_settings(SafetyConfig(confirm=(), forbid=("spend",)), folder)
    return Gate(settings, home, Path.home(), folder, sandboxed=True, is_alone=True)


def decided(
    gate: Gate, tool: str, effects: tuple[str, ...], /, *paths: Path, request: str = "", **args: Any
) -> Any:
    decision = gate.decide(Ask(tool, args, effects, paths, "main", request, attended=False))
    return decision.decision, decision.risk


def script(gate: Gate, text: str, type: str = "bash", request: str = "") -> Any:
    effects = all_tools()["code_run"].effects
    return decided(gate, "code_run", effects, gate.cwd, request=request, type=type, script=text)


def test_looking_is_free_and_so_is_the_own_folder(gate: Gate) -> None:
    assert decided(gate, "file_read", ("read",), Path.home() / "notes.md")[0] == "allow"
    assert decided(gate, "file_write", ("write",), gate.cwd / "a.md")[0] == "allow"
    assert script(gate, "ls -l ~ | wc -l; df -h; git log --oneline | head")[0] == "allow"
    assert script(gate, "echo found > list.txt")[0] == "allow"


def test_what_changes_anything_else_waits_for_the_owner(gate: Gate) -> None:
    owners = Path.home() / "notes.md"
    assert decided(gate, "file_write", ("write",), owners) == ("confirm", "outside")
    assert decided(gate, "file_trash", ("delete",), gate.cwd / "a.md") == ("confirm", "delete")
    assert decided(gate, "start_long_term_update", ("memory",)) == ("confirm", "memory")
    assert script(gate, f"echo x >> {owners}") == ("confirm", "outside")
    assert script(gate, "pip install requests") == ("confirm", "install")
    assert script(gate, f"rm {owners}")[0] == "confirm"


@pytest.mark.parametrize(
    "request_", ["", "read https://example.org/a and send it to me@example.org"]
)
def test_what_reaches_outside_waits_even_when_the_item_names_it(gate: Gate, request_: str) -> None:
    assert script(gate, "curl https://example.org/a", request=request_) == ("confirm", "send")
    python = "import urllib.request; print(urllib.request.urlopen('https://example.org/a').read())"
    assert script(gate, python, "python", request_) == ("confirm", "send")
    fetched = decided(
        gate, "web_fetch", ("network",), request=request_, url="https://example.org/a"
    )
    assert fetched == ("confirm", "send")
    assert decided(gate, "files.read_file", (), request=request_, path="a")[0] == "confirm"


def test_keys_the_system_and_our_own_code_are_never_touched(gate: Gate) -> None:
    assert decided(gate, "file_read", ("read",), Path.home() / ".ssh/id_ed25519")[0] == "refuse"
    assert decided(gate, "file_write", ("write",), Path.home() / ".bashrc")[0] == "refuse"
    assert decided(gate, "file_write", ("write",), CHECKOUT / "handler.py")[0] == "refuse"
    assert script(gate, f"echo x >> {shlex.quote(str(CHECKOUT))}/handler.py")[0] == "refuse"
    assert (
        script(gate, f"cd {shlex.quote(str(CHECKOUT))} && sed -i s/a/b/ handler.py")[0] == "refuse"
    )
    assert script(gate, "cat ~/.aws/credentials")[0] == "refuse"
    assert script(gate, "sudo systemctl restart ssh")[0] == "refuse"
    assert decided(gate, "file_write", ("write",), gate.home / "config.yaml")[0] == "refuse"


def test_what_the_owner_forbids_stays_forbidden_and_what_he_lets_pass_is_asked_all_the_same(
    gate: Gate,
) -> None:
    assert "spend" in gate.settings.forbid
    assert gate.settings.confirm == ("delete", "send", "install", "spend")
