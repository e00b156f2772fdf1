"""Commands that change what is known: variables, aliases, the working folder."""

from __future__ import annotations

import re

from shell.bash import Command, Part, Word
from shell.bash.pieces import MADE as MADE
from shell.effects.expand import Arg, expanded, holds_output, input_of, text_of
from shell.effects.state import State

# Names that change what other commands are or load.
GUARDED = re.compile(
    r"(LD_|DYLD_|BASH_FUNC_|GIT_(SSH|EXTERNAL|EDITOR|PAGER|CONFIG)|PERL5|RUBYOPT|NODE_OPTIONS|PYTHON(PATH|STARTUP|HOME)$"
    r"|PATH$|BASH_ENV$|ENV$|IFS$|PROMPT_COMMAND$|EDITOR$|PAGER$|SHELLOPTS$)"
)
# Where the next requests go: who sets one can read all that is asked.
PROXIES = re.compile(
    r"(?i)(https?|ftp|all|socks)_proxy$|(SSL_CERT_FILE|REQUESTS_CA_BUNDLE|CURL_CA_BUNDLE|PIP_INDEX_URL|NPM_CONFIG_REGISTRY)$"
)
_USUAL_FOLDER = re.compile(
    r"~/(bin|\.local/bin|go/bin|\.[\w-]+(/[\w.-]+)*/(bin|shims|tools))|(/usr|/usr/local|/opt/[\w-]+|/snap|)/s?bin"
    r"|(\./)?(node_modules/\.bin|\.?venv/bin|vendor/bin)|"
)
_HISTORY = {"HISTFILE", "HISTSIZE", "HISTFILESIZE"}
_NAME = re.compile(r"[A-Za-z_]\w*")
_MAX_VALUES = 8  # of a loop


def assign(state: State, name: str, word: Word) -> None:
    """`NAME=word`."""
    value, is_list = text_of(state, word), word.items is not None
    _guard(state, name, word, value)
    is_output = is_list or holds_output(state, word)
    items = [arg.text for arg in expanded(state, word.items or [])]
    state.variables.pop(name, None)
    state.arrays.pop(name, None)
    state.outputs.discard(name)
    if is_list and None not in items:
        state.arrays[name] = [item or "" for item in items]
    elif value is not None and not is_list:
        state.variables[name] = value
    elif is_output:
        state.outputs.add(name)


def _guard(state: State, name: str, word: Word, value: str | None) -> None:
    if name in _HISTORY:
        state.add("system", name, "the shell forgets what was done")
    elif PROXIES.match(name) and value:
        state.add("send", name, "what is asked from now on goes there", is_local=False)
    elif name == "PATH":
        if not _is_usual_path(state, word):
            state.add("unknown", name, "changes what commands do")
    elif GUARDED.match(name) and name != "IFS":
        state.add("unknown", name, "changes what commands do")


def _is_usual_path(state: State, word: Word) -> bool:
    """True if PATH gets no folders but those where a system, the owner or a project keep their programs."""
    state.variables.setdefault("PATH", "")
    value = text_of(state, word)
    home, cwd = state.variables.get("HOME", "~"), state.cwd or "."
    entries = "\0" if value is None else value.replace(home, "~").replace(f"{cwd}/", "./")
    return all(_USUAL_FOLDER.fullmatch(entry) for entry in entries.split(":"))


def loop(state: State, command: Command) -> None:
    """`for NAME in …`: each known value is tried where it is used."""
    values = [arg.text for arg in expanded(state, command.words[1:])]
    name = command.loop_variable
    state.loops.pop(name, None)
    state.variables.pop(name, None)
    known = [value for value in values if value is not None]
    if known and len(known) == len(values):
        state.loops[name] = known[:_MAX_VALUES]


def used_loop(state: State, command: Command) -> str:
    """Return the variable of a loop with known values that a command uses, or ""."""
    words = [*command.words, *(each.word for each in command.redirects)] if state.loops else []
    parts = [part for word in words for part in word.parts if part.kind == "variable"]
    return next((part.value for part in parts if part.value in state.loops), "")


def change_folder(state: State, name: str, args: list[Arg], command: Command) -> None:
    """`cd FOLDER`."""
    operands = [arg for arg in args[1:] if not arg.start.startswith("-")]
    state.cwd = state.variables.get("HOME")
    if operands:
        state.cwd = None if operands[0].text is None else state.join(operands[0].text or ".")
    state.variables.pop("PWD", None)
    if state.cwd is not None:
        state.variables["PWD"] = state.cwd


def declare(state: State, name: str, args: list[Arg], command: Command) -> None:
    """`export NAME=value`."""
    for word in command.words[1:]:
        first = word.parts[0] if word.parts else Part("text")
        key, is_set, rest = first.value.partition("=")
        if first.kind == "text" and is_set and _NAME.fullmatch(key.rstrip("+")):
            parts = [Part("text", rest, first.is_quoted), *word.parts[1:]]
            assign(state, key.rstrip("+"), Word(parts, word.items))


def unset(state: State, name: str, args: list[Arg], command: Command) -> None:
    """`unset NAME`."""
    for arg in args[1:]:
        state.variables.pop(arg.start, None)
        if arg.text in _HISTORY:
            state.add("system", arg.start, "the shell forgets what was done")


def set_positional(state: State, name: str, args: list[Arg], command: Command) -> None:
    """`set -- A B`."""
    values = [arg.text for arg in args[1:]]
    if "--" in values:
        rest = values[values.index("--") + 1 :]
        state.positional = None if None in rest else [value or "" for value in rest]


def read_variable(state: State, name: str, args: list[Arg], command: Command) -> None:
    """`read NAME`, `mapfile NAME`."""
    names = [arg.text for arg in args[1:] if arg.text and _NAME.fullmatch(arg.text)]
    for each in names:
        state.variables.pop(each, None)
        state.arrays.pop(each, None)
        state.outputs.add(each)
    text = input_of(state, command) if len(names) == 1 and name == "read" else None
    if text is not None:
        state.outputs.discard(names[0])
        state.variables[names[0]] = text.strip()


def alias(state: State, name: str, args: list[Arg], command: Command) -> None:
    """`alias NAME=text`: the text is looked at where it stands, and where it is used."""
    for arg in args[1:]:
        key, is_set, text = (arg.text or "").partition("=")
        if is_set:
            inner = state.inner()
            inner.aliases.clear()
            state.run(inner, text)
            state.aliases[key] = text
