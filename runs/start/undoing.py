"""Take back what a run has changed: `undo`, and "undo that" in a conversation, where the owner sees
it first and says yes."""

from __future__ import annotations

from collections.abc import Generator
from functools import partial
from typing import TYPE_CHECKING

from config import Config
from memory.runlog import append_undone
from models.base import Event
from runs.start.disambiguate import YES
from sandbox.undo import UndoStore
from text.sentences import said_in, say
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


def undone(config: Config, run: str, owner: Owner) -> Generator[Event, None, str]:
    """Show what the last run changed, take it back once the owner says yes, and return what to say.
    `run` is the one that asks."""
    words, store = partial(say, config.lang), UndoStore.limited(config.home, config.undo)
    last = store.last_run()
    changes = net(standing(store, last)) if last else []
    if not changes:
        return words("diff.none")
    question = "\n".join([words("answers.undo_question"), *lines(changes)])
    choices = [words("answers.undo_yes"), words("answers.undo_no")]
    id = f"{run}.undo"
    yield {"type": "asked", "id": id, "turn": 1, "question": question, "candidates": choices}
    answer = (owner.ask(id, question, choices) or "").strip()
    yield {"type": "answered", "id": id, "turn": 1, "text": answer}
    if answer.lower() not in {choices[0].lower(), *YES}:
        return words("undo.conflicts")
    done = take_back(config, last)
    why = [f"{each.path}: {said_in(config.lang, each.why)}" for each in done.conflicts]
    key = "undo.conflicts" if why else "undo.done"
    return "\n".join([*why, words(key, n=len(done.paths), run=last)])
