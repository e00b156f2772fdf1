"""Find what shares tasks among machines: the queue that config.yaml names by the scheme of its address."""

from __future__ import annotations

from typing import Any

from config import Config
from text import plugin

DEFAULT = "postgresql"  # says what is wrong with an address that names none


def queue_of(config: Config) -> Any:
    """Return the backend: a module or object with the names of runs/workers. Raises ConfigError where it does not load."""
    scheme = config.queue.url.partition("://")[0] if config.queue else DEFAULT
    return plugin.one("queue", scheme if plugin.has("queue", scheme) else DEFAULT)
