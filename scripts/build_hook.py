"""Tells the wheel what it depends on: the lines of requirements/core.in, which scripts/lock pins for the checkout."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface


class CoreRequirements(MetadataHookInterface):
    """Hatchling calls `update` when it builds."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Fills in `dependencies`."""
        lines = (Path(self.root) / "requirements/core.in").read_text("utf-8").splitlines()
        metadata["dependencies"] = [line for line in lines if line and not line.startswith("#")]
