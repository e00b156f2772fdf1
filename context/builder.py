"""Put together what a model reads when a run begins: the system prompt, and the message that holds
the task.

Each block comes from an injector (context/injectors.py) that is registered with a priority and a
budget in tokens. Stable blocks make the system prompt, in a fixed order, so that an endpoint's
prompt cache holds from one task to the next; changing ones stand in the user message. The task is
never cut. Source: seed 001 §2.2; seed 004 §2.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

from config import ContextConfig, SopwithError, listed
from context.prompts import Prompts, fit
from context.tokens import estimate
from context.workspace import Workspace
from memory.journal.turns import Turn
from memory.reader import Reader
from memory.sops import Sop, SopStore
from models.base import Event, Message

FAULTS = (
    OSError,
    SopwithError,
    ValueError,
    LookupError,
    TypeError,
    AttributeError,
    RuntimeError,
    ImportError,
)
SMALL_TOKENS = 16_000
SHARE = 0.5  # of the run's budget: as much may the first messages take, the task not counted


class Block(NamedTuple):
    """Hold what an injector brings: a text, and a heading that stays when the text is cut."""

    text: str
    heading: str = ""


@dataclass(frozen=True, slots=True)
class Brief:
    """Hold what a context is built from. `previous` are the earlier runs of the conversation,
    oldest first; `hints` SOPs that routing found near; `recall` finds memories for a request;
    `window` gives what was said last in the session."""

    task: str
    prompts: Prompts
    reader: Reader
    workspace: Workspace
    sops: SopStore
    seeds_folder: Path
    learned_folder: Path
    cwd: Path
    now: datetime
    persona: Callable[[], str] = lambda: ""  # its text for the prompt
    previous: Sequence[str] = ()
    hints: Sequence[Sop] = ()
    recall: Callable[[str], Sequence[str]] = lambda request: ()
    window: Callable[[], Sequence[Turn]] = lambda: ()
    credentials: Sequence[str] = ()  # names that tools know the values of
    shares: ContextConfig = field(default_factory=ContextConfig)
    is_small: bool = False  # the window is under SMALL_TOKENS: the short rules, no list of SOPs
    run: str = ""  # what holds for this run: limits, who is there, what it was started by


class Injector(NamedTuple):
    """One part of the context. Lower priorities come first. `max_tokens` None: never cut.
    `keeps_end`: when it is too long, what came first goes."""

    name: str
    priority: int
    max_tokens: int | None
    is_stable: bool
    write: Callable[[Brief], Block | str]
    keeps_end: bool = False


@dataclass(frozen=True, slots=True)
class Context:
    """The first two messages of a run, [system, user], and how they came about: tokens of each
    block, names of those that were cut and of those that failed, what was read from which file."""

    messages: list[Message]
    blocks: Mapping[str, int]
    cut: Sequence[str] = ()
    failed: Sequence[str] = ()
    files: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    def event(self, turn: int) -> Event:
        """Return the `context` event; `messages` is what a resumed run begins with."""
        return {
            "type": "context",
            "turn": turn,
            "blocks": dict(self.blocks),
            "cut": list(self.cut),
            "failed": list(self.failed),
            "files": dict(self.files),
            "messages": self.messages,
        }


class ContextBuilder:
    """Builds the context from injectors. One that fails is left out, and said."""

    def __init__(
        self, injectors: Iterable[Injector] = (), redact: Callable[[str], str] = str
    ) -> None:
        self._injectors: list[Injector] = []
        self._redact = redact
        for injector in injectors:
            self.register_injector(injector)

    def register_injector(self, injector: Injector) -> None:
        """Add one; of the same priority, the one that was registered first comes first."""
        self._injectors = sorted([*self._injectors, injector], key=lambda each: each.priority)

    def build(self, brief: Brief, max_tokens: int) -> Context:
        """Return the first messages within `max_tokens`: blocks of a higher priority take what they
        need first."""
        blocks, failed = self._blocks(brief)
        room = max_tokens - sum(
            estimate(_whole(block)) for each, block in blocks if each.max_tokens is None
        )
        written: list[tuple[Injector, str]] = []
        cut: list[str] = []
        for injector, block in blocks:
            if injector.max_tokens is not None:
                limit = max(0, min(injector.max_tokens, room) - estimate(block.heading) - 2)
                fitting = fit(block.text, limit, brief.prompts, keeps_end=injector.keeps_end)
                if fitting != block.text:
                    cut.append(injector.name)
                block = Block(fitting, block.heading)
                room -= estimate(_whole(block))
            written.append((injector, _whole(block)))
        messages: list[Message] = [
            {
                "role": role,
                "content": "\n\n".join(
                    text for each, text in written if each.is_stable == is_stable
                ),
            }
            for role, is_stable in (("system", True), ("user", False))
        ]
        sizes = {each.name: estimate(text) for each, text in written}
        return Context(messages, sizes, cut, failed, _files(brief.workspace))

    def _blocks(self, brief: Brief) -> tuple[list[tuple[Injector, Block]], list[str]]:
        blocks: list[tuple[Injector, Block]] = []
        failed: list[str] = []
        for injector in self._injectors:
            try:
                written = injector.write(brief)
            except FAULTS as error:
                failed.append(injector.name)
                import logging

                log = logging.getLogger("sopwith.context")
                log.info("injector %s failed", injector.name, exc_info=error)
                continue
            block = written if isinstance(written, Block) else Block(written)
            if block.text.strip():
                hidden = block.text if injector.name == "task" else self._redact(block.text)
                blocks.append((injector, Block(hidden.strip(), block.heading)))
        return blocks, failed


def _files(workspace: Workspace) -> dict[str, dict[str, Any]]:
    """Return how loading each file went; `version` names its text."""
    versions = workspace.versions
    return {
        result.file_path: {
            "version": versions[result.file_path],
            "error": result.error,
            "said": listed(result.error or ""),
            "from_cache": result.from_cache,
            "is_default": result.is_default,
        }
        for result in workspace.results
    }


def _whole(block: Block) -> str:
    return f"{block.heading}\n{block.text}" if block.heading else block.text
