"""Commands that run others: wrappers, xargs, find, containers, tasks; each handler by the key of its row."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Mapping

from shell.bash import Command
from shell.catalogue import Entry, entry, operands, words
from shell.effects import clients
from shell.effects.code import of_code, run_input, texts_of
from shell.effects.expand import Arg, expanded, input_of, plain_arg
from shell.effects.files import operands_of
from shell.effects.inputs import has_input
from shell.effects.known import GUARDED
from shell.effects.state import State

Args = list[Arg]
_ASSIGNMENT = re.compile(r"([A-Za-z_]\w*)=")
_FOUND = frozenset(["-exec", "-execdir", "-ok", "-okdir", "-x", "-X", "--exec", "--exec-batch"])
_PRINTS = frozenset(["-fprint", "-fprintf", "-fls", "-fprint0"])
_CONTAINER_TAKES = frozenset(
    [
        "-u",
        "--user",
        "-w",
        "--workdir",
        "-e",
        "--env",
        "--env-file",
        "--index",
        "-c",
        "--container",
        "-n",
        "--namespace",
    ]
)
_PROGRAMS = ("manage.py", "artisan", "setup.py", "console")


def run_inner(state: State, name: str, args: Args, command: Command, kind: str) -> None:
    """Go through what a command runs besides itself."""
    known = entry(name)
    if known is None or (kind == "read" and name in ("command", "builtin", "parallel")):
        return
    for key, handler in _BY_KEY.items():
        if key in known.more:
            handler(state, known, args, command)
    special = _BY_NAME.get(known.name)
    if special is not None:
        special(state, known, args, command)


def _behind(known: Entry, args: Args, skipped: int) -> Args:
    """Return the command that a wrapper runs: the line without its options, assignments and plain words."""
    at = 1
    while at < len(args):
        value = args[at].start
        is_option = value.startswith("-") and value != "-"
        if value == "--" and not skipped:
            return args[at + 1 :]
        if is_option:
            at += value in known.takes
        elif skipped and not _ASSIGNMENT.match(value):
            skipped -= 1
        elif not _ASSIGNMENT.match(value):
            return args[at:]
        at += 1
    return []


def _runs(state: State, known: Entry, args: Args, command: Command) -> None:
    if not known.code.keys().isdisjoint([arg.start for arg in args[1:]]):
        return
    inner = _behind(known, args, int(known.more["runs"]))
    _guard(state, args if "sets" in known.more else [])
    if "given" in known.more:
        _given(state, args, inner, command)
    elif "joins" in known.more and _is_text(inner):
        state.script(inner[0].text or inner[0].start)
    elif inner:
        state.run_words(state, inner, command)
    elif "raises" in known.more and has_input(command):
        run_input(state, known.name, "bash", command)


def _is_text(inner: Args) -> bool:
    """True of a command line that is one word."""
    return len(inner) == 1 and " " in inner[0].start


def _guard(state: State, args: Args) -> None:
    for arg in args[1:]:
        found = _ASSIGNMENT.match(arg.start)
        if found and found[1] != "IFS" and GUARDED.match(found[1]):
            state.add("unknown", found[1], "changes what commands do")


def _given(state: State, args: Args, inner: Args, command: Command) -> None:
    """`xargs rm`, `xargs -I{} mv {} x`, `parallel rm`: with what is read, as far as it is known."""
    text = (input_of(state, command) or "")[:2000]
    given = list(map(plain_arg, text.split())) or [Arg(None, _listed_in(state, command))]
    mark = _mark(args)
    names = [arg.text for arg in inner]
    if _is_text(inner):
        state.script(inner[0].start.replace(mark, "$__given"))
    elif any(mark in arg.start for arg in inner):
        state.run_words(state, [_filled(arg, mark, given[0]) for arg in inner], command)
    elif ":::" in names:
        _each_given(state, inner, names.index(":::"))
    else:
        outer = Command(words=command.words)
        state.run_words(state, [*(inner or [plain_arg("echo")]), *given], outer)


def _each_given(state: State, inner: Args, at: int) -> None:
    """`parallel rm ::: a b`."""
    for arg in inner[at + 1 :][:20]:
        state.run_words(state, [*inner[:at], arg], Command())


def _mark(args: Args) -> str:
    """Return what stands for a name that is read: `{}`, or the value of `-I`."""
    pairs = itertools.pairwise(args)
    return next((b.start for a, b in pairs if a.text in ("-I", "--replace")), "{}")


def _listed_in(state: State, command: Command) -> str:
    """Return the start of the names that `find FOLDER` or `ls FOLDER/*` hand on; "" where it is not known."""
    args = expanded(state, command.source.words) if command.source is not None else []
    name = args[0].text if args else ""
    roots = [root.text for root in _roots(args)] if name in ("find", "fd") else []
    if name == "ls":
        roots = [arg.start.rpartition("/")[0] for arg in args[1:] if arg.is_pattern]
    return f"{roots[0]}/found/" if len(roots) == 1 and roots[0] not in (None, "", ".") else ""


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
    at = next((n for n, arg in enumerate(args) if n and arg.text == verb), 0)
    inner = _behind(known, args[at:], 0) if at and verb else []
    if inner:
        state.run_words(state, inner, command)


def _joins(state: State, known: Entry, args: Args, command: Command) -> None:
    """`eval A B`: the words as one script."""
    if "runs" in known.more or len(args) < 2:
        return
    texts = [arg.text for arg in args[1:]]
    written = " ".join(arg.text or arg.start for arg in args[1:])
    if None in texts and len(texts) > 1:
        state.add("unknown", known.name, "runs a text that is only known when it runs")
    if None not in texts and re.search(r"\\x[0-9a-f]{2}|\\[0-7]{3}", written):
        state.add("unknown", known.name, "a text that was written so that nobody can read it")
    state.script(written)


def _runs_remote(state: State, known: Entry, args: Args, command: Command) -> None:
    """`docker exec C CMD`, `kubectl exec P -- CMD`: reading there passes, anything else is asked about.

    To log in elsewhere (`first`) is asked about, whatever runs there.
    """
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
    texts = [arg.text for arg in args]
    if "--" in texts:
        return args[texts.index("--") + 1 :]
    wrapper = Entry(known.name, known.takes | _CONTAINER_TAKES)
    return _behind(wrapper, args[texts.index(verb) :], 1)


# find, xargs' brothers, and programs that name a program


def _find(state: State, known: Entry, args: Args, command: Command) -> None:
    texts = [arg.text or "" for arg in args]
    roots, is_all = _roots(args), not _chooses(texts)
    if "-delete" in texts:
        state.add("delete", known.name, "-delete")
        for root in roots:
            state.file("takes" if is_all else "deletes", known.name, root)
    for at, text in enumerate(texts):
        if text in _FOUND:
            _each_found(state, args[at + 1 :], roots, is_all=is_all)
        elif text in _PRINTS and at + 1 < len(args):
            state.file("writes", known.name, args[at + 1])


def _roots(args: Args) -> Args:
    ends = (n for n, arg in enumerate(args) if n and arg.start.startswith(("-", "(", "!")))
    return args[1 : next(ends, len(args))] or [plain_arg(".")]


def _chooses(texts: list[str]) -> bool:
    """Return True if `find` takes only some of what is there."""
    pairs = zip(texts, [*texts[1:], ""], strict=True)
    chosen, all_there = words("find_filters"), ("*", "*.*", ".*", "+0", "-mtime")
    return any(text in chosen and behind not in all_there for text, behind in pairs)


def _each_found(state: State, rest: Args, roots: Args, *, is_all: bool) -> None:
    end = next((n for n, arg in enumerate(rest) if arg.text in (";", "+")), len(rest))
    root = (roots[0].text or "") if len(roots) == 1 else ""
    given = Arg(None, f"{root}/" if root else "")
    if root and is_all:
        given = plain_arg(root)
    inner = [_filled(arg, "{}", given) for arg in rest[:end]]
    if inner:
        state.run_words(state, inner, Command())


def _program(state: State, known: Entry, args: Args, command: Command) -> None:
    """`awk '{ system("…") }'`: what starts a command or writes a file asks, where nothing shows it."""
    for arg in operands_of(known, args[1:])[:1]:
        text = arg.text or arg.start
        for each in re.findall(
            r"system\s*\(\s*\"((?:[^\"\\]|\\.)*)\"|\"([^\"]+)\"\s*\|\s*getline", text
        ):
            state.script(each[0] or each[1])
        for each in re.findall(r">\s*\"([^\"]+)\"", text):
            state.file("writes", known.name, plain_arg(each))
        if re.search(r"\|\s*\"(ba|da|z)?sh\b|system\s*\(\s*[^\"\s]|\|\s*getline|@load", text):
            state.add("unknown", known.name, "starts a command that is only known when it runs")


_SED_STARTS = re.compile(
    r"(?:^|[;{\n]|\d|\$|/)\s*e(?:\s|$)|(?:^|[;{\n])\s*(?:\d+|\$|/[^/]*/)?\s*s(\W)(?:\\.|(?!\1).)*\1(?:\\.|(?!\1).)*\1[gpiImM0-9]*e"
)
_SED_WRITES = re.compile(r"(?:^|[;{\n/\d$])\s*[wW]\s+([^\s;}]+)")


def _sed(state: State, known: Entry, args: Args, command: Command) -> None:
    programs = [text for option in ("-e", "--expression") for text in texts_of(known, option, args)]
    for text in programs or [arg.text for arg in operands_of(known, args[1:])[:1]]:
        if _SED_STARTS.search(text or ""):
            state.add("unknown", known.name, "starts commands from its input")
        for each in _SED_WRITES.findall(text or ""):
            state.file("writes", known.name, plain_arg(each))


def _npx(state: State, known: Entry, args: Args, command: Command) -> None:
    inner = _behind(known, args, 0)
    name = (inner[0].text or "").partition("@")[0] if inner else ""
    if name in words("local_tools") or {"--version", "--help", "-v"} & {a.start for a in args[1:2]}:
        state.forget(known.name)
    elif inner:
        state.run_words(state, inner, command)


def _module(state: State, known: Entry, args: Args, command: Command) -> None:
    """`python -m pip install`: as the program of that name."""
    texts = [arg.text for arg in args]
    if "-m" in texts[:-1]:
        inner = args[texts.index("-m") + 1 :]
        name = (inner[0].text or "").partition(".")[0]
        if entry(name) is not None or name in words("tasks"):
            state.run_words(state, [plain_arg(name), *inner[1:]], command)


def _nested_program(state: State, known: Entry, args: Args, command: Command) -> None:
    """`python manage.py migrate`, `php artisan down`: the script is a runner of its own."""
    plain = operands_of(known, args[1:])
    name = (plain[0].text or "").rpartition("/")[2] if plain else ""
    if name in _PROGRAMS:
        state.run_words(state, [plain_arg(name), *args[args.index(plain[0]) + 1 :]], command)


def _variables(state: State, known: Entry, args: Args, command: Command) -> None:
    """`make SHELL=…`: a variable that says what is started."""
    named = {arg.start.partition("=")[0] for arg in args[1:] if "=" in arg.start}
    if named & set(known.listed("variables")):
        state.add("unknown", known.name, "a variable that says what is started")


def _git(state: State, known: Entry, args: Args, command: Command) -> None:
    clients.git(state, known, args, command)
    plain = [value or "" for value in operands(known, [arg.text for arg in args[1:]])]
    if plain[:2] == ["bisect", "run"]:
        at = [arg.text for arg in args].index("run")
        state.run_words(state, args[at + 1 :] or [plain_arg("true")], Command())


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
    "variables": _variables,
    **clients.BY_KEY,
}
_BY_NAME: Mapping[str, Handler] = {
    **dict.fromkeys(("find", "gfind", "fd", "fdfind"), _find),
    **dict.fromkeys(("sed", "gsed"), _sed),
    "git": _git,
    "dd": clients.dd,
    "openssl": clients.openssl,
    "npx": _npx,
}
