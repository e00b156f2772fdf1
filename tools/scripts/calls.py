"""The tool that runs a bash or Python script, streams its output, and leaves no process behind.
Seed 002 §3."""

from __future__ import annotations

import os
import select
import shutil
import signal
import sys
import time
from collections.abc import Generator, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple

from config import Message
from models.base import Status, ToolResult
from safety.secrets import is_secret_name
from sandbox.network import Leave
from tools.base import Between, ToolContext, ToolError, tool
from tools.files import is_folder
from tools.processes import Tree, Work
from tools.scripts.output import Live, Output
from tools.scripts.pieces import Piece, allowed, cut, outside

if TYPE_CHECKING:
    from sandbox.cells import Sandbox
    from sandbox.stage import Stage
    from tools.scripts.cells import Call

_STARTUP_FILES = ("BASH_ENV", "ENV", "PYTHONSTARTUP")  # would run code that is not in the script
NO_STAGE = (
    "this SOP is done in a stage, which this machine does not have; `sopwith doctor` says why"
)
# How programs say it, in the languages that we speak: a place is held by a mount, or by Landlock.
_READ_ONLY = ("Read-only file system", "只读文件系统")
_DENIED = ("Permission denied", "权限不够", "Operation not permitted", "不允许的操作")
_ARGUMENT_BYTES = 100_000  # Linux takes at most 128 kB as one argument
_PIECE_CHARS = 25_000  # of a script that is given in several
_LOOK_SECONDS = 0.5  # between two looks at how full the disk is
_DRAIN_SECONDS = 0.3  # what a script left in the background may take to end by itself


# The working folder comes last on the path: a json.py that lies in Downloads is not what `import
# json` means.
_RUN_TEXT = "import sys; _ = ''.join(sys.argv[1:]); del sys.argv[1:]; sys.path.append(''); exec(compile(_, '<script>', 'exec'))"
_RUN_FILE = "import sys; del sys.argv[0]; sys.path.append(''); exec(compile(open(sys.argv[0], 'rb').read(), sys.argv[0], 'exec'))"


@tool("execute", paths=("cwd",))
def code_run(
    ctx: ToolContext,
    script: str,
    type: Literal["bash", "python"] = "bash",
    timeout: Annotated[int | None, Between(1, 3600)] = None,
    cwd: str | None = None,
    env: dict[str, str] | None = None,
    hosts: list[str] | None = None,
) -> Generator[Any, Any, ToolResult]:
    """Run a script; its processes end with it. Long output goes to a file.

    timeout: seconds
    env: values kept out of code
    hosts: beside those in the script
    """
    if waiting := ctx.resumed():
        return (yield from waiting)
    if ctx.hold and not (ctx.is_staged or ctx.is_dry):
        raise ToolError("error.scripts.nothing-done", why=NO_STAGE)
    folder = ctx.path(cwd) if cwd else ctx.cwd
    if not is_folder(folder):
        raise ToolError("error.scripts.cwd-folder", folder=folder)
    env, limit = env or {}, ctx.seconds(timeout)
    args = {"script": script, "type": type, "env": env, "hosts": hosts}
    leave = allowed(ctx, "code_run", args, folder.resolve())
    given = _given({**ctx.credentials, **ctx.env, **ctx.resolved(env)})
    call = _Call(ctx, type, given, leave, limit, time.monotonic() + limit)
    return (yield from call.run(cut(script, folder, leave)))


class _Call(NamedTuple):
    """Hold what the pieces of one call share."""

    ctx: ToolContext
    type: str
    given: dict[str, str]
    leave: Leave
    limit: float  # seconds
    end: float  # on the monotonic clock

    def run(self, pieces: list[Piece]) -> Generator[Any, Any, ToolResult]:
        """Run the pieces, each only when what is before it has gone well."""
        name = self.ctx.name
        done: list[ToolResult] = []
        for count, piece in enumerate(pieces):
            left = "; ".join(each.text for each in pieces[count + 1 :])
            own = f"{name}.{count + 1}" if count else name
            running = self._outside(piece, own) if piece.words else self._inside(piece, own, left)
            done.append((yield from running))
            if done[-1].status != "ok":
                break
        return joined(done)

    def _outside(self, piece: Piece, name: str) -> Generator[Any, Any, ToolResult]:
        """Let one program work outside the sandbox: of root's, with our own environment."""
        from sandbox.broker import environment

        env = {**environment(), **self.given}
        mark = f"{self.ctx.folder.name}.{name}"
        work = Work(outside(piece.words), "", piece.cwd, {}, env, mark, is_outside=True)
        output = self._output(name)
        ran = yield from _ran(self.ctx, work, output, self.end)
        return self._result(ran, output)

    def _inside(self, piece: Piece, name: str, left: str) -> Generator[Any, Any, ToolResult]:
        """Run a script in the sandbox, and settle what it changed. `left` is what is to run when
        that is done."""
        ctx, work = self.ctx, self._work(piece, name)
        output = self._output(name)
        ran = yield from _ran(ctx, work, output, self.end)
        while ran.is_again:
            output = self._output(name)
            ran = yield from _ran(ctx, work._replace(opens=ran.reopens), output, self.end)
        if ran.running.problem:
            raise ToolError("error.scripts.sandbox-ended", problem=ran.running.problem)
        result = self._result(ran, output)
        imaged = ran.running.stage.roots if ran.running.stage else ()
        if ctx.sandbox and (note := _held(ctx.sandbox, result, imaged)):
            result.data["note"] = note
        if ctx.hold and ctx.is_dry:  # the changes stay in the stage that holds the whole run
            from tools.scripts.staged import held
            from tools.staged.dry import changes

            return held(ctx.hold, result, changes())
        if ran.running.stage is None:
            return result
        return (yield from self._settled(ran.running.stage, result, left))

    def _settled(
        self, stage: Stage, result: ToolResult, left: str
    ) -> Generator[Any, Any, ToolResult]:
        ctx = self.ctx
        assert ctx.staging is not None
        result.data |= {"not_run": left} if left else {}
        result = yield from ctx.staging.settle(stage, result, ctx.call, ctx.hash, ctx.hold)
        if result.status == "ok":
            result.data.pop("not_run", None)
        return result

    def _work(self, piece: Piece, name: str) -> Work:
        ctx, script = self.ctx, piece.text
        with _on_disk(ctx.folder):
            holds_secret = ctx.redact(script) != script
            # where the sandbox lets scripts be read
            readable = ctx.sandbox.profile.readable if ctx.sandbox else ()
            stem = None if holds_secret else (*readable, ctx.folder)[0] / name
            argv = _command(self.type, script, stem)
        is_ours = self.leave.is_ours and not ctx.hold
        staging = None if is_ours or not ctx.is_staged else ctx.staging
        return Work(
            argv,
            script,
            piece.cwd,
            environment(),
            self.given,
            f"{ctx.folder.name}.{name}",
            leave=self.leave,
            opens=staging.opens(ctx.call, self.leave) if staging else None,
            is_outside=is_ours,
        )

    def _output(self, name: str) -> Output:
        with _on_disk(self.ctx.folder):
            return Output(self.ctx.folder / f"out-{name}.txt", self.ctx.redact)

    def _result(self, ran: _Ran, output: Output) -> ToolResult:
        late = self.limit if ran.is_late else None
        result = _result(ran.running.code, output, late, [] if late else ran.stopped)
        result.data |= kept_from(self.ctx, ran.closed_to, ran.taken)
        return result


def joined(done: list[ToolResult]) -> ToolResult:
    """Return the results of the pieces of a script as one."""
    last = done[-1]
    said = [str(each.data["output"]) for each in done if isinstance(each.data, dict)]
    if len(done) == 1 or len(said) < len(done):
        return last
    data = {name: value for each in done for name, value in each.data.items()}
    data["output"] = "\n".join(text.rstrip("\n") for text in said if text)
    return replace(last, data=data)


def kept_from(ctx: ToolContext, closed_to: str, taken: list[str]) -> dict[str, str]:
    """Return what the sandbox kept from the network, and from the next login."""
    found = {"network": closed_to} if closed_to else {}
    names, folder = ", ".join(taken), ctx.folder
    moved = {"taken": f"moved to {folder}, since it would run at the next login: {names}"}
    return found | (moved if taken else {})


class _Ran(NamedTuple):
    """One execution of a script, ended."""

    running: Call | Tree
    is_late: bool
    stopped: list[str]
    taken: list[str]
    closed_to: str
    is_again: bool = False

    def reopens(self, *_: object) -> Stage:
        """Return the stage again, which is as new, for the same command."""
        assert self.running.stage is not None
        return self.running.stage


def _ran(ctx: ToolContext, work: Work, output: Output, end: float) -> Generator[Any, Any, _Ran]:
    """Run the script once, to the end of all its processes; also on Ctrl-C and when the run is
    closed."""
    with closing(output):
        running = started(ctx, work)
        is_late: bool | None = None
        try:
            is_late = yield from _follow(running, output, ctx, end)
        finally:
            stopped = running.stop()
            taken = running.taken(ctx.folder)
            closed_to = running.closed_to()
            if ctx.staging and running.stage and (is_late is None or running.problem):
                ctx.staging.drop(running.stage)
    has_sent = running.way_out is not None and running.way_out.has_sent
    is_final = any((is_late, running.problem, has_sent))  # nothing is sent twice
    stage = None if is_final else running.stage
    again = stage is not None and _begins_again(ctx, stage, output, work)
    return _Ran(running, is_late, stopped, taken, closed_to, again)


def _begins_again(ctx: ToolContext, stage: Stage, output: Output, work: Work) -> bool:
    """Return True where overlayfs could not do what the script did; the stage is as new then
    (docs/stage.md)."""
    from sandbox.undo import StageError

    try:
        return stage.begin_again(output.shown().encode("utf-8", "replace"), str(work.cwd))
    except StageError as error:
        assert ctx.staging is not None
        ctx.staging.drop(stage)
        raise ToolError("error.scripts.nothing-changed", why=error) from error


def _held(sandbox: Sandbox, result: ToolResult, imaged: Sequence[str]) -> str:
    """Return what the sandbox kept from a script, said to whom did not expect it; "" for nothing
    that can be told. It could write to what is `imaged`, if anything is, else to the roots."""
    if result.status != "error":
        return ""
    refusals = _READ_ONLY if sandbox.level.name == "full" else _DENIED
    if any(each in str(result.data["output"]) for each in refusals):
        roots = ", ".join(map(str, imaged or sandbox.profile.places.roots))
        return (
            f"the sandbox lets nothing be changed outside the allowed folders ({roots}): where a path outside is named in"
            " the script itself, not in a variable or a list, the owner can let it through"
        )
    return ""


@contextmanager
def _on_disk(folder: Path) -> Iterator[None]:
    """Yield what a script needs on disk is written in here, before it may do anything; a disk that
    is full is told as such."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        yield
    except OSError as error:
        raise ToolError(
            "error.scripts.nothing-run-cannot-written", folder=folder, error=error
        ) from error


def started(ctx: ToolContext, work: Work) -> Call | Tree:
    """Start what is to be run: in the sandbox, unless it is one program that works outside, or the
    run has none."""
    try:
        if ctx.sandbox is None or work.is_outside:
            return Tree(
                work.argv, work.cwd, {**work.env, **work.given}, work.name, terminal=work.terminal
            )
        from tools.scripts.cells import Cells  # a start does without

        return Cells.of(ctx.sandbox).start(ctx.sandbox, work._replace(cwd=work.cwd.resolve()))
    except OSError as error:  # the folder may not be entered, the environment is too large
        raise ToolError(
            "error.scripts.cannot-start",
            program=work.argv[0],
            folder=work.cwd,
            error=error,
        ) from error
    except UnicodeEncodeError as error:
        raise ToolError(
            "error.scripts.env-cannot-passed", text=f"{error.object[error.start : error.end]!a}"
        ) from error


def environment() -> dict[str, str]:
    """Ours, without start-up files and without what is named like a secret."""
    variables = {name: value for name, value in os.environ.items() if not is_secret_name(name)}
    for name in _STARTUP_FILES:
        variables.pop(name, None)
    utf8 = {"PYTHONUTF8": "1", "PYTHONIOENCODING": "utf-8"}
    return variables | utf8 | {"PYTHONUNBUFFERED": "1", "PAGER": "cat", "GIT_TERMINAL_PROMPT": "0"}


def _given(variables: dict[str, str]) -> dict[str, str]:
    for name, value in variables.items():
        if not name or "=" in name or "\0" in name + value:
            raise ToolError("error.scripts.env-name-value-value", name=f"{name!a}")
    return variables


def _command(type: str, script: str, stem: Path | None) -> list[str]:
    """Return how the script is started. `stem`: where its file lies, if it needs one; None: no file
    may hold it."""
    code = script.encode()
    pieces = [script[at : at + _PIECE_CHARS] for at in range(0, len(script), _PIECE_CHARS)]
    if type == "python":
        python = [sys.executable, "-P", "-X", "utf8", "-c"]
        if stem is None:
            return [*python, _RUN_TEXT, *pieces]
        path = stem.with_name(f"{stem.name}.py")  # a file, so that a traceback quotes its lines
        path.write_bytes(code)
        return [*python, _RUN_FILE, str(path)]
    bash = shutil.which("bash")
    if bash is None:
        raise ToolError("error.scripts.bash-machine-use-type")
    if len(code) <= _ARGUMENT_BYTES:
        return [bash, "-c", script]
    if stem is None:
        return [bash, "-c", 'eval "set --; $(printf %s "$@")"', bash, *pieces]
    path = stem.with_name(f"{stem.name}.sh")
    path.write_bytes(code)
    return [bash, str(path)]


def _follow(
    running: Call | Tree, output: Output, ctx: ToolContext, deadline: float
) -> Generator[str, None, bool]:
    """Read and yield output until the script has ended and nobody writes any more. True when the
    time is up."""
    pipe = running.output
    os.set_blocking(pipe, False)
    live = Live(ctx.redact)
    poll = select.poll()
    poll.register(pipe, select.POLLIN)
    poll.register(running.exit, select.POLLIN)
    end, ended, is_open = deadline, False, True
    look = time.monotonic() + _LOOK_SECONDS
    while is_open or not ended:
        now = time.monotonic()
        if now >= end:
            break
        if now >= look:
            _check_space(running)
            look = now + _LOOK_SECONDS
        wake = min(end, look, live.due)
        ready = dict(poll.poll(max(0.0, wake - now) * 1000))
        if pipe in ready:
            data = os.read(pipe, 65_536)
            output.add(data)
            live.add(data)
            if not data:
                is_open = False
                poll.unregister(pipe)
        elif running.exit in ready and running.hear():
            ended = True
            poll.unregister(running.exit)
            if running.has_rest():
                end = min(deadline, time.monotonic() + _DRAIN_SECONDS)
        yield from live.ready()
    yield from filter(None, [live.take() + live.rest()])
    return not ended


def _check_space(running: Call | Tree) -> None:
    """Raise ToolError where a script is about to fill the disk on which its changes are kept."""
    folder = running.stage.is_full() if running.stage else ""
    if folder:
        raise ToolError("error.scripts.stopped-nothing-changed-what", place=folder)


def _result(
    exit_code: int | None, output: Output, limit: float | None, stopped: list[str]
) -> ToolResult:
    status: Status = "ok" if exit_code == 0 else "error"
    data: dict[str, Any] = {"exit_code": exit_code, "output": output.shown()}
    if output.file:
        data |= {"file": str(output.file), "bytes": output.size}
    if limit is not None:
        status = "timeout"
        why = Message("error.scripts.stopped", seconds=f"{limit:g}")
        data |= {"exit_code": None, "reason": why}
    elif exit_code is not None and exit_code < 0:
        try:
            name = signal.Signals(-exit_code).name
        except ValueError:
            name = f"signal {-exit_code}"
        data["signal"] = f"killed by {name}"
    if stopped:
        data["stopped"] = stopped
    return ToolResult(status, data)
