"""Check that what the owner lets a command remove outside the allowed folders goes: the sandbox
does not hold it after that."""

import json
from pathlib import Path

import pytest

from config import SafetyConfig
from safety.gate import Ask, Gate
from sandbox.cells.levels import probe
from sandbox.network import leave_of
from tests.conftest import CommandLine
from tests.driving import bash
from tests.rows import cases


@pytest.mark.parametrize("command", ["rm -rf {}", "unlink {}/file; rmdir {}", "find {} -delete"])
def test_an_approved_removal_outside_the_roots_is_done(
    cli: CommandLine, home: Path, tmp_path: Path, command: str
) -> None:
    gone = _asked(cli, home, tmp_path, command)
    [waiting] = json.loads(cli("inbox", "list", "--json").stdout)["inbox"]
    assert "outside" in waiting["text"] or "trash" in waiting["text"]
    answered = cli("inbox", "approve", waiting["id"])
    assert answered.code == 0 and not gone.exists(), answered


def _asked(cli: CommandLine, home: Path, tmp_path: Path, command: str) -> Path:
    """Return a folder outside the roots that a command wants to remove; the run waits for the
    owner."""
    gone = _prepared(home, tmp_path, command)
    assert cli("run", "remove it", "--no-rote").code == 3
    assert gone.is_dir()  # it is asked, and nothing done before
    return gone


def _prepared(home: Path, tmp_path: Path, command: str) -> Path:
    """Return a folder outside the roots, and a model that wants to remove it."""
    gone = tmp_path / "elsewhere"
    gone.mkdir()
    (gone / "file").write_text("x")
    script = tmp_path / "script.json"
    script.write_text(json.dumps([bash(command.replace("{}", str(gone))), "Done."]))
    home.mkdir()
    settings = {
        "safety": {"roots": [str(Path.cwd())]},
        "models": [{"name": "script", "kind": "scripted", "model": str(script)}],
    }
    (home / "config.yaml").write_text(json.dumps(settings))
    return gone


@cases
def test_what_is_found_in_a_folder_that_the_script_names_may_be_removed(
    command: str, leaves: bool
) -> None:
    owner = Path("/home/mia")
    gate = Gate(
        SafetyConfig(roots=(Path("/home/mia"),)), owner / ".sopwith", owner, owner, sandboxed=True
    )
    ask = Ask("code_run", {"type": "bash", "script": command}, ("execute",), (), "main")
    assert gate.decide(ask).decision == "confirm"
    assert any(each.startswith("/srv/old") for each in leave_of(gate, ask).places) == leaves


def test_a_place_that_only_the_shell_knows_stays_and_the_run_says_why(
    cli: CommandLine, home: Path, tmp_path: Path
) -> None:
    if probe().name == "none":
        pytest.skip("no sandbox on this machine: nothing is held")
    (Path.cwd() / "list").write_text(f"{tmp_path}/elsewhere\n")
    kept = _prepared(home, tmp_path, 'p=$(cat list); rm -rf "$p"')
    assert cli("run", "remove it", "--no-rote", "--approve", "all").code == 0 and kept.is_dir()
    assert "named in the script itself" in cli("runs", "show", "last", "--json").stdout
