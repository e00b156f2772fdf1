"""The journal when what it leans on fails: an endpoint that becomes another, an index that is no
database."""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from config import EmbeddingsConfig
from memory.journal.api import Memory
from memory.journal.imports import import_file
from memory.journal.originals import file_of
from memory.journal.sync import rebuild
from models.embeddings import EndpointModel
from tests.scripted_server import Answer, ScriptedServer

NOW = datetime(2026, 11, 22, 5, tzinfo=UTC)


def endpoint(dimension: list[int]) -> ScriptedServer:
    """Embeds by counting characters; `dimension[0]` numbers a text."""

    def answer(body: dict[str, Any], number: int) -> Answer:
        rows = []
        for at, text in enumerate(body["input"]):
            vector = [0.0] * dimension[0]
            for character in text:
                vector[ord(character) % dimension[0]] += 1
            rows.append({"index": at, "embedding": vector})
        return Answer(raw=json.dumps({"object": "list", "data": rows, "model": "m"}), streams=False)

    return ScriptedServer(answer)


@pytest.mark.parametrize("backend", ["", "faiss"])
def test_an_endpoint_of_another_dimension_is_asked_again_for_all_and_words_serve_meanwhile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, backend: str
) -> None:
    monkeypatch.setenv("SOPWITH_VECTORS", backend)
    dimension = [48]
    with endpoint(dimension) as server:

        def opened() -> Memory:
            return Memory(
                tmp_path, embedder=EndpointModel(EmbeddingsConfig("m", base_url=server.base_url))
            )

        memory = opened()
        for number, text in enumerate(
            ["the printer jams", "milk and bread", "打印机卡纸了", "we paint the fence"]
        ):
            memory.write_turn(text, who="owner", at=NOW - timedelta(days=number + 1))
        assert memory.flush(30)
        assert memory.retrieve("printer", NOW).degraded == []
        dimension[0] = 16
        found = memory.retrieve("printer jams", NOW)  # within a process it is an error
        assert found.degraded == ["embeddings"]
        memory.close()
        memory = opened()  # the next process sees that it stays so
        found = memory.retrieve("printer jams", NOW)
        assert found.degraded == ["embeddings"]
        assert found.results[0].turn.text == "the printer jams"
        memory.close()
        memory = opened()
        assert memory.flush(30)
        assert memory.retrieve("打印机", NOW).degraded == []
        memory.close()


def test_an_import_adds_nothing_twice_while_the_index_is_no_database(tmp_path: Path) -> None:
    home, file = tmp_path / "home", tmp_path / "said.jsonl"
    at = NOW - timedelta(days=1)
    file.write_text(
        "".join(
            json.dumps({"id": f"t{n}", "at": at.isoformat(), "text": f"said {n}"}) + "\n"
            for n in range(9)
        )
    )
    memory = Memory(home)
    assert import_file(memory, file, str).added == 9
    memory.close()
    for index in (home / "journal").glob("memory.sqlite3*"):
        index.unlink()
    (home / "journal" / "memory.sqlite3").write_bytes(b"no database, " * 1000)
    memory = Memory(home)
    assert memory.problem
    again = import_file(memory, file, str)
    assert (again.added, again.known) == (0, 9)
    new = memory.write_turn("said while it is broken", who="owner", at=at)
    memory.close()
    assert (home / "journal" / file_of(new)).read_text().count("<!-- turn {") == 10
    assert rebuild(home) == 10
