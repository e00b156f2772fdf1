"""Texts that are code: what shells, interpreters and editors are given to run, by options, input
and files."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from shell.bash import Command
from shell.catalogue import Entry, words
from shell.effects.expand import has_input, input_of, is_fetched
from shell.effects.files import operands_of
from shell.effects.state import Arg, State
from text import pattern

Args = list[Arg]
_STDIN = {"/dev/stdin", "/proc/self/fd/0", "/dev/fd/0", "-"}
_STRINGS = pattern(r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"", re.DOTALL)
# A name that is called by its text (`fs["rmSync"](…)`, `array_map("unlink", …)`), and a command in
# backticks.
_BY_TEXT = pattern(r"_map|call|\]\s*\(")
_HIDDEN_CALL = pattern(r"`|\b(?:require|import)\s*\(\s*[^'\"\s]")
_WORD = pattern(r"[A-Za-z_]+\w*")
# A command that vim or gdb starts.
_STARTS = pattern(
    r"\s*:?(?:[%\d,$]*!|terminal |te |(?:shell|make|pipe|python|lua|py|source|so|call|exe|compile|w|wq)\b|w!)"
)
_OPTIONS_WITHOUT_TEXT = ("input", "runner")
_MAY_BE_GLUED = ("-e", "-r", "-E")


def of_code(state: State, known: Entry, args: Args, command: Command) -> None:
    """Go through the texts that a program is given as code."""
    given = [(each, text) for each in known.code for text in texts_of(known, each, args)]
    for option, text in given:
        _run_text(state.inner(), known.name, known.code[option], text, command)
    is_module = "module" in known.more and any(arg.start[:2] == "-m" for arg in args[1:])
    if not given and not is_module:
        _of_input_or_file(state, known, args, command)


def _of_input_or_file(state: State, known: Entry, args: Args, command: Command) -> None:
    plain = [arg for arg in operands_of(known, args[1:]) if not arg.start.startswith("+")]
    if "input" in known.code and _reads_input(plain, args):
        run_input(state, known.name, known.code["input"], command)
    elif "script" in known.more:
        for first in plain[:1]:
            _script_file(state, known.name, known.code.get("input", "other"), first, command)


def _reads_input(plain: Args, args: Args) -> bool:
    named = {arg.text for arg in plain[:1]}
    return named <= _STDIN or "-s" in [arg.text for arg in args[1:]]


def texts_of(known: Entry, option: str, args: Args) -> list[str | None]:
    """Return the texts behind an option: the next word, glued, in a cluster, or the operands."""
    rest = args[1:]
    plain = [arg.text for arg in operands_of(known, rest)]
    if option == "operands":
        return plain[:1] if len(args) == 2 else []
    if option == "first":
        return plain[:1] if len(plain) > 1 else []
    if option in _OPTIONS_WITHOUT_TEXT:
        return []
    return [text for at in range(len(rest)) for text in _behind(option, rest, at)]


def _behind(option: str, rest: Args, at: int) -> list[str | None]:
    """Return the text of an option at one place: `+!x`, `-c TEXT`, `-lc TEXT`, `--eval=TEXT`,
    `-eTEXT`."""
    arg = rest[at]
    prefix = option.removesuffix("*")
    if prefix != option:
        return [arg.start[len(prefix) :]] if arg.start.startswith(prefix) else []
    if arg.start == option or _is_cluster(option, arg.start):
        return [each.text for each in rest[at + 1 : at + 2]] or [None]
    ending = r"=|(?![a-zA-Z0-9])" if option in _MAY_BE_GLUED else "="
    glued = re.match(f"{re.escape(option)}(?:{ending})", arg.start)
    if not glued:
        return []
    return [None if arg.text is None else arg.text[glued.end() :]]


def _is_cluster(option: str, text: str) -> bool:
    shape = rf"-[a-zA-Z0-9]*{option[1]}" if re.fullmatch(r"-[a-zA-Z]", option) else r"(?!)"
    return re.fullmatch(shape, text) is not None


def _run_text(state: State, name: str, language: str, text: str | None, command: Command) -> None:
    if is_fetched(command):
        state.add("install", name, "runs what comes from the network", is_local=False)
    if text is not None:
        run_text(state, name, language, text)
    elif not _is_hook(command):
        state.add("unknown", name, "runs a text that is only known when it runs")


def run_text(state: State, name: str, language: str, text: str) -> None:
    """Go through a text in a language."""
    _LANGUAGES.get(language, _other)(state, name, text)


def _is_hook(command: Command) -> bool:
    """Return True of `eval "$(direnv hook bash)"`: programs that print settings for the shell that
    asks."""
    inner = [each for word in command.words for part in word.parts for each in part.commands]
    names = {each.words[0].written for each in inner if each.words}
    return bool(names) and names <= words("hooks")


def run_input(state: State, name: str, language: str, command: Command) -> None:
    """Go through what comes to a program that runs its input."""
    if not has_input(command):
        return
    text = input_of(state, command)
    if is_fetched(command):
        state.add("install", name, "runs what comes from the network", is_local=False)
    elif text is None:
        state.add("unknown", name, "runs an input that is only known when it runs")
    if text is not None:
        _run_text(state, name, language, text, Command())


def _script_file(state: State, name: str, language: str, first: Arg, command: Command) -> None:
    path = state.join(first.start)
    if first.stream:
        _run_text(state, name, language, None, command)
    elif state.has_text(path):
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


def _started(state: State, name: str, text: str) -> None:
    if _STARTS.match(text):
        state.add("unknown", name, "runs a command")


def _other(state: State, name: str, text: str) -> None:
    """Perl, Ruby, JavaScript and the like, by the words in the code."""
    looked_at = text if _BY_TEXT.search(text) else _STRINGS.sub("''", text)
    has_effect = not words("code_effects").isdisjoint(_WORD.findall(looked_at))
    if has_effect or _HIDDEN_CALL.search(looked_at):
        state.add("unknown", name, "runs code with an effect")


_LANGUAGES: Mapping[str, Callable[[State, str, str], None]] = {
    "bash": _bash,
    "program": _bash,
    "python": _python,
    "editor": _started,
}
