"""Remember which protocol a server asked for, so that the next run speaks it at once. The file may
be deleted."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path

from config import ModelConfig
from memory.files import write_atomic

FILE = ("runs", ".index", "protocols.json")


def protocol_of(home: Path, config: ModelConfig) -> str:
    """Return the protocol that this server asked for; "" where it did not."""
    return _known(home).get(_key(config), "") if config.protocol == "auto" else ""


def keep_protocol(home: Path, config: ModelConfig, protocol: str) -> None:
    """Write it down; a home that cannot be written to forgets it."""
    path, text = home.joinpath(*FILE), json.dumps(_known(home) | {_key(config): protocol}, indent=1)
    with suppress(OSError):
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        write_atomic(path, text, mode=0o600)


def _known(home: Path) -> dict[str, str]:
    try:
        found = json.loads(home.joinpath(*FILE).read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def _key(config: ModelConfig) -> str:
    return f"{config.base_url or config.kind} {config.model}"
