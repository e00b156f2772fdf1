"""What the owner lets a command remove outside the allowed folders goes: the sandbox does not hold it after that."""

import json
from pathlib import Path

import pytest

from tests.conftest import CommandLine
from tests.driving import bash


@pytest.mark.parametrize("command", ["rm -rf {}", "rm {}/file && rmdir {}", "unlink {}/file; rmdir {}"])
def test_an_approved_removal_outside_the_roots_is_done(
    cli: CommandLine, home: Path, tmp_path: Path, command: str
) -> None:
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
    assert cli("run", "remove it", "--no-rote").code == 3 and gone.is_dir()  # it is asked, and nothing done before
    [waiting] = json.loads(cli("inbox", "list", "--json").stdout)["inbox"]
    assert "outside the allowed folders" in waiting["text"]
    answered = cli("inbox", "approve", waiting["id"])
    assert answered.code == 0 and not gone.exists(), answered
