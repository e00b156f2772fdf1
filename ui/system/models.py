"""Show what config.yaml names: `models list|test`, `mcp list|test`; what is known of them, and what
they do when they are asked."""

from __future__ import annotations

import os
import time
from argparse import Namespace
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

from config import Config, ConfigError, ModelConfig
from runs.parts import chosen_models
from safety.calls import read_name
from safety.secrets import Redactor, held_values
from tools.mcp import MISSING, offers, problem
from ui.command import JSON, Argument, command
from ui.lists import columns, print_json, print_list, print_table
from ui.sanitise import one_line
from ui.words import say, words_of

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

    named = chosen_models(config, args.model_name)
    chosen = [each for each in named if each.kind != "scripted"]
    all_found: list[dict[str, Any]] = []
    for model in chosen:
        findings: list[dict[str, Any]] = []
        for finding in try_model(model):
            findings.append(finding._asdict())
            if not args.json:
                mark = {True: "✓", False: "✗", None: "·"}[finding.ok]
                detail = one_line(words_of(finding.detail), 300)
                print(f"{mark} {model.name} {say(f'models.{finding.what}')}: {detail}", flush=True)
        all_found.append({"name": model.name, "model": model.model, "findings": findings})
    if args.json:
        print_json({"models": all_found})
    elif not chosen:
        print(say("models.none"))
    return int(any(each["ok"] is False for found in all_found for each in found["findings"]))


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


@command("mcp list", JSON)
def list_mcp(args: Namespace, config: Config) -> int:
    """`mcp list`: 0, or 1 when a server did not answer."""
    answers = _ask(config, None)
    rows = []
    for each in [tool for answer in answers for tool in answer["tools"]]:
        effect, said = say(f"mcp.effect_{each['effect']}"), one_line(each["description"], 300)
        rows.append([one_line(each["name"], 80), effect, said])
    if rows and not args.json:
        print_table(columns("tool:cyan effect:yellow description*"), rows, "")
    return _ended(answers, args)


@command("mcp test", Argument("server", "?"), JSON)
def test_mcp(args: Namespace, config: Config) -> int:
    """`mcp test [SERVER]`: a line a server; 0, or 1 when one did not answer."""
    answers = _ask(config, args.server)
    for each in [each for each in answers if each["ok"] and not args.json]:
        took = f"{each['seconds']:.1f}"
        print(say("mcp.answers", server=each["name"], n=len(each["tools"]), seconds=took))
    return _ended(answers, args)


def _ended(answers: list[dict[str, Any]], args: Namespace) -> int:
    """Print all as JSON, or what went wrong; return the exit code."""
    if args.json:
        print_json({"servers": answers})
        return int(not all(answer["ok"] for answer in answers))
    if not answers:
        print(say("mcp.none"))
    for mark, key in [("✗", "problem"), ("⚠", "left_out")]:
        for answer in answers:
            if answer[key]:
                print(f"{mark} {one_line(words_of(answer[key]), 600)}")
    return int(not all(answer["ok"] for answer in answers))


def _ask(config: Config, only: str | None) -> list[dict[str, Any]]:
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


def _of(servers: McpServers, name: str, config: Config) -> dict[str, Any]:
    """Return what became of one server; `left_out` names tools that nobody could call."""
    start = time.monotonic()
    found, failures = offers(servers, [name], config.limits.tool_seconds)
    hide = Redactor(held_values(config, os.environ))  # what a server says last may hold its key
    tools = [
        {
            "name": offer.full_name,
            "description": offer.description,
            "effect": read_name(offer.full_name, offer.hints).effect,  # as the gate takes it
            "arguments": offer.schema,
        }
        for offer in found
    ]
    return {
        "name": name,
        "ok": not failures,
        "problem": failures[0].each(hide) if failures else "",
        "left_out": hide(servers.left_out(name)),
        "seconds": round(time.monotonic() - start, 2),
        "tools": tools,
    }
