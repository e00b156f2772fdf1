"""Whom an effect reaches, whether the owner named them, and what a tool does by its name: each row
with its decision."""

from pathlib import Path
from typing import Any

import pytest

from config import SafetyConfig
from safety.calls import read_name
from safety.gate import Ask, Decision, Gate
from tests.rows import cases, rows

OWNER = Path("/home/mia")


def gate(own: str = "", settings: SafetyConfig | None = None) -> Gate:
    return Gate(
        settings or SafetyConfig(),
        OWNER / ".sopwith",
        OWNER,
        OWNER / "work",
        own_targets=lambda: own,
    )


def decide(
    request: str, tool: str, /, origin: tuple[str, ...] = ("tool",), own: str = "", **args: Any
) -> Decision:
    """Return what the gate says of a call of a tool that is not ours."""
    return gate(own).decide(Ask(tool, args, (), (), "main", request, origin))


@cases
def test_a_tool_does_what_its_name_says(effect: str, tools: str) -> None:
    assert {tool: read_name(tool).effect for tool in tools.split()} == dict.fromkeys(
        tools.split(), effect
    )


ASKED_FOR = [(*row,) for row in rows(__name__, "asked_for")]
NOT_ASKED_FOR = [(*row,) for row in rows(__name__, "not_asked_for")]  # fmt: skip


@pytest.mark.parametrize(("request_", "tool", "args"), ASKED_FOR)
def test_what_the_owner_asked_for_by_name_passes(
    request_: str, tool: str, args: dict[str, Any]
) -> None:
    found = decide(request_, tool, **args)
    assert found.decision == "allow", found.reason


@pytest.mark.parametrize(("request_", "tool", "args", "said", "why"), NOT_ASKED_FOR)
def test_what_the_owner_did_not_name_is_asked_about(
    request_: str, tool: str, args: dict[str, Any], said: str, why: str
) -> None:
    for origin in (("tool",), ()):
        found = decide(request_, tool, origin=origin, **args)
        if why == "a query" and not origin:  # nobody's words could have put it there
            continue
        assert found.decision == "confirm" and said in found.reason, why


def code(script: str, request: str = "look at good.example", type: str = "bash", origin: tuple[str, ...] = ()) -> Decision:  # fmt: skip
    return gate().decide(
        Ask("code_run", {"type": type, "script": script}, ("execute",), (), "main", request, origin)
    )


@cases
def test_a_script_may_ask_what_was_named(script: str, why: str) -> None:
    assert code(script).decision == "allow", why


@cases
def test_a_script_that_asks_an_address_nobody_named_is_asked_about(script: str, type: str) -> None:
    assert code(script, type=type).decision == "confirm"
    assert (
        code(script, request="", type=type).decision == "allow"
    )  # a gate that knows no request cannot compare


@cases
def test_after_others_words_a_script_must_say_whom_it_asks(script: str) -> None:
    assert code(script, origin=("web",)).decision == "confirm"


def test_what_others_wrote_is_asked_about_whatever_the_config_lets_pass() -> None:
    lax = gate(settings=SafetyConfig(confirm=()))
    for origin, wanted in (
        ((), "allow"),
        (("owner",), "allow"),
        (("web",), "confirm"),
        (("anything",), "confirm"),
    ):
        ask = Ask(
            "code_run",
            {"type": "bash", "script": "rm -r build"},
            ("execute",),
            (),
            "main",
            "tidy up",
            origin,
        )
        assert lax.decide(ask).decision == wanted, origin
        keep = Ask(
            "start_long_term_update", {"what": "x"}, ("memory",), (), "main", "tidy up", origin
        )
        assert gate().decide(keep).decision == wanted, origin


def test_long_arguments_are_looked_at_in_good_time() -> None:
    import time

    for text in (
        "a" * 200_000,
        "a." * 100_000,
        "1 " * 100_000,
        "a@" * 100_000,
        "http://" * 30_000,
        "AB12 " * 40_000,
    ):
        began = time.thread_time()
        decide("write to bob@example.org", "send_email", to="bob@example.org", body=text)
        assert time.thread_time() - began < 1.0, text[:10]
