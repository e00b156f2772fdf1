"""Judge the stopping of a process: what the run has started passes, what we are made of never does."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from safety.findings import Finding


def look(about: Mapping[str, Any]) -> Iterator[Finding]:
    """The findings. `about`: `shown`, the process in words; `whose`: "ours", "run", or "" for others. Without it there is no
    such process, and nothing happens."""
    if about.get("whose") == "ours":
        yield Finding("agent", f"{about.get('shown')} is Sopwith, or what it runs in")
    elif about.get("whose") == "":
        yield Finding(
            "system", f"stops {about.get('shown')}, which this run did not start", "target"
        )
