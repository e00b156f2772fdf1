"""The small offline model: its child process, what it is not believed, and that without it nothing is missed."""

from __future__ import annotations

import json
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from models import offline
from models.offline import Card, OfflineFiller

CARDS = [
    Card(
        "cancel-order",
        "Cancels an order.",
        {"order": {"type": "integer", "minimum": 1}},
        ["order"],
        [],
    ),
    Card(
        "order-status",
        "Shows the status of an order.",
        {"order": {"type": "integer"}},
        ["order"],
        [],
    ),
]


@pytest.mark.skipif(find_spec("needle") is None, reason="the extra local is not installed")
def test_the_real_model_fills_a_plain_request_and_leaves_what_is_not_its_own() -> None:
    filler = OfflineFiller(seconds=60)
    filled = filler.fill("show me the status of order 4711", CARDS)
    assert filled is not None and (filled.name, filled.parameters) == (
        "order-status",
        {"order": 4711},
    )
    assert filler.fill("what is the weather like in Oslo", CARDS) is None
    assert not (Path.home() / ".cactus_needle").exists()


def _stand_in(folder: Path, body: str, monkeypatch: pytest.MonkeyPatch) -> OfflineFiller:
    """A filler whose child finds this module `needle` in place of the package."""
    (folder / "needle.py").write_text(body, encoding="utf-8")
    monkeypatch.setattr(
        offline, "CHILD", f"import sys; sys.path.insert(0, {str(folder)!r})\n{offline.CHILD}"
    )
    return OfflineFiller(seconds=20)


MODEL = """
import os
class Needle:
    def __init__(self, tools): self.tools = tools
    def __enter__(self): return self
    def __exit__(self, *rest): pass
    def complete(self, text, max_new_tokens): return {said}
"""


def test_the_child_has_no_telemetry_no_network_and_none_of_our_secrets(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-not-for-children")
    seen = tmp_path / "seen.json"
    body = f"""
import json, os, socket
assert os.environ["NEEDLE_TELEMETRY"] == "0" and os.environ["DO_NOT_TRACK"] == "1"
told = dict(os.environ)
for call in (lambda: socket.create_connection(("127.0.0.1", 9)), lambda: socket.getaddrinfo("example.org", 80)):
    try:
        call()
        told["reached"] = "yes"
    except OSError as error:
        told["refused"] = str(error)
json.dump(told, open({str(seen)!r}, "w"))
{MODEL.format(said='{"function_calls": [{"name": "cancel_order", "arguments": {"order": 5}}], "confidence": 0.9}')}
"""
    filled = _stand_in(tmp_path, body, monkeypatch).fill("cancel order 5", CARDS)
    assert filled is not None and filled.name == "cancel-order"
    told = json.loads(seen.read_text("utf-8"))
    assert "OPENAI_API_KEY" not in told and "reached" not in told
    assert "may not use the network" in told["refused"]


CALL = '{"name": "cancel_order", "arguments": {"order": 5}}'


@pytest.mark.parametrize(
    "said",
    [
        f'{{"function_calls": [{CALL}], "confidence": 0.29}}',
        f'{{"function_calls": [{CALL}], "confidence": None}}',
        f'{{"function_calls": [{CALL}], "confidence": 0.9, "validation": {{"ungrounded": ["cancel_order.order"]}}}}',
        f'{{"function_calls": [{CALL}], "confidence": 0.9, "validation": {{"negation": True}}}}',
        f'{{"function_calls": [{CALL}, {CALL}], "confidence": 0.9}}',
        '{"function_calls": [{"name": "unknown", "arguments": {}}], "confidence": 0.9}',
        '{"function_calls": [], "confidence": 0.9}',
        '{"function_calls": "x", "confidence": 0.9}',
        "1 / 0",
        "os.abort()",
    ],
)
def test_what_is_not_sure_or_broken_is_no_answer(
    said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert (
        _stand_in(tmp_path, MODEL.format(said=said), monkeypatch).fill("cancel order 5", CARDS)
        is None
    )


def test_a_child_that_stalls_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _stand_in(tmp_path, "import time\ntime.sleep(60)\n", monkeypatch)
    assert OfflineFiller(seconds=0.5).fill("cancel order 5", CARDS) is None


def test_a_missing_package_is_no_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/nonexistent/python")
    assert OfflineFiller().fill("cancel order 5", CARDS) is None
