"""Tell the model what changed in the workspace files since it read them, as a message of the
history."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from context.prompts import Prompts, fit
from context.workspace.files import State, Workspace

MAX_TOKENS = 3000  # of one file


class Reloaded(NamedTuple):
    """Files that changed, each with the version that it has now, and what the model reads about
    it."""

    files: Mapping[str, str]
    text: str


@dataclass
class Changes:
    """Looks at the files before each turn. Nothing is a change before a model has read them.
    `versions` is what a resumed run had read."""

    workspace: Workspace
    prompts: Prompts
    redact: Callable[[str], str]
    versions: Mapping[str, str] | None
    own: set[str] = field(default_factory=set)  # files that the run itself has written

    def wrote(self, name: str) -> None:
        """Note that the run itself has written this file: its model knows."""
        if self.workspace.state is not State.INITIAL:
            self.own.add(name)

    def take(self) -> Reloaded | None:
        """Return what changed since the last look; None when nothing did."""
        # a day that has no notes does not count
        found = [(name, text) for name, text in self._found() if text.strip() or "/" not in name]
        if not found:
            return None
        said = [
            self.prompts.text(
                "reloaded", name=name, text=fit(text.strip() or "-", MAX_TOKENS, self.prompts)
            )
            for name, text in found
        ]
        versions = self.workspace.versions
        files = {name: versions[name] for name, _ in found}
        return Reloaded(files, self.redact("\n\n".join(said)))

    def _found(self) -> list[tuple[str, str]]:
        if self.workspace.state is not State.INITIAL:
            changed = self.workspace.changed()
            found = [(name, text) for name, text in changed if name not in self.own]
            self.own.clear()
            return found
        return [] if self.versions is None else self.workspace.resume(self.versions)
