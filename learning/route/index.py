"""Keep the terms of the SOPs, in memory and on disk: a new process need not cut all texts again.

`sops/.index.json` is derived: it may be deleted at any time; a damaged or unwritable one is done without. An SOP whose
files or wordings changed is read again.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from learning.route import ranking
from learning.route.ranking import Ranking, weigh
from memory.sops import Sop
from replay.procedure import Procedure

NAME = ".index.json"
WORTH_KEEPING = 20  # SOPs that were not in the file yet

Weights = dict[str, float]
State = tuple[
    str, list[int], list[str]
]  # folder, what tells its files as they are from others, wordings


class Index:
    """Hold the SOPs that were asked about last."""

    def __init__(self) -> None:
        self._weights: dict[str, Weights] = {}
        self._made: tuple[list[State], Ranking] | None = None

    def of(self, sops: Sequence[Sop]) -> Ranking:
        """An index over these SOPs, with the wordings that were added to them."""
        states = [_state(sop) for sop in sops]
        if self._made is not None and self._made[0] == states:
            return self._made[1]
        stamps = [_stamp(sop, state) for sop, state in zip(sops, states, strict=True)]
        keys = dict(zip(stamps, sops, strict=True))
        self._weights = self._known(keys)
        made = Ranking((sop.name, self._weights[key]) for key, sop in keys.items())
        self._made = states, made
        return made

    def _known(self, keys: Mapping[str, Sop]) -> dict[str, Weights]:
        """Return the weights of these SOPs, from memory, from the file, or made now."""
        file = next((s.folder.parent / NAME for s in keys.values() if not s.is_seed), None)
        known, missing = self._weights, keys.keys() - self._weights.keys()
        if file and len(missing) >= WORTH_KEEPING:
            known = known | _read(file)
        new = {key: weigh(sop) for key, sop in keys.items() if key not in known}
        found = {key: new[key] if key in new else known[key] for key in keys}
        if file and len(new) >= WORTH_KEEPING:
            _write(file, found)
        return found


INDEX = Index()


def _read(file: Path) -> dict[str, Weights]:
    try:
        kept = json.loads(file.read_text("utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    weights = (
        kept.get("weights") if isinstance(kept, dict) and kept.get("tables") == _tables() else None
    )
    return (
        {key: found for key, found in weights.items() if _is_sound(found)}
        if isinstance(weights, dict)
        else {}
    )


def _is_sound(weights: object) -> bool:
    return isinstance(weights, dict) and all(
        type(weight) in (int, float) for weight in weights.values()
    )


def _write(file: Path, weights: Mapping[str, Weights]) -> None:
    from memory.files import write_atomic  # a start that finds everything has no need of it

    with suppress(OSError):
        write_atomic(file, json.dumps({"tables": _tables(), "weights": weights}))


def _tables() -> str:
    """Return what changes when texts are cut or weighed in another way."""
    rules = Path(ranking.__file__).read_bytes() + Path(tokens_file()).read_bytes()
    return hashlib.blake2b(rules, digest_size=8).hexdigest()


def tokens_file() -> str:
    """Return where the rules lie by which text/words cuts."""
    import text.words

    return str(Path(text.words.__file__).parent / "tokens.py")


def _state(sop: Sop) -> State:
    """Tell one state of an SOP from another; its files are only looked at where nobody did when it was read."""
    folder = os.fspath(sop.folder)
    wordings = (
        [wording.text for wording in sop.steps.wordings] if isinstance(sop.steps, Procedure) else []
    )
    files = list(sop.stamp) or [
        _changed(f"{folder}/{name}") for name in ("SKILL.md", "SKILL.zh.md", "sop.yaml")
    ]
    return folder, files, wordings


def _stamp(sop: Sop, state: State) -> str:
    """The same in a few characters, for the file."""
    return f"{sop.name}:{hashlib.blake2b(json.dumps(state).encode(), digest_size=12).hexdigest()}"


def _changed(path: str) -> int:
    try:
        return os.stat(path).st_mtime_ns  # noqa: PTH116 - a thousand of these take a millisecond
    except OSError:
        return 0
