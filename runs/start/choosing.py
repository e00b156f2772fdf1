"""What a request leads to: an SOP that is done by rote, or SOPs that a model is told of."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from learning.learned_wordings import with_learned
from learning.routing import choose
from memory.sops.store import Sop
from models.base import Event, Reply, Request
from runs.options import Options, Replay
from runs.parts import Parts
from runs.replaying import offline
from runs.start.briefing import is_only_to_remember


class Chosen(NamedTuple):
    """What is done by rote, or which SOPs are near; `asked`: the events of finding that out, which may have cost something."""

    replay: Replay | None
    hints: Sequence[Sop] = ()
    asked: Sequence[Event] = ()


def chosen(task: str, options: Options, parts: Parts) -> Chosen:
    """Asks the lanes of the routing (learning/routing.py), unless the session or the options forbid it."""
    if not options.rote or options.session != "main" or is_only_to_remember(task):
        return Chosen(None)
    asked: list[Event] = []
    known = with_learned(parts.sops.all(), parts.config.home)
    ask_model = _chooser(options, parts, asked)
    choice = choose(
        task, known, options.cwd, Path.home(), ask_model=ask_model, offline=offline(asked)
    )
    match = choice.match
    replay = Replay(match.sop, match.parameters, task, match.lane) if match else None
    return Chosen(replay, choice.hints, asked)


def _chooser(
    options: Options, parts: Parts, asked: list[Event]
) -> Callable[[str, str], str] | None:
    """The first configured model, to be asked once which SOP a request means. What it cost goes to `asked`."""
    if not parts.config.models:
        return None

    def ask(request: str, cards: str) -> str:
        prompt = parts.prompts.text("choose_sop", cards=cards, request=request)
        answer = parts.configured(options, max_retries=1)[0].reply(
            Request(0, [{"role": "user", "content": prompt}])
        )
        while True:
            try:
                next(answer)  # what it says meanwhile is for no screen
            except StopIteration as stop:
                reply: Reply = stop.value
                asked.append(reply.event(0))
                return reply.text

    return ask
