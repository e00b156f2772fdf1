"""Commands that run others: wrappers, shells with a text, xargs, find, ssh; and clients that are given a statement."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from shell.bash import Command
from shell.catalogue import Entry, entry, operands, words
from shell.effects import inputs
from shell.effects.expand import Arg
from shell.effects.known import GUARDED
from shell.effects.state import State

Args = list[Arg]
_ASSIGNMENT = re.compile(r"([A-Za-z_]\w*)=")
_POWERSHELL_READS = frozenset(
    [
        "get",
        "select",
        "where",
        "sort",
        "measure",
        "import",
        "test",
        "group",
        "write",
        "convertto",
        "convertfrom",
        "out",
        "foreach",
        "compare",
    ]
)
_STDIN = {"/dev/stdin", "/proc/self/fd/0", "/dev/fd/0", "-"}
# `eval "$(…)"` of programs that print settings for the shell that asks.
_HOOKS = re.compile(
    r"(direnv (hook|export)|\w+env init|(starship|zoxide|atuin|navi) init|brew shellenv|fnm env|mise (activate|env)|opam env"
    r"|conda shell\.\w+ hook|micromamba shell hook|ssh-agent|dircolors|minikube docker-env|docker-machine env|register-python-argcomplete|resize|[\w-]+ completions?)\b"
)
_GIT_SETTING = re.compile(
    r"(alias\.|core\.(hookspath|pager|editor|sshcommand|fsmonitor|askpass|gitproxy)|.*\.(command|cmd|helper|program|textconv|process)|include|credential|url\.|http\.proxy|remote\..*\.url|diff\.external|sequence\.editor|protocol)",
    re.I,
)
_RESOLVERS = {"ping", "ping6", "dig", "host", "nslookup", "whois"}
_FOUND = {"-exec", "-execdir", "-ok", "-okdir", "-x", "-X", "--exec", "--exec-batch"}
_FILTERS = frozenset(
    [
        "-name",
        "-iname",
        "-path",
        "-ipath",
        "-wholename",
        "-regex",
        "-iregex",
        "-mtime",
        "-mmin",
        "-atime",
        "-ctime",
        "-newer",
        "-size",
        "-empty",
        "-perm",
        "-maxdepth",
        "-inum",
        "-cmin",
        "-amin",
        "-anewer",
        "-cnewer",
        "-samefile",
        "-links",
        "-uid",
        "-xtype",
        "-lname",
    ]
)
_SPARE_NOTHING = {"*", "*.*", ".*", "+0", "-mtime"}
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


class _Runners:
    """The ways back into the scan, set there."""

    script: Callable[[State, str], None]
    words: Callable[[State, Args, Command], None]


RUNNERS = _Runners()


def run_inner(state: State, name: str, args: Args, command: Command, kind: str) -> None:
    """Go through what a command runs besides itself."""
    known = entry(name)
    if known is None or (kind == "read" and name in ("command", "builtin", "parallel")):
        return
    for key, handler in _BY_KEY.items():
        if key in known.more:
            handler(state, known, args, command)
    if (special := _BY_NAME.get(known.name)) is not None:
        special(state, known, args, command)


def _values(args: Args) -> list[str | None]:
    return [arg.text for arg in args[1:]]


# Texts that are code


def _code(state: State, known: Entry, args: Args, command: Command) -> None:
    texts = [
        (language, text)
        for option, language in known.code.items()
        for text in _texts(known, option, args)
    ]
    for language, text in texts:
        inner = state.inner()
        inner.positional = _positional(args, text) if language == "bash" else None
        _run_text(inner, known.name, language, text, command)
    if texts or "-m" in [arg.start[:2] for arg in args[1:] if "module" in known.more]:
        return
    plain = [arg for arg in _plain(known, args) if not arg.start.startswith("+")]
    language = known.code.get("input", "")
    if language and (not plain or plain[0].text in _STDIN or _reads_input(args)):
        _run_input(state, known.name, language, command)
    elif plain and "script" in known.more:
        _script_file(state, known.name, language, plain, command)


def _positional(args: Args, text: str | None) -> list[str] | None:
    """`sh -c TEXT NAME A B`: A and B are $1 and $2."""
    at = next((n for n, arg in enumerate(args) if arg.text == text), len(args))
    values = [arg.text for arg in args[at + 2 :]]
    return None if None in values or not values else [value or "" for value in values]


def _reads_input(args: Args) -> bool:
    return any(arg.text == "-s" for arg in args[1:])


def _plain(known: Entry, args: Args) -> Args:
    from shell.catalogue.options import operand_places

    rest = args[1:]
    return [rest[at] for at in operand_places(known, [arg.text for arg in rest])]


def _texts(known: Entry, option: str, args: Args) -> list[str | None]:
    """The texts behind an option: the next word, glued, in a cluster, or the operands."""
    rest = args[1:]
    if option == "operands":
        return [arg.text for arg in _plain(known, args)[:1]] if len(args) == 2 else []
    if option == "first":
        return [arg.text for arg in _plain(known, args)[:1]] if len(_plain(known, args)) > 1 else []
    if option in ("input", "runner"):
        return []
    found: list[str | None] = []
    for at, arg in enumerate(rest):
        if option.endswith("*"):
            found += [arg.start[len(option) - 1 :]] if arg.start.startswith(option[:-1]) else []
        elif arg.start == option or _is_cluster(option, arg.start):
            found += [rest[at + 1].text] if at + 1 < len(rest) else [None]
        elif arg.start.startswith(option + "="):
            found.append(arg.text and arg.text[len(option) + 1 :])
        elif arg.text and _is_glued(option, arg.text):
            found.append(arg.text[2:])
    return found


def _is_cluster(option: str, text: str) -> bool:
    """`-lc` of `bash`, `-ne` of perl."""
    is_letter = len(option) == 2 and option[1].isalpha()
    return is_letter and re.fullmatch(rf"-[a-zA-Z0-9]*{option[1]}", text) is not None


def _is_glued(option: str, text: str) -> bool:
    is_letter = len(option) == 2 and option in ("-e", "-r", "-E")
    return is_letter and text.startswith(option) and not text[2:3].isalnum()


def _run_text(state: State, name: str, language: str, text: str | None, command: Command) -> None:
    if inputs.is_fetched(command):
        state.add("install", name, "runs what comes from the network", is_local=False)
    if text is not None:
        _LANGUAGES.get(language, _other)(state, name, text)
    elif language != "bash" or not _is_hook(command):
        state.add("unknown", name, "runs a text that is only known when it runs")


def _bash(state: State, name: str, text: str) -> None:
    RUNNERS.script(state.inner(), text.removeprefix("exec=").removeprefix("-c "))


def _makefile(state: State, name: str, text: str) -> None:
    if text in _STDIN or text.startswith("/dev/fd"):
        state.add("unknown", name, "runs rules that are only known when it runs")


def _is_hook(command: Command) -> bool:
    inner = [each for word in command.words for part in word.parts for each in part.commands]
    lines = [" ".join(word.written for word in each.words) for each in inner]
    return bool(lines) and all(_HOOKS.match(line) for line in lines)


def _python(state: State, name: str, code: str) -> None:
    from shell.python import effects_of

    inner = state.inner()
    state.effects += effects_of(code, inner.cwd, lambda text: RUNNERS.script(inner, text))


def _powershell(state: State, name: str, text: str) -> None:
    """Commands of PowerShell are verbs with a noun: those that only get and show pass."""
    verbs = {verb.lower() for verb in re.findall(r"\b([A-Za-z]+)-[A-Z]\w+", text)}
    is_plain = (
        bool(verbs) and verbs <= _POWERSHELL_READS and not re.search(r"[>&]|::|\.\w+\(", text)
    )
    if not is_plain and "-whatif" not in text.lower():
        state.add("unknown", name, "runs a script of PowerShell")


def _gdb(state: State, name: str, text: str) -> None:
    found = re.match(r"\s*(?:shell|!|make|pipe|python|source|call|compile)\b\s*(.*)", text)
    if found:
        RUNNERS.script(state.inner(), found[1])
        state.add("unknown", "gdb", "runs a command")


def _vim(state: State, name: str, text: str) -> None:
    found = re.match(r"\s*:?(?:[%\d,$]*!|terminal |te |!)(.*)", text)
    if found:
        RUNNERS.script(state.inner(), found[1])
    elif re.match(r"\s*:?(call|exe|lua|py|so|source|w\b|w!|wq)", text):
        state.add("unknown", "vim", "runs an editor's script")


def _other(state: State, name: str, text: str) -> None:
    """Perl, Ruby, JavaScript and the like: by the commands that stand in the code, and by its words."""
    from shell.effects import other_code

    code = other_code.with_home(text, state.variables.get("HOME", "~"))
    if other_code.is_bomb(code):
        state.add("catastrophic", name, "a fork bomb")
    for each in other_code.started(code):
        RUNNERS.script(state.inner(), each)
    for each in other_code.removed(code):
        state.file("takes", name, Arg(each, each, "*" in each))
    for each in other_code.written(code):
        state.file("writes", name, Arg(each, each))
    if other_code.has_effect(other_code.without_started(code)):
        state.add("unknown", name, "runs code with an effect")


def _run_input(state: State, name: str, language: str, command: Command) -> None:
    if not inputs.has_input(command):
        return
    text = inputs.input_of(state, command)
    if inputs.is_fetched(command):
        state.add("install", name, "runs what comes from the network", is_local=False)
    elif text is None:
        state.add("unknown", name, "runs an input that is only known when it runs")
    if text is not None:
        if inputs.is_disguised(command):
            state.add("unknown", name, "runs what was written so that nobody can read it")
        _run_text(state, name, language, text, Command())


def _script_file(state: State, name: str, language: str, plain: Args, command: Command) -> None:
    first = plain[0]
    if first.stream:
        text = inputs.output_of(state, first.stream)
        _run_text(state, name, language or "other", text, command)
        return
    path = state.join(first.start)
    if path is not None and path in state.written:
        _run_text(state, name, language or "other", state.written[path], command)
    elif first.has_output or first.start.startswith(("/dev/fd", "/proc/")):
        state.add("unknown", name, "runs a file that is only known when it runs")


# Commands that run the rest of their line


def _behind(known: Entry, args: Args, skipped: int) -> Args:
    """The command that a wrapper runs: the line without its options, assignments and plain words."""
    at = 1
    while at < len(args):
        value = args[at].start
        if value == "--" and not skipped:
            return args[at + 1 :]
        if value.startswith("-") and value != "-":
            at += 2 if value in known.takes else 1
        elif _ASSIGNMENT.match(value):
            at += 1
        elif skipped:
            skipped, at = skipped - 1, at + 1
        else:
            return args[at:]
    return []


def _runs(state: State, known: Entry, args: Args, command: Command) -> None:
    if any(option in known.code for option in [arg.start for arg in args[1:]]):
        return
    inner = _behind(known, args, int(known.more["runs"]))
    if "sets" in known.more:
        _guard(state, args)
    if "given" in known.more:
        _given(state, known, args, inner, command)
    elif "joins" in known.more and len(inner) == 1 and " " in inner[0].start:
        RUNNERS.script(state.inner(), inner[0].text or inner[0].start)
    elif inner:
        RUNNERS.words(state, inner, command)
    elif "raises" in known.more and inputs.has_input(command):
        _run_input(state, known.name, "bash", command)


def _guard(state: State, args: Args) -> None:
    for arg in args[1:]:
        found = _ASSIGNMENT.match(arg.start)
        if found and found[1] != "IFS" and GUARDED.match(found[1]):
            state.add("unknown", found[1], "changes what commands do")


def _given(state: State, known: Entry, args: Args, inner: Args, command: Command) -> None:
    """`xargs rm`, `xargs -I{} mv {} x`, `parallel rm`: with what is read, as far as it is known."""
    text = inputs.input_of(state, command)
    read = [Arg(word, word) for word in (text or "").split()] if text and len(text) < 2000 else []
    given = read or [Arg(None, _listed_in(state, command))]
    mark = next(
        (args[at + 1].start for at, arg in enumerate(args[:-1]) if arg.text in ("-I", "--replace")),
        "{}",
    )
    has_mark = any(mark in arg.start for arg in inner)
    is_text = len(inner) == 1 and " " in inner[0].start
    if is_text:
        RUNNERS.script(state.inner(), (inner[0].text or inner[0].start).replace(mark, "$__given"))
    elif has_mark:
        RUNNERS.words(state, [_filled(arg, mark, given[0]) for arg in inner], command)
    elif ":::" in [arg.text for arg in inner]:
        at = [arg.text for arg in inner].index(":::")
        for arg in inner[at + 1 :][:20]:
            RUNNERS.words(state, [*inner[:at], arg], Command())
    else:
        RUNNERS.words(
            state, [*(inner or [Arg("echo", "echo")]), *given], Command(words=command.words)
        )


def _listed_in(state: State, command: Command) -> str:
    """The start of the names that `find FOLDER` or `ls FOLDER/*` hand on; "" where it is not known."""
    source = command.source
    args = state.expander().words(source.words) if source is not None else []
    name = args[0].text if args else ""
    roots = _roots(args) if name in ("find", "fd") else []
    if name == "ls":
        named = [arg.start for arg in args[1:] if arg.is_pattern and "/" in arg.start]
        roots = [Arg(each.rpartition("/")[0]) for each in named]
    is_one = len(roots) == 1 and bool(roots[0].text) and roots[0].text != "."
    return f"{roots[0].text}/found/" if is_one else ""


def _filled(arg: Arg, mark: str, given: Arg) -> Arg:
    if mark not in arg.start:
        return arg
    if given.text is None:
        if " " in arg.start:
            text = arg.start.replace(mark, "$__given")
            return Arg(text, text)
        return Arg(None, arg.start.partition(mark)[0])
    text = arg.start.replace(mark, given.text)
    return Arg(text, text)


def _runs_after(state: State, known: Entry, args: Args, command: Command) -> None:
    """`uv run X`, `bundle exec X`."""
    verb = str(known.more["runs_after"])
    at = next((n for n, arg in enumerate(args) if n and arg.text == verb), 0)
    inner = _behind(known, args[at:], 0) if at and verb else []
    if inner:
        RUNNERS.words(state, inner, command)


def _joins(state: State, known: Entry, args: Args, command: Command) -> None:
    """`eval A B`: the words as one script."""
    if "runs" in known.more or len(args) < 2:
        return
    texts = [arg.text for arg in args[1:]]
    if None in texts:
        _run_text(state, known.name, "bash", None, command)
        written = " ".join(arg.text or arg.start for arg in args[1:])
        RUNNERS.script(state.inner(), written)
    else:
        if inputs.looks_hidden(" ".join(text or "" for text in texts)):
            state.add("unknown", known.name, "a text that was written so that nobody can read it")
        RUNNERS.script(state.inner(), " ".join(text or "" for text in texts))


def _runs_remote(state: State, known: Entry, args: Args, command: Command) -> None:
    """`docker exec C CMD`, `kubectl exec P -- CMD`: reading there passes, anything else is asked about."""
    verb = str(known.more["runs_remote"])
    if verb == "first":
        return  # to log in elsewhere is asked about, whatever runs there
    at = next((n for n, arg in enumerate(args) if arg.text == verb), 0)
    if not at:
        return
    wrapper = Entry(known.name, known.takes | _CONTAINER_TAKES)
    texts = [arg.text for arg in args]
    inner = args[texts.index("--") + 1 :] if "--" in texts else _behind(wrapper, args[at:], 1)
    before = len(state.effects)
    name = (inner[0].text or "").rpartition("/")[2] if inner else ""
    if inner:
        RUNNERS.words(state.inner(), inner, Command(words=command.words))
    found = state.effects[before:]
    state.effects[before:] = [each._replace(is_local=False) for each in found if not each.path]
    if name not in words("lookers") and not state.effects[before:]:
        state.add(
            "system", known.name, f"runs {name or 'a shell'} in another place", is_local=False
        )


# find, git, databases


def _find(state: State, known: Entry, args: Args, command: Command) -> None:
    texts = [arg.text or "" for arg in args]
    roots = _roots(args)
    is_all = not _chooses(texts)
    if "-delete" in texts:
        state.add("delete", known.name, "-delete")
        for root in roots:
            state.file("takes" if is_all else "deletes", known.name, root)
    for at, text in enumerate(texts):
        if text in _FOUND:
            _each_found(state, args[at + 1 :], roots, is_all=is_all)
        elif text in ("-fprint", "-fprintf", "-fls", "-fprint0") and at + 1 < len(args):
            state.file("writes", known.name, args[at + 1])


def _roots(args: Args) -> Args:
    end = next(
        (n for n, arg in enumerate(args) if n and arg.start.startswith(("-", "(", "!"))), len(args)
    )
    return args[1:end] or [Arg(".", ".")]


def _chooses(texts: list[str]) -> bool:
    pairs = zip(texts, [*texts[1:], ""], strict=True)
    return any(text in _FILTERS and behind not in _SPARE_NOTHING for text, behind in pairs)


def _each_found(state: State, rest: Args, roots: Args, *, is_all: bool) -> None:
    end = next((n for n, arg in enumerate(rest) if arg.text in (";", "+")), len(rest))
    root = roots[0].text if len(roots) == 1 else None
    place = Arg(root, root or "") if root and is_all else Arg(None, f"{root}/" if root else "")
    RUNNERS.words(state, [_filled_found(arg, place) for arg in rest[:end]], Command()) if rest[
        :end
    ] else None


def _filled_found(arg: Arg, place: Arg) -> Arg:
    if arg.text == "{}":
        return place
    if "{}" in arg.start:
        text = arg.start.replace("{}", "$__found")
        return Arg(text, text)
    return arg


def _git(state: State, known: Entry, args: Args, command: Command) -> None:
    """Settings of git that run programs, given for once or for good."""
    values = [arg.start for arg in args[1:]]
    for at, value in enumerate(values[:-1]):
        key, _, text = values[at + 1].partition("=")
        if value in ("-c", "--config-env") and _GIT_SETTING.match(key):
            _git_program(state, text)
    plain = [value or "" for value in operands(known, _values(args))]
    if plain[:2] == ["bisect", "run"]:
        at = next(n for n, arg in enumerate(args) if arg.text == "run")
        RUNNERS.words(state, args[at + 1 :] or [Arg("true", "true")], Command())
    if (
        plain[:1] == ["config"]
        and len(plain) > 2
        and not {"--get", "--list", "-l", "--get-all"} & set(values)
    ):
        key = plain[2] if plain[1] in ("set", "unset") else plain[1]
        is_wide = {"--global", "--system"} & set(values)
        if _GIT_SETTING.match(key) or is_wide:
            state.add("system", "git", f"config {key}", is_local=False)


def _git_program(state: State, text: str) -> None:
    if text.startswith("!"):
        RUNNERS.script(state.inner(), text[1:])
    elif text not in ("", "cat", "less", "true", "false"):
        state.add("unknown", "git", "a setting that runs a program")


def _asks(state: State, known: Entry, args: Args, command: Command) -> None:
    """Note the statements that a database's client is asked."""
    from shell.effects import statements

    values = _values(args)
    if {"-l", "--list", "--version", "--help", "-V", "-version"} & {
        value for value in values if value
    }:
        return
    if known.more["asks"] == "redis":
        _asks_redis(state, known, values, command)
        return
    texts = _statements(state, known, args, command)
    for text in texts:
        for line in re.findall(r"(?m)^\s*(?:\\!|\.(?:shell|system))\s+(.*)", text or ""):
            RUNNERS.script(state.inner(), line)
    judge = statements.changes_mongo if known.more["asks"] == "mongo" else statements.changes_sql
    changes = not texts or any(text is None or judge(text) for text in texts)
    if "verbs" in known.more and not texts:
        return
    if changes and not statements.only_in_memory(values, texts):
        state.add("delete", known.name, "may change or delete data", is_local=False)


def _asks_redis(state: State, known: Entry, values: list[str | None], command: Command) -> None:
    from shell.effects import statements

    if any(
        (value or "").startswith(("--scan", "--stat", "--bigkeys", "--memkeys", "--latency"))
        for value in values
    ):
        return
    asked = operands(known, values) or list((inputs.input_of(state, command) or "").split())
    if statements.changes_redis(list(asked)):
        state.add("delete", known.name, "may change or delete data", is_local=False)


def _statements(state: State, known: Entry, args: Args, command: Command) -> list[str | None]:
    options = known.listed("statement")
    found: list[str | None] = []
    for option in (each for each in options if each.startswith("-")):
        found += _texts(known, option, args)
    if "operands" in options:
        found += [arg.text for arg in _plain(known, args)[1:]]
    if "query" in options and "query" in _values(args):
        found += [arg.text for arg in _plain(known, args)[-1:]]
    for option in known.listed("script"):
        found += [None for text in _texts(known, option, args)]
    if inputs.has_input(command):
        found.append(inputs.input_of(state, command))
    return found


def _jobs(state: State, known: Entry, args: Args, command: Command) -> None:
    """`kill %1`, `kill $!`: jobs of the script alone. `kill 1`, `kill -1`: the machine."""
    named = [arg.text for arg in _plain(known, args)]
    if named and all(value and value.startswith("%") for value in named):
        state.effects[:] = [each for each in state.effects if each.command != "kill"]
    if named == ["1"] or [arg.text for arg in args[-1:]] == ["-1"]:
        state.add("catastrophic", "kill", "stops every process", is_local=False)


def _assigns(state: State, known: Entry, args: Args, command: Command) -> None:
    if any("=" in arg.start for arg in args[1:]):
        state.add("system", known.name, "changes the machine", is_local=False)


def _methods(state: State, known: Entry, args: Args, command: Command) -> None:
    """`curl -X DELETE`, and the output of a command sent along."""
    for option in known.listed("methods"):
        for method in _texts(known, option, args):
            if (method or "?").upper() not in ("GET", "HEAD", "OPTIONS"):
                state.add("send", known.name, str(method or ""), is_local=False)
        glued = [arg.start[2:] for arg in args[1:] if re.match(r"-X[A-Z]", arg.start)]
        if set(glued) - {"GET", "HEAD", "OPTIONS"}:
            state.add("send", known.name, glued[0], is_local=False)


def _fetches(state: State, known: Entry, args: Args, command: Command) -> None:
    """`curl "http://x/$(cat key)"`, `dig $(cat key).example.org`: what a command prints is sent."""
    asked = known.listed("fetches")
    if asked != ["all"] and not set(asked) & {arg.text for arg in args[1:]}:
        return
    has_substitution = known.name in _RESOLVERS and _substitutes(command)
    if has_substitution or any(arg.has_output or arg.stream for arg in args[1:]):
        state.add("send", known.name, "what a command prints", is_local=False)
    for option in (each for each in known.listed("proxies") if each in [arg.start for arg in args]):
        value = next(iter(_texts(known, option, args)), None)
        if option != "-e" or "proxy" in (value or "proxy"):
            state.add("send", known.name, f"{option}: what is asked goes there", is_local=False)


def _substitutes(command: Command) -> bool:
    parts = [part for word in command.words[1:] for part in word.parts]
    return any(part.source == "$(" for part in parts)


def _dd(state: State, known: Entry, args: Args, command: Command) -> None:
    """`dd if=/dev/zero of=photo.jpg`: nothing in the place of what a file holds; an image is made that way."""
    given = dict(arg.start.partition("=")[::2] for arg in args[1:])
    is_blank = re.fullmatch(r"/dev/(zero|null|u?random)", given.get("if", ""))
    if is_blank and not re.search(
        r"/dev/null|test|tmp|temp|dummy|swap|\.(img|iso|raw|bin|dat)$", given.get("of", "/dev/null")
    ):
        state.add("delete", "dd", "overwrites a file")
    if any(arg.text is None and arg.start.startswith("of=") for arg in args[1:]):
        state.add("system", "dd", "writes to a place that is only known when it runs")


def _openssl(state: State, known: Entry, args: Args, command: Command) -> None:
    """`openssl s_client` sends what it reads; looking at a certificate sends nothing."""
    is_client = "s_client" in [arg.text for arg in args[1:2]]
    has_nothing = any(each.word.literal == "/dev/null" for each in command.redirects)
    if (
        is_client
        and not has_nothing
        and (inputs.input_of(state, command) or "?").strip() not in ("", "Q")
    ):
        state.add("send", known.name, "s_client", is_local=False)


def _variables(state: State, known: Entry, args: Args, command: Command) -> None:
    """`make SHELL=…`: a variable that says what is started."""
    if any(
        arg.start.partition("=")[0] in known.listed("variables") and "=" in arg.start
        for arg in args[1:]
    ):
        state.add("unknown", known.name, "a variable that says what is started")


def _program(state: State, known: Entry, args: Args, command: Command) -> None:
    """`awk '{ system("…") }'`."""
    for arg in _plain(known, args)[:1]:
        text = arg.text or arg.start
        for each in re.findall(
            r"system\s*\(\s*\"((?:[^\"\\]|\\.)*)\"|\"([^\"]+)\"\s*\|\s*getline|\|\s*\"([^\"]+)\"",
            text,
        ):
            RUNNERS.script(state.inner(), next(filter(None, each), ""))
        for each in re.findall(r">\s*\"([^\"]+)\"", text):
            state.file("writes", known.name, Arg(each, each))
        if re.search(
            r"\|\s*\"(ba|da|z)?sh\b|system\s*\(\s*[^\"\s]|\|\s*getline|@load|system\s*\(\s*\"[^\"]*\"\s*[^)\s]",
            text,
        ):
            state.add("unknown", known.name, "starts a command that is only known when it runs")


def _sed(state: State, known: Entry, args: Args, command: Command) -> None:
    from shell.effects import other_code

    programs = [text for option in ("-e", "--expression") for text in _texts(known, option, args)]
    for text in programs or [arg.text for arg in _plain(known, args)[:1]]:
        if text and other_code.sed_starts(text):
            state.add("unknown", known.name, "starts commands from its input")
        for each in other_code.sed_writes(text or ""):
            state.file("writes", known.name, Arg(each, each))


def _npx(state: State, known: Entry, args: Args, command: Command) -> None:
    inner = _behind(known, args, 0)
    name = (inner[0].text or "").partition("@")[0] if inner else ""
    asks = {"--version", "--help", "-v"} & {arg.start for arg in args[1:2]}
    if name in words("local_tools") or asks:
        state.effects[:] = [each for each in state.effects if each.command != known.name]
    elif inner:
        RUNNERS.words(state, inner, command)


def _module(state: State, known: Entry, args: Args, command: Command) -> None:
    """`python -m pip install`: as the program of that name."""
    texts = [arg.text for arg in args]
    if "-m" in texts[:-1]:
        inner = args[texts.index("-m") + 1 :]
        name = (inner[0].text or "").partition(".")[0]
        if entry(name) is not None or name in words("tasks"):
            RUNNERS.words(state, [Arg(name, name), *inner[1:]], command)


def _nested_program(state: State, known: Entry, args: Args, command: Command) -> None:
    """`python manage.py migrate`, `php artisan down`: the script is a runner of its own."""
    plain = _plain(known, args)
    name = (plain[0].text or "").rpartition("/")[2] if plain else ""
    if name in ("manage.py", "artisan", "setup.py", "console"):
        RUNNERS.words(state, [Arg(name, name), *args[args.index(plain[0]) + 1 :]], command)


_LANGUAGES: dict[str, Callable[[State, str, str], None]] = {
    "bash": _bash,
    "program": _bash,
    "python": _python,
    "vim": _vim,
    "gdb": _gdb,
    "powershell": _powershell,
    "makefile": _makefile,
}
_BY_KEY: dict[str, Callable[[State, Entry, Args, Command], Any]] = {
    "code": _code,
    "runs": _runs,
    "joins": _joins,
    "runs_after": _runs_after,
    "runs_remote": _runs_remote,
    "asks": _asks,
    "jobs": _jobs,
    "assigns": _assigns,
    "methods": _methods,
    "fetches": _fetches,
    "program": _program,
    "script": _nested_program,
    "module": _module,
    "variables": _variables,
}
_BY_NAME: dict[str, Callable[[State, Entry, Args, Command], Any]] = {
    **dict.fromkeys(("find", "gfind", "fd", "fdfind"), _find),
    **dict.fromkeys(("sed", "gsed"), _sed),
    "git": _git,
    "dd": _dd,
    "openssl": _openssl,
    "npx": _npx,
}
