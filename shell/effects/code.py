"""Texts that are code: what shells, interpreters and editors are given to run, by options, input and files."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from shell.bash import Command
from shell.catalogue import Entry
from shell.effects.expand import Arg, input_of, output_of
from shell.effects.files import operands_of
from shell.effects.inputs import has_input, is_disguised, is_fetched
from shell.effects.state import State

Args = list[Arg]
_STDIN = {"/dev/stdin", "/proc/self/fd/0", "/dev/fd/0", "-"}
# `eval "$(…)"` of programs that print settings for the shell that asks.
_HOOKS = re.compile(
    r"(direnv (hook|export)|\w+env init|(starship|zoxide|atuin|navi) init|brew shellenv|fnm env|mise (activate|env)|opam env"
    r"|conda shell\.\w+ hook|micromamba shell hook|ssh-agent|dircolors|minikube docker-env|docker-machine env|register-python-argcomplete|resize|[\w-]+ completions?)\b"
)
# Names in code of other languages that do more than compute and print.
_EFFECT = re.compile(
    r"\b(unlink\w*|rmtree|rmdir\w*|rm_rf?|rm_f|remove\w*|rename\w*|truncate\w*|system|exec\w*|spawn\w*|popen\w*|proc_open|passthru"
    r"|shell_exec|qx|fork|kill|chmod|chown|symlink|eval|instance_eval|class_eval|Function|loadstring|dofile|load|writeFile\w*|appendFile\w*"
    r"|createWriteStream|rmSync|cp\w*Sync|file_put_contents|fwrite|fputs|fopen|copy|delete|Delete|destroy|erase|rm|cmd|run-?program|run"
    r"|Files\.(?:write|move|copy|create)\w*|spit|mkfifo|socket|TCPSocket|fsockopen|curl_\w+|fetch|http\w*|axios|XMLHttpRequest|Net|LWP"
    r"|IO::Socket|open3|File\.write|FileUtils|child_process|mail|putenv|setuid)\b"
    r"|`|\bfs\.\w*(rm|write|append|unlink|rename|chmod)\w*|base64_decode|unpack|\batob\b|Buffer\.from|\b(?:require|import)\s*\(\s*[^'\"\s]"
)
_STRINGS = re.compile(r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"", re.DOTALL)
_HOME = re.compile(r"['\"](~|/root|/home|/home/[\w-]+|/Users/[\w-]+|/)/?\*?['\"]")
_BOMB = re.compile(
    r"\bfork\W{0,9}\s(while|until)\b|\bfork\(\)\s{0,9}for\b[^\n]{0,40}\b(iter|count|cycle|repeat)\("
    r"|\b(while|for|until|loop)\b[^\n]{0,60}\n?[^\n]{0,60}\bfork\b"
)
# Words that start a command in sed, vim and gdb; group 1 is the command.
_STARTS = {
    "vim": re.compile(
        r"\s*:?(?:[%\d,$]*!|terminal |te |!)(.*)|\s*:?(?:call|exe|lua|py|so|source|w\b|w!|wq)"
    ),
    "gdb": re.compile(r"\s*(?:shell|!|make|pipe|python|source|call|compile)\b\s*(.*)"),
}
_POWERSHELL_READS = re.compile(
    r"(?i)(?:get|select|where|sort|measure|import|test|group|write|convertto|convertfrom|out|foreach|compare)"
)


def is_bomb(code: str) -> bool:
    """Return True if code starts itself again and again."""
    return bool(_BOMB.search(code))


def of_code(state: State, known: Entry, args: Args, command: Command) -> None:
    """Go through the texts that a program is given as code."""
    has_texts = False
    for option, language in known.code.items():
        for text in texts_of(known, option, args):
            has_texts, inner = True, state.inner()
            inner.positional = _positional(args, text) if language == "bash" else None
            _run_text(inner, known.name, language, text, command)
    is_module = "module" in known.more and any(arg.start[:2] == "-m" for arg in args[1:])
    if not has_texts and not is_module:
        _of_input_or_file(state, known, args, command)


def _of_input_or_file(state: State, known: Entry, args: Args, command: Command) -> None:
    plain = [arg for arg in operands_of(known, args[1:]) if not arg.start.startswith("+")]
    language = known.code.get("input", "")
    if language and _reads_input(plain, args):
        run_input(state, known.name, language, command)
    elif plain and "script" in known.more:
        _script_file(state, known.name, language or "other", plain[0], command)


def _reads_input(plain: Args, args: Args) -> bool:
    return not plain or plain[0].text in _STDIN or "-s" in [arg.text for arg in args[1:]]


def _positional(args: Args, text: str | None) -> list[str] | None:
    """`sh -c TEXT NAME A B`: A and B are $1 and $2."""
    at = next((n for n, arg in enumerate(args) if arg.text == text), len(args))
    values = [arg.text for arg in args[at + 2 :]]
    return None if None in values or not values else [value or "" for value in values]


def texts_of(known: Entry, option: str, args: Args) -> list[str | None]:
    """Return the texts behind an option: the next word, glued, in a cluster, or the operands."""
    rest = args[1:]
    plain = operands_of(known, rest)
    if option == "operands":
        return [arg.text for arg in plain[:1]] if len(args) == 2 else []
    if option == "first":
        return [arg.text for arg in plain[:1]] if len(plain) > 1 else []
    if option in ("input", "runner"):
        return []
    return [text for at in range(len(rest)) for text in _behind(option, rest, at)]


def _behind(option: str, rest: Args, at: int) -> list[str | None]:
    """Return the text of an option at one place: `+!x`, `-c TEXT`, `-lc TEXT`, `--eval=TEXT`, `-eTEXT`."""
    arg = rest[at]
    prefix = option.removesuffix("*")
    if prefix != option:
        return [arg.start[len(prefix) :]] if arg.start.startswith(prefix) else []
    if arg.start == option or _is_cluster(option, arg.start):
        return [rest[at + 1].text] if at + 1 < len(rest) else [None]
    if arg.start.startswith(option + "="):
        return [arg.text and arg.text[len(option) + 1 :]]
    is_glued = option in ("-e", "-r", "-E") and re.match(
        rf"{option}(?![a-zA-Z0-9])", arg.text or ""
    )
    return [str(arg.text)[2:]] if is_glued else []


def _is_cluster(option: str, text: str) -> bool:
    is_letter = len(option) == 2 and option[1].isalpha()
    return is_letter and re.fullmatch(rf"-[a-zA-Z0-9]*{option[1]}", text) is not None


def _run_text(state: State, name: str, language: str, text: str | None, command: Command) -> None:
    if is_fetched(command):
        state.add("install", name, "runs what comes from the network", is_local=False)
    if text is not None:
        _LANGUAGES.get(language, _other)(state, name, text)
    elif language != "bash" or not _is_hook(command):
        state.add("unknown", name, "runs a text that is only known when it runs")


def _is_hook(command: Command) -> bool:
    inner = [each for word in command.words for part in word.parts for each in part.commands]
    lines = [" ".join(word.written for word in each.words) for each in inner]
    return bool(lines) and all(_HOOKS.match(line) for line in lines)


def run_input(state: State, name: str, language: str, command: Command) -> None:
    """Go through what comes to a program that runs its input."""
    if not has_input(command):
        return
    text = input_of(state, command)
    if is_fetched(command):
        state.add("install", name, "runs what comes from the network", is_local=False)
    elif text is None or is_disguised(command):
        state.add("unknown", name, "runs an input that is only known when it runs")
    if text is not None:
        _run_text(state, name, language, text, Command())


def _script_file(state: State, name: str, language: str, first: Arg, command: Command) -> None:
    path = state.join(first.start)
    if first.stream:
        _run_text(state, name, language, output_of(state, first.stream), command)
    elif path is not None and path in state.written:
        _run_text(state, name, language, state.written[path], command)
    elif first.has_output or first.start.startswith(("/dev/fd", "/proc/")):
        state.add("unknown", name, "runs a file that is only known when it runs")


# Languages


def _bash(state: State, name: str, text: str) -> None:
    state.script(text.removeprefix("exec=").removeprefix("-c "))


def _python(state: State, name: str, code: str) -> None:
    from shell.python import effects_of

    inner = state.inner()
    state.effects += effects_of(code, inner.cwd, lambda text: inner.run(inner, text))


def _started(state: State, name: str, text: str, language: str) -> None:
    found = _STARTS[language].match(text)
    if found and found[1]:
        state.script(found[1])
    if found:
        state.add("unknown", name, "runs a command")


def _powershell(state: State, name: str, text: str) -> None:
    """Commands of PowerShell are verbs with a noun: those that only get and show pass."""
    verbs = re.findall(r"\b([A-Za-z]+)-[A-Z]\w+", text)
    only_reads = bool(verbs) and all(map(_POWERSHELL_READS.fullmatch, verbs))
    is_plain = only_reads and not re.search(r"[>&]|::|\.\w+\(", text)
    if not is_plain and "-whatif" not in text.lower():
        state.add("unknown", name, "runs a script of PowerShell")


def _makefile(state: State, name: str, text: str) -> None:
    if text in _STDIN or text.startswith("/dev/fd"):
        state.add("unknown", name, "runs rules that are only known when it runs")


def _other(state: State, name: str, text: str) -> None:
    """Perl, Ruby, JavaScript and the like, by the words in the code."""
    if is_bomb(text):
        state.add("catastrophic", name, "a fork bomb")
    by_name = re.search(r"_map|call|\]\s*\(", text)  # `array_map("unlink", …)`, `fs["rmSync"](…)`
    has_effect = bool(_EFFECT.search(text if by_name else _STRINGS.sub("''", text)))
    if has_effect and (home := _HOME.search(text)):
        state.file("takes", name, Arg(home[1], home[1]))
    if has_effect:
        state.add("unknown", name, "runs code with an effect")


_LANGUAGES: Mapping[str, Callable[[State, str, str], None]] = {
    "bash": _bash,
    "program": _bash,
    "python": _python,
    "vim": lambda state, name, text: _started(state, name, text, "vim"),
    "gdb": lambda state, name, text: _started(state, name, text, "gdb"),
    "powershell": _powershell,
    "makefile": _makefile,
}
