"""Tell which values the agent holds and nobody may read: keys of the config, passwords in its
addresses, the environment's."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any

from config import Config, Section
from text.patterns import names

_LAST_WORDS = names(
    "KEY APIKEY TOKEN SECRET PASSWORD PASSWD PASS PASSPHRASE CREDENTIAL CREDENTIALS"
)
_LOGINS = ("authorization", "cookie")
_OF_OWNER = ("env", "headers")  # settings that are called by the server or the model they are of
_NAMES = {"PGPASSWORD", "MYSQL_PWD", "REDISCLI_AUTH", "SSHPASS"}
_IN_ADDRESS = r"://[^\s/:@]*:([^\s@]+)@"  # compiled when there is an address
# Characters of a variable's value: what is shorter is a word, a number, the name of a key.
_SHORTEST = 8
_ALL = r"\b(env|printenv|environ|getenv|export -p|declare -[px]|compgen -e|set)\b"  # show every one


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
    yield from _of_settings("config", config)
    for index, url in enumerate(config.notify.urls):
        yield from _parts_of(f"notify url {index + 1}", url)


def _of_settings(name: str, settings: Any) -> Iterator[tuple[str, str]]:
    """Yield the secrets of a part of the settings, by its name and theirs."""
    if isinstance(settings, Section):
        own = getattr(settings, "name", name)
        for key, value in vars(settings).items():
            yield from _of_setting(own, key, value)
    elif isinstance(settings, Mapping):
        for key, value in settings.items():
            yield from _of_setting(name, str(key), value)
    elif isinstance(settings, tuple):
        for value in settings:
            yield from _of_settings(name, value)


def _of_setting(owner: str, name: str, value: Any) -> Iterator[tuple[str, str]]:
    if not isinstance(value, str):
        yield from _of_settings(owner if name in _OF_OWNER else name, value)
    elif name.lower() in _LOGINS:  # "Bearer KEY", "ApiKey KEY": the key alone is held
        yield f"{owner} {name}", value.rpartition(" ")[2]
    elif is_secret_name(name.replace("-", "_")):
        yield f"{owner} {name}", re.sub("(?i)^(bearer|basic|token) +", "", value)
    else:
        yield from _in_address(f"{owner} {name}", value).items()


def _parts_of(name: str, url: str) -> Iterator[tuple[str, str]]:
    """Yield the long parts of an apprise URL: which of them is a token depends on the service."""
    scheme, _, rest = url.partition("://")
    yield name, rest
    yield from _in_address(f"{name} ({scheme})", url).items()
    for number, part in enumerate(re.split(r"[/@:?&=]", rest), start=1):
        if len(part) >= _SHORTEST and not re.fullmatch(r"[a-z.-]+", part):
            yield f"{name} ({scheme}) part {number}", part  # one of a name would hide another


def _in_address(name: str, address: str) -> dict[str, str]:
    found = re.search(_IN_ADDRESS, address)
    if not found:
        return {}
    from urllib.parse import unquote

    written = found[1]
    plain = unquote(written)
    return {name: written} if plain == written else {name: plain, f"{name} as written": written}


# Credentials: variables that children of scripts get, and that tools put in the place of `${NAME}`;
# models, logs and screens see the name. Unattended and shared sessions have none.


def given(names: Iterable[str], environ: Mapping[str, str]) -> dict[str, str]:
    """Return the named variables that are set."""
    return {name: environ[name] for name in names if environ.get(name)}


def resolved(value: Any, credentials: Mapping[str, str]) -> Any:
    """Return arguments with the values in the place of `${NAME}`; what is no credential stays as it
    is."""
    if isinstance(value, str):
        return re.sub(r"\$\{(\w+)\}", lambda found: credentials.get(found[1], found[0]), value)
    if isinstance(value, list):
        return [resolved(each, credentials) for each in value]
    if isinstance(value, dict):
        return {key: resolved(each, credentials) for key, each in value.items()}
    return value


def used(text: str, names: Iterable[str]) -> list[str]:
    """Return those of the names that a script could read; all where it can read every variable."""
    named = [name for name in names if re.search(rf"\b{re.escape(name)}\b", text)]
    return named or (list(names) if re.search(_ALL, text) else [])
