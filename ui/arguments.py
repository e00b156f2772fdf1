"""Reads the command line into the arguments of one command; whatever cannot be meant is a
UsageError, with what may be."""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence
from itertools import islice
from typing import Any, NoReturn

from config import SopwithError
from ui.command import (
    FILE,
    RUN_OPTIONS,
    SCREENS,
    VERSION,
    Option,
    below,
    declared_in,
    first_words,
    is_at_terminal,
)
from ui.words import say


class UsageError(SopwithError):
    """The command line cannot be meant."""

    exit_code = 2


def with_command(words: list[str]) -> list[str]:
    """Put `run` in front when the first word is a task and no command, `chat` where there is no
    word on a terminal.

    Raises UsageError for a typo.
    """
    first = _first_word(words)
    if first is None:
        if {"-h", "--help", "--version"} & set(words):
            return words
        if is_at_terminal():
            return ["chat", *words]
        raise UsageError(say("usage.nothing"))
    if "--" in words[:first]:
        return ["run", *words]
    return words if _is_command(words[first], words[first + 1 :]) else ["run", *words]


def _is_command(word: str, rest: list[str]) -> bool:
    """Return True when the first word is a command; raise UsageError for a typo of one."""
    known = first_words()
    if word == "help" and len(rest) > 1:  # help me …
        return rest[0] in known
    if word in known:
        return True
    near = _nearest(word, known)
    if near and (not rest or rest[0] in below(near)):
        from runs.start.answers import is_answered  # most first words are near none

        if is_answered(" ".join([word, *rest])):
            return False
        raise UsageError(say("usage.typo", word=word, near=near))
    return False


def _first_word(words: list[str]) -> int | None:
    """Return where the first word stands that is neither an option nor the value of one."""
    takes_value = {
        "--home",
        "--lang",
        "--persona",
        *FILE.flags,
        *(flag for option in RUN_OPTIONS if option.metavar for flag in option.flags),
    }
    position = 0
    while position < len(words):
        word = words[position]
        if word == "--":
            return position + 1 if position + 1 < len(words) else None
        if not word.startswith("-") or word == "-":
            return position
        position += 2 if word in takes_value else 1
    return None


def _nearest(word: str, known: Sequence[str]) -> str:
    """Return the known word that was probably meant, or nothing."""
    if not re.fullmatch(r"[\w-]{2,12}", word):
        return ""
    import difflib

    return next(iter(difflib.get_close_matches(word.lower(), known, 1, 0.7)), "")


class _Formatter(argparse.RawDescriptionHelpFormatter):
    """Help in the chosen language; argparse's own words are English."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, max_help_position=30)

    def add_usage(self, usage: Any, actions: Any, groups: Any, prefix: str | None = None) -> None:
        super().add_usage(usage, actions, groups, say("help.usage") + " ")


class _Parser(argparse.ArgumentParser):
    """A parser whose errors are UsageErrors, in the chosen language, with the nearest known
    word."""

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
    ("usage.value", r"argument (\S+): expected (?:one|at least one|\d+) argument"),
    ("usage.flag", r"argument (\S+): ignored explicit argument"),
    ("usage.bad", r"argument (\S+: .*)"),
)


def build_parser(words: Sequence[str] | None = None) -> argparse.ArgumentParser:
    """Return the whole command line; given `words`, only the commands among them, which is quicker,
    or all without arguments."""
    root = _Parser("cmd", "sopwith")
    common = _add_common(root, default=None)
    common.add_argument(
        "--version", action="version", version=f"sopwith {VERSION}", help=say("opt.version")
    )
    _add_commands(root, "", first_words(), words)
    return root


def _add_commands(
    parser: argparse.ArgumentParser, above: str, names: Sequence[str], words: Sequence[str] | None
) -> None:
    """Add the commands of this level, each with its own parser, below the command `above`."""
    metavar = say("help.command_name")
    children = parser.add_subparsers(
        title=say("help.commands"), metavar=metavar, required=True, parser_class=_Command
    )
    meant = [name for name in names if name in (words or ())]
    for name in meant or names:
        path = f"{above} {name}".strip()
        key = "cmd." + path.replace(" ", ".")
        child = children.add_parser(name, key=key, prog=f"sopwith {path}", help=say(f"{key}.help"))
        if words is not None and not meant:
            continue
        if path not in SCREENS:
            _add_common(child, default=argparse.SUPPRESS)
            _add_commands(child, path, below(path), words)
        else:
            _add_arguments(child, path)


class _Command(_Parser):
    """The parser of one command; `add_parser` insists on handing its arguments over by name."""

    def __init__(self, *, key: str, prog: str) -> None:
        super().__init__(key, prog)

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Parse words on both sides of an option: before Python 3.13 argparse takes only the first
        of them."""
        return super().parse_known_args(
            args if self._subparsers else self._words_first(args), namespace
        )

    def _words_first(self, given: Sequence[str]) -> Sequence[str]:
        words, options = [], []
        rest = iter(given)
        for text in rest:
            if not text.startswith("-") or text == "-" or " " in text:
                words.append(text)
                continue
            options.append(text)
            action = self._option_string_actions.get(text)
            if text == "--" or (action is not None and action.nargs in ("+", "*")):
                return given  # what is behind it is no matter of order
            if action is not None and action.nargs is None:
                options.extend(islice(rest, 1))
        return [*words, *options]


def _add_arguments(parser: argparse.ArgumentParser, path: str) -> None:
    """Add the arguments and options that the command's screen declares."""
    command = declared_in(SCREENS[path], path)
    parser.set_defaults(command=command)
    arguments = parser.add_argument_group(say("help.arguments"))
    options = parser.add_argument_group(say("help.options"))
    for each in command.takes:
        if isinstance(each, Option):
            options.add_argument(*each.flags, help=say(each.help_key), **each.settings())
        else:
            more: dict[str, Any] = {"nargs": each.nargs} if each.nargs else {}
            more |= {"metavar": say(f"arg.{each.name}"), "help": say(f"arg.{each.name}.help")}
            arguments.add_argument(each.name, type=each.kind, **more)
    _add_common(parser, default=argparse.SUPPRESS)


def _add_common(parser: argparse.ArgumentParser, default: Any) -> Any:
    """Return what every command takes, before it or behind it: a level that does not hear it must
    not overwrite it."""
    group = parser.add_argument_group(say("help.common"))
    group.add_argument("--home", metavar="DIR", default=default, help=say("opt.home"))
    group.add_argument(
        "--lang", choices=("en", "zh"), metavar="en|zh", default=default, help=say("opt.lang")
    )
    group.add_argument(
        "--debug", action="store_true", default=default or False, help=say("opt.debug")
    )
    group.add_argument("-h", "--help", action="help", help=say("opt.help"))
    return group
