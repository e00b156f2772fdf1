"""Whole tasks by `run` from the terminal against each family of providers: two calls and an answer, the model's name alone."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest

from tests.conftest import CommandLine
from tests.providers import ANSWER, FAMILIES, STEPS, Family, Provider


def variables(provider: Provider, model: str) -> dict[str, str]:
    return {
        "OPENAI_BASE_URL": provider.base_url,
        "OPENAI_API_KEY": "sk-test-key-0123456789",
        "SOPWITH_MODEL": model,
    }


def family(name: str) -> Family:
    return copy.deepcopy(FAMILIES[name])


def run(
    cli: CommandLine, provider: Provider, *options: str, model: str = ""
) -> list[dict[str, Any]]:
    """The events of a run, which is to end well."""
    done = cli(
        "run",
        "Do both steps of the work.",
        "--events",
        "--approve",
        "all",
        *options,
        env=variables(provider, model or provider.family.model),
    )
    events = [json.loads(line) for line in done.stdout.split("\n") if line]
    assert done.code == 0, (done.stderr[-2000:], provider.refused, events[-1:])
    return events


@pytest.mark.parametrize("name", FAMILIES)
def test_task_of_three_turns_is_done(name: str, cli: CommandLine) -> None:
    with Provider(family(name)) as provider:
        events = run(cli, provider)
    ended = [e for e in events if e["type"] == "tool_ended" and e["tool"] == "code_run"]
    assert [e["status"] for e in ended] == ["ok", "ok"], provider.refused
    assert [STEPS[n].split()[1] in json.dumps(e["data"]) for n, e in enumerate(ended)] == [True] * 2
    assert events[-1]["result"] == ANSWER
    assert len(provider.refused) <= 5, provider.refused


@pytest.mark.parametrize(
    "name",
    ["deepseek, thinking", "anthropic", "openai, a new model on chat", "gemini 3", "openrouter"],
)
def test_run_that_is_resumed_in_another_process_sends_everything_back(
    name: str, cli: CommandLine
) -> None:
    with Provider(family(name)) as provider:
        env = variables(provider, provider.family.model)
        task = ("run", "Do both steps of the work.", "--events", "--approve", "all")
        begun = cli(*task, "--max-turns", "1", env=env)
        assert begun.code == 4, begun.stderr
        id_ = json.loads(begun.stdout.split("\n")[0])["run"]
        resumed = cli("runs", "resume", id_, "--events", "--approve", "all", env=env)
        events = [json.loads(line) for line in resumed.stdout.split("\n") if line]
        assert resumed.code == 0, (resumed.stderr, provider.refused)
    assert events[-1]["result"] == ANSWER
    assert not any("attached is missing" in said for said in provider.refused)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("openai chat", "deepseek, thinking"),
        ("anthropic", "gemini 3"),
        ("deepseek, thinking", "anthropic"),
        ("gemini 3", "mistral"),
        ("openai, responses alone", "strict schema"),
    ],
)
def test_run_goes_on_with_another_provider(first: str, second: str, cli: CommandLine) -> None:
    with Provider(family(first)) as one, Provider(family(second)) as other:
        task = ("run", "Do both steps of the work.", "--events", "--approve", "all")
        begun = cli(*task, "--max-turns", "1", env=variables(one, one.family.model))
        id_ = json.loads(begun.stdout.split("\n")[0])["run"]
        other.family.is_echoed = False  # the first turn was another's
        env = variables(other, other.family.model)
        resumed = cli("runs", "resume", id_, "--events", "--approve", "all", env=env)
        events = [json.loads(line) for line in resumed.stdout.split("\n") if line]
        assert resumed.code == 0, (resumed.stderr, other.refused)
    assert events[-1]["result"] == ANSWER


def test_key_of_anthropic_alone_is_enough(cli: CommandLine) -> None:
    with Provider(family("anthropic")) as provider:
        env = {
            "ANTHROPIC_API_KEY": "sk-ant-test-0123456789",
            "ANTHROPIC_BASE_URL": provider.base_url.removesuffix("/v1"),
        }
        done = cli("run", "Do both steps of the work.", "--events", "--approve", "all", env=env)
        called = [json.loads(line) for line in done.stdout.split("\n") if "model_called" in line]
        headers = provider.requests[0].headers
    assert done.code == 0, done.stderr
    assert {event["kind"] for event in called} == {"anthropic"}
    assert headers["x-api-key"] == "sk-ant-test-0123456789"
    assert "anthropic-version" in headers
