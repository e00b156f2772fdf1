"""Credentials that tools may use by name: `safety.credentials` of the config names variables of the environment.

Children of scripts get them, and tools put them in the place of `${NAME}` in their arguments; models, logs and screens see
the name. Unattended and shared sessions have none.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from safety.fetches import Fetches
from safety.findings import Finding
from safety.targets import Named, host_of

_ALL = r"\b(env|printenv|environ|getenv|export -p|declare -[px]|compgen -e|set)\b"  # what can show every variable


def given(names: Iterable[str], environ: Mapping[str, str]) -> dict[str, str]:
    """The named variables that are set."""
    return {name: environ[name] for name in names if environ.get(name)}


def resolved(value: Any, credentials: Mapping[str, str]) -> Any:
    """Arguments with the values in the place of `${NAME}`; what is no credential stays as it is."""
    if isinstance(value, str):
        return re.sub(r"\$\{(\w+)\}", lambda found: credentials.get(found[1], found[0]), value)
    if isinstance(value, list):
        return [resolved(each, credentials) for each in value]
    if isinstance(value, dict):
        return {key: resolved(each, credentials) for key, each in value.items()}
    return value


def used(text: str, names: Iterable[str]) -> list[str]:
    """Return which of the names a script could read; all of them where it can read every variable."""
    named = [name for name in names if re.search(rf"\b{re.escape(name)}\b", text)]
    return named or (list(names) if re.search(_ALL, text) else [])


def look(names: Iterable[str], fetched: Fetches, named: Named, *, sends: bool) -> Iterator[Finding]:
    """Where a script or a call that uses `names` could send them, beyond what the request names. `sends`: it sends
    something to a place that no address shows."""
    said = ", ".join(f"${name}" for name in names)
    for url in fetched.urls[:20]:
        if not named.has_url(url, strict=True):
            yield Finding(
                "unknown",
                f"could send {said} to {host_of(url)[:200]}, which the request does not name",
                "target",
            )
    if fetched.is_hidden or (sends and not fetched.urls):
        yield Finding("unknown", f"could send {said} to a host that cannot be read", "target")
