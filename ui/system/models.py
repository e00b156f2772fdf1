"""Shows the configured models: `models list` what is known of them, `models test` what they do when they are asked."""

from __future__ import annotations

from argparse import Namespace
from typing import Any

from config import Config, ConfigError, ModelConfig
from ui.command import JSON, Argument, command
from ui.lists import print_json, print_list
from ui.sanitise import one_line
from ui.words import in_words, say


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
