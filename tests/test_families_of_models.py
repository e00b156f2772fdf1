"""Whole tasks by `run` from the terminal against each family of providers: two calls and an answer,
the model's name alone."""

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from bench import families
from tests.conftest import CommandLine
from tests.providers import ANSWER, FAMILIES, Provider
from tests.rows import cases
from tests.scripted_server import Answer, ScriptedServer


def provider(name: str) -> Provider:
    return Provider(copy.deepcopy(FAMILIES[name]))


def variables(server: ScriptedServer, model: str) -> dict[str, str]:
    return {"OPENAI_BASE_URL": server.base_url, "OPENAI_API_KEY": "k", "SOPWITH_MODEL": model}


@pytest.mark.parametrize("name", FAMILIES)
def test_task_of_three_turns_is_done(name: str, cli: CommandLine) -> None:
    with provider(name) as server:
        done = cli(*families.TASK, env=variables(server, server.family.model))
        events = [json.loads(line) for line in done.stdout.strip().split("\n")]
        assert families.judged(events) == "done", server.refused
        assert len(server.refused) <= 5, server.refused


@pytest.mark.parametrize("name", FAMILIES)
def test_run_that_is_resumed_in_another_process_sends_everything_back(name: str) -> None:
    with provider(name) as server:
        assert families.in_two_processes(server) == "done", server.refused
        assert not any("attached is missing" in said for said in server.refused)


@cases
def test_run_goes_on_with_another_provider(first: str, second: str, cli: CommandLine) -> None:
    with provider(first) as one, provider(second) as other:
        begun = cli(*families.TASK, "--max-turns", "1", env=variables(one, one.family.model))
        id_ = json.loads(begun.stdout.split("\n")[0])["run"]
        other.family.is_echoed = False  # the first turn was another's
        env = variables(other, other.family.model)
        resumed = cli("runs", "resume", id_, *families.TASK[2:], env=env)
        assert resumed.code == 0, (resumed.stderr, other.refused)
    assert json.loads(resumed.stdout.splitlines()[-1])["result"] == ANSWER


def test_key_of_anthropic_alone_is_enough(cli: CommandLine) -> None:
    with provider("anthropic") as server:
        address = server.base_url.removesuffix("/v1")
        env = {"ANTHROPIC_API_KEY": "sk-ant-test-0123456789", "ANTHROPIC_BASE_URL": address}
        done = cli(*families.TASK, env=env)
        headers = server.requests[0].headers
    assert done.code == 0, done.stderr
    assert '"kind": "anthropic"' in done.stdout and '"kind": "openai"' not in done.stdout
    assert headers["x-api-key"] == "sk-ant-test-0123456789" and "anthropic-version" in headers


def test_protocol_that_a_server_asked_for_is_spoken_by_the_next_run(cli: CommandLine) -> None:
    with provider("openai, a name that nobody knows") as server:
        for _ in range(2):
            assert cli(*families.TASK, env=variables(server, "orion-1")).code == 0
        assert len(server.refused) == 1


@pytest.mark.parametrize("tells", [True, False])
def test_small_window_gets_a_short_prompt(tells: bool, cli: CommandLine, home: Path) -> None:
    """Set by the owner, or told by a local server."""

    def script(body: dict[str, Any], number: int) -> Answer:
        return Answer("Hello.")

    with ScriptedServer(script) as server:
        window = "" if tells else ", context_tokens: 8000"
        server.models = [{"id": "m", "max_model_len": 8000}] if tells else []
        home.mkdir(parents=True)
        model = f"{{name: m, model: m, base_url: '{server.base_url}'{window}}}"
        (home / "config.yaml").write_text(f"models: [{model}]")
        assert cli("run", "say hello", "--no-rote").code == 0
        system = server.requests[-1].body["messages"][0]["content"]
    assert "more_tools offers the rest" not in system and "file_trash" in system
