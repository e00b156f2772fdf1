"""The scripted model: the same replies each time, from code or a file, and again behind a
resume."""

from pathlib import Path

import pytest

from config import ConfigError
from models.scripted import ScriptedModel
from tests.rows import cases


@cases
def test_file_that_is_no_script_is_a_setting_that_cannot_be_meant(
    text: str | None, words: str, tmp_path: Path
) -> None:
    path = tmp_path / "script.yaml"
    if text is not None:
        path.write_text(text, "utf-8")
    with pytest.raises(ConfigError, match=words) as caught:
        ScriptedModel.load(path)
    assert str(path) in str(caught.value)
