"""Keeps what the YAML of the SOPs says, by the hash of its text, so that a start does not parse it again.

`sops/.parsed.json` is derived: it may be deleted at any time, and a damaged or unwritable one is done without.
"""

from __future__ import annotations

import hashlib
import json
from contextlib import suppress
from pathlib import Path
from typing import Any

from models.procedure import parse_yaml

LAYOUT = "1"  # another one is read as empty
MOST_UNUSED = 4  # times as many texts as are in use


class ParsedYaml:
    """Parses YAML texts as `parse_yaml` does; `keep` writes down what was new."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / ".parsed.json"
        self._known: dict[str, str] = {}
        self._used: dict[str, str] = {}
        self.has_news = False
        with suppress(OSError, ValueError):
            kept = json.loads(self._path.read_text("utf-8"))
            if isinstance(kept, dict) and kept.get("layout") == LAYOUT:
                self._known = kept["texts"]

    def __call__(self, text: str) -> Any:
        """What the text says; each time an object of its own. Raises NotYaml."""
        name = hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=16).hexdigest()
        if name in self._known:
            self._used[name] = self._known[name]
            return json.loads(self._used[name])
        said = parse_yaml(text)
        self.has_news = self._path.parent.is_dir()  # else there is no place to keep it
        as_json = _as_json(said)
        if as_json is not None:
            self._used[name] = as_json
        return said

    def keep(self) -> None:
        """Writes what was used, and what is on disk already unless most of that is of texts that are gone."""
        kept = self._used if len(self._known) > MOST_UNUSED * len(self._used) else self._known | self._used
        from memory.files import write_atomic  # a start that finds everything has no need of it

        with suppress(OSError):
            write_atomic(self._path, json.dumps({"layout": LAYOUT, "texts": kept}))


def _as_json(said: Any) -> str | None:
    """The object as JSON; None when JSON would give another one back (a date, a number as a key)."""
    try:
        text = json.dumps(said)
    except (TypeError, ValueError, RecursionError):
        return None
    return text if json.loads(text) == said else None
