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
