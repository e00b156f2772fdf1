"""Show what config.yaml names: `models list|test`, `mcp list|test`; what is known of them, and what
they do when they are asked."""

from __future__ import annotations

import os
import time
from argparse import Namespace
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from config import Config, ConfigError, ModelConfig
from safety.calls import read_name
from safety.secrets import Redactor, held_values
from tools.mcp import MISSING, Offer, offers, problem
from ui.command import JSON, Argument, command
from ui.lists import columns, print_json, print_list, print_table
from ui.sanitise import one_line
from ui.words import in_words, say

if TYPE_CHECKING:
    from tools.mcp import McpServers


@command("models list", JSON)
def list_(args: Namespace, config: Config) -> int:
    """`models list`."""
    found = [_known(model) for model in config.models]
    keys = ("name", "model", "protocol", "window", "price", "url")
    heads = " ".join(f"models.{key}" for key in keys) + "*"
    rows = [[one_line(str(each[key] or "·"), 80) for key in keys] for each in found]
    return print_list(args, {"models": found}, heads, rows, say("models.none"))


@command("models test", Argument("model_name", "?"), JSON)
def test(args: Namespace, config: Config) -> int:
    """`models test`: 0, or 1 when a model fails at something that a task needs."""
    from models.endpoint import try_model

    chosen = _chosen(config, args.model_name)
    all_found: list[dict[str, Any]] = []
    for model in chosen:
        findings = []
        for finding in try_model(model):
            findings.append({"what": finding.what, "ok": finding.ok, "detail": finding.detail})
            if not args.json:
                mark = {True: "✓", False: "✗", None: "·"}[finding.ok]
                detail = one_line(in_words(finding.detail), 300)
                print(f"{mark} {model.name} {say(f'models.{finding.what}')}: {detail}", flush=True)
        all_found.append({"name": model.name, "model": model.model, "findings": findings})
    if args.json:
        print_json({"models": all_found})
    elif not chosen:
        print(say("models.none"))
    return int(any(each["ok"] is False for found in all_found for each in found["findings"]))


def _chosen(config: Config, name: str | None) -> list[ModelConfig]:
    chosen = [each for each in config.models if name in (None, each.name, each.model)]
    if name and not chosen:
        known = ", ".join(each.name for each in config.models) or "none"
        raise ConfigError("error.run.no-such-model", model=name, known=known)
    return [each for each in chosen if each.kind != "scripted"]


def _known(model: ModelConfig) -> dict[str, Any]:
    """Return what is known of a model without asking it."""
    named = {"name": model.name, "model": model.model}
    if model.kind == "scripted":
        return {**named, "protocol": "scripted", "window": None, "price": None, "url": ""}
    from models.endpoint import EndpointModel, preset

    made, known = EndpointModel(model), preset(model)
    price = made.price
    return {
        **named,
        "protocol": "text" if made.manners.is_text else made.manners.wire,
        "window": model.context_tokens or known.window or None,
        "price": f"{price.input:g} / {price.cached:g} / {price.output:g}",
        "url": made.endpoint.shown_url,
    }


@dataclass(frozen=True, slots=True)
class _Answer:
    """Hold what became of one server; `problem` is "" where it answered, `left_out` names tools
    that nobody could call."""

    server: str
    offers: list[Offer]
    problem: str
    left_out: str
    seconds: float

    def as_json(self) -> dict[str, Any]:
        """Return the shape of `--json`."""
        return {
            "name": self.server,
            "ok": not self.problem,
            "problem": self.problem,
            "left_out": self.left_out,
            "seconds": round(self.seconds, 2),
            "tools": [_tool(offer) for offer in self.offers],
        }


def _tool(offer: Offer) -> dict[str, Any]:
    named = {"name": offer.full_name, "description": offer.description}
    return {**named, "effect": _effect(offer), "arguments": offer.schema}


@command("mcp list", JSON)
def list_mcp(args: Namespace, config: Config) -> int:
    """`mcp list`: 0, or 1 when a server did not answer."""
    return _shown(_ask(config, None), args, _print_tools)


@command("mcp test", Argument("server", "?"), JSON)
def test_mcp(args: Namespace, config: Config) -> int:
    """`mcp test [SERVER]`: a line a server; 0, or 1 when one did not answer."""
    return _shown(_ask(config, args.server), args, _print_answers)


def _shown(answers: list[_Answer], args: Namespace, show: Callable[[list[_Answer]], None]) -> int:
    if args.json:
        print_json({"servers": [answer.as_json() for answer in answers]})
    elif answers:
        show(answers)
        _print_problems(answers)
    else:
        print(say("mcp.none"))
    return int(any(answer.problem for answer in answers))


def _print_tools(answers: list[_Answer]) -> None:
    if rows := [_row(offer) for answer in answers for offer in answer.offers]:
        print_table(columns("tool:cyan effect:yellow description*"), rows, "")


def _row(offer: Offer) -> list[str]:
    effect = say(f"mcp.effect_{_effect(offer)}")
    return [one_line(offer.full_name, 80), effect, one_line(offer.description, 300)]


def _print_answers(answers: list[_Answer]) -> None:
    for each in answers:
        if not each.problem:
            took = f"{each.seconds:.1f}"
            print(say("mcp.answers", server=each.server, n=len(each.offers), seconds=took))


def _print_problems(answers: list[_Answer]) -> None:
    for answer in answers:
        if answer.problem:
            print(f"✗ {one_line(in_words(answer.problem), 600)}")
        if answer.left_out:
            print(f"⚠ {one_line(in_words(answer.left_out), 600)}")


def _ask(config: Config, only: str | None) -> list[_Answer]:
    """Ask all servers, or one, at the same time. Raises ConfigError."""
    names = list(config.mcp.servers)
    if only is not None and only not in names:
        known = ", ".join(names) or "none"
        raise ConfigError("error.mcp.no-server", name=repr(only), known=known)
    if not names:
        return []
    if problem():
        raise ConfigError(MISSING)
    from tools.mcp import McpServers

    servers = McpServers(config.mcp.servers)
    try:
        with ThreadPoolExecutor(8) as pool:
            return list(
                pool.map(lambda name: _of(servers, name, config), [only] if only else names)
            )
    finally:
        servers.close()


def _of(servers: McpServers, name: str, config: Config) -> _Answer:
    start = time.monotonic()
    found, failures = offers(servers, [name], config.limits.tool_seconds)
    hide = Redactor(held_values(config, os.environ))  # what a server says last may hold its key
    left_out = servers.left_out(name)
    return _Answer(name, found, hide("".join(failures)), hide(left_out), time.monotonic() - start)


def _effect(offer: Offer) -> str:
    """Return what the gate takes it for."""
    return read_name(offer.full_name, offer.hints).effect
