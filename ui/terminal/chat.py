"""A conversation: task after task, each a run that knows the ones before it; typing while one works
steers it."""

from __future__ import annotations

import signal
import sys
import threading
from argparse import Namespace
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NoReturn

from config import Config, SopwithError
from handler import Owner
from memory.home import Session
from memory.logs import summarise
from memory.reader import Reader, reader_for
from memory.workspace import FIRST_START, lay_out
from models.base import Event
from runs.assemble import Agent, Options
from runs.control.bounds import owner_by
from runs.run import Run
from ui.command import CONTINUE, RUN_OPTIONS, Option, command, is_at_terminal
from ui.sanitise import one_line
from ui.terminal.run_command import before, drop_skipped, last_conversation, options_of, show
from ui.terminal.text_screen import EventsScreen, PlainScreen, Screen
from ui.words import say, words_of

if TYPE_CHECKING:
    from ui.terminal.line import InputLine

HISTORY = "chat_history"  # in the home folder: the lines typed
LEAVE_WORDS = ("exit", "quit", "bye", "goodbye", "退出", "再见")  # nobody means a task by them


class Left(Exception):
    """The owner leaves the conversation."""


@dataclass(slots=True)
class Conversation:
    """Hold what a conversation carries from task to task."""

    agent: Agent
    options: Options
    owner: Owner
    screen: Screen
    previous: list[str] = field(default_factory=list)  # runs, oldest first
    code: int = 0  # exit code of the last run
    line: InputLine | None = None
    unheard: list[str] = field(default_factory=list)  # said to the run at work, not yet read by it
    upkeep: threading.Thread | None = None  # works off the journal between two tasks

    @property
    def reader(self) -> Reader:
        """Return what the session of this conversation may read."""
        return reader_for(self.agent.config.home, Session.parse(self.options.session))

    def say_task(self, text: str) -> None:
        """Do one task."""
        self._follow(self.agent.start(text, self.options, self.owner, tuple(self.previous)))

    def resume(self, name: str) -> None:
        """Go on with a run, or from one that is done."""
        home = self.agent.config.home
        run = self.reader.find(name)
        self.previous = before(self.reader, run)
        summary = summarise(home, run)
        if summary is not None and summary.status == "done":
            self.previous.append(run)
            print(say("chat.after", task=one_line(summary.task, 200)))
        else:
            self._follow(self.agent.resume(run, self.options, self.owner))

    def _follow(self, run: Run) -> None:
        """Show the run; what was said to it too late becomes the next task."""

        def steer(text: str) -> None:
            self.unheard.append(text)
            run.steer(text)

        came_late = self._shown(run, steer)
        if self.line is not None and (came_late or _came_too_late(run)):
            self.line.came_late()
        self.previous.append(run.id)
        self.code = run.exit_code
        drop_skipped(self.agent, run, self.owner)
        self._spare_time()
        if run.stopped_by in LEAVING:  # meant for the program, not for the turn
            raise KeyboardInterrupt
        while self.line is not None and self.unheard:
            self.line.later(self.unheard.pop(0))

    def _shown(self, run: Run, steer: Callable[[str], None]) -> bool:
        """Show the run to its end. Return True when a Ctrl-C came that it did not hear."""
        line = self.line
        if line is None:
            show(run, Listening(self), self.owner)
            return False
        line.works(steer)
        try:
            show(run, Listening(self), self.owner)
        except KeyboardInterrupt as stop:
            if stop.args:
                raise
            return True
        finally:
            line.works(None)
        return False

    def _spare_time(self) -> None:
        """Bring the journal up to date while the owner reads and types."""
        if self.line is None or (self.upkeep is not None and self.upkeep.is_alive()):
            return
        from runs.heartbeat import in_spare_time

        self.upkeep = threading.Thread(
            target=in_spare_time, args=(self.agent.config,), name="journal", daemon=True
        )
        self.upkeep.start()


LEAVING = (signal.SIGTERM, signal.SIGHUP)


def _came_too_late(run: Run) -> bool:
    """Return True when a Ctrl-C reached the run after its last turn."""
    return run.stopped_by == signal.SIGINT and run.status != "cancelled"


@dataclass
class Listening(Screen):
    """The screen of a conversation: notes which words a run has heard."""

    conversation: Conversation

    def show(self, event: Event) -> None:
        """Pass the event on."""
        if event["type"] == "steered" and event["text"] in self.conversation.unheard:
            self.conversation.unheard.remove(event["text"])
        self.conversation.screen.show(event)

    def close(self) -> None:
        """Pass it on."""
        self.conversation.screen.close()


@command("chat", Option("--persona", "NAME"), CONTINUE, Option("--resume", "RUN"), *RUN_OPTIONS)
def chat(args: Namespace, config: Config) -> int:
    """`chat`."""
    agent, options = Agent(config), replace(options_of(args), window=False)
    if is_at_terminal() and not args.events:
        return _at_terminal(args, agent, options)
    screen: Screen = EventsScreen() if args.events else PlainScreen()
    conversation = Conversation(agent, options, owner_by(args.approve), screen)
    _enter(conversation, args)
    for line in sys.stdin:
        try:
            _take(conversation, line)
        except Left:
            break
        if conversation.code == 130:
            break
    return conversation.code


def _at_terminal(args: Namespace, agent: Agent, options: Options) -> int:
    from ui.lists import make_console
    from ui.terminal.line import InputLine
    from ui.terminal.owner import TerminalOwner
    from ui.terminal.terminal import TerminalScreen

    console = make_console()
    screen = TerminalScreen(console, live=False, attended=args.approve == "ask")
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _leave)
    if (agent.config.home / FIRST_START).exists():
        from memory.history import RepositoryError
        from ui.terminal.bootstrap import put_away

        with suppress(OSError, RepositoryError):  # it goes the next time
            put_away(agent.config.home)
    print(say("chat.welcome"))
    line = InputLine(console, screen, agent.config.home / HISTORY, [f"/{each}" for each in SLASHES])
    owner = owner_by(
        args.approve, TerminalOwner(console, line.read_answer, screen.pause, line.read_secret)
    )
    conversation = Conversation(agent, options, owner, screen, line=line)
    with line:
        try:
            _enter(conversation, args)
            while True:
                _take(conversation, line.next_task())
        except (Left, EOFError):
            return 0


def _leave(number: int, _: object) -> NoReturn:
    """Return what asks the program to end does so as Ctrl-C would, with the terminal restored; the
    number tells the two apart."""
    raise KeyboardInterrupt(number)


def _enter(conversation: Conversation, args: Namespace) -> None:
    """Begin anew, after the last conversation, or with a run."""
    if args.resume:
        conversation.resume(args.resume)
    elif args.go_on:
        conversation.previous = last_conversation(conversation.reader)


def _take(conversation: Conversation, line: str) -> None:
    """Take one line of the owner's: a slash command or a task. What goes wrong with it does not end
    the conversation."""
    text = line.strip()
    try:
        if text.lower() in LEAVE_WORDS:
            raise Left
        if text.startswith("/"):
            _command(conversation, text)
        elif text:
            conversation.say_task(text)
    except SopwithError as error:
        conversation.code = error.exit_code
        print(f"sopwith: {words_of(error)}", file=sys.stderr)


# Slash commands.


def _command(conversation: Conversation, text: str) -> None:
    name, _, argument = text[1:].partition(" ")
    if name in SLASHES:
        SLASHES[name](conversation, argument.strip())
    else:
        print(say("slash.unknown", name=one_line(name, 40)))


def _help(conversation: Conversation, argument: str) -> None:
    for name in SLASHES:
        print(say(f"slash.{name}"))
    print(say("chat.keys"))


def _new(conversation: Conversation, argument: str) -> None:
    conversation.previous = []
    print(say("chat.new"))


def _model(conversation: Conversation, argument: str) -> None:
    names = [model.name for model in conversation.agent.config.models] or ["-"]
    if argument in names:
        conversation.options = replace(conversation.options, model=argument)
    model = conversation.options.model or names[0]
    print(say("chat.model", model=model, known=", ".join(names)))


def _persona(conversation: Conversation, argument: str) -> None:
    from context.workspace import persona, personas

    home = conversation.agent.config.home
    with suppress(OSError):  # a home that cannot be written to has what it has
        lay_out(home, conversation.agent.config.lang)
    if argument:
        name = None if argument == "off" else persona(home, argument).name
        conversation.options = replace(conversation.options, persona=name)
    known = ", ".join(each.name for each in personas(home)) or "-"
    print(say("chat.persona", persona=conversation.options.persona or "-", known=known))


def _resume(conversation: Conversation, argument: str) -> None:
    conversation.resume(argument or "last")


def _quit(conversation: Conversation, argument: str) -> None:
    raise Left


SLASHES: dict[str, Callable[[Conversation, str], None]] = {  # each line of /help is slash.NAME
    "help": _help,
    "new": _new,
    "model": _model,
    "persona": _persona,
    "resume": _resume,
    "quit": _quit,
}
