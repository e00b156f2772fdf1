"""Decide what a request leads to: an SOP that is done by rote, one that a model picked, or hints
for a model."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from learning.route import Match, Remembered, Shown, choose
from memory.sops import Sop
from memory.written import is_to_forget
from models.base import Event, Request, last
from runs.options import Options, Replay
from runs.parts import Parts
from runs.start.answers import is_answered, is_reminder
from runs.start.briefing import is_only_to_remember

if TYPE_CHECKING:
    from models.embeddings import Embedder


class Chosen(NamedTuple):
    """Hold what is done by rote, or which SOPs are near. `pick`: a model's choice that the owner
    must see before it is done. `asked`: the events of finding that out, which may have cost
    something."""

    replay: Replay | None
    hints: Sequence[Sop] = ()
    asked: Sequence[Event] = ()
    pick: Shown | None = None
    reminder: Match | None = None


def chosen(task: str, options: Options, parts: Parts) -> Chosen:
    """Return what serves the task (learning/route), unless the session or the options forbid it."""
    if not options.rote or options.session != "main":
        return Chosen(None)
    known = Remembered(parts.config.home).with_wordings(parts.sops.all())
    if _is_done_without(task, parts.config.home):
        taught = [sop for sop in known if not sop.is_seed]  # the owner's own words come first
        return Chosen(_replay(task, choose(task, taught, options.cwd, Path.home()).match))
    asked: list[Event] = []
    ask_model = _chooser(options, parts, asked)
    embedder = (lambda: _embedder(parts)) if ask_model else None
    choice = choose(task, known, options.cwd, Path.home(), ask_model=ask_model, embedder=embedder)
    match = choice.match
    if is_reminder(match, in_job=options.job is not None):
        return Chosen(None, reminder=match)
    return Chosen(_replay(task, match), choice.hints, asked, choice.pick)


def _is_done_without(task: str, home: Path) -> bool:
    """Return True for a request that code serves itself: a note, a question about Sopwith, what is
    to be forgotten."""
    is_said = is_only_to_remember(task) or is_answered(task)
    return is_said or is_to_forget(home, task)


def _replay(task: str, match: Match | None) -> Replay | None:
    return Replay(match.sop, match.parameters, task, match.lane) if match else None


def _embedder(parts: Parts) -> Embedder | None:
    from models.embeddings import embedder  # few requests are in other words

    return embedder(parts.config.embeddings)


def _chooser(
    options: Options, parts: Parts, asked: list[Event]
) -> Callable[[str, str], str] | None:
    """Return a call to the first configured model. What it cost goes to `asked`."""
    if not parts.config.models:
        return None

    def ask(request: str, cards: str) -> str:
        prompt = parts.prompts.text("choose_sop", cards=cards, request=request)
        model = parts.configured(options, max_retries=1)[0]
        reply = last(model.reply(Request(0, [{"role": "user", "content": prompt}])))
        asked.append(reply.event(0))
        return reply.text

    return ask
