"""A workspace file that cannot be read as it is costs no run, and its owner is told, in their
language."""

from pathlib import Path
from typing import Any

from tests.conftest import CommandLine
from tests.scripted_server import Answer


def test_what_is_wrong_with_a_file_is_said(
    cli: CommandLine, home: Path, scripted_server: Any
) -> None:
    server = scripted_server(lambda body, number: Answer(text="fine"))
    home.mkdir(parents=True)
    (home / "config.yaml").write_text(
        f"models: [{{name: m, model: m, base_url: '{server.base_url}'}}]\n"
    )
    assert cli("run", "hello there").stderr.count("\n") == 1  # turns, tokens
    (home / "SPIRIT.md").write_bytes(b"\xff\xfe\x80 no text")
    (home / "TOOLS.md").unlink()
    (home / "TOOLS.md").mkdir()
    done = cli("run", "hello again")
    assert done.code == 0 and done.stdout == "fine\n"
    assert "SPIRIT.md is not UTF-8 text; its last good copy is used\n" in done.stderr
    assert "TOOLS.md is a folder, not a file; its last good copy is used\n" in done.stderr
    chinese = cli("--lang", "zh", "run", "hello once more").stderr
    assert (
        "SPIRIT.md 不是 UTF-8 文本；已改用上一次的完好副本\n" in chinese
        and "TOOLS.md 是文件夹" in chinese
    )
