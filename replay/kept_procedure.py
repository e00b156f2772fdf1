"""A procedure as JSON, so that a start need not read and check again what has not changed since it
was checked.

Most SOPs are only looked at by their words: the rest is taken out of its text when it is asked for.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from replay.procedure import Procedure, Step
from replay.wordings import Wording


class KeptProcedure:
    """A procedure that was checked when it was kept."""

    def __init__(self, folder: Path, text: str, groups: Sequence[Sequence[str]]) -> None:
        """`text` is what `keep` made; `groups` are of each wording the words of which a request
        must hold one."""
        self._folder, self._text = folder, text
        self._words = tuple({word for group in groups for word in group})
        self._taken_out: Procedure | None = None

    def procedure(self) -> Procedure:
        """Return the procedure itself; from its file where the text is damaged. Raises
        ProcedureError."""
        if self._taken_out is None:
            try:
                self._taken_out = _read(self._folder, self._text)
            except (ValueError, KeyError, TypeError):
                from replay.reading import read_procedure  # seldom needed

                self._taken_out = read_procedure(self._folder)
        return self._taken_out

    def may_be_asked(self, squeezed: str) -> bool:
        """Return False when a request, lower-case and without spaces, is none of its wordings for
        sure."""
        return any(map(squeezed.__contains__, self._words))


def keep(procedure: Procedure) -> str | None:
    """Return a procedure as one line; None for one that JSON cannot hold (a date, a script of its
    own)."""
    if procedure.script is not None:
        return None
    said = {
        "parameters": procedure.parameters,
        "required": procedure.required,
        "wordings": procedure.wordings,
        "requires": procedure.requires,
        "effects": procedure.effects,
        "steps": [asdict(step) for step in procedure.steps],
        "result": procedure.result,
    }
    try:
        text = json.dumps(said, ensure_ascii=False)
        is_whole = _read(procedure.folder, text) == procedure
    except (TypeError, ValueError, RecursionError):
        return None
    return text if is_whole else None


def _read(folder: Path, text: str) -> Procedure:
    said: dict[str, Any] = json.loads(text)
    return Procedure(
        folder=folder,
        parameters=said["parameters"],
        required=tuple(said["required"]),
        wordings=tuple(
            Wording(words, tuple(slots), tuple(map(tuple, anchors)))
            for words, slots, anchors, *_ in said["wordings"]
        ),
        requires={key: tuple(names) for key, names in said["requires"].items()},
        effects=said["effects"],
        steps=tuple(Step(**step) for step in said["steps"]),
        result=said["result"],
    )
