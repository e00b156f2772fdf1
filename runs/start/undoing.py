"""Take back what a run has changed: `undo`, and "undo that" in a conversation, where the owner sees
it first and says yes."""

from __future__ import annotations

from collections.abc import Generator, Iterable
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING

from config import Config, Lang
from context.phrases import in_words
from memory.runlog import append_undone
from models.base import Event
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


def undone(config: Config, run: str, owner: Owner) -> Generator[Event, None, str]:
    """Show what was changed last, files or the memory, take it back once the owner says yes, and
    return what to say. `run` is the one that asks."""
    from memory.undo import undo

    words, store = partial(say, config.lang), UndoStore.limited(config.home, config.undo)
    last = store.last_run()
    remembered = _remembered_since(config, last)
    changes = net(standing(store, last)) if last else []
    if not (changes or remembered):
        return words("diff.none")
    shown = [remembered] if remembered else lines(changes)
    if not (yield from _agrees(config.lang, run, owner, shown)):
        return words("undo.conflicts")
    if remembered:
        return words("memory_undone", change=undo(config.home))
    done = take_back(config, last)
    why = [f"{each.path}: {in_words(each.why, config.lang)}" for each in done.conflicts]
    key = "undo.conflicts" if why else "undo.done"
    return "\n".join([*why, words(key, n=len(done.paths), run=last)])


def _agrees(
    lang: Lang, run: str, owner: Owner, shown: Iterable[str]
) -> Generator[Event, None, bool]:
    question = "\n".join([say(lang, "answers.undo_question"), *shown])
    choices = [say(lang, "answers.undo_yes"), say(lang, "answers.undo_no")]
    id = f"{run}.undo"
    yield {"type": "asked", "id": id, "turn": 1, "question": question, "candidates": choices}
    answer = (owner.ask(id, question, choices) or "").strip()
    yield {"type": "answered", "id": id, "turn": 1, "text": answer}
    return answer.lower() in {choices[0].lower(), *YES}


def _remembered_since(config: Config, run: str) -> str:
    """Return the last change of the memory that came behind the changes of a run; "" for none."""
    from memory.history import Repository, RepositoryError
    from memory.undo import newest

    try:
        change = newest(Repository(config.home))
    except RepositoryError:
        return ""
    at = datetime.fromisoformat(change.at).strftime("%Y%m%d-%H%M%S") if change else ""
    return change.subject if change and at > run else ""
