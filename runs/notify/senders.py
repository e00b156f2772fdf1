"""Send one message to one apprise address. The package apprise is imported here, at use."""

from __future__ import annotations

import logging
import warnings
from importlib.util import find_spec
from typing import Any

from config import Config, ConfigError
from runs.notify.notices import Notice

MISSING = "error.notify.missing"


def problem(config: Config) -> ConfigError | None:
    """Return what is wrong with `notify`: the package is missing, or an address is none."""
    if not config.notify.urls:
        return None
    if find_spec("apprise") is None:
        return ConfigError(MISSING)
    for index, url in enumerate(config.notify.urls):
        if _sender(url) is None:
            return ConfigError("error.notify.url", index=index)
    return None


def check(config: Config) -> None:
    """Raise ConfigError where nothing can be sent."""
    if not config.notify.urls:
        raise ConfigError("error.notify.none")
    if found := problem(config):
        raise found


def tried(url: str, notice: Notice) -> bool:
    """Send a message; True when it was accepted."""
    sender = _sender(url)
    return sender is not None and bool(
        sender.notify(title=notice.title, body=notice.body or notice.title)
    )


def name_of(url: str) -> str:
    """Return the service of an address, without what is secret in it."""
    return url.partition("://")[0]


def load() -> Any:
    """Import what sends and return a new, empty sender. Raises ConfigError where the package is missing."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # of modules that it imports
            from apprise import Apprise, NotificationManager

            modules: Any = NotificationManager

            modules().load_modules()
            return Apprise()
    except ImportError as error:
        raise ConfigError(MISSING) from error


def _sender(url: str) -> Any:
    log = logging.getLogger("apprise")
    log.setLevel(logging.CRITICAL + 1)  # its lines hold addresses with their tokens
    sender = load()
    return sender if sender.add(url) else None
