"""Tells the wheel what it depends on: the lines of requirements/*.in, which scripts/lock pins for
the checkout."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

NOT_OF_THE_PRODUCT = {"core", "installer", "test", "llama", "bolt"}


class Requirements(MetadataHookInterface):
    """Hatchling calls `update` when it builds."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Fill in `dependencies` and `optional-dependencies`: `pip install 'sopwith[web]'`."""
        found = {
            file.stem: _lines(file)
            for file in sorted((Path(self.root) / "requirements").glob("*.in"))
        }
        metadata["dependencies"] = found["core"]
        metadata["optional-dependencies"] = {
            name: lines for name, lines in found.items() if name not in NOT_OF_THE_PRODUCT
        }


def _lines(file: Path) -> list[str]:
    return [
        line for line in file.read_text("utf-8").splitlines() if line and not line.startswith("#")
    ]
