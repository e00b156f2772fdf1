"""Ask a server for the names of its models, and how many tokens one of them reads."""

from __future__ import annotations

from difflib import get_close_matches
from typing import Any, NamedTuple

from models.endpoint.failure import Failure
from models.endpoint.transport import Endpoint
from models.streams.typed import count_of, record_of, records_of

ASK_SECONDS = 3.0
_WINDOWS = ("max_model_len", "context_length", "context_window", "loaded_context_length")


class Listing(NamedTuple):
    """The answer to GET /models. `status` is 0 where there was none, and `problem` says why."""

    status: int
    names: list[str]
    entries: list[dict[str, Any]]
    problem: str = ""


def read_listing(endpoint: Endpoint) -> Listing:
    """Ask for the models."""
    address = endpoint.base_url.rstrip("/")
    versioned = address if address.rpartition("/")[2].startswith("v") else f"{address}/v1"
    try:
        status, said = endpoint.get(f"{versioned}/models", ASK_SECONDS)
    except Failure as failure:
        return Listing(failure.status, [], [], failure.reason)
    entries = records_of(record_of(said).get("data"))
    names = [each["id"] for each in entries if isinstance(each.get("id"), str)]
    return Listing(status, names, entries)


def nearest(endpoint: Endpoint, model: str) -> list[str]:
    """Return the names on the server's list that are most like this one."""
    names = read_listing(endpoint).names
    return get_close_matches(model, names, n=3, cutoff=0.3) or names[:3]


def window(endpoint: Endpoint, model: str) -> int:
    """Return how many tokens this model reads there, as the server tells it; 0 where it does
    not."""
    found = read_listing(endpoint)
    entry = next((each for each in found.entries if each.get("id") == model), {})
    told = max(count_of(entry.get(key)) for key in _WINDOWS)
    if told > 0:
        return told
    owner = next((each.get("owned_by") for each in found.entries), None)
    root = endpoint.base_url.rstrip("/").removesuffix("/v1")
    if owner == "llamacpp":
        settings = record_of(_json(endpoint, f"{root}/props")).get("default_generation_settings")
        return max(count_of(record_of(settings).get("n_ctx")), 0)
    if owner == "library":
        return _loaded(endpoint, f"{root}/api/ps", model)
    return 0


def _loaded(endpoint: Endpoint, url: str, model: str) -> int:
    """Return the window of a model that Ollama has loaded, as it was loaded: what is longer is cut
    without a word."""
    for each in records_of(record_of(_json(endpoint, url)).get("models")):
        names = (each.get("name"), each.get("model"))
        if model in names or f"{model}:latest" in names:
            return max(count_of(each.get("context_length")), 0)
    return 0


def _json(endpoint: Endpoint, url: str) -> Any:
    try:
        return endpoint.get(url, ASK_SECONDS)[1]
    except Failure:
        return None
