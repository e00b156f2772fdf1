"""Start here: find home, language and settings, then call the function in ui/ that does the
command.

Nothing heavy is imported before a command needs it: `--help` reads this file, config.py,
ui/arguments.py with ui/command.py, and the sentences of ui/words.py.
"""

from __future__ import annotations

# until a command begins there is nothing to stop: a Ctrl-C while this loads says nothing
if __name__ == "__main__":
    # they are there; `signal` and `os` take milliseconds
    early, system = __import__("_signal"), __import__("posix")
    if early.getsignal(early.SIGINT) is early.default_int_handler:
        early.signal(early.SIGINT, lambda *_: system._exit(130))

import errno
import gc
import io
import os
import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from config import Config, SopwithError, find_home, find_lang, load
from memory.home import check_layout
from ui.arguments import UsageError, build_parser, with_command
from ui.words import say, use, words_of

if TYPE_CHECKING:
    from types import TracebackType

INTERRUPTED = 130
_loaded: list[Config] = []  # the config, once it is read: errors are told without its secrets


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and returns its exit code: 0 done, 1 failed, 2 usage, 3 waits, 4 limit, 5 no
    model, 130."""
    words = list(sys.argv[1:] if argv is None else argv)
    _open_streams()
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
        print(f"sopwith: {_without_secrets(words_of(error))}", file=sys.stderr)
        return error.exit_code
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:  # whoever read our output has gone: nothing more can be said to them
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return 1
    except OSError as error:
        if error.errno not in (errno.ENOSPC, errno.EDQUOT, errno.EIO):
            raise
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # what is left in its buffer fits nowhere
        if error.errno == errno.EIO:  # the terminal has gone
            return INTERRUPTED
        print(f"sopwith: {say('usage.full', why=os.strerror(error.errno))}", file=sys.stderr)
        return 1


def _open_streams() -> None:
    """Open closed streams on the null device: else the next file that is opened would get what is
    printed."""
    for number, (name, mode) in enumerate((("stdin", "r"), ("stdout", "w"), ("stderr", "w"))):
        if getattr(sys, name) is None:
            os.open(os.devnull, os.O_RDWR)  # the lowest number that is free: this one
            setattr(sys, name, os.fdopen(number, mode, encoding="utf-8", closefd=False))


def _tell_defect(kind: type[BaseException], error: BaseException, _: object) -> None:
    """Print one line about a defect of ours. It has ended the process, and the run log says so."""
    print(
        say("usage.defect", kind=kind.__name__, text=_without_secrets(str(error))[:500]),
        file=sys.stderr,
    )


def _tell_all(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """Print the traceback, for `--debug`."""
    import traceback

    print(
        _without_secrets("".join(traceback.format_exception(kind, error, trace))),
        end="",
        file=sys.stderr,
    )


def _without_secrets(text: str) -> str:
    """Return the text of an error without secrets: it goes into logs of terminals and reports of
    defects."""
    from safety.secrets import Redactor, held_values

    return Redactor(held_values(_loaded[0] if _loaded else None, os.environ))(text)


def _dispatch(words: list[str]) -> int:
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # a terminal that lacks a character still shows the rest
            stream.reconfigure(errors="replace")
    lang = find_lang(_early(words, "--lang"), os.environ)
    use(lang)
    words = with_command(words)
    args = build_parser(words).parse_args(words)
    # a variable that was empty, in a script
    if args.command.path == "run" and not " ".join(args.task).strip():
        raise UsageError(
            f"{say('usage.missing', what=say('arg.task'))}\n{say('usage.see', prog='sopwith run')}"
        )
    if not getattr(args, "cwd", None):
        _check_folder()
    home = find_home(args.home, os.environ)
    check_layout(home)
    config = load(home, lang, os.environ)
    _loaded[:] = [config]
    if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
        # from here on it stops what the command does
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if getattr(args, "dry_run", False):
        from tools.staged.dry import alone, is_dry

        if not is_dry():
            from ui.runs import rehearse

            return rehearse(words, args, config)
        config = alone(config)
    code: int = args.command.run(args, config)
    sys.stdout.flush()
    return code


def _check_folder() -> None:
    """Raise UsageError in a folder that was removed: relative paths mean nothing there."""
    try:
        Path.cwd()
    except FileNotFoundError:
        raise UsageError(say("usage.cwd-gone")) from None


def _early(words: list[str], option: str) -> str | None:
    """Return the value of an option that is needed before the rest can be parsed."""
    before = words[: words.index("--")] if "--" in words else words
    for position, word in enumerate(before):
        if word.startswith(f"{option}="):
            return word.partition("=")[2]
        if word == option:
            return next(iter(before[position + 1 :]), None)
    return None


if __name__ == "__main__":
    # a start makes 150,000 objects that all stay: to look for garbage took a tenth of it
    gc.set_threshold(200_000)
    code = main()
    # all is done: what is put away now is not cut short
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    sys.exit(code)
