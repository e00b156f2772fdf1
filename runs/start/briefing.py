"""Tell the model of one run what it needs beside its tools: the context when it is first asked,
changed files, and what the owner says for good, which is written down at once.

A replay asks no model, so all of this is made, and imported, when it is first needed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
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


class Briefing:
    """One run's. `opening` is its first event; `versions` of the workspace files are what a resumed
    run's model has read."""

    def __init__(
        self,
        parts: Parts,
        prompts: Prompts,
        run: str,
        opening: Event,
        hints: Sequence[Sop] = (),
        versions: Mapping[str, str] | None = None,
    ) -> None:
        """`prompts` are in the language of the run."""
        self._parts, self.prompts, self._run, self._opening = parts, prompts, run, opening
        self._hints, self._versions = hints, versions
        self._home, self._redact = parts.config.home, parts.redactor().redact
        self._session = Session.parse(opening["session"])
        self._is_read = versions is not None

    def write(self, budget: int) -> Context:
        """Return the first messages of the run, as of now, for a budget in tokens."""
        from context import Brief, first_messages
        from context.builder import SMALL_TOKENS
        from memory.reader import reader_for

        parts, opening, now = self._parts, self._opening, datetime.now().astimezone()
        is_with_owner = self._session.is_main and opening.get("attended")
        self._is_read = True
        brief = Brief(
            task=opening.get("told") or opening["task"],
            prompts=self.prompts,
            reader=reader_for(self._home, self._session, now.date()),
            workspace=self._workspace,
            sops=parts.sops,
            seeds_folder=SEEDS,
            learned_folder=self._home / "sops",
            cwd=Path(opening["cwd"]) if self._session.is_main else Path(),
            now=now,
            persona=self._persona,
            previous=opening["previous"],
            hints=self._hints,
            recall=self._recalled,
            window=lambda: self._window,
            shares=parts.config.context,
            is_small=budget < SMALL_TOKENS,
            run=_run_block(opening, self.prompts),
            credentials=parts.set_credentials if is_with_owner else (),
        )
        context = first_messages(brief, budget, self._redact)
        if images := [
            path for path in opening.get("attached", ()) if Path(path).suffix.lower() in IMAGES
        ]:
            context.messages[-1]["images"] = images
        return context

    def _recalled(self, request: str) -> list[str]:
        """Return what the request brings up, without what the window says anyway."""
        most = self._parts.config.context.recall.most
        lines = self._parts.recalling(self._session).at_start(request, most)
        said = {" ".join(turn.text.split()) for turn in self._window} if lines else set()
        return [line for line in lines if not any(f": {text} [" in line for text in said)]

    @cached_property
    def _window(self) -> Sequence[Turn]:
        """Return what was said last in the session, in other runs."""
        return (
            self._parts.recent(self._session, [self._run])
            if self._opening.get("window", True)
            else ()
        )

    def changes(self) -> Reloaded | None:
        """Return what the owner has changed in the workspace files since the model read them."""
        return self._changes.take() if self._is_read else None

    def note(self, turn: int, said: str) -> Iterator[Event]:
        """Write down what the owner's words say for good. What cannot be written is said, and the
        run goes on."""
        from memory.notes import find
        from memory.window import speakers

        for who, text in speakers(said, self._session, is_named=self._opening.get("named", False)):
            for found in find(text, self._redact):
                is_named = who not in ("owner", self._session.name)
                yield self._written(
                    turn, found._replace(text=f"{who}: {found.text}") if is_named else found
                )

    def _written(self, turn: int, found: Remembered) -> Event:
        from memory.notes import add

        now, file, problem = datetime.now().astimezone(), "", ""
        try:
            path = add(
                self._home,
                found.text,
                kind=found.kind,
                session=self._session,
                run=self._run,
                turn=turn,
                at=now,
                lang=self.prompts.lang,
                redact=self._redact,
            )
        except (OSError, SopwithError) as error:
            problem = str(error)
        else:
            file = path.relative_to(self._home).as_posix()
            if self._is_read:
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

        return Workspace(self._home, self.prompts.lang, self._session)

    @cached_property
    def _changes(self) -> Changes:
        from context.workspace import Changes

        return Changes(self._workspace, self.prompts, self._redact, self._versions)

    def _persona(self) -> str:
        name = self._opening.get("persona")
        if not name:
            return ""
        from context.workspace import persona, prompt

        return prompt(persona(self._home, name), self.prompts)


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
