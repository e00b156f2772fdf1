"""Tell the model of one run what it needs beside its tools: the context when it is first asked,
changed files, and what the owner says for good, which is written down at once.

A replay asks no model, so all of this is made, and imported, when it is first needed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from config import SopwithError
from context import Prompts
from memory.home import Session
from memory.sops import Sop
from models.base import Event
from models.images import IMAGES
from runs.parts import SEEDS, Parts

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping

    from context.builder import Context
    from context.workspace import Changes, Reloaded, Workspace
    from memory.journal.turns import Turn
    from memory.notes import Remembered


@dataclass
class Briefing:
    """One run's. `opening` is its first event; `versions` of the workspace files are what a resumed
    run's model has read."""

    parts: Parts
    prompts: Prompts  # in the language of the run
    run: str
    opening: Event
    hints: Sequence[Sop] = ()
    versions: Mapping[str, str] | None = None

    def __post_init__(self) -> None:
        self.session = Session.parse(self.opening["session"])
        self.is_read = self.versions is not None
        self.home, self.redact = self.parts.config.home, self.parts.redactor().redact

    def write(self, budget: int) -> Context:
        """Return the first messages of the run, as of now, for a budget in tokens."""
        from context import Brief, first_messages
        from context.builder import SMALL_TOKENS
        from memory.reader import reader_for

        parts, opening, now = self.parts, self.opening, datetime.now().astimezone()
        is_with_owner = self.session.is_main and opening.get("attended")
        self.is_read = True
        brief = Brief(
            task=opening.get("told") or opening["task"],
            prompts=self.prompts,
            reader=reader_for(self.home, self.session, now.date()),
            workspace=self._workspace,
            sops=parts.sops,
            seeds_folder=SEEDS,
            learned_folder=self.home / "sops",
            cwd=Path(opening["cwd"]) if self.session.is_main else Path(),
            now=now,
            persona=self._persona,
            previous=opening["previous"],
            hints=self.hints,
            recall=self._recalled,
            window=lambda: self._window,
            shares=parts.config.context,
            is_small=budget < SMALL_TOKENS,
            run=_run_block(opening, self.prompts),
            credentials=parts.set_credentials if is_with_owner else (),
        )
        context = first_messages(brief, budget, self.redact)
        if images := [
            path for path in opening.get("attached", ()) if Path(path).suffix.lower() in IMAGES
        ]:
            context.messages[-1]["images"] = images
        return context

    def _recalled(self, request: str) -> list[str]:
        """Return what the request brings up, without what the window says anyway."""
        most = self.parts.config.context.recall.most
        lines = self.parts.recalling(self.session).at_start(request, most)
        said = {" ".join(turn.text.split()) for turn in self._window} if lines else set()
        return [line for line in lines if not any(f": {text} [" in line for text in said)]

    @cached_property
    def _window(self) -> Sequence[Turn]:
        """Return what was said last in the session, in other runs."""
        return (
            self.parts.recent(self.session, [self.run]) if self.opening.get("window", True) else ()
        )

    def changes(self) -> Reloaded | None:
        """Return what the owner has changed in the workspace files since the model read them."""
        return self._changes.take() if self.is_read else None

    def note(self, turn: int, said: str) -> Iterator[Event]:
        """Write down what the owner's words say for good. What cannot be written is said, and the
        run goes on."""
        from memory.notes import find
        from memory.window import speakers

        for who, text in speakers(said, self.session, is_named=self.opening.get("named", False)):
            for found in find(text, self.redact):
                is_named = who not in ("owner", self.session.name)
                yield self._written(
                    turn, found._replace(text=f"{who}: {found.text}") if is_named else found
                )

    def _written(self, turn: int, found: Remembered) -> Event:
        from memory.notes import add

        now, file, problem = datetime.now().astimezone(), "", ""
        try:
            path = add(
                self.home,
                found.text,
                kind=found.kind,
                session=self.session,
                run=self.run,
                turn=turn,
                at=now,
                lang=self.prompts.lang,
                redact=self.redact,
            )
        except (OSError, SopwithError) as error:
            problem = str(error)
        else:
            file = path.relative_to(self.home).as_posix()
            if self.is_read:
                self._changes.wrote(file)
        event = {
            "type": "noted",
            "turn": turn,
            "kind": found.kind,
            "file": file,
            "text": found.text,
        }
        return {**event, "problem": problem} if problem else event

    @cached_property
    def _workspace(self) -> Workspace:
        from context.workspace import Workspace

        return Workspace(self.home, self.prompts.lang, self.session)

    @cached_property
    def _changes(self) -> Changes:
        from context.workspace import Changes

        return Changes(self._workspace, self.prompts, self.redact, self.versions)

    def _persona(self) -> str:
        name = self.opening.get("persona")
        if not name:
            return ""
        from context.workspace import persona, prompt

        return prompt(persona(self.home, name), self.prompts)


def _run_block(opening: Event, prompts: Prompts) -> str:
    """Return the lines that tell the model its limits, its sandbox, who is there and what began
    it."""
    lines = []
    if limits := opening.get("limits"):
        used = {name: f"{value:g}" for name, value in limits.items()}
        sandbox = opening.get("sandbox", "")
        lines.append(prompts.text("run_limits", **used, sandbox=sandbox))
    if not opening.get("attended", True):
        lines.append(prompts.text("run_unattended"))
    if job := opening.get("job"):
        lines.append(prompts.text("run_scheduled", **job))
    return "\n".join(lines)


def check_persona(home: Path, name: str, lang: str) -> None:
    """Raise PersonaError when there is no such persona, or it is broken; the first start brings
    examples."""
    from context.workspace import persona
    from memory.workspace import lay_out

    with suppress(OSError):  # a home that cannot be written to has what it has
        lay_out(home, lang)
    persona(home, name)


def is_only_to_remember(request: str) -> bool:
    """Return True when a request asks for nothing but to remember what it says: no model is
    needed."""
    from memory.notes import find

    return any(found.is_whole for found in find(request))


def remembered(
    briefing: Briefing, request: str, turn: int, *, is_noted: bool
) -> Generator[Event, None, str]:
    """Write down what a request only asks to remember, and return what to say. Raises SopwithError
    where it cannot be written down."""
    said = [request] if is_noted else []
    for event in () if is_noted else briefing.note(turn, request):
        yield {**event, "answers": True}
        if "problem" in event:
            raise SopwithError(event["problem"])
        said.append(event["text"])
    return briefing.prompts.text("noted", text="\n".join(said))
