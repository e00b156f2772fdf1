"""Images from files: what file_read shows to a model that has eyes, in each protocol, and what one without them reads."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from config import ModelConfig
from models.base import Request
from models.endpoint import EndpointModel
from models.endpoint.trial import PIXEL
from models.errors import ModelUnavailable
from models.images import MAX_IMAGE_BYTES, encoded
from tests.conftest import CommandLine
from tests.scripted_server import Answer, ScriptedServer
from tests.test_openai_compat import drive


@pytest.mark.parametrize(
    ("wire", "part"),
    [("chat", "image_url"), ("responses", "input_image"), ("messages", '"media_type":"image/png"')],
)
def test_image_is_sent_in_the_words_of_the_protocol(wire: str, part: str, tmp_path: Path) -> None:
    file = tmp_path / "a.png"
    file.write_bytes(PIXEL)
    message = {"role": "user", "content": "look", "images": [str(file)]}
    with ScriptedServer([Answer(status=400, error={"message": "stop here"})] * 3) as server:
        named: Any = wire
        config = ModelConfig("m", "m", base_url=server.base_url, protocol=named)
        with pytest.raises(ModelUnavailable, match="stop here"):
            drive(EndpointModel(config), Request(1, [message]))
        assert part in server.requests[0].raw.decode()


def test_model_without_eyes_reads_the_name_alone(tmp_path: Path) -> None:
    file = tmp_path / "a.png"
    file.write_bytes(PIXEL)
    message = {"role": "user", "content": f"look at {file}", "images": [str(file)]}
    with ScriptedServer([Answer("ok")]) as server:
        config = ModelConfig("m", "m", base_url=server.base_url, eyes=False)
        drive(EndpointModel(config), Request(1, [message]))
        assert server.requests[0].body["messages"][0]["content"] == f"look at {file}"


def test_file_read_shows_an_image(cli: CommandLine, tmp_path: Path) -> None:
    (tmp_path / "shot.png").write_bytes(PIXEL)
    call = {"name": "file_read", "args": {"path": str(tmp_path / "shot.png")}}
    with ScriptedServer([Answer("", [call]), Answer("It is a square.")]) as server:
        env = {"OPENAI_BASE_URL": server.base_url, "SOPWITH_MODEL": "gpt-4o"}
        done = cli("run", "what is on shot.png?", "--approve", "all", env=env, cwd=tmp_path)
        sent = json.dumps(server.requests[1].body)
    assert done.code == 0, done.stderr
    assert "data:image/png;base64," in sent


def test_image_that_is_too_large_is_made_smaller(tmp_path: Path) -> None:
    image = pytest.importorskip("PIL.Image")
    file = tmp_path / "big.png"
    image.frombytes("RGB", (1600, 1600), os.urandom(1600 * 1600 * 3)).save(file)
    assert file.stat().st_size > MAX_IMAGE_BYTES
    kind, data = encoded(str(file)) or ("", "")
    assert kind == "image/jpeg"
    assert 0 < len(data) * 3 // 4 < MAX_IMAGE_BYTES
