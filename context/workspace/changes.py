"""What changed in the workspace files since the model read them, as a message that joins the history."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from context.builder import fit
from context.prompts import Prompts
from context.workspace.files import State, Workspace

MAX_TOKENS = 3000  # of one file


class Reloaded(NamedTuple):
    """Files that changed, each with the version that it has now, and what the model reads about it."""

    files: Mapping[str, str]
    text: str


class Changes:
    """Looks at the files before each turn. Nothing is a change before a model has read them. `versions` is what a
    resumed run had read."""

    def __init__(
        self,
        workspace: Workspace,
        prompts: Prompts,
        redact: Callable[[str], str],
        versions: Mapping[str, str] | None,
    ) -> None:
        self._workspace, self._prompts, self._redact, self._versions = (
            workspace,
            prompts,
            redact,
            versions,
        )
        self._own: set[str] = set()

    def wrote(self, name: str) -> None:
        """The run itself has written this file: its model knows."""
        if self._workspace.state is not State.INITIAL:
            self._own.add(name)

    def take(self) -> Reloaded | None:
        """What changed since the last look; None when nothing did."""
        if self._workspace.state is not State.INITIAL:
            found = [
                (name, text) for name, text in self._workspace.changed() if name not in self._own
            ]
            self._own.clear()
        elif self._versions is not None:
            found = self._workspace.resume(self._versions)
        else:
            return None
        found = [
            (name, text) for name, text in found if text.strip() or "/" not in name
        ]  # a day without notes is none
        if not found:
            return None
        said = [
            self._prompts.text(
                "reloaded", name=name, text=fit(text.strip() or "-", MAX_TOKENS, self._prompts)
            )
            for name, text in found
        ]
        versions = self._workspace.versions
        return Reloaded(
            {name: versions[name] for name, _ in found}, self._redact("\n\n".join(said))
        )
