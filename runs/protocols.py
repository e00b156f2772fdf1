"""Remember which protocol a server asked for, so that the next run speaks it at once. The file may
be deleted."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path

from config import ModelConfig
from memory.files import write_atomic

FILE = ("runs", ".index", "protocols.json")


class Protocols:
    """The protocols by address and model, of one home folder."""

    def __init__(self, home: Path) -> None:
        self._path = home.joinpath(*FILE)

    def of(self, config: ModelConfig) -> str:
        """Return the protocol that this server asked for; "" where it did not."""
        return self._known().get(_key(config), "") if config.protocol == "auto" else ""

    def keep(self, config: ModelConfig, protocol: str) -> None:
        """Write it down; a home that cannot be written to forgets it."""
        text = json.dumps(self._known() | {_key(config): protocol}, indent=1)
        with suppress(OSError):
            self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            write_atomic(self._path, text, mode=0o600)

    def _known(self) -> dict[str, str]:
        try:
            found = json.loads(self._path.read_text("utf-8"))
        except (OSError, ValueError):
            return {}
        return found if isinstance(found, dict) else {}


def _key(config: ModelConfig) -> str:
    return f"{config.base_url or config.kind} {config.model}"
