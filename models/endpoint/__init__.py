"""A model behind an endpoint: the connection, what its errors mean and teach, what is known of models by name."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from models.endpoint.failure import Failure
    from models.endpoint.listing import read_listing
    from models.endpoint.model import EndpointModel
    from models.endpoint.presets import UNKNOWN_PRICE, base_url, is_local, preset
    from models.endpoint.transport import Endpoint

_PLACES = {
    "Endpoint": "transport",
    "EndpointModel": "model",
    "Failure": "failure",
    "UNKNOWN_PRICE": "presets",
    "base_url": "presets",
    "is_local": "presets",
    "read_listing": "listing",
    "preset": "presets",
}
__all__ = [
    "UNKNOWN_PRICE",
    "Endpoint",
    "EndpointModel",
    "Failure",
    "base_url",
    "is_local",
    "preset",
    "read_listing",
]


def __getattr__(name: str) -> Any:
    """Load a public name at first use."""
    if name not in _PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_PLACES[name]}"), name)
