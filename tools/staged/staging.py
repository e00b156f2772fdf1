"""Run the calls of a run in stages: what a call did to files is judged before it is committed, and
can be undone. What a file tool replaces or removes is recorded in the same undo store, so that one
undo covers scripts and tools.

What the owner is asked about is put aside first, with the result of the call, beside the run: a run
that is resumed does not do the call again, but commits what was shown.
"""

from __future__ import annotations

import json
import re
import tempfile
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from config import Message
from models.base import Event, ToolResult
from safety.changes import ChangeSet
from safety.gate import Question
from sandbox import stage as stages
from sandbox.cells import levels
from sandbox.undo import StageError, places
from sandbox.undo.places import is_below
from tools.scripts.staged import held, with_rewritten, without_temporary
from tools.staged.shown import counted, differences

if TYPE_CHECKING:
    from safety.gate import Decision
    from sandbox.network import Leave
    from sandbox.stage import Holder, Stage
    from sandbox.undo import UndoStore
    from tools.processes.tree import Opens
    from tools.scripts.staged import Hold

MOST_NAMED = 5
NOTE = "stage"  # in the home folder, beside the note on the sandbox
RETRY_SECONDS = 300
_ELSEWHERE = re.compile(r"~|\bHOME\b|\.\.|\bcd\s*(?:$|[;&|\n])")
Judge = Callable[[ChangeSet], "Decision"]
Settling = Generator[Any, ToolResult | None, ToolResult]


class Staging:
    """The stages of one run, one for each call."""

    has_shells = True  # whose commands are staged too

    def __init__(
        self,
        folder: Path,
        roots: Iterable[Path],
        store: Callable[[], UndoStore],
        shows: Iterable[Path] = (),
    ) -> None:
        """`folder` is the run's; `shows` stays readable of what is hidden."""
        self.folder, self.run, self.roots, self._store = folder, folder.name, tuple(roots), store
        self._shows = [str(path) for path in (folder, *shows) if path.exists()]
        self.judge: Judge | None = None
        self.decides: Callable[[str, str], bool] = lambda *_: False
        self._made: set[str] | None = None  # by this run
        self._arrived: set[str] = set()  # moved by this run: somebody else's all the same

    def is_ready(self, script: str, cwd: Path) -> bool:
        """Return True where the changes of this script are judged when they are seen."""
        return True

    @staticmethod
    def of(
        is_mounted: bool,
        folder: Path,
        roots: Iterable[Path],
        store: Callable[[], UndoStore],
        shows: Iterable[Path],
    ) -> Staging:
        """Return the stages of a run, or where nothing can be mounted images."""
        return (Staging if is_mounted else Imaging)(folder, roots, store, shows)

    @staticmethod
    def works(home: Path, roots: Iterable[Path]) -> bool:
        """Return True when these roots can be staged, really tried. A yes holds until the next
        boot, or other mounts; a no for RETRY_SECONDS, since its cause may pass (a busy machine, a
        full disk)."""
        folders = sorted({str(root) for root in roots if root.is_dir()})
        machine, note = levels.machine(), home / NOTE
        if not machine or not folders:
            return False
        mounts = [f"{each.kind} {each.point}" for each in places.mounted_near(folders)]
        key = "\n".join([machine, *folders, *mounts])
        with suppress(OSError, UnicodeDecodeError):  # not noted yet
            noted, _, answer = note.read_text("utf-8").rpartition("\n")
            is_new = abs(time.time() - note.stat().st_mtime) < RETRY_SECONDS
            if noted == key and (answer == "overlay" or is_new):
                return answer == "overlay"
        answer = "none" if stages.why_none(home, folders) else "overlay"
        with suppress(OSError):  # tried again next time
            note.write_text(f"{key}\n{answer}", "utf-8")
        return answer == "overlay"

    @staticmethod
    def discard_all(folder: Path, home: Path) -> None:
        """Throw away the changes that wait in a run which is over. `folder` is the run's."""
        for note in folder.glob("waiting-*.json"):
            stage = stages.Images.waiting(home, json.loads(note.read_text("utf-8"))["number"])
            if stage:
                stage.discard()
            note.unlink()

    def opens(self, call: str, leave: Leave) -> Opens:
        """Return what covers the roots, and places that a call names, for it alone. It raises
        OSError."""

        def opened(holder: Holder | None, hidden: Sequence[str], kept: Sequence[str]) -> Stage:
            try:
                return stages.Stage.open(
                    [*self.roots, *leave.folders],
                    self._store().home,
                    self.run,
                    call,
                    holder=holder,
                    masks=hidden,
                    shows=[*self._shows, *kept],
                    veils=[str(self.folder / "log.jsonl")],
                )
            except StageError as error:
                raise OSError(str(error)) from error

        return opened

    def settle(
        self, stage: Stage, result: ToolResult, call: str, hash: str, hold: Hold | None
    ) -> Settling:
        """Judge, ask and commit what a call did, unless `hold` says why not."""
        assert self.judge is not None
        self._tell(stage)
        try:
            changes = stage.changes
        except StageError as error:
            self.drop(stage)
            return _failed(result, str(error))
        if stage.opened:
            result.data["hidden"] = _hidden(stage.opened)
        if hold:
            result = held(hold, result, with_rewritten(stage))
            if "held" in result.data:
                stage.discard()
                return result
        decision = self.judge(changes)
        if decision.decision == "refuse":
            stage.discard()
            said = Message("error.staged.nothing-changed", why=decision.reason)
            data, reason = result.data | {"changes": said}, decision.reason
            return ToolResult("refused", data, reason=reason, said=decision.listed)
        if decision.decision == "allow":
            return (yield from self._committed(stage, call, result))
        kept = {"number": stage.wait(), "status": result.status, "data": result.data}
        draft = self.folder / f".waiting-{hash}.json"
        draft.write_text(json.dumps(kept | {"seconds": result.seconds}), "utf-8")
        draft.replace(self._note(hash))
        return (yield from self.resume(call, hash))

    def at_end(self, stage: Stage) -> None:
        """Commit what a shell has done when its run ends; what somebody would have to be asked
        about is thrown away."""
        assert self.judge is not None
        self._tell(stage)
        with suppress(StageError):
            if self.judge(stage.changes).decision == "allow":
                stage.commit(self._store())
                return
        self.drop(stage)

    def resume(self, call: str, name: str) -> Settling:
        """Ask about the changes that wait, and commit them or throw them away; the call itself is
        not done again."""
        note = self._note(name)
        kept = json.loads(note.read_text("utf-8"))
        number = kept["number"]
        result = ToolResult(kept["status"], kept["data"], seconds=kept["seconds"])
        stage = self._waiting(number)
        if stage is None:
            note.unlink(missing_ok=True)
            is_done = any(each.number == number for each in self._store().changes(self.run))
            return result if is_done else _failed(result, "what it changed is not kept any more")
        assert self.judge is not None
        decision = self.judge(stage.changes)
        question = Question(stage.changes, decision, number, differences(stage.deltas))
        stage.wait()  # nobody holds it while the owner thinks
        refusal: ToolResult | None = yield question
        stage = self._waiting(number)
        if stage is None:
            return _failed(result, "somebody else has answered")
        if refusal is None:
            result = yield from self._committed(stage, call, result)
        else:
            stage.discard()
        note.unlink(missing_ok=True)
        return refusal or result

    def _waiting(self, number: str) -> Stage | None:
        stage = stages.Images.waiting(self._store().home, number)
        if stage:
            self._tell(stage)
        return stage

    def _tell(self, stage: Stage) -> None:
        """Tell a stage what the gate will look at."""
        stage.is_ours, stage.decides = self._is_ours, self.decides

    def drop(self, stage: Stage) -> None:
        """Throw changes away, also where the cell of the stage has died."""
        with suppress(StageError):  # its mounts are gone; the next start removes the rest
            stage.discard()

    def is_aside(self, name: str) -> bool:
        """Return True for a call that was done, and whose changes wait."""
        return self._note(name).exists()

    def _committed(
        self, stage: Stage, call: str, result: ToolResult
    ) -> Generator[Event, None, ToolResult]:
        """Make the changes real and say so."""
        try:
            changes = stage.commit(self._store()).changes
        except StageError as error:
            stage.discard()
            return _failed(result, str(error))
        if changes.changes:
            self._remember(changes)
            yield {"type": "changes", "call": call, **counted(changes)}
        return result

    def _remember(self, changes: ChangeSet) -> None:
        if self._made is not None:
            self._made |= {str(change.path) for change in changes.of("new")}
            for change in changes.of("moved"):
                known = self._made if change.is_ours else self._arrived
                known.add(str(change.path))

    def _is_ours(self, path: str) -> bool:
        """Return True for what this run has made, and nothing of the owner's has been moved
        into."""
        if self._made is None:
            self._made = set()
            for kept in self._store().changes(self.run):
                self._remember(kept.changes)
        above = (path, *map(str, Path(path).parents))
        nearest = next((each for each in above if each in self._made | self._arrived), "")
        holds_others = any(each.startswith(f"{path}/") for each in self._arrived)
        return nearest in self._made and nearest not in self._arrived and not holds_others

    def _note(self, name: str) -> Path:
        return self.folder / f"waiting-{name}.json"


class Choice(NamedTuple):
    """Hold folders of which images are made, but for what is `fixed` in them."""

    folders: tuple[Path, ...] = ()
    fixed: tuple[str, ...] = ()


class Imaging(Staging):
    """The calls of a run on a machine that mounts nothing: images of the roots take the place of a
    stage."""

    has_shells = False
    _chosen = Choice()  # of the next call
    _refused: frozenset[Choice] = frozenset()  # of which there can be no images

    def is_ready(self, script: str, cwd: Path) -> bool:
        """Return True where there are images of all that the script may write to: the roots, or
        where they are too large its folder, if it names nothing else in them, or what is not large
        in them. Else its words decide."""
        roots, cwd = without_temporary(self.roots), cwd.resolve()
        fits = (each for each in self._choices(roots, cwd) if self._fits(each, script, cwd))
        self._chosen = next(fits, Choice())
        return bool(self._chosen.folders)

    def _choices(self, roots: tuple[Path, ...], cwd: Path) -> Iterator[Choice]:
        yield Choice(roots)
        if any(cwd.is_relative_to(root) for root in roots):
            yield Choice((cwd,))
            yield Choice(roots, self._large)

    @cached_property
    def _large(self) -> tuple[str, ...]:
        return tuple(stages.Images.large(without_temporary(self.roots), self._store().home))

    def _fits(self, choice: Choice, script: str, cwd: Path) -> bool:
        if any(Path(each).name in script or is_below(str(cwd), each) for each in choice.fixed):
            return False
        if self._leads_out(choice, script) or choice in self._refused:
            return False
        return self._has_images(choice)

    def _leads_out(self, choice: Choice, script: str) -> bool:
        """Return True for a script that names a root of which there would be no images."""
        others = [str(root) for root in self.roots if root not in choice.folders]
        is_part = others not in ([], [str(Path(tempfile.gettempdir()).resolve())])
        for folder in choice.folders:
            script = script.replace(str(folder), "")
        return any(each in script for each in others) or bool(is_part and _ELSEWHERE.search(script))

    def _has_images(self, choice: Choice) -> bool:
        try:
            images = stages.Images(choice.folders, self._store().home, choice.fixed)
            images.refresh()
        except (StageError, OSError):
            self._refused |= {choice}
            return False
        images.close()
        return True

    def opens(self, call: str, leave: Leave) -> Opens:
        """Return what makes the images of a call, which raises OSError."""

        def opened(*_: object) -> Stage:
            try:
                roots = [*map(str, self._chosen.folders), *leave.folders]
                images = stages.Images(roots, self._store().home, self._chosen.fixed)
                stage = images.begin(self.run, call)
            except StageError as error:
                raise OSError(str(error)) from error
            own = (str(path) for path in self.folder.iterdir() if path.name != "log.jsonl")
            stage.shows = [*own, *self._shows[1:]]
            return stage

        return opened


def _hidden(opened: list[str]) -> str:
    """Return what a script has not seen, though it looked."""
    more = f" and {len(opened) - MOST_NAMED} more" if len(opened) > MOST_NAMED else ""
    names = ", ".join(opened[:MOST_NAMED]) + more
    return (
        f"the script did not see {names}, which hold keys or private notes: it found the words `# hidden-from-scripts` there, so what it says of"
        " them is not so. Where a script itself names such a file, the owner is asked"
    )


class Recording:
    """The changes that the file tools of one run make."""

    def __init__(self, run: str, store: Callable[[], UndoStore]) -> None:
        self.run, self._store = run, store
        self.events: list[Event] = []  # of the call at work

    @contextmanager
    def of(self, call: str, path: Path) -> Iterator[None]:
        """Record what the block does to a path. Raises OSError, with nothing done, where no image
        can be kept."""
        try:
            with stages.record(self._store(), self.run, call, [path]) as done:
                yield
        except StageError as error:
            raise OSError(str(error)) from error
        for changes in done:
            self._tell(call, changes)

    def remove(self, call: str, paths: Iterable[Path]) -> str:
        """Move files or folders into the undo store, all or none. Returns the number to restore
        them by. Raises OSError."""
        number, changes = stages.remove(self._store().home, self.run, call, paths)
        self._tell(call, changes)
        return number

    def _tell(self, call: str, changes: ChangeSet) -> None:
        if changes.changes:
            self.events.append({"type": "changes", "call": call, **counted(changes)})

    def told(self) -> Iterator[Event]:
        """Yield what was recorded since the last time."""
        while self.events:
            yield self.events.pop(0)


def _failed(result: ToolResult, why: str) -> ToolResult:
    """Return the result of a call whose changes could not be made."""
    is_said = why.startswith("nothing was changed")
    said = why if is_said else Message("error.staged.nothing-changed", why=why)
    return ToolResult("error", result.data | {"changes": said})
