"""Commands that run others: wrappers, xargs, find, containers, tasks; each handler by the key of
its row."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Mapping

from shell.bash import Command
from shell.catalogue import Entry, entry, words
from shell.effects import clients
from shell.effects.code import of_code, run_input, texts_of
from shell.effects.expand import has_input, input_of, plain_arg
from shell.effects.files import operands_of
from shell.effects.state import Arg, State
from text import pattern

Args = list[Arg]
_ASSIGNMENT = pattern(r"([A-Za-z_]\w*)=")
_FOUND = frozenset(["-exec", "-execdir", "-ok", "-okdir", "-x", "-X", "--exec", "--exec-batch"])
_PRINTS = frozenset(["-fprint", "-fprintf", "-fls", "-fprint0"])
_ENDS_OF_EXEC = (";", "+")
_ALL_THERE = ("*", "*.*", ".*", "+0", "-mtime")  # values of filters that take everything
_PROGRAMS = ("manage.py", "artisan", "setup.py", "console")
_ONLY_LOOK = ("command", "builtin", "parallel")
_AWK_RUNS = pattern(r"system\s*\(\s*\"((?:[^\"\\]|\\.)*)\"|\"([^\"]+)\"\s*\|\s*getline")
_AWK_WRITES = pattern(r">\s*\"([^\"]+)\"")
_AWK_STARTS = pattern(r"\|\s*\"(ba|da|z)?sh\b|system\s*\(\s*[^\"\s]|\|\s*getline|@load")
_SED_STARTS = pattern(
    r"(?:^|[;{\n]|\d|\$|/)\s*e(?:\s|$)|(?:^|[;{\n])\s*(?:\d+|\$|/[^/]*/)?\s*s(\W)(?:\\.|(?!\1).)*\1(?:\\.|(?!\1).)*\1[gpiImM0-9]*e"
)
_SED_WRITES = pattern(r"(?:^|[;{\n/\d$])\s*[wW]\s+([^\s;}]+)")


def run_inner(state: State, name: str, args: Args, command: Command, kind: str) -> None:
    """Go through what a command runs besides itself."""
    known = entry(name)
    only_looks = kind == "read" and name in _ONLY_LOOK
    if known is None or only_looks:
        return
    for key, handler in _BY_KEY.items():
        if key in known.more:
            handler(state, known, args, command)
    if known.name in _BY_NAME:
        _BY_NAME[known.name](state, known, args, command)


def _behind(known: Entry, args: Args, skipped: int) -> Args:
    """Return the command that a wrapper runs: the line without its options, assignments and plain
    words."""
    at = 1
    while at < len(args):
        value = args[at].start
        if value == "--":
            return _behind(Entry("--"), args[at:], skipped) if skipped else args[at + 1 :]
        if re.match("-.", value):
            at += value in known.takes
        elif not _ASSIGNMENT.match(value):
            if not skipped:
                return args[at:]
            skipped -= 1
        at += 1
    return []


def _runs(state: State, known: Entry, args: Args, command: Command) -> None:
    if not known.code.keys().isdisjoint([arg.start for arg in args[1:]]):
        return
    inner = _behind(known, args, int(known.more["runs"]))
    if "given" in known.more:
        _given(state, args, inner, command)
    elif "joins" in known.more and _is_text(inner):
        state.script(inner[0].start)
    elif inner:
        state.run_words(state, inner, command)
    elif "raises" in known.more and has_input(command):
        run_input(state, known.name, "bash", command)


def _is_text(inner: Args) -> bool:
    """Return True of a command line that is one word."""
    return len(inner) == 1 and " " in inner[0].start


def _given(state: State, args: Args, inner: Args, command: Command) -> None:
    """`xargs rm`, `xargs -I{} mv {} x`, `parallel rm ::: a`: with what is read, as far as it is
    known."""
    text = input_of(state, command)
    given = [Arg(None)] if text is None else [plain_arg(each) for each in text[:2000].split()]
    names = [arg.text for arg in inner]
    if ":::" in names:
        at = names.index(":::")
        inner, given = inner[:at], inner[at + 1 :]
    mark = _mark(args)
    if _is_text(inner):
        state.script(inner[0].start.replace(mark, "$__given"))
    elif any(mark in arg.start for arg in inner):
        state.run_words(state, [_filled(arg, mark, given[0]) for arg in inner], command)
    else:
        outer = Command(words=command.words)
        state.run_words(state, [*(inner or [plain_arg("echo")]), *given], outer)


def _mark(args: Args) -> str:
    """Return what stands for a name that is read: `{}`, or the value of `-I`."""
    pairs = itertools.pairwise(args)
    return next((b.start for a, b in pairs if a.text in ("-I", "--replace")), "{}")


def _filled(arg: Arg, mark: str, given: Arg) -> Arg:
    if mark not in arg.start:
        return arg
    if given.text is not None:
        return plain_arg(arg.start.replace(mark, given.text))
    if " " in arg.start:
        return plain_arg(arg.start.replace(mark, "$__given"))
    return given if arg.start == mark else Arg(None, arg.start.partition(mark)[0])


def _runs_after(state: State, known: Entry, args: Args, command: Command) -> None:
    """`uv run X`, `bundle exec X`."""
    verb = str(known.more["runs_after"])
    texts = [arg.text for arg in args]
    if verb in texts:
        state.run_words(state, _behind(known, args[texts.index(verb) :], 0), command)


def _joins(state: State, known: Entry, args: Args, command: Command) -> None:
    """`eval A B`: the words as one script."""
    if "runs" in known.more:
        return
    if len(args) > 2 and None in [arg.text for arg in args]:
        state.add("unknown", known.name, "runs a text that is only known when it runs")
    state.script(" ".join(arg.start for arg in args[1:]))


def _runs_remote(state: State, known: Entry, args: Args, command: Command) -> None:
    """`docker exec C CMD`, `kubectl exec P -- CMD`: reading there passes, anything else is asked
    about."""
    verb = str(known.more["runs_remote"])
    if verb not in [arg.text for arg in args]:
        return
    inner = _in_container(known, args, verb)
    before = len(state.effects)
    if inner:
        state.run_words(state.inner(), inner, Command(words=command.words))
    found = [each._replace(is_local=False) for each in state.effects[before:] if not each.path]
    state.effects[before:] = found
    name = inner[0].start.rpartition("/")[2] if inner else "a shell"
    if name not in words("lookers") and not found:
        state.add("system", known.name, f"runs {name} in another place", is_local=False)


def _in_container(known: Entry, args: Args, verb: str) -> Args:
    wrapper = Entry(known.name, known.takes | words("container_takes"))
    texts = [arg.text for arg in args]
    if "--" in texts:
        return args[texts.index("--") + 1 :]
    return _behind(wrapper, args[texts.index(verb) :], 1)


# find, xargs' brothers, and programs that name a program


def _find(state: State, known: Entry, args: Args, command: Command) -> None:
    texts = [arg.start for arg in args]
    roots, is_all = _roots(args), not _chooses(texts)
    if "-delete" in texts:
        state.add("delete", known.name, "-delete")
        for root in roots:
            state.file("takes" if is_all else "deletes", known.name, root)
    for at, text in enumerate(texts):
        if text in _FOUND:
            _each_found(state, args[at + 1 :], roots, is_all=is_all)
        elif text in _PRINTS:
            for arg in args[at + 1 : at + 2]:
                state.file("writes", known.name, arg)


def _roots(args: Args) -> Args:
    named = itertools.takewhile(lambda arg: not arg.start.startswith(("-", "(", "!")), args[1:])
    return list(named) or [plain_arg(".")]


def _chooses(texts: list[str]) -> bool:
    """Return True if `find` takes only some of what is there."""
    filters = words("find_filters")
    pairs = itertools.pairwise([*texts, ""])
    return any(text in filters and behind not in _ALL_THERE for text, behind in pairs)


def _each_found(state: State, rest: Args, roots: Args, *, is_all: bool) -> None:
    ends = (n for n, arg in enumerate(rest) if arg.text in _ENDS_OF_EXEC)
    end = next(ends, len(rest))
    root = roots[0].start if len(roots) == 1 else ""
    below = Arg(None, f"{root}/" if root else "")
    given = plain_arg(root) if root and is_all else below
    state.run_words(state, [_filled(arg, "{}", given) for arg in rest[:end]], Command())


def _program(state: State, known: Entry, args: Args, command: Command) -> None:
    """`awk '{ system("…") }'`: what starts a command or writes a file asks, where nothing shows
    it."""
    for arg in operands_of(known, args[1:])[:1]:
        for each in _AWK_RUNS.findall(arg.start):
            state.script("".join(each))
        for each in _AWK_WRITES.findall(arg.start):
            state.file("writes", known.name, plain_arg(each))
        if _AWK_STARTS.search(arg.start):
            state.add("unknown", known.name, "starts a command that is only known when it runs")


def _sed(state: State, known: Entry, args: Args, command: Command) -> None:
    programs = [text for option in ("-e", "--expression") for text in texts_of(known, option, args)]
    for text in filter(None, programs or [arg.text for arg in operands_of(known, args[1:])[:1]]):
        if _SED_STARTS.search(text):
            state.add("unknown", known.name, "starts commands from its input")
        for each in _SED_WRITES.findall(text):
            state.file("writes", known.name, plain_arg(each))


def _npx(state: State, known: Entry, args: Args, command: Command) -> None:
    inner = _behind(known, args, 0)
    name = inner[0].start.partition("@")[0] if inner else ""
    if name in words("local_tools"):
        state.forget(known.name)
    else:
        state.run_words(state, inner, command)


def _module(state: State, known: Entry, args: Args, command: Command) -> None:
    """`python -m pip install`: as the program of that name."""
    texts = [arg.text for arg in args]
    if "-m" in texts[:-1]:
        inner = args[texts.index("-m") + 1 :]
        name = inner[0].start.partition(".")[0]
        if entry(name) is not None:
            state.run_words(state, [plain_arg(name), *inner[1:]], command)


def _nested_program(state: State, known: Entry, args: Args, command: Command) -> None:
    """`python manage.py migrate`, `php artisan down`: the script is a runner of its own."""
    for first in operands_of(known, args[1:])[:1]:
        name = first.start.rpartition("/")[2]
        if name in _PROGRAMS:
            state.run_words(state, [plain_arg(name), *args[args.index(first) + 1 :]], command)


Handler = Callable[[State, Entry, Args, Command], None]
_BY_KEY: Mapping[str, Handler] = {
    "code": of_code,
    "runs": _runs,
    "joins": _joins,
    "runs_after": _runs_after,
    "runs_remote": _runs_remote,
    "program": _program,
    "script": _nested_program,
    "module": _module,
    **clients.BY_KEY,
}
_BY_NAME: Mapping[str, Handler] = {
    **dict.fromkeys(("find", "gfind", "fd", "fdfind"), _find),
    **dict.fromkeys(("sed", "gsed"), _sed),
    "git": clients.git,
    "dd": clients.dd,
    "openssl": clients.openssl,
    "npx": _npx,
}
