"""The record of one thing that a call would do, and the risks that there are."""

from __future__ import annotations

from typing import Literal, NamedTuple

Risk = Literal[
    "delete", "send", "install", "spend", "system", "change", "memory", "schedule", "secret",
    "outside", "unknown", "catastrophic", "agent", "session", "forbidden",
]  # fmt: skip


class Finding(NamedTuple):
    """One thing that a call would do. `command` is the program's name.

    `is_local`: it reaches files of this machine alone. A stage shows that before it happens.
    """

    risk: Risk
    reason: str
    command: str = ""
    is_local: bool = False
