"""Tell which values the agent holds and nobody may read: keys of the config, passwords in its
addresses, the environment's."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from functools import lru_cache

from config import Config
from text.patterns import names

_LAST_WORDS = names(
    "KEY APIKEY TOKEN SECRET PASSWORD PASSWD PASS PASSPHRASE CREDENTIAL CREDENTIALS"
)
_NAMES = {"PGPASSWORD", "MYSQL_PWD", "REDISCLI_AUTH", "SSHPASS"}
_IN_ADDRESS = r"://[^\s/:@]*:([^\s@]+)@"  # compiled when there is an address
# Characters of a variable's value: what is shorter is a word, a number, the name of a key.
_SHORTEST = 8


def held_values(config: Config | None, environ: Mapping[str, str]) -> dict[str, str]:
    """Return the values by name; a name may stand in a log, a value may not. `config` is None when
    it could not be read."""
    found = {name: value for name, value in _of_config(config) if value} if config else {}
    allowed = config.safety.credentials if config else ()
    for name, value in environ.items():
        if name in allowed or (is_secret_name(name) and _is_value(value)):
            found.setdefault(name, value)
        elif "://" in value:
            found |= _in_address(name, value)
    return found


def _is_value(text: str) -> bool:
    """Return True for what may be a secret, and is no path."""
    return len(text) >= _SHORTEST and not text.startswith(("/", "~"))


def without(config: Config, text: str) -> str:
    """Return a text of the owner's as it may be kept in a file: held values and other secrets are
    hidden."""
    from safety.secrets.redactor import Redactor

    return Redactor(held_values(config, os.environ))(text)


@lru_cache(maxsize=1024)  # asked of the whole environment before each script
def is_secret_name(name: str) -> bool:
    """Return True if a variable of this name holds a secret."""
    name = name.upper()
    return name.rpartition("_")[2] in _LAST_WORDS or name in _NAMES


def _of_config(config: Config) -> Iterator[tuple[str, str]]:
    for model in config.models:
        yield f"{model.name} api_key", model.api_key
        yield from _in_address(f"{model.name} base_url", model.base_url or "").items()
    if config.embeddings:
        yield "embeddings api_key", config.embeddings.api_key
    if config.graph:
        yield "graph password", config.graph.password
        yield from _in_address("graph uri", config.graph.uri).items()
    for name, address in (("redis url", config.redis), ("queue url", config.queue)):
        if address:
            yield from _in_address(name, address.url).items()
    yield from _of_servers(config)
    yield "search api_key", config.search.api_key
    for index, url in enumerate(config.notify.urls):
        yield from _parts_of(f"notify url {index + 1}", url)
    if config.channels.telegram:
        yield "telegram token", config.channels.telegram.token
    if config.channels.webhook:
        yield "webhook secret", config.channels.webhook.secret
        yield from _in_address("webhook url", config.channels.webhook.url).items()


def _of_servers(config: Config) -> Iterator[tuple[str, str]]:
    for server, settings in config.mcp.servers.items():
        for name, value in settings.env.items():
            if is_secret_name(name):
                yield f"{server} {name}", value
            else:
                yield from _in_address(f"{server} {name}", value).items()
        for name, value in settings.headers.items():  # "Bearer KEY": the key alone is held
            is_login = name.lower() in ("authorization", "cookie")
            if is_login or is_secret_name(name.replace("-", "_")):
                yield f"{server} {name}", value.rpartition(" ")[2]
        yield from _in_address(f"{server} url", settings.url or "").items()


def _parts_of(name: str, url: str) -> Iterator[tuple[str, str]]:
    """Yield the long parts of an apprise URL: which of them is a token depends on the service."""
    scheme, _, rest = url.partition("://")
    yield name, rest
    yield from _in_address(f"{name} ({scheme})", url).items()
    for part in re.split(r"[/@:?&=]", rest):
        if len(part) >= _SHORTEST and not re.fullmatch(r"[a-z.-]+", part):
            yield f"{name} ({scheme})", part


def _in_address(name: str, address: str) -> dict[str, str]:
    found = re.search(_IN_ADDRESS, address)
    if not found:
        return {}
    from urllib.parse import unquote

    written = found[1]
    plain = unquote(written)
    return {name: written} if plain == written else {name: plain, f"{name} as written": written}
