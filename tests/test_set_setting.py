"""Changing one setting from the terminal: the rest of config.yaml stays, and what cannot be meant
is refused."""

from pathlib import Path

import pytest

from config import load
from tests.conftest import CommandLine
from tests.rows import cases

BEFORE = """# mine
models:
  - {name: main, model: gpt, api_key: "${KEY}"}

# safety first
safety:
  confirm: [delete]   # only
"""


@pytest.fixture(autouse=True)
def settings(home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("KEY", "sk-0123456789abcdef")
    home.mkdir(parents=True, exist_ok=True)
    (home / "config.yaml").write_text(BEFORE, "utf-8")
    return home / "config.yaml"


def test_one_key_changes_and_the_rest_stays_as_it_is_written(
    cli: CommandLine, settings: Path
) -> None:
    for key, value in (
        ("limits.turns", "7"),
        ("models.local", "{model: qwen, base_url: http://127.0.0.1:1/v1}"),
        ("safety.confirm", "[]"),
        ("mcp.servers.desk", "{command: [npx], effects: {go: read}}"),
    ):
        done = cli("config", "set", key, value)
        assert done.code == 0, done
    text = settings.read_text("utf-8")
    assert "# safety first" in text
    assert "${KEY}" in text
    config = load(settings.parent, "en", {"KEY": "sk-0123456789abcdef"})
    assert (config.limits.turns, config.safety.confirm) == (7, ())
    assert [(each.name, each.api_key[:3]) for each in config.models] == [
        ("main", "sk-"),
        ("local", ""),
    ]
    assert config.mcp.servers["desk"].effects == {"go": "read"}
    assert cli("config", "set", "models.local").code == 0
    assert cli("config", "set", "limits").code == 0
    config = load(settings.parent, "en", {"KEY": "sk-0123456789abcdef"})
    assert (len(config.models), config.limits.turns) == (1, 40)


@cases
def test_setting_that_cannot_be_meant_changes_nothing(
    cli: CommandLine, settings: Path, key: str, value: str, said: str
) -> None:
    done = cli("config", "set", key, value)
    assert done.code == 2
    assert said in done.stderr
    assert settings.read_text("utf-8") == BEFORE
