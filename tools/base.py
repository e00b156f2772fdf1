"""Define a tool: a typed function with a docstring. Its schema is derived from both
(tools/schema.py).

A tool takes a `ToolContext` first, then its arguments. It returns a `ToolResult`, or is a generator
that yields its output as text while it works (or an event, which is then on disk before it goes on)
and returns the `ToolResult`. It raises `ToolError` for what the model can mend (a missing file, a
pattern that is not unique); anything else that it raises is a defect of ours and ends the run.
"""

from __future__ import annotations

import inspect
import os
import re
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import dataclass, field
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeVar

from config import Worded
from models.base import ToolResult
from safety.paths import RUNS
from sandbox.network import Leave

if TYPE_CHECKING:
    from config import Config
    from sandbox.cells import Sandbox
    from tools.scripts.staged import Hold
    from tools.staged import Recording, Staging

Kept = TypeVar("Kept")
_NO_PATH = re.compile("[\0\ud800-\udc7f\udd00-\udfff]")  # the others stand for bytes of a name
# tools that ask an address for what is there, and change nothing there
LOOKS = frozenset(["web_fetch", "web_scan"])
Effect = Literal["none", "read", "write", "delete", "execute", "network", "ask", "memory"]


class ToolError(Worded):
    """The model's mistake or the world's: goes to the model as an outcome. One or two lines."""


class Between(NamedTuple):
    """The bounds of an integer argument, both allowed: `Annotated[int, Between(1, 3600)]`."""

    low: int
    high: int | None = None


class Memories(NamedTuple):
    """Hold what recall brings a model: a line for each turn, what could not be used, and whose
    words are among them when they are not the owner's (models/base)."""

    lines: Sequence[str] = ()
    degraded: Sequence[str] = ()
    origin: str = ""


class Wish(NamedTuple):
    """Hold what a model wants of helpers: a task for each, and what each may use. None: as much as
    there is to share."""

    tasks: Sequence[str]
    files: Sequence[str] = ()
    tools: Sequence[str] | None = None
    max_turns: int | None = None
    max_cost: float | None = None  # USD, of each
    max_minutes: float | None = None  # of each


@dataclass(slots=True)
class ToolContext:
    """Hold what a tool may use of the run it works for."""

    cwd: Path  # where relative paths start, absolute
    folder: Path  # the run's own folder, for long outputs and the like
    home: Path  # the home folder
    call: str = ""  # the id of this call
    tool_seconds: float = 60.0  # the default time limit of a call, seconds
    deadline: float = inf  # on the monotonic clock: no call goes on behind it
    env: dict[str, str] = field(default_factory=dict)  # added to the environment of child processes
    # what tools may use by name
    credentials: Mapping[str, str] = field(default_factory=dict, repr=False)
    sandbox: Sandbox | None = None  # where code runs; None: with the owner's rights
    staging: Staging | None = None  # where its changes are judged; None: they are made at once
    is_staged: bool = False  # this call: the gate judges its changes when they are seen
    recording: Recording | None = None  # keeps what its file tools replace; None: nothing is kept
    leave: Callable[[str, dict[str, Any], tuple[Path, ...]], Leave] = lambda *_: Leave()
    recall: Callable[[str], Memories] = lambda _: Memories()
    # hides secrets; a tool sends through it what it streams or keeps in a file
    redact: Callable[[str], str] = str
    run: str = ""  # its id
    session: str = "main"
    config: Config | None = None  # None: in a test
    # asks the owner, without echo; None: nobody is there
    secret: Callable[[str], str | None] = lambda _: None
    # by the id of the call; None: not here
    delegate: Callable[[str, Wish], Generator[Any, None, ToolResult]] | None = None
    hold: Hold | None = None  # of this call: it runs in a stage of its own
    is_dry: bool = False  # all of the run works in one stage, which is thrown away
    hash: str = ""  # names this call by its tool and arguments
    kept: dict[str, Any] = field(default_factory=dict)  # what `keep` made
    # paths of this call, as the gate saw them
    judged: dict[str, Path] = field(default_factory=dict)

    def recorded(self, path: Path) -> AbstractContextManager[None]:
        """Return the block in which a file tool changes this path, so that it can be taken back."""
        return self.recording.of(self.call, path) if self.recording else nullcontext()

    def stages(self, name: str, args: Mapping[str, Any]) -> bool:
        """Find out if the changes of this call are judged when they are seen; it holds for the
        whole call."""
        self.is_staged = False
        if name == "code_run" and self.staging:
            folder = self.path(args["cwd"]) if args.get("cwd") else self.cwd
            self.is_staged = self.staging.is_ready(str(args.get("script", "")), folder)
        return self.is_staged or (self.is_dry and name == "code_run")

    def resumed(self) -> Generator[Any, Any, ToolResult] | None:
        """Return the rest of a call that was done and whose changes wait; None for a new call."""
        staging = self.staging
        is_done = staging is not None and staging.is_aside(self.hash)
        return staging.resume(self.call, self.hash) if staging and is_done else None

    def keep(self, key: str, make: Callable[[], Kept]) -> Kept:
        """Return the run's one object for `key` (a browser, a shell), made when it is first asked
        for."""
        if key not in self.kept:
            self.kept[key] = make()
        found: Kept = self.kept[key]
        return found

    def close(self) -> None:
        """Close what the tools kept, last made first. One that cannot be ended stops no other."""
        for each in reversed(list(self.kept.values())):
            if hasattr(each, "close"):
                with suppress(OSError, RuntimeError, ToolError):
                    each.close()
        self.kept.clear()

    def resolved(self, value: Any) -> Any:
        """Return the arguments with credentials in the place of `${NAME}`; for use at once, never
        to be kept or shown."""
        if not self.credentials:
            return value
        from safety.secrets import resolved

        return resolved(value, self.credentials)

    def seconds(self, wanted: float | None = None) -> float:
        """Return how long a call may take, `wanted` at most: the run may end before."""
        left = max(1.0, self.deadline - time.monotonic())
        return min(float(wanted or self.tool_seconds), left)

    @property
    def name(self) -> str:
        """Return the id of this call as a part of the name of a file."""
        return re.sub(r"[^\w.-]", "_", self.call)[:60] or "call"

    def new_file(self, folder: str, name: str) -> Path:
        """Return the path of a new file in a folder of the run, numbered where the name is
        taken."""
        file = place = self.folder / folder / name
        place.parent.mkdir(parents=True, exist_ok=True)
        number = 1
        while file.exists():
            number += 1
            file = place.with_name(f"{place.stem}-{number}{place.suffix}")
        return file

    def path(self, text: str) -> Path:
        """Return the absolute path that the model means: ~ is expanded, relative paths start at
        `cwd`; links stay. A group calls the folder of the runs by a name
        (safety/gate/shared_sessions.py).

        Raises ToolError for what can be no path (a NUL, half a surrogate pair, the home of an
        unknown user).
        """
        if _NO_PATH.search(text):
            raise ToolError("error.tools.path", text=f"{text[:200]!a}")
        sizes = [len(os.fsencode(name)) for name in text.split("/")]
        if max(sizes) > 255 or len(text) > 4096:
            raise ToolError("error.tools.path-too-long", text=f"{text[:100]!r}")
        if self.session != "main" and text.startswith(f"{RUNS}/"):
            return self.home / "runs" / text.removeprefix(f"{RUNS}/")
        try:
            return self.cwd / Path(text).expanduser()
        except RuntimeError as error:  # "~name" where no such user is
            raise ToolError("error.tools.at", name=text, error=error) from error

    def place(self, text: str) -> Path:
        """Return the path without links that the gate has judged; it is opened by
        safety/paths/handles.py, which follows none."""
        found = self.judged.get(text)
        return resolve(self.path(text)) if found is None else found


class Tool(NamedTuple):
    """A function with what the handler and the gate must know of it. `effects` names what it may do
    to the world; `paths` names those of its arguments that are paths (a string, or a list of
    strings). `about` says what else of a call the gate should know: what the arguments only refer
    to."""

    name: str
    run: Callable[..., ToolResult | Generator[Any, None, ToolResult]]
    effects: tuple[Effect, ...]
    paths: tuple[str, ...] = ()
    about: Callable[[ToolContext, dict[str, Any]], dict[str, Any]] = lambda *_: {}

    def touches(self, context: ToolContext, args: dict[str, Any]) -> tuple[Path, ...]:
        """Return the paths that a call names, as the gate needs them: absolute, links followed; of
        something to delete only the links on the way to it, since it is the link itself that goes.
        Raises ToolError as `ToolContext.path`."""
        found = []
        for name in self.paths:
            value = args.get(name)
            for text in value if isinstance(value, list) else [value]:
                if isinstance(text, str):
                    path = context.path(text)
                    follow = "delete" not in self.effects or path.name in ("", "..")
                    found.append(resolve(path) if follow else resolve(path.parent) / path.name)
                    context.judged[text] = found[-1]
        return tuple(found)

    @property
    def only_reads(self) -> bool:
        """Return True when the call leaves nothing behind, so that it may be done again after a
        crash."""
        # without any it is not ours
        return bool(self.effects) and set(self.effects) <= {"none", "read", "ask"}


def resolve(path: Path) -> Path:
    """Return the path without links and dots. Raises ToolError when links go round in a circle."""
    try:
        return path.resolve()
    except (OSError, RuntimeError) as error:
        raise ToolError("error.tools.at", name=path, error=error) from error


def tool(
    *effects: Effect,
    paths: tuple[str, ...] = (),
    about: Callable[[ToolContext, dict[str, Any]], dict[str, Any]] = lambda *_: {},
) -> Callable[[Callable[..., Any]], Tool]:
    """Make a tool of a function: `@tool("read", paths=("path",))`."""

    def wrap(function: Callable[..., Any]) -> Tool:
        if not inspect.getdoc(function):
            raise TypeError(f"{function.__name__} needs a docstring: it is what the model reads")
        return Tool(function.__name__, function, effects or ("none",), paths, about)

    return wrap
