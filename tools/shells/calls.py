"""The tools for shells that stay open: `shell_run` runs a command, `shell_keys` talks to the
program that it has started.

A password is asked of the owner, typed, and hidden from then on; a model never has it.
docs/tools.md.
"""

from __future__ import annotations

import math
import re
import shutil
import time
from collections.abc import Generator
from contextlib import closing
from typing import Annotated, Any, Literal, cast

from config import Message
from models.base import Status, ToolResult
from safety.secrets import Redactor
from safety.taint import Origin, of_result
from sandbox.network import Leave
from tools.base import Between, ToolContext, ToolError, tool
from tools.scripts import Live, Output, clean, kept_from
from tools.scripts.pieces import Piece, allowed, cut
from tools.shells.process import COLUMNS, ROWS, Foreground, Shell
from tools.shells.screen import keys as keys_of
from tools.shells.screen import painted, paints

MOST_SHELLS = 8
MOST_PASSWORDS = 3  # asked of the owner in one call
KEYS_SECONDS = 0.3  # a program that reads keys and has been quiet for so long waits for one
# at who has the terminal, after something was said
FIRST_LOOK_SECONDS, SLOWEST_LOOK_SECONDS = 0.05, 0.5
# Behind ssh the terminal does not say that nothing is echoed: there the prompt is what tells.
_PASSWORD = re.compile(
    r"(?i)(?:\bpass(?:word|phrase|code|wort)\b|\bPIN\b|\b(?:token|secret|api key|verification code)\b|mot de passe|contraseña|密码|口令|パスワード)[^\n]{0,80}[:：]\s*$"
)
# Words that leave processes behind: a job, or a program that detaches one.
_STAYS = re.compile(r"(?<![&>|<\\])&(?![&>\d])|\b(?:nohup|setsid|disown|coproc)\b")
_KEPT = "shell "  # before the name, in `ToolContext.kept`
Why = Literal["ended", "over", "late", "line", "keys", "password"]


def problem() -> str:
    """Return why there are no terminals on this machine, or ""."""
    has_bash = shutil.which("bash") is not None
    return "" if has_bash else Message("error.shells.no-bash")


def open_shell(ctx: ToolContext, args: dict[str, Any]) -> dict[str, Any]:
    """Return what the gate should know of a call: where the shell is, whether the sandbox holds it,
    who would read what is typed."""
    shell = ctx.kept.get(_KEPT + str(args.get("name") or "main"))
    if not isinstance(shell, Shell):
        return {"cwd": str(ctx.cwd), "staged": _is_staged(ctx, None, str(args.get("script", "")))}
    found = shell.foreground() if shell.busy and "script" not in args else Foreground()
    return {
        "cwd": str(shell.cwd),
        "staged": _is_staged(ctx, shell, ""),
        "program": list(found.words),
        "is_shell": found.is_shell,
        "typed": shell.typed,
    }


@tool("execute", about=open_shell)
def shell_run(
    ctx: ToolContext,
    script: str,
    name: str = "main",
    timeout: Annotated[int | None, Between(1, 3600)] = None,
    hosts: list[str] | None = None,
) -> Generator[Any, Any, ToolResult]:
    """Run a command in a bash with a terminal that stays open: cd, variables and jobs last until
    the task ends. Says when the program waits for input; passwords are asked of the owner. What
    takes longer than timeout runs on.

    timeout: seconds
    hosts: beside those in the script
    """
    if waiting := ctx.resumed():
        return (yield from waiting)
    shell = _shell(ctx, name)
    if shell and shell.busy:
        raise ToolError(
            "error.shells.still-runs-shell-shell", command=_program(shell.foreground()), name=name
        )
    cwd = (shell.cwd if shell else ctx.cwd).resolve()
    leave = allowed(ctx, "shell_run", {"script": script, "hosts": hosts or []}, cwd)
    shell = _fitting(ctx, name, shell, cut(script, cwd, leave), leave)
    if shell.is_staged and _STAYS.search(script):
        raise ToolError("error.shells.what-stays-background-needs")
    _begin(ctx, shell, script, leave)
    return (yield from _followed(ctx, shell, timeout))


def _fitting(
    ctx: ToolContext, name: str, shell: Shell | None, pieces: list[Piece], leave: Leave
) -> Shell:
    """Return the shell for a command, which is opened for a first one. Raises ToolError."""
    has_others = len(pieces) > 1 or (shell is not None and bool(pieces[0].words))
    if has_others:
        program = leave.programs[0].words[0]
        raise ToolError("error.shells.works-outside-sandbox-terminal", program=program)
    return shell or _opened(ctx, name, pieces[0], leave)


def _begin(ctx: ToolContext, shell: Shell, script: str, leave: Leave) -> None:
    """Start a command; a program that works outside has begun already."""
    shell.origin = ""
    if ctx.sandbox:
        shell.origin = of_result(("execute",), {"script": script}, (), ctx.sandbox.profile.places)
    shell.widen(leave)
    if not shell.program:
        staging = ctx.staging if shell.is_staged else None
        shell.begin(script, staging.opens(ctx.call, leave) if staging else None)


def _opened(ctx: ToolContext, name: str, piece: Piece, leave: Leave) -> Shell:
    """Open a shell for a first command. Raises ToolError."""
    if sum(key.startswith(_KEPT) for key in ctx.kept) >= MOST_SHELLS:
        raise ToolError("error.shells.shells-open-which-most", count=MOST_SHELLS)
    is_apart = bool(piece.words) or ctx.is_dry
    staged = False if is_apart else _is_staged(ctx, None, piece.text)
    return ctx.keep(
        _KEPT + name, lambda: Shell(ctx, name, piece.cwd, leave, piece.words, is_staged=staged)
    )


@tool("execute", about=open_shell)
def shell_keys(
    ctx: ToolContext,
    text: str | None = None,
    keys: list[str] | None = None,
    name: str = "main",
    enter: bool = True,
    screen: bool = False,
    timeout: Annotated[int | None, Between(1, 3600)] = None,
) -> Generator[Any, Any, ToolResult]:
    """Type text, then keys (ctrl-c, up, f1 …), for the program in a shell; without either, read on.

    enter: after text
    screen: see the whole screen
    timeout: seconds
    """
    shell = _shell(ctx, name)
    if shell is None:
        open_ = [key.removeprefix(_KEPT) for key in ctx.kept if key.startswith(_KEPT)]
        names = ", ".join(open_) or "none, shell_run opens one"
        raise ToolError("error.shells.shell-called-open", name=name, names=names)
    if waiting := ctx.resumed():
        return (yield from waiting)
    typed = _line(text, enter)
    pressed = keys_of(keys or [])
    if not shell.busy:
        return _idle(ctx, shell, typed + pressed)
    if typed:
        _check_typed(shell, typed)
    shell.type(typed + pressed)
    shell.typed = _begun(shell.typed + typed, pressed)
    return (yield from _followed(ctx, shell, timeout, screen))


def _line(text: str | None, enter: bool) -> str:
    """Return a text as it is typed, with the Enter behind it."""
    if text is None:
        return ""
    is_whole = text.endswith("\n") or not enter
    return text if is_whole else f"{text}\r"


def _idle(ctx: ToolContext, shell: Shell, typed: str) -> ToolResult:
    """Return the screen of a shell in which nothing runs. Raises ToolError where something is
    typed."""
    shell.take()
    if typed:
        raise ToolError("error.shells.nothing-runs-shell-could", name=shell.name)
    data = {"output": ctx.redact(_screen(shell)), "note": Message("error.shells.nothing-runs")}
    return ToolResult("ok", data, origin=shell.origin)


def _check_typed(shell: Shell, typed: str) -> None:
    """Note whose words a text brings in. Raises ToolError where the program waits for a
    password."""
    if _foreground(shell).waits == "password":
        raise ToolError("error.shells.password-typed-owner-call")
    if _asks_web(shell, typed):
        shell.origin = Origin.WEB


def _shell(ctx: ToolContext, name: str) -> Shell | None:
    """Return the open shell called `name`; one that has ended meanwhile is let go."""
    if not re.fullmatch(r"[\w.-]{1,40}", name):
        raise ToolError("error.shells.name-name-shell-letters", name=f"{name[:60]!r}")
    shell = ctx.kept.get(_KEPT + name)
    if not isinstance(shell, Shell):
        return None
    if shell.is_over:
        _let_go(ctx, shell)
        return None
    return shell


def _is_staged(ctx: ToolContext, shell: Shell | None, script: str) -> bool:
    """Return True for a command whose changes are judged when they are seen."""
    if ctx.is_dry:
        return True
    if shell:
        return shell.is_staged
    if ctx.staging is None or _STAYS.search(script):
        return False
    return ctx.staging.has_shells


def _let_go(ctx: ToolContext, shell: Shell) -> None:
    del ctx.kept[_KEPT + shell.name]
    shell.close()


def _followed(
    ctx: ToolContext, shell: Shell, timeout: int | None, screen: bool = False
) -> Generator[Any, Any, ToolResult]:
    """Read until the command has ended, its program waits for input, or the time is up."""
    limit = ctx.seconds(timeout)
    with closing(Output(ctx.folder / f"out-{ctx.name}.txt", ctx.redact)) as output:
        said = _Said(ctx, output)
        shell.is_followed = True
        try:
            why, found = yield from _until(ctx, shell, said, limit)
        finally:
            shell.is_followed = False
        yield from filter(None, [said.live.take() + said.live.rest()])
    result = _result(shell, output, why, found, limit)
    is_screen = screen or (said.is_painted and why in ("keys", "late"))
    if is_screen:
        result.data["screen"] = ctx.redact(_screen(shell))
        result.data.pop("output", None)
    result.data |= kept_from(ctx, shell.closed_to(), shell.taken())
    result = yield from _settled(ctx, shell, why, result)
    if why == "over":
        _let_go(ctx, shell)
    return result


def _settled(
    ctx: ToolContext, shell: Shell, why: Why, result: ToolResult
) -> Generator[Any, Any, ToolResult]:
    """Judge and commit what a command has done, once it has ended."""
    stage = shell.stage() if why in ("ended", "over") else None
    if stage:
        assert ctx.staging is not None
        return (yield from ctx.staging.settle(stage, result, ctx.call, ctx.hash, ctx.hold))
    if shell.is_staged:
        result.data["changes"] = "made when all that the command has started has ended"
    return result


class _Said:
    """Hold what a program says in one call: for the result, for a screen that follows, and its last
    line."""

    def __init__(self, ctx: ToolContext, output: Output) -> None:
        self.output, self.live = output, Live(ctx.redact)
        self.is_painted, self._end, self.passwords = False, b"", 0

    def add(self, data: bytes) -> None:
        self.output.add(data)
        self.live.add(data)
        self.is_painted |= paints(data)
        self._end = (self._end + data)[-1000:]

    def last_line(self) -> str:
        lines = clean(self._end.decode(errors="replace")).strip().splitlines()
        return lines[-1][-200:] if lines else ""


def _until(
    ctx: ToolContext, shell: Shell, said: _Said, limit: float
) -> Generator[str, None, tuple[Why, Foreground]]:
    """Return why it is time to tell what came, and who has the terminal then."""
    last = time.monotonic()
    end, look = last + limit, last + FIRST_LOOK_SECONDS
    while True:
        if shell.wait(min(end, look, said.live.due) - time.monotonic()):
            said.add(shell.take())
            last = time.monotonic()
            look = last + FIRST_LOOK_SECONDS
        now = time.monotonic()
        yield from said.live.ready()
        if over := _over(shell, now >= end):
            return over
        if now < look:
            continue
        found, quiet = _foreground(shell), now - last
        # A prompt, or the end of the command, arrives just behind the read that follows it.
        if found.waits and shell.wait(FIRST_LOOK_SECONDS):
            continue
        if found.waits == "password" and _typed_by_owner(ctx, shell, found, said):
            end += time.monotonic() - now  # the owner's time is not the program's
        elif quiet >= {"": math.inf, "keys": KEYS_SECONDS}.get(found.waits, 0.0):
            return cast("Why", found.waits), found
        pause = min(SLOWEST_LOOK_SECONDS, max(FIRST_LOOK_SECONDS, quiet / 2))
        look = time.monotonic() + pause


def _foreground(shell: Shell) -> Foreground:
    """Return who has the terminal; what reads keys and has just asked for a password waits for
    that."""
    found = shell.foreground()
    if found.waits == "keys" and shell.said_bytes > shell.answered_bytes:
        # where the cursor stands
        line = clean(bytes(shell.screen[-1000:]).decode(errors="replace")).rpartition("\n")[2]
        if _PASSWORD.search(line):
            return found._replace(waits="password")
    return found


def _over(shell: Shell, is_late: bool) -> tuple[Why, Foreground] | None:
    if not shell.busy:
        return "ended", Foreground()
    if shell.is_over:
        return "over", Foreground()
    return ("late", shell.foreground()) if is_late else None


def _typed_by_owner(ctx: ToolContext, shell: Shell, found: Foreground, said: _Said) -> bool:
    """Ask the owner for the password, hide it from now on, and type it. False when nobody is there,
    or has been asked too often."""
    if said.passwords == MOST_PASSWORDS:
        return False
    answer = ctx.secret(ctx.redact(f"{_program(found)}: {said.last_line()}"))
    if answer is None:
        return False
    if isinstance(ctx.redact, Redactor):
        ctx.redact.hold(f"password {len(ctx.redact.values) + 1}", answer)
    said.passwords += 1
    shell.answered_bytes = shell.said_bytes
    shell.type(answer + "\r")
    return True


def _result(shell: Shell, output: Output, why: Why, found: Foreground, limit: float) -> ToolResult:
    status: Status = "ok"
    data: dict[str, Any] = {"exit_code": None, "output": output.shown()}
    if output.file:
        data |= {"file": str(output.file), "bytes": output.size}
    if why == "ended":
        data["exit_code"] = shell.status
        status = "ok" if shell.status == 0 else "error"
    elif why == "over":
        data |= {"exit_code": shell.code, "note": Message("error.shells.over")}
        status = "ok" if shell.code == 0 else "error"
    elif why == "late":
        status = "timeout"
        data["reason"] = Message(
            "error.shells.still-runs", process=_program(found), seconds=f"{limit:g}"
        )
    else:
        waits = {"line": "a line", "keys": "keys", "password": "a password"}[why]
        data |= {"waits_for": waits, "program": _program(found)}
        if why == "password":
            data["note"] = (
                "its owner was not there to type it; shell_keys asks again, keys=['ctrl-c'] gives up"
            )
    return ToolResult(status, data, origin=shell.origin)


def _screen(shell: Shell) -> str:
    return painted(bytes(shell.screen), ROWS, COLUMNS)


def _program(found: Foreground) -> str:
    return " ".join(found.words)[:200] if found.words and not found.is_shell else "the command"


def _asks_web(shell: Shell, typed: str) -> bool:
    """Return True if what is typed makes an interpreter fetch what others wrote."""
    from safety.reach import fetches

    program = next(iter(shell.foreground().words), "")
    is_python = bool(re.match(r"(?:i?python|pypy)", program.rpartition("/")[2]))
    found = fetches(typed, is_python=is_python, variables={})
    return bool(found.urls or found.is_hidden)


def _begun(typed: str, pressed: str) -> str:
    """Return what stands on the line that has not been sent off; keys that edit it do not make it
    shorter for the gate."""
    return re.split(r"[\r\n]", typed)[-1] if not re.search(r"[\r\x03\x04]", pressed) else ""
