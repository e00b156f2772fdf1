"""Start here: the command line. It parses, finds home, language and settings, and hands over to one function in ui/.

Nothing heavy is imported before a command needs it: `--help` reads this file, config.py and the sentences of ui/words.py.
"""

from __future__ import annotations

if __name__ == "__main__":  # until a command begins there is nothing to stop: a Ctrl-C while this loads says nothing
    early, system = __import__("_signal"), __import__("posix")  # they are there; `signal` and `os` take milliseconds
    if early.getsignal(early.SIGINT) is early.default_int_handler:
        early.signal(early.SIGINT, lambda *_: system._exit(130))

import argparse
import gc
import io
import os
import re
import signal
import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from config import Config, SopwithError, find_home, find_lang, load
from memory.home import check_layout
from ui.words import in_words, say, use

if TYPE_CHECKING:
    from types import TracebackType

VERSION = "0.1.0"
INTERRUPTED = 130
COMMANDS: dict[str, tuple[str, ...]] = {
    "run": (),
    "chat": (),
    "teach": (),
    "runs": ("list", "show", "resume", "cancel", "steer", "archive"),
    "inbox": ("list", "answer", "approve", "deny"),
    "trash": ("list", "restore"),
    "sops": (
        "list",
        "show",
        "run",
        "verify",
        "stats",
        "history",
        "rollback",
        "enable",
        "disable",
        "import",
        "export",
        "search",
        "sync",
    ),
    "memory": ("facts", "check", "undo", "note", "digest", "search", "show", "graph", "when", "import", "rebuild"),
    "safety": ("check", "redact"),
    "auto": (),
    "worker": (),
    "serve": (),
    "schedule": ("add", "list", "show", "enable", "disable", "remove", "run-now", "history", "start", "install"),
    "mcp": ("list", "test"),
    "doctor": (),
    "init": (),
}
WITH_JSON = {
    *(
        "runs list",
        "runs show",
        "runs archive",
        "worker",
        "inbox list",
        "trash list",
        "memory facts",
        "memory check",
        "memory digest",
        "doctor",
    ),
    *("memory search", "memory show", "memory graph", "memory when", "memory import", "memory rebuild"),
    *("sops list", "sops show", "sops verify", "sops stats", "sops history", "sops import", "sops search", "sops sync"),
    *("schedule add", "schedule list", "schedule show", "schedule history"),
    "auto",
    *("mcp list", "mcp test"),
    *("safety check", "safety redact"),  # JSON in any case: who asks every command for it is not turned away
}
WITH_NOW = {"memory digest", "memory search", "memory when"}
WITH_RUN_OPTIONS = {"run", "chat", "runs resume", "inbox answer", "inbox approve", "inbox deny", "sops run"}
ARGUMENTS: dict[str, tuple[tuple[str, str], ...]] = {  # command → its positional arguments, each (name, nargs)
    "run": (("task", "+"),),
    "teach": (("sop", ""),),
    "runs show": (("run", ""),),
    "runs resume": (("run", ""),),
    "runs cancel": (("run", ""),),
    "runs steer": (("run", ""), ("text", "+")),
    "inbox answer": (("entry", ""), ("text", "+")),
    "inbox approve": (("entry", ""), ("text", "*")),
    "inbox deny": (("entry", ""), ("text", "*")),
    "trash restore": (("id", "?"),),
    "sops show": (("sop", ""),),
    "sops run": (("sop", ""), ("values", "*")),
    "sops verify": (("sop", ""), ("values", "*")),
    "sops stats": (("sop", ""),),
    "sops history": (("sop", ""),),
    "sops rollback": (("sop", ""), ("version", "?")),
    "sops enable": (("sop", ""),),
    "sops disable": (("sop", ""),),
    "sops import": (("source", ""),),
    "sops export": (("sop", ""), ("path", "")),
    "sops sync": (("remote", ""),),
    "sops search": (("text", "+"),),
    "schedule add": (("when", ""), ("task", "*")),
    "schedule show": (("job", ""),),
    "schedule enable": (("job", ""),),
    "schedule disable": (("job", ""),),
    "schedule remove": (("job", ""),),
    "schedule run-now": (("job", ""),),
    "schedule history": (("job", "?"),),
    "mcp test": (("server", "?"),),
    "memory note": (("text", "+"),),
    "memory search": (("text", "+"),),
    "memory show": (("turn", "?"),),
    "memory graph": (("name", "*"),),
    "memory when": (("text", "+"),),
    "memory import": (("file", ""),),
}

_loaded: list[Config] = []  # the config, once it is read: errors are told without its secrets


class UsageError(SopwithError):
    """The command line cannot be meant."""

    exit_code = 2


def main(argv: Sequence[str] | None = None) -> int:
    """Runs one command and returns its exit code: 0 done, 1 failed, 2 usage, 3 waits, 4 limit, 5 no model, 130."""
    words = list(sys.argv[1:] if argv is None else argv)
    _loaded.clear()
    sys.excepthook = _tell_defect
    if "--debug" in words:
        sys.excepthook = _tell_all
        import logging

        log = logging.getLogger("sopwith")  # ours alone: those of libraries may hold what is secret
        log.setLevel(logging.DEBUG)
        log.addHandler(logging.StreamHandler())
    try:
        return _dispatch(words)
    except SopwithError as error:
        if "--debug" in words:
            _tell_all(type(error), error, error.__traceback__)
        print(f"sopwith: {_without_secrets(in_words(str(error)))}", file=sys.stderr)
        return error.exit_code
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:  # whoever read our output has gone: nothing more can be said to them
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return 1


def _tell_defect(kind: type[BaseException], error: BaseException, _: object) -> None:
    """What a defect of ours leaves on the screen; it has ended the process, and the run log says so."""
    print(say("usage.defect", kind=kind.__name__, text=_without_secrets(str(error))[:500]), file=sys.stderr)


def _tell_all(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """The traceback, for `--debug`."""
    import traceback

    print(_without_secrets("".join(traceback.format_exception(kind, error, trace))), end="", file=sys.stderr)


def _without_secrets(text: str) -> str:
    """What is said of an error, without what nobody may read: it goes into terminals' logs and reports of defects."""
    from safety.held import held_values
    from safety.secrets import Redactor

    return Redactor(held_values(_loaded[0] if _loaded else None, os.environ))(text)


def _dispatch(words: list[str]) -> int:
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal that lacks a character still shows the rest
    lang = find_lang(_early(words, "--lang"), os.environ)
    use(lang)
    words = with_command(words)
    args = build_parser(words).parse_args(words)
    if args.target == TARGETS["run"] and not " ".join(args.task).strip():  # a variable that was empty, in a script
        raise UsageError(f"{say('usage.missing', what=say('arg.task'))}\n{say('usage.see', prog='sopwith run')}")
    home = find_home(args.home, os.environ)
    check_layout(home)
    config = load(home, lang, os.environ)
    _loaded[:] = [config]
    module, name = args.target.split(":")
    command: Callable[[argparse.Namespace, Config], int] = getattr(import_module(module), name)
    if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)  # from here on it stops what the command does
    code = command(args, config)
    sys.stdout.flush()
    return code


def with_command(words: list[str]) -> list[str]:
    """The words with `run` in front when the first of them is a task and no command. Raises UsageError for a typo."""
    first = _first_word(words)
    if first is None:
        if {"-h", "--help", "--version"} & set(words):
            return words
        raise UsageError(say("usage.nothing"))
    if "--" in words[:first]:
        return ["run", *words]
    if words[first] in COMMANDS:
        return words
    rest = words[first + 1 :]
    near = _nearest(words[first], COMMANDS)
    if near and (not rest or rest[0] in COMMANDS[near]):
        raise UsageError(say("usage.typo", word=words[first], near=near))
    return ["run", *words]


def _first_word(words: list[str]) -> int | None:
    """Where the first word stands that is neither an option nor the value of one."""
    takes_value = {"--home", "--lang", "--persona", *(option for option, _, kind in RUN_OPTIONS if kind is not None)}
    position = 0
    while position < len(words):
        word = words[position]
        if word == "--":
            return position + 1 if position + 1 < len(words) else None
        if not word.startswith("-") or word == "-":
            return position
        position += 2 if word in takes_value else 1
    return None


def _early(words: list[str], option: str) -> str | None:
    """The value of an option that is needed before the rest can be parsed."""
    before = words[: words.index("--")] if "--" in words else words
    for position, word in enumerate(before):
        if word.startswith(f"{option}="):
            return word.partition("=")[2]
        if word == option:
            return next(iter(before[position + 1 :]), None)
    return None


def _nearest(word: str, known: Sequence[str] | dict[str, Any]) -> str:
    """The known word that was probably meant, or nothing."""
    if not re.fullmatch(r"[\w-]{2,12}", word):
        return ""
    import difflib

    return next(iter(difflib.get_close_matches(word.lower(), list(known), 1, 0.7)), "")


# Option values. What argparse prints of an ArgumentTypeError is its text.


def _whole(text: str) -> int:
    if not re.fullmatch(r"[0-9]{1,9}", text) or int(text) < 1:
        raise argparse.ArgumentTypeError(say("usage.whole", text=text))
    return int(text)


def _amount(text: str) -> float:
    if not re.fullmatch(r"[0-9]{0,9}(\.[0-9]+)?", text) or text == "":
        raise argparse.ArgumentTypeError(say("usage.amount", text=text))
    return float(text)


def _minutes(text: str) -> float:
    minutes = _amount(text)
    if minutes == 0:
        raise argparse.ArgumentTypeError(say("usage.amount", text=text))
    return minutes


def _port(text: str) -> int:
    if not re.fullmatch(r"[0-9]{1,5}", text) or int(text) > 65_535:
        raise argparse.ArgumentTypeError(say("usage.port", text=text))
    return int(text)


def _span(text: str) -> float:
    """A length of time in minutes: 90, 90m, 2h, 1h30m, 2 小时."""
    units = {"h": 60, "小时": 60, "m": 1, "min": 1, "分钟": 1, "": 1}
    parts = re.findall(r"([0-9]{1,4}(?:\.[0-9]+)?) *(h|min|m|小时|分钟|)", text)
    minutes = sum(float(number) * units[unit] for number, unit in parts)
    if not minutes or re.sub(r"\s", "", text) != "".join(number + unit for number, unit in parts):
        raise argparse.ArgumentTypeError(say("usage.span", text=text))
    return minutes


def _session(text: str) -> str:
    if text != "main" and not re.fullmatch(r"shared:[\w.@+-]{1,80}", text):
        raise argparse.ArgumentTypeError(say("usage.session", text=text))
    return text


def _moment(text: str) -> Any:
    from datetime import datetime

    try:
        moment = datetime.fromisoformat(text)
        return moment.astimezone() if moment.tzinfo is None else moment
    except (ValueError, OverflowError):
        raise argparse.ArgumentTypeError(say("usage.moment", text=text)) from None


def _folder(text: str) -> Path:
    folder = Path(text).expanduser().absolute()
    if not folder.is_dir():
        raise argparse.ArgumentTypeError(say("usage.folder", text=text))
    return folder


RUN_OPTIONS: tuple[tuple[str, str, Callable[[str], Any] | None], ...] = (  # option, what stands for its value, type
    ("--session", "main|shared:ID", _session),
    ("--model", "NAME", str),
    ("--max-turns", "N", _whole),
    ("--max-cost", "USD", _amount),
    ("--max-minutes", "N", _minutes),
    ("--approve", "ask|never|all", str),
    ("--cwd", "DIR", _folder),
    ("--events", "", None),
    ("--no-rote", "", None),
)

SOME_OPTIONS = (  # option, what stands for its value, type, its words, the commands that take it
    ("--limit", "N", _whole, "opt.limit", {"schedule history", "runs list", "memory search", "memory graph", "worker"}),
    ("--days", "N", _whole, "opt.days", {"runs archive"}),
    ("--queue", "", None, "opt.queue", {"run", "sops run"}),
    ("--parallel", "", None, "opt.parallel", {"run", "sops run"}),
    ("--list", "", None, "opt.list", {"worker"}),
    ("--cancel", "RUN", str, "opt.cancel", {"worker"}),
    ("--trust", "", None, "opt.trust", {"sops sync"}),
    ("--mine", "NAME", str, "opt.mine", {"sops sync"}),
    ("--theirs", "NAME", str, "opt.theirs", {"sops sync"}),
    ("--until-empty", "", None, "opt.until-empty", {"worker"}),
    ("--events", "", None, "opt.events", {"schedule run-now"}),
    ("--unless-running", "", None, "opt.unless-running", {"schedule start"}),
    ("--remove", "", None, "opt.remove", {"schedule install"}),
    ("--yes", "", None, "opt.yes", {"sops import"}),
    ("--now", "ISO", _moment, "opt.now", WITH_NOW),
    ("--for", "2h", _span, "opt.for", {"auto"}),
    ("--max-cost", "USD", _amount, "opt.auto-cost", {"auto"}),
    ("--session", "S", str, "opt.only-session", {"memory search", "memory show", "memory graph"}),
    ("--since", "ISO", _moment, "opt.since", {"memory graph"}),
    ("--until", "ISO", _moment, "opt.until", {"memory graph"}),
    ("--depth", "N", _whole, "opt.depth", {"memory graph"}),
    ("--pause", "", None, "opt.graph-pause", {"memory graph"}),
    ("--go-on", "", None, "opt.graph-go-on", {"memory graph"}),
)


class _Formatter(argparse.RawDescriptionHelpFormatter):
    """Help in the chosen language; argparse's own words are English."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, max_help_position=30)

    def add_usage(self, usage: Any, actions: Any, groups: Any, prefix: str | None = None) -> None:
        super().add_usage(usage, actions, groups, say("help.usage") + " ")


class _Parser(argparse.ArgumentParser):
    """A parser whose errors are UsageErrors, in the chosen language, with the nearest known word."""

    def __init__(self, key: str, prog: str) -> None:
        example = say(f"{key}.example")
        super().__init__(
            prog=prog,
            description=say(f"{key}.help"),
            epilog=f"{say('help.examples')}\n  " + example.replace("\n", "\n  "),
            formatter_class=_Formatter,
            add_help=False,
            allow_abbrev=False,
        )

    def error(self, message: str) -> NoReturn:
        for key, pattern in _ARGPARSE_SAYS:
            if found := re.search(pattern, message):
                message = self._translated(key, found)
                break
        raise UsageError(f"{message}\n{say('usage.see', prog=self.prog)}")

    def _translated(self, key: str, found: re.Match[str]) -> str:
        if key != "usage.choice":
            return say(key, what=found[1])
        known = re.findall(r"[\w-]+", found[2])
        near = _nearest(found[1], known)
        hint = say("usage.mean", near=near) if near else ", ".join(known)
        return say(key, what=found[1], hint=hint)


_ARGPARSE_SAYS = (
    ("usage.missing", r"the following arguments are required: (.*)"),
    ("usage.unknown", r"unrecognized arguments: (.*)"),
    ("usage.choice", r"invalid choice: '?([^']*?)'? \(choose from (.*)\)"),
    ("usage.value", r"argument (\S+): expected"),
    ("usage.flag", r"argument (\S+): ignored explicit argument"),
    ("usage.bad", r"argument (\S+: .*)"),
)


def build_parser(words: Sequence[str] | None = None) -> argparse.ArgumentParser:
    """The whole command line; given `words`, only commands among them get their arguments, which is quicker."""
    root = _Parser("cmd", "sopwith")
    common = _add_common(root, default=None)
    common.add_argument("--version", action="version", version=f"sopwith {VERSION}", help=say("opt.version"))
    _add_commands(root, "", COMMANDS, words)
    return root


def _add_commands(
    parser: argparse.ArgumentParser, above: str, names: Sequence[str] | dict[str, Any], words: Sequence[str] | None
) -> None:
    """The commands of this level, each a parser of its own; `above` is the command that they belong to."""
    metavar = say("help.command_name")
    children = parser.add_subparsers(title=say("help.commands"), metavar=metavar, required=True, parser_class=_Command)
    for name in names:
        path = f"{above} {name}".strip()
        key = "cmd." + path.replace(" ", ".")
        child = children.add_parser(name, key=key, prog=f"sopwith {path}", help=say(f"{key}.help"))
        if words is not None and name not in words:
            continue
        if below := COMMANDS.get(path, ()):
            _add_common(child, default=argparse.SUPPRESS)
            _add_commands(child, path, below, words)
        else:
            _add_arguments(child, path)


class _Command(_Parser):
    """The parser of one command; `add_parser` insists on handing its arguments over by name."""

    def __init__(self, *, key: str, prog: str) -> None:
        super().__init__(key, prog)

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Words may stand on both sides of an option: before Python 3.13 argparse takes only the first of them."""
        return super().parse_known_args(args if self._subparsers else self._words_first(args), namespace)

    def _words_first(self, given: Sequence[str]) -> Sequence[str]:
        words, options = [], []
        rest = iter(given)
        for text in rest:
            if not text.startswith("-") or text == "-" or " " in text:
                words.append(text)
                continue
            options.append(text)
            action = self._option_string_actions.get(text)
            if text == "--" or (action is not None and action.nargs == "+"):
                return given  # what is behind it is no matter of order
            if action is not None and action.nargs is None:
                options.extend(islice(rest, 1))
        return [*words, *options]


def _add_arguments(parser: argparse.ArgumentParser, path: str) -> None:
    """Arguments and options of one command."""
    parser.set_defaults(target=TARGETS[path])
    arguments = parser.add_argument_group(say("help.arguments"))
    for name, nargs in ARGUMENTS.get(path, ()):
        more: dict[str, Any] = {"nargs": nargs} if nargs else {}
        more |= {"type": _whole} if name == "version" else {}
        arguments.add_argument(name, metavar=say(f"arg.{name}"), help=say(f"arg.{name}.help"), **more)
    options = parser.add_argument_group(say("help.options"))
    if path in ("run", "chat"):
        options.add_argument("--persona", metavar="NAME", help=say("opt.persona"))
    if path == "chat":
        options.add_argument("--continue", dest="go_on", action="store_true", help=say("opt.continue"))
        options.add_argument("--resume", metavar="RUN", help=say("opt.resume"))
    if add := {"teach": _add_teach_options, "schedule add": _add_job_options}.get(path):
        add(options)
    if path == "serve":
        _add_serve_options(options)
    for option, metavar, kind, key, paths in SOME_OPTIONS:
        if path in paths:
            takes: dict[str, Any] = {"metavar": metavar, "type": kind} if kind else {"action": "store_true"}
            takes |= {"action": "append"} if path == "sops sync" and metavar else {}  # of as many SOPs as are named
            options.add_argument(option, help=say(key), **takes)
    if path in WITH_RUN_OPTIONS:
        _add_run_options(options)
    if path in WITH_JSON:
        options.add_argument("--json", action="store_true", help=say("opt.json"))
    _add_common(parser, default=argparse.SUPPRESS)


def _add_teach_options(options: Any) -> None:
    options.add_argument("--record", action="store_true", help=say("opt.record"))
    options.add_argument("--from-run", metavar="RUN", help=say("opt.from-run"))
    options.add_argument("--from-file", metavar="FILE", help=say("opt.from-file"))
    options.add_argument("--values", metavar="k=v", nargs="+", help=say("opt.values"))
    options.add_argument("--request", metavar="TEXT", help=say("opt.request"))
    options.add_argument("--prove", metavar="k=v", nargs="+", help=say("opt.prove"))
    options.add_argument("--check", metavar="COMMAND", help=say("opt.check"))
    options.add_argument("--new-version", action="store_true", help=say("opt.new-version"))


def _add_serve_options(options: Any) -> None:
    options.set_defaults(program_version=VERSION)
    options.add_argument("--host", metavar="ADDRESS", default="127.0.0.1", help=say("opt.host"))
    options.add_argument("--port", metavar="N", type=_port, default=8737, help=say("opt.port"))
    options.add_argument("--cwd", metavar="DIR", type=_folder, help=say("opt.cwd"))
    options.add_argument("--tls-cert", metavar="FILE", help=say("opt.tls-cert"))
    options.add_argument("--tls-key", metavar="FILE", help=say("opt.tls-key"))
    options.add_argument("--password-file", metavar="FILE", help=say("opt.password-file"))
    options.add_argument("--name", metavar="NAME", action="append", help=say("opt.name"))


def _add_job_options(options: Any) -> None:
    """What a job's file holds beside when and what."""
    options.add_argument("--name", metavar="JOB", help=say("opt.job-name"))
    options.add_argument("--sop", metavar="SOP", help=say("opt.job-sop"))
    options.add_argument("--timezone", metavar="ZONE", help=say("opt.timezone"))
    options.add_argument(
        "--catch-up", choices=("latest", "all", "skip"), metavar="latest|all|skip", help=say("opt.catch-up")
    )
    options.add_argument("--max-delay-hours", metavar="N", type=_amount, help=say("opt.max-delay-hours"))
    options.add_argument(
        "--notify", choices=("failure", "always", "never"), metavar="failure|always|never", help=say("opt.notify")
    )
    options.add_argument("--yes", action="store_true", help=say("opt.yes-keep"))
    for option, metavar, kind in RUN_OPTIONS:
        if option == "--approve":
            choices = tuple(metavar.split("|"))
            options.add_argument(option, metavar=metavar, choices=choices, default="ask", help=say("opt.job-approve"))
        elif kind is not None:
            options.add_argument(option, metavar=metavar, type=kind, help=say("opt." + option[2:]))


def _add_run_options(options: Any) -> None:
    for option, metavar, kind in RUN_OPTIONS:
        key = "opt." + option[2:]
        if kind is None:
            options.add_argument(option, action="store_true", help=say(key))
        elif option == "--approve":
            choices = tuple(metavar.split("|"))
            options.add_argument(option, metavar=metavar, choices=choices, default="ask", help=say(key))
        else:
            options.add_argument(option, metavar=metavar, type=kind, help=say(key))


def _add_common(parser: argparse.ArgumentParser, default: Any) -> Any:
    """What every command takes, before it or behind it: a level that does not hear it must not overwrite it."""
    group = parser.add_argument_group(say("help.common"))
    group.add_argument("--home", metavar="DIR", default=default, help=say("opt.home"))
    group.add_argument("--lang", choices=("en", "zh"), metavar="en|zh", default=default, help=say("opt.lang"))
    group.add_argument("--debug", action="store_true", default=default or False, help=say("opt.debug"))
    group.add_argument("-h", "--help", action="help", help=say("opt.help"))
    return group


TARGETS = {  # command → the function that does it
    "run": "ui.follow:run_task",
    "chat": "ui.chat:chat",
    "teach": "ui.teach:teach_",
    "runs list": "ui.runs:list_",
    "runs show": "ui.runs:show",
    "runs resume": "ui.follow:resume",
    "runs cancel": "ui.runs:cancel",
    "runs steer": "ui.runs:steer",
    "runs archive": "ui.runs:archive",
    "inbox list": "ui.inbox:list_",
    "inbox answer": "ui.inbox:answer",
    "inbox approve": "ui.inbox:approve",
    "inbox deny": "ui.inbox:deny",
    "trash list": "ui.trash:list_",
    "trash restore": "ui.trash:restore",
    "sops list": "ui.sops:list_",
    "sops show": "ui.sops:show",
    "sops run": "ui.follow:run_sop",
    "sops verify": "ui.sop_changes:verify_",
    "sops stats": "ui.sop_stats:stats",
    "sops history": "ui.sop_changes:history",
    "sops rollback": "ui.sop_changes:rollback",
    "sops enable": "ui.sop_changes:enable",
    "sops disable": "ui.sop_changes:disable",
    "sops import": "ui.sop_import:import_",
    "sops export": "ui.sop_changes:export",
    "sops search": "ui.sop_search:search",
    "sops sync": "ui.sop_sync:sync_",
    "memory facts": "ui.memory:facts",
    "memory check": "ui.memory:check",
    "memory undo": "ui.memory:undo",
    "memory note": "ui.memory:add_note",
    "memory digest": "ui.digest:digest",
    "memory search": "ui.journal:search",
    "memory show": "ui.journal:show",
    "memory graph": "ui.graph:graph",
    "memory when": "ui.when:when",
    "memory import": "ui.journal:import_",
    "memory rebuild": "ui.journal:rebuild_",
    "mcp list": "ui.mcp:list_",
    "mcp test": "ui.mcp:test",
    "safety check": "ui.safety:check",
    "safety redact": "ui.safety:redact",
    "worker": "ui.worker:work",
    "serve": "ui.web.serve:serve",
    "schedule add": "ui.schedule:add",
    "schedule list": "ui.schedule:list_",
    "schedule show": "ui.schedule:show",
    "schedule enable": "ui.schedule:enable",
    "schedule disable": "ui.schedule:disable",
    "schedule remove": "ui.schedule:remove",
    "schedule run-now": "ui.schedule:run_now",
    "schedule history": "ui.schedule:history",
    "schedule start": "ui.schedule:start",
    "schedule install": "ui.schedule:install",
    "auto": "ui.auto:auto",
    "doctor": "ui.doctor:doctor",
    "init": "ui.init:init",
}

if __name__ == "__main__":
    gc.set_threshold(200_000)  # a start makes 150,000 objects that all stay: to look for garbage took a tenth of it
    code = main()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # all is done: what is put away now is not cut short
    sys.exit(code)
