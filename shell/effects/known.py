"""Commands that change what is known: variables, aliases, the working folder."""

from __future__ import annotations

from shell.bash import Command, Word
from shell.bash.pieces import MADE as MADE
from shell.effects.expand import holds_output, text_of
from shell.effects.state import Arg, State
from text import pattern

# Names that change what other commands are or load.
GUARDED = pattern(
    r"(LD_|DYLD_|BASH_FUNC_|GIT_(SSH|EXTERNAL|EDITOR|PAGER|CONFIG)|PERL5|RUBYOPT|NODE_OPTIONS|PYTHON(PATH|STARTUP|HOME)$"
    r"|PATH$|BASH_ENV$|ENV$|PROMPT_COMMAND$|EDITOR$|PAGER$|SHELLOPTS$)"
)
# Where the next requests go: who sets one can read all that is asked.
PROXIES = pattern(
    r"(?i)(https?|ftp|all|socks)_proxy$|(SSL_CERT_FILE|REQUESTS_CA_BUNDLE|CURL_CA_BUNDLE|PIP_INDEX_URL|NPM_CONFIG_REGISTRY)$"
)
# Folders of PATH where anybody, or a page, may have put a program.
_ODD_FOLDER = pattern(r"(.*:)?(\.{0,2}|/tmp\b[^:]*|/var/tmp\b[^:]*|/dev\b[^:]*|\.\./[^:]*)(:|$)")


def assign(state: State, name: str, word: Word) -> None:
    """`NAME=word`."""
    state.variables.setdefault("PATH", "/usr/bin")
    value = text_of(state, word)
    _guard(state, name, value)
    is_list = word.items is not None
    state.variables.pop(name, None)
    state.outputs.discard(name)
    if value is None or is_list:
        state.outputs |= {name} if holds_output(state, word) else set()
    else:
        state.variables[name] = value


def _guard(state: State, name: str, value: str | None) -> None:
    shape, text = (_ODD_FOLDER, value) if name == "PATH" else (GUARDED, name)
    if text is None or shape.match(text):
        state.add("unknown", name, "changes what commands do")
    if value and PROXIES.match(name):
        state.add("send", name, "what is asked from now on goes there", is_local=False)


def change_folder(state: State, name: str, args: list[Arg], command: Command) -> None:
    """`cd FOLDER`."""
    operands = [arg for arg in args[1:] if not arg.start.startswith("-")]
    state.cwd = state.variables.get("HOME")
    if operands:
        folder = operands[0].text
        state.cwd = None if folder is None else state.join(folder or ".")
    state.variables.pop("PWD", None)
    if state.cwd is not None:
        state.variables["PWD"] = state.cwd


def read_variable(state: State, name: str, args: list[Arg], command: Command) -> None:
    """`read NAME`, `mapfile NAME`."""
    for each in args[1:]:
        state.variables.pop(each.start, None)
        state.outputs.add(each.start)


def alias(state: State, name: str, args: list[Arg], command: Command) -> None:
    """`alias NAME=text`: the text is looked at where it stands."""
    for arg in args[1:]:
        state.script(arg.start.partition("=")[2])
