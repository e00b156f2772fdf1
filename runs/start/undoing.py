"""Take back what a run has changed: `undo`, and "undo that" in a conversation, where the owner sees
it first and says yes."""

from __future__ import annotations

from collections.abc import Generator
from functools import partial
from typing import TYPE_CHECKING

from config import Config
from context import phrases
from memory.runlog import append_undone
from models.base import Event, Reply, Request
from runs.start.disambiguate import YES
from sandbox.undo import UndoStore
from text.sentences import say
from tools.staged import lines, net, standing

if TYPE_CHECKING:
    from handler import Owner
    from sandbox.undo.store import Undone


def take_back(config: Config, run: str, call: str | None = None) -> Undone:
    """Undo a run or a call, and write that into its log. Raises StageError."""
    done = UndoStore.limited(config.home, config.undo).undo(run, call)
    if not done.conflicts:
        append_undone(config.home, run, call or "", done.paths)
    return done


class Undoing:
    """Stand in the place of a model where the owner, who is there, asks for an undo."""

    name = "undo"

    def __init__(self, config: Config, run: str, owner: Owner) -> None:
        self._config, self._run, self._owner = config, run, owner
        self._say = partial(say, config.lang)

    def reply(self, request: Request) -> Generator[Event, None, Reply]:
        """Show what the last run changed, and take it back once the owner says yes."""
        said = yield from self._undone()
        return Reply(said, model=self.name, kind="rote")

    def _undone(self) -> Generator[Event, None, str]:
        store = UndoStore.limited(self._config.home, self._config.undo)
        run = store.last_run()
        changes = net(standing(store, run)) if run else []
        if not changes:
            return self._say("diff.none")
        question = "\n".join([self._say("answers.undo_question"), *lines(changes)])
        choices = [self._say("answers.undo_yes"), self._say("answers.undo_no")]
        id = f"{self._run}.undo"
        yield {"type": "asked", "id": id, "turn": 1, "question": question, "candidates": choices}
        answer = (self._owner.ask(id, question, choices) or "").strip()
        yield {"type": "answered", "id": id, "turn": 1, "text": answer}
        if answer.lower() not in {choices[0].lower(), *YES}:
            return self._say("undo.conflicts")
        done = take_back(self._config, run)
        why = [
            f"{each.path}: {phrases.in_words(each.why, self._config.lang)}"
            for each in done.conflicts
        ]
        key = "undo.conflicts" if why else "undo.done"
        return "\n".join([*why, self._say(key, n=len(done.paths), run=run)])
