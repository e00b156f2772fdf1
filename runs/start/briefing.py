"""Tell the model of one run what it needs beside its tools: the context when it is first asked,
changed files, and what the owner says for good, which is written down at once.

A replay asks no model, so all of this is made, and imported, when it is first needed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from config import ContextConfig, SopwithError
from context import Prompts
from memory.home import Session
from memory.sops import Sop, SopStore
from models.base import Event, Reply, Request
from models.images import IMAGES

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping

    from context.builder import Context
    from context.workspace import Changes, Reloaded, Workspace
    from memory.journal.turns import Turn
    from memory.notes import Remembered


@dataclass(frozen=True, slots=True)
class Source:
    """Hold what a briefing is made from, the same for every run of an agent."""

    home: Path
    prompts: Prompts
    sops: SopStore
    seeds_folder: Path
    redact: Callable[[str], str]
    recall: Callable[[Session, str], Sequence[str]] = lambda session, request: ()
    credentials: Sequence[str] = ()  # names of those that are set
    shares: ContextConfig = field(default_factory=ContextConfig)
    recent: Callable[[Session, Sequence[str]], Sequence[Turn]] = (
        lambda session, without: ()
    )  # runs to leave out


class Briefing:
    """One run's. `opening` is its first event; `versions` of the workspace files are what a resumed
    run's model has read."""

    def __init__(
        self,
        source: Source,
        run: str,
        opening: Event,
        hints: Sequence[Sop] = (),
        versions: Mapping[str, str] | None = None,
    ) -> None:
        self._source, self._run, self._opening = source, run, opening
        self._hints, self._versions = hints, versions
        self._session = Session.parse(opening["session"])
        self._is_read = versions is not None

    @property
    def prompts(self) -> Prompts:
        """Return the texts in the language of the run."""
        return self._source.prompts

    def write(self, budget: int) -> Context:
        """Return the first messages of the run, as of now, for a budget in tokens."""
        from context import Brief, first_messages
        from context.builder import SMALL_TOKENS
        from memory.reader import reader_for

        source, opening, now = self._source, self._opening, datetime.now().astimezone()
        self._is_read = True
        brief = Brief(
            task=opening.get("told") or opening["task"],
            prompts=source.prompts,
            reader=reader_for(source.home, self._session, now.date()),
            workspace=self._workspace,
            sops=source.sops,
            seeds_folder=source.seeds_folder,
            learned_folder=source.home / "sops",
            cwd=Path(opening["cwd"]) if self._session.is_main else Path(),
            now=now,
            persona=self._persona,
            previous=opening["previous"],
            hints=self._hints,
            recall=self._recalled,
            window=lambda: self._window,
            shares=source.shares,
            is_small=budget < SMALL_TOKENS,
            run=_run_block(opening, source.prompts),
            credentials=source.credentials
            if self._session.is_main and opening.get("attended")
            else (),
        )
        context = first_messages(brief, budget, source.redact)
        if images := [
            path for path in opening.get("attached", ()) if Path(path).suffix.lower() in IMAGES
        ]:
            context.messages[-1]["images"] = images
        return context

    def _recalled(self, request: str) -> list[str]:
        """Return what the request brings up, without what the window says anyway."""
        lines = self._source.recall(self._session, request)
        said = {" ".join(turn.text.split()) for turn in self._window} if lines else set()
        return [line for line in lines if not any(f": {text} [" in line for text in said)]

    @cached_property
    def _window(self) -> Sequence[Turn]:
        """Return what was said last in the session, in other runs."""
        return (
            self._source.recent(self._session, [self._run])
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
            for found in find(text, self._source.redact):
                is_named = who not in ("owner", self._session.name)
                yield self._written(
                    turn, found._replace(text=f"{who}: {found.text}") if is_named else found
                )

    def _written(self, turn: int, found: Remembered) -> Event:
        from memory.notes import add

        now, file, problem = datetime.now().astimezone(), "", ""
        try:
            path = add(
                self._source.home,
                found.text,
                kind=found.kind,
                session=self._session,
                run=self._run,
                turn=turn,
                at=now,
                lang=self._source.prompts.lang,
                redact=self._source.redact,
            )
        except (OSError, SopwithError) as error:
            problem = str(error)
        else:
            file = path.relative_to(self._source.home).as_posix()
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

        return Workspace(self._source.home, self._source.prompts.lang, self._session)

    @cached_property
    def _changes(self) -> Changes:
        from context.workspace import Changes

        return Changes(self._workspace, self._source.prompts, self._source.redact, self._versions)

    def _persona(self) -> str:
        name = self._opening.get("persona")
        if not name:
            return ""
        from context.workspace import persona, prompt

        return prompt(persona(self._source.home, name), self._source.prompts)


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


class Scribe:
    """Stands in the place of a model where a request only asks to remember something: writes it
    down and says so."""

    name = "notes"

    def __init__(
        self, briefing: Briefing, request: str, prompts: Prompts, *, is_noted: bool = False
    ) -> None:
        self._briefing, self._request, self._prompts, self._is_noted = (
            briefing,
            request,
            prompts,
            is_noted,
        )

    def reply(self, request: Request) -> Generator[Event, None, Reply]:
        """Pass the reply on; raise what could not be written down. What could not be written down
        is raised."""
        said = [self._request] if self._is_noted else []
        for event in () if self._is_noted else self._briefing.note(request.turn, self._request):
            yield {**event, "answers": True}
            if "problem" in event:
                raise SopwithError(event["problem"])
            said.append(event["text"])
        return Reply(
            self._prompts.text("noted", text="\n".join(said)), model=self.name, kind="rote"
        )
