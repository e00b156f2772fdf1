"""Keep the terms of the SOPs in memory, so that a process that lives on need not cut all texts
again."""

from __future__ import annotations

import os
from collections.abc import Sequence

from learning.route.ranking import Ranking, weigh
from memory.sops import Sop
from replay.procedure import Procedure

State = tuple[str, tuple[int, ...], tuple[str, ...]]  # folder, times of its files, wordings


class Index:
    """Hold the SOPs that were asked about last."""

    def __init__(self) -> None:
        self._weights: dict[State, dict[str, float]] = {}
        self._made: tuple[list[State], Ranking] | None = None

    def of(self, sops: Sequence[Sop]) -> Ranking:
        """Return an index over these SOPs, with the wordings that were added to them."""
        keys = {_state(sop): sop for sop in sops}
        if self._made is not None and self._made[0] == list(keys):
            return self._made[1]
        known = self._weights
        self._weights = {key: known.get(key) or weigh(sop) for key, sop in keys.items()}
        made = Ranking((sop.name, self._weights[key]) for key, sop in keys.items())
        self._made = list(keys), made
        return made


INDEX = Index()


def _state(sop: Sop) -> State:
    """Tell one state of an SOP from another; its files are only looked at where nobody did when it
    was read."""
    steps = sop.steps
    texts = [each.text for each in steps.wordings] if isinstance(steps, Procedure) else []
    names = ("SKILL.md", "SKILL.zh.md", "sop.yaml")
    folder = os.fspath(sop.folder)
    stamp = sop.stamp or [_changed(f"{folder}/{name}") for name in names]
    return folder, tuple(stamp), tuple(texts)


def _changed(path: str) -> int:
    try:
        return os.stat(path).st_mtime_ns  # noqa: PTH116 - a thousand of these take a millisecond
    except OSError:
        return 0
