"""Images from files: what file_read shows to a model that has eyes, in each protocol, and what one
without them reads."""

import base64
import io
import json
import os
import re
from pathlib import Path

import pytest

from config import ModelConfig
from models.base import Request
from models.endpoint import EndpointModel
from models.endpoint.trial import PIXEL
from models.images import MAX_IMAGE_BYTES, encoded
from tests.conftest import CommandLine
from tests.scripted_server import Answer, ScriptedServer
from tests.test_openai_compat import drive

PARTS = {
    "chat": r'"image_url":\{"url":"data:(?P<kind>[^;]+);base64,(?P<data>[^"]+)"',
    "responses": r'"input_image","image_url":"data:(?P<kind>[^;]+);base64,(?P<data>[^"]+)"',
    "messages": r'"media_type":"(?P<kind>[^"]+)","data":"(?P<data>[^"]+)"',
    "text": r'"image_url":\{"url":"data:(?P<kind>[^;]+);base64,(?P<data>[^"]+)"',
}


@pytest.mark.parametrize("wire", PARTS)
def test_attached_image_reaches_the_model_as_large_as_it_takes(
    wire: str, cli: CommandLine, home: Path, tmp_path: Path
) -> None:
    image = pytest.importorskip("PIL.Image")
    image.new("RGB", (2560, 1440), "red").save(tmp_path / "shot.png")
    with ScriptedServer([Answer(raw=_done(wire), streams=False)]) as server:
        home.mkdir(parents=True)
        (home / "config.yaml").write_text(
            f"models: [{{name: m, model: m, base_url: '{server.base_url}', api_key: k, protocol: {wire}}}]"
        )
        done = cli("run", "what is this?", "-f", "shot.png", cwd=tmp_path)
        found = re.search(PARTS[wire], server.requests[0].raw.decode())
    assert done.code == 0, done.stderr
    assert found
    assert found["kind"] == "image/png"
    with image.open(io.BytesIO(base64.b64decode(found["data"]))) as sent:
        assert sent.size == (1429, 804)


def test_model_with_eyes_describes_images_for_one_without(
    cli: CommandLine, home: Path, tmp_path: Path
) -> None:
    (tmp_path / "shot.png").write_bytes(PIXEL)
    call = {"name": "file_read", "args": {"path": str(tmp_path / "shot.png")}}
    refusal = Answer(status=400, error={"message": "this model does not support image input"})
    sees = [Answer("A red square, 16 by 16.")]
    with (
        ScriptedServer([Answer("", [call]), refusal, Answer("It is red.")]) as blind,
        ScriptedServer(sees) as seeing,
    ):
        home.mkdir(parents=True)
        (home / "config.yaml").write_text(
            f"models:\n- {{name: main, model: m, base_url: '{blind.base_url}', protocol: chat}}\n"
            f"- {{name: sharp, model: v, base_url: '{seeing.base_url}', eyes: true, protocol: chat}}\n"
        )
        done = cli("run", "what is on shot.png?", "--approve", "all", "--events", cwd=tmp_path)
        asked = seeing.requests[0].raw.decode()
        told = json.dumps(blind.requests[-1].body)
    assert done.code == 0, done.stderr
    assert "data:image/png" in asked
    assert "A red square, 16 by 16." in told
    assert "data:image" not in told
    assert len(seeing.requests) == 1
    events = [json.loads(line) for line in done.stdout.splitlines()]
    (described,) = [each for each in events if each["type"] == "image_described"]
    assert described["model"] == "sharp"


def _done(wire: str) -> str:
    """Return an answer of one word in the words of the protocol."""
    whole = {
        "responses": {"object": "response", "output": [{"type": "message", "content": [{"type": "output_text", "text": "red"}]}]},
        "messages": {"type": "message", "content": [{"type": "text", "text": "red"}], "stop_reason": "end_turn"},
    }  # fmt: skip
    return json.dumps(whole.get(wire, {"choices": [{"message": {"content": "red"}}]}))


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
    assert kind == "image/png"
    assert 0 < len(data) * 3 // 4 < MAX_IMAGE_BYTES


def test_image_says_its_real_kind_and_a_large_photo_stands_upright(tmp_path: Path) -> None:
    image = pytest.importorskip("PIL.Image")
    small, photo, drawing = tmp_path / "a.png", tmp_path / "b.jpg", tmp_path / "c.png"
    image.new("RGB", (20, 10)).save(small, "JPEG")
    turned = image.Exif()
    turned[0x0112] = 6  # to be turned by 90 degrees
    image.new("CMYK", (4000, 3000)).save(photo, "JPEG", exif=turned)
    image.new("RGB", (20, 10)).save(drawing, "BMP")
    kinds = [(encoded(str(path)) or ("", ""))[0] for path in (small, photo, drawing)]
    assert kinds == ["image/jpeg", "image/jpeg", "image/png"]
    with image.open(io.BytesIO(base64.b64decode((encoded(str(photo)) or ("", ""))[1]))) as sent:
        assert sent.size == (928, 1237)
