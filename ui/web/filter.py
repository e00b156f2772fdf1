"""Filter what leaves the server: without secrets, without the owner's places, as JSON that every reader takes."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

from config import Config
from context.places import Places
from safety.secrets import Redactor, held_values

_SURROGATES = re.compile("[\ud800-\udfff]")


class Filter:
    """Cleans what is shown. `also`: more values that nobody may read, by name."""

    def __init__(self, config: Config, also: dict[str, str]) -> None:
        self._redact = Redactor({**held_values(config, os.environ), **also}).redact
        self._hide = Places({config.home: _named(config.home), Path.home(): "~"}).hide

    def __call__(self, data: Any) -> Any:
        """The same without what nobody may read. Keys stay."""
        return _encodable(self._redact(self._hide(data)))


def _named(home: Path) -> str:
    """The home folder as it is shown: below the owner's own it keeps its name."""
    try:
        return f"~/{home.relative_to(Path.home())}"
    except ValueError:
        return "~/.sopwith"


def _encodable(data: Any) -> Any:
    if isinstance(data, str):
        return _SURROGATES.sub("\ufffd", data) if not data.isascii() else data
    if isinstance(data, dict):
        return {_encodable(key): _encodable(value) for key, value in data.items()}
    return [_encodable(each) for each in data] if isinstance(data, list | tuple) else data
