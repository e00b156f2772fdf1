"""Know a model before it is asked, by its name and its host, from assets/models/presets.json."""

from __future__ import annotations

import ipaddress
import json
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import cache
from typing import Any
from urllib.parse import urlsplit

from config import ModelConfig, Price
from models.endpoint.failure import TABLES
from models.wires import WIRES, Manners

OPENAI_URL = "https://api.openai.com/v1"  # what the packages' own defaults are
ANTHROPIC_URL = "https://api.anthropic.com"
# A hosted model without a known price is counted as an expensive one: the owner's cost limit is on
# by default, and it should stop a run too early rather than too late. A model on this machine or a
# private network costs nothing, unless a limit was named for this very run (`counts_local`): then
# whoever named it wants one that holds.
UNKNOWN_PRICE = Price(input=5.0, cached=0.5, output=25.0)
FREE = Price(input=0.0, cached=0.0, output=0.0)
STYLES = {"chat": "effort", "responses": "effort", "messages": "budget"}


@dataclass(frozen=True, slots=True)
class Preset:
    """Hold what the tables say; empty where they say nothing."""

    wires: tuple[str, ...] = ()
    price: Price | None = None
    window: int = 0
    has_eyes: bool | None = None
    reasoning: str = ""
    manners: dict[str, Any] = field(default_factory=dict)


def base_url(config: ModelConfig) -> str:
    """Return the address of the endpoint."""
    return config.base_url or (ANTHROPIC_URL if config.kind == "anthropic" else OPENAI_URL)


def is_local(address: str) -> bool:
    """Return True for this machine and private networks, by the look of the address; no name is
    resolved."""
    host = urlsplit(address).hostname or ""
    try:
        found = ipaddress.ip_address(host)
    except ValueError:
        return "." not in host or host.endswith(
            (".local", ".localhost", ".lan", ".internal", ".home.arpa")
        )
    return found.is_private or found.is_loopback or found.is_link_local


def preset(config: ModelConfig) -> Preset:
    """Return what the tables know of this model at this address."""
    host = urlsplit(base_url(config)).hostname or ""
    name = config.model.lower().rpartition("/")[2]
    of_host = _first("hosts", "host", host)
    of_model = _first("models", "model", name)
    price = of_model.get("price")
    at_host, for_model = of_host.get("wires", []), of_model.get("wires", [])
    shared = [wire for wire in for_model if wire in at_host]  # a model's order comes first
    return Preset(
        tuple(shared or at_host or for_model),
        Price(*price) if price else None,
        of_model.get("window", 0),
        of_model.get("eyes"),
        of_host.get("reasoning") or of_model.get("reasoning", ""),
        of_model.get("manners", {}) | of_host.get("manners", {}),
    )


def wires(config: ModelConfig, known: Preset) -> list[str]:
    """Return the protocols to try, in order: the owner's, else those of the tables, then all
    others."""
    if config.protocol in WIRES:
        return [config.protocol]
    if config.protocol in ("native", "text"):
        return ["chat"]
    first = ["messages"] if config.kind == "anthropic" else []
    return list(dict.fromkeys([*first, *known.wires, "chat", "responses", "messages"]))


def manners(config: ModelConfig, known: Preset) -> Manners:
    """Return how this server is spoken to at first."""
    wire = wires(config, known)[0]
    found = Manners(wire=wire, is_text=config.protocol == "text", **known.manners)
    found.reasoning = known.reasoning
    has_eyes = known.has_eyes if config.eyes is None else config.eyes
    found.takes_images = has_eyes is not False
    return found


def price(config: ModelConfig, known: Preset, *, counts_local: bool) -> Price:
    """Return what its tokens cost."""
    if config.price:
        return config.price
    if is_local(base_url(config)) and not counts_local:
        return FREE
    return known.price or UNKNOWN_PRICE


def reasoning(setting: str | None, manners: Manners) -> dict[str, Any]:
    """Return the owner's setting `reasoning` as fields of this wire."""
    if setting is None:
        return {}
    styles = _table("reasoning.json")[manners.wire]
    style = manners.reasoning if manners.reasoning in styles else STYLES[manners.wire]
    found: dict[str, Any] = styles[style][setting]
    return found


def _first(part: str, key: str, name: str) -> dict[str, Any]:
    rows: list[dict[str, Any]] = _table("presets.json")[part]
    return next((row for row in rows if fnmatchcase(name, row[key])), {})


@cache
def _table(name: str) -> Any:
    return json.loads((TABLES / name).read_text("utf-8"))
