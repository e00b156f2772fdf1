"""Credentials that tools may use by name: `safety.credentials` of the config names variables of the
environment.

Children of scripts get them, and tools put them in the place of `${NAME}` in their arguments;
models, logs and screens see the name. Unattended and shared sessions have none.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

_ALL = r"\b(env|printenv|environ|getenv|export -p|declare -[px]|compgen -e|set)\b"  # show every one


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
