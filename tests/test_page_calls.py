"""Check what the gate says of the browser's tools: addresses, presses, typing, uploads, and scripts
that hide what they do."""

import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from config import SafetyConfig
from safety.gate import Ask, Decision, Gate
from tests.rows import cases, rows

pytest.importorskip("tree_sitter_javascript", reason="scripts/setup --extra browser")
from safety.calls.page_scripts import read

SHOP = "https://shop.example/cart"
REFS: dict[str, dict[str, str]] = dict(rows(__name__, "refs"))


@pytest.fixture
def gate(tmp_path: Path) -> Gate:
    owner = tmp_path / "owner"
    return Gate(SafetyConfig(), owner / ".sopwith", owner, tmp_path / "cwd")


def asked(
    gate: Gate,
    tool: str,
    args: dict[str, Any],
    request: str,
    *,
    read_web: bool = True,
    page: str = SHOP,
) -> Decision:
    origin = ("web",) if read_web else ()
    return gate.decide(
        Ask(
            tool,
            args,
            ("write", "network"),
            (),
            "main",
            request,
            origin,
            True,
            {"url": page, "refs": REFS},
        )
    )


READ = "look at shop.example and tell me what is in the cart"


@cases
def test_what_was_asked_for_passes(gate: Gate, script: str, request_: str, why: str) -> None:
    decision = asked(gate, "web_execute_js", {"script": script}, request_)
    assert decision.decision == "allow", (why, decision.reason)


@cases
def test_what_nobody_asked_for_is_asked_about(
    gate: Gate, script: str, request_: str, risk: str, why: str
) -> None:
    decision = asked(gate, "web_execute_js", {"script": script}, request_)
    assert decision.decision == "confirm", why
    assert risk in decision.risks, (why, decision)


@cases
def test_an_address_that_the_request_does_not_name_is_asked_about(
    gate: Gate, url: str, decision: str
) -> None:
    assert asked(gate, "web_scan", {"url": url}, READ).decision == decision


def test_a_long_script_is_read_quickly() -> None:
    script = "const a = document.querySelectorAll('a'); a.forEach(x => x.textContent);\n" * 1200
    started = time.thread_time()
    read(script)
    assert time.thread_time() - started < 1.5


@settings(max_examples=150, deadline=None)
@given(st.text(max_size=300) | st.text("(){}[]'`\"$\\=+.,;eclik019 \n", max_size=200))
def test_no_script_makes_the_reader_fail(script: str) -> None:
    read(script)


@pytest.mark.parametrize(
    "script",
    [
        "`" * 100_000,
        "`${" * 9_000 + "x" + "}`" * 9_000,
        "x = '//a'" + "+ 'a'" * 9_000,
        "fetch(" + "(" * 40_000,
    ],
)
def test_a_script_that_nobody_would_write_is_judged_in_time_and_asks(script: str) -> None:
    begun = time.process_time()
    assert read(script).blind
    assert time.process_time() - begun < 10
