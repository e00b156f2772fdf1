"""Tell the model what changed in the workspace files since it read them, as a message of the
history."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from context.prompts import Prompts, fit
from context.workspace.files import State, Workspace

MAX_TOKENS = 3000  # of one file


class Reloaded(NamedTuple):
    """Files that changed, each with the version that it has now, and what the model reads about
    it."""

    files: Mapping[str, str]
    text: str


class Changes:
    """Looks at the files before each turn. Nothing is a change before a model has read them.
    `versions` is what a resumed run had read."""

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
        """Note that the run itself has written this file: its model knows."""
        if self._workspace.state is not State.INITIAL:
            self._own.add(name)

    def take(self) -> Reloaded | None:
        """Return what changed since the last look; None when nothing did."""
        found = [(name, text) for name, text in self._found() if _counts(name, text)]
        if not found:
            return None
        said = [self._said(name, text) for name, text in found]
        versions = self._workspace.versions
        files = {name: versions[name] for name, _ in found}
        return Reloaded(files, self._redact("\n\n".join(said)))

    def _found(self) -> list[tuple[str, str]]:
        if self._workspace.state is not State.INITIAL:
            changed = self._workspace.changed()
            found = [(name, text) for name, text in changed if name not in self._own]
            self._own.clear()
            return found
        return [] if self._versions is None else self._workspace.resume(self._versions)

    def _said(self, name: str, text: str) -> str:
        shown = fit(text.strip() or "-", MAX_TOKENS, self._prompts)
        return self._prompts.text("reloaded", name=name, text=shown)


def _counts(name: str, text: str) -> bool:
    """Return False for a day that has no notes."""
    return bool(text.strip()) or "/" not in name
