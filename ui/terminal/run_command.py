"""Drives one run on a screen, from its first event to the exit code: `run`, `runs resume`, `sops
run`, an inbox answer."""

from __future__ import annotations

import signal
from argparse import Namespace
from collections.abc import Generator, Mapping
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple, cast

from config import Config
from handler import Owner
from memory.home import Session
from memory.reader import NotForThisSession, Reader, reader_for
from memory.sops import Sop
from models.base import Event
from runs.assemble import Agent, Options
from runs.control.bounds import owner_by
from runs.control.remote import queue_of, stop
from runs.run import Run
from ui.arguments import UsageError
from ui.command import (
    CONTINUE,
    DRY_RUN,
    FILE,
    JSON,
    RUN_OPTIONS,
    Argument,
    Option,
    command,
    is_at_terminal,
)
from ui.given import PIPE, given, read_pipe
from ui.terminal.text_screen import EventsScreen, PlainScreen, Screen
from ui.terminal.typed_line import agrees, read_line, read_next, read_secret
from ui.words import say

INTERRUPTED = 130


class Present(NamedTuple):
    """Hold who sees a run and who answers for the owner; `attended` when somebody sits at a
    terminal."""

    screen: Screen
    owner: Owner
    attended: bool


@command(
    "run",
    Argument("task", "+"),
    Option("--persona", "NAME"),
    Option("--queue"),
    Option("--parallel"),
    DRY_RUN,
    JSON,
    FILE,
    CONTINUE,
    *RUN_OPTIONS,
)
def run_task(args: Namespace, config: Config) -> int:
    """`run TASK`."""
    task = " ".join(word for word in args.task if word != PIPE)
    if not task.strip():
        raise UsageError(say("usage.missing", what=say("arg.task")))
    if args.queue or args.parallel:
        if args.files:
            raise UsageError(say("given.not_queued"))
        return _send(args, config, {"task": task})
    options, agent = options_of(args), Agent(config)
    previous: list[str] = []
    if args.go_on:
        options = replace(options, window=False)
        previous = last_conversation(reader_for(config.home, Session.parse(options.session)))
    with given(args, args.task) as files:
        options = replace(options, files=files, shows_files=True)
        here = present(args)
        run = agent.start(task, options, here.owner, previous)
        return to_its_end(agent, run, options, here)


def _send(args: Namespace, config: Config, what: Mapping[str, Any]) -> int:
    """Queue a task for any of many machines (`--queue`), and print the id that the run will
    have."""
    options, agent = options_of(args), Agent(config)
    queue, redact = queue_of(config), agent.parts.redactor().redact
    print(queue.send(config, what, options, redact, parallel=args.parallel))
    return 0


def last_conversation(reader: Reader) -> list[str]:
    """Return the runs of the conversation that this session had last, oldest first."""
    return [run for last in reader.runs(1) for run in (*before(reader, last.run), last.run)]


def before(reader: Reader, run: str) -> list[str]:
    """Return the runs that the conversation of this run had before it.

    Raises NotForThisSession for a run of another session."""
    opening = next(reader.events(run), {})
    if Session.parse(opening.get("session")) != reader.session:
        raise NotForThisSession(f"run {run}")
    return list(opening.get("previous") or [])


@command("runs resume", Argument("run"), *RUN_OPTIONS)
def resume(args: Namespace, config: Config) -> int:
    """Do `runs resume RUN`."""
    return go_on(args, config, args.run)


def go_on(args: Namespace, config: Config, run: str) -> int:
    """Resume a run in the foreground."""
    here, options, agent = present(args), options_of(args), Agent(config)
    return to_its_end(agent, agent.resume(run, options, here.owner), options, here)


@command(
    "sops run",
    Argument("sop"),
    Argument("values", "*"),
    Option("--queue"),
    Option("--parallel"),
    DRY_RUN,
    JSON,
    *RUN_OPTIONS,
)
def run_sop(args: Namespace, config: Config) -> int:
    """`sops run NAME k=v …`."""
    from ui.sops import parameters

    if args.queue or args.parallel:
        return _send(args, config, {"sop": args.sop, "values": parameters(args.values)})
    here, options, agent = present(args), options_of(args), Agent(config)
    _may_be_done(agent.released(args.sop), here, options)
    with TemporaryDirectory(prefix="sopwith-") as folder:
        values = parameters(args.values)
        if PIPE in values.values():
            path = str(read_pipe(Path(folder)) or "")
            values = {name: path if value == PIPE else value for name, value in values.items()}
        run = agent.run_sop(args.sop, values, options, here.owner)
        return to_its_end(agent, run, options, here)


def _may_be_done(sop: Sop, here: Present, options: Options) -> None:
    """Do what nothing proves, or what failed, only when its owner says so now. Raises
    UsageError."""
    if sop.procedure is None or options.approve == "all":
        return
    if sop.status not in ("draft", "suspended"):
        return
    state = "edited" if sop.is_edited else sop.status
    is_asked = here.attended and options.approve == "ask"
    if is_asked and agrees(say(f"sops.{state}_now", name=sop.name)):
        return
    raise UsageError(say(f"sops.{state}_not_done", name=sop.name, version=sop.version))


def options_of(args: Namespace) -> Options:
    """Return the options of the command line as a run takes them."""
    return Options(
        session=args.session or "main",
        model=args.model,
        persona=getattr(args, "persona", None),  # of a run that begins
        max_turns=args.max_turns,
        max_cost=args.max_cost,
        counts_local=args.max_cost is not None,
        max_minutes=args.max_minutes,
        approve=args.approve,
        rote=not args.no_rote,
        cwd=args.cwd or Path.cwd(),
    )


def present(args: Namespace) -> Present:
    """Return the screen for where the output goes, and who answers for the owner."""
    if args.events or not is_at_terminal():
        screen: Screen = EventsScreen() if args.events else PlainScreen()
        return Present(screen, owner_by(args.approve), attended=False)
    from ui.lists import make_console
    from ui.terminal.owner import TerminalOwner
    from ui.terminal.terminal import TerminalScreen

    console, attended = make_console(), args.approve == "ask"
    plain = console.is_dumb_terminal
    screen = PlainScreen(attended=attended) if plain else TerminalScreen(console, attended=attended)
    owner = owner_by(args.approve, TerminalOwner(console, read_line, screen.pause, read_secret))
    return Present(screen, owner, attended=True)


def to_its_end(agent: Agent, run: Run, options: Options, here: Present) -> int:
    """Show the run until it ends. Stopped by Ctrl-C at a terminal, it may be told what to do
    instead, and goes on."""
    show(run, here.screen, here.owner)
    while here.attended and run.status == "cancelled":
        is_stopped_once = run.stopped_by == signal.SIGINT and run.stops < 2
        instead = _instead() if is_stopped_once else ""
        if not instead:
            break
        run = agent.resume(run.id, options, here.owner, instead)
        show(run, here.screen, here.owner)
    if drop_skipped(agent, run, here.owner):
        return INTERRUPTED
    return run.exit_code


def drop_skipped(agent: Agent, run: Run, owner: Owner) -> bool:
    """Cancel a run whose question was skipped, so that nothing waits for its owner; return True
    then."""
    if not _is_skipped(run, owner):
        return False
    stop(agent.config, run.id)
    print(say("ask.skipped"))
    return True


def _is_skipped(run: Run, owner: Owner) -> bool:
    return run.status == "waiting" and getattr(owner, "has_skipped", False)


def show(run: Run, screen: Screen, owner: Owner) -> None:
    """Hand every event to the screen, but for the end of a run whose question its owner skips:
    `drop_skipped` says that. A Ctrl-C that reaches the screen stops the run as well."""
    events = cast("Generator[Event, None, None]", run.events())
    try:
        event = next(events, None)
        while event is not None:
            try:
                if not (event["type"] == "run_ended" and _is_skipped(run, owner)):
                    screen.show(event)
                event = next(events, None)
            except KeyboardInterrupt:
                event = events.throw(KeyboardInterrupt())
    finally:
        events.close()
        screen.close()


def _instead() -> str:
    """Return what the owner wants done instead; nothing when they leave."""
    try:
        return read_next(say("stopped.instead")).strip()
    except (EOFError, KeyboardInterrupt):
        print()
        return ""
