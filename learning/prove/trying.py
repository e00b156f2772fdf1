"""Run a script in a stage over the owner's files, see what it does, and throw that away."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from learning.prove.seen import Seen, seen_in
from tools.scripts.calls import environment
from tools.scripts.staged import argv, confined, without_temporary

SECONDS = 120.0
RUN = "lesson"


@dataclass(frozen=True, slots=True)
class Ground:
    """Where scripts are tried: the folders that they may change, the agent's home, the working
    folder."""

    roots: tuple[Path, ...]
    home: Path
    cwd: Path

    @classmethod
    def of(cls, roots: Sequence[Path], home: Path, cwd: Path) -> Ground:
        """Return the ground with these roots; without any: the owner's home and the working folder.
        Temporary files have a folder of their own in each run."""
        wanted = roots or (Path.home(), cwd)
        found = without_temporary(root for root in wanted if root.is_dir())
        return cls(tuple(found), home.resolve(), cwd)

    def tried(self, script: str, type: str = "bash", env: Mapping[str, str] | None = None) -> Seen:
        """Return what a script does here. Raises StageError."""
        from sandbox.stage import Stage

        stage = Stage.open(self.roots, self.home, RUN, "try")
        try:
            command = confined(list(self.roots), argv(type, script))
            given = environment() | dict(env or {})
            code, output = stage.run(command, self.cwd, given, SECONDS)
            text = output.decode("utf-8", "replace")
            return seen_in(stage, text, code)
        finally:
            stage.discard()
