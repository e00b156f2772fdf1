"""Embeddings: the model that is installed with us, and endpoints that are slow, down, wrong or of
another dimension."""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from config import EmbeddingsConfig
from models import embeddings
from models.embeddings import EmbeddedModel, EmbeddingError, EndpointModel, embedder
from tests.machine import ran
from tests.rows import cases
from tests.scales import CHECKOUT
from tests.scripted_server import Answer, ScriptedServer, refused_url


def vectors(dimension: int = 4) -> Callable[[dict[str, Any], int], Answer]:
    """Return a script that answers with a vector for each text, the last text first."""

    def answer(body: dict[str, Any], number: int) -> Answer:
        texts = body["input"]
        rows = [
            {"index": at, "embedding": [len(text), at, 2, 3][:dimension]}
            for at, text in enumerate(texts)
        ]
        return Answer(
            raw=json.dumps({"object": "list", "data": rows[::-1], "model": "m"}), streams=False
        )

    return answer


def asking(url: str, **more: Any) -> EndpointModel:
    """Return an embedder for the endpoint at `url`."""
    return EndpointModel(EmbeddingsConfig("m", base_url=url, **more))


@pytest.fixture(scope="module")
def installed() -> EmbeddedModel:
    """Return the installed model, loaded once."""
    return EmbeddedModel()


def test_installed_model_knows_both_languages_without_a_key(installed: EmbeddedModel) -> None:
    texts = ["the printer is broken", "打印机坏了", "we bake bread on Sunday", "周日我们烤面包"]
    found = installed.embed(texts)
    assert found.shape == (4, 512)
    assert found.dtype == np.float32
    assert np.allclose(np.linalg.norm(found, axis=1), 1, atol=1e-4)
    near = found @ found.T
    assert near[0, 1] > max(near[0, 2], near[0, 3])
    assert near[2, 3] > max(near[2, 0], near[2, 1])


def test_any_text_has_a_vector(installed: EmbeddedModel) -> None:
    odd = ["", " ", "\ud800", "😀" * 50, "x" * 100_000, "\x00", "'; DROP TABLE turns; --"]
    assert np.isfinite(installed.embed(odd)).all()


def test_nothing_has_no_vectors(installed: EmbeddedModel) -> None:
    assert installed.embed([]).shape == (0, 512)


def test_where_nothing_can_be_kept_the_model_is_read_from_its_package(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    assert EmbeddedModel(tmp_path / "file").embed(["a"]).shape == (1, 512)


def test_endpoint_is_asked_in_batches_and_answers_are_put_in_order(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(embeddings, "BATCH", 3)
    with ScriptedServer(vectors()) as server:
        found = asking(server.base_url, api_key="k1").embed(["a" * size for size in range(1, 8)])
        assert [len(each.body["input"]) for each in server.requests] == [3, 3, 1]
        assert {each.headers["authorization"] for each in server.requests} == {"Bearer k1"}
    assert found.shape == (7, 4)
    assert np.allclose(found[1], np.array([2, 1, 2, 3]) / np.sqrt(18))


@cases
def test_answer_that_holds_no_vectors_is_an_error_in_words(body: str) -> None:
    with (
        ScriptedServer([Answer(raw=body, streams=False)]) as server,
        pytest.raises(EmbeddingError) as raised,
    ):
        asking(server.base_url).embed(["a"], is_awaited=True)
    assert len(str(raised.value)) < 400


def test_endpoint_that_is_not_there_is_named_and_the_key_is_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(embeddings, "RETRIES", 0)
    with pytest.raises(EmbeddingError, match="embeddings of m cannot be had") as raised:
        asking(refused_url(), api_key="sk-secret-123").embed(["a"])
    assert "sk-secret" not in str(raised.value)


def test_configured_endpoint_goes_before_the_installed_model() -> None:
    assert isinstance(embedder(EmbeddingsConfig("m")), EndpointModel)
    assert isinstance(embedder(None), EmbeddedModel)
    assert EndpointModel(EmbeddingsConfig("m")).name != EndpointModel(EmbeddingsConfig("n")).name


def test_a_flat_post_loads_no_types_of_openai_until_a_name_is_asked_for() -> None:
    said = """
import sys
from models.endpoint.packages import package
openai = package("openai")
openai.OpenAI(api_key="none", base_url="http://127.0.0.1:9/v1")
print("openai.types.responses.response" in sys.modules)
print(openai.types.responses.Response.__name__, openai.types.chat.ChatCompletion.__name__)
"""
    done = ran(sys.executable, "-c", said, check=True, cwd=CHECKOUT)
    assert done.stdout.split() == ["False", "Response", "ChatCompletion"]
