"""Shells, Python and other interpreters: the scripts and one-liners that they are given, wherever these come from."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from safety import awk, code, file_effects, inputs, vital
from safety.expand import Arg
from safety.options import operands_of
from safety.shell import Command
from safety.tables import INTERPRETERS
from text import pattern

if TYPE_CHECKING:
    from safety.commands import Look


# `eval "$(…)"`: programs that print settings for the shell that asks; running their output is no more than running them.
_JAVASCRIPT = {"node", "bun", "deno", "tsx"}
_OF_PATHS = {"dirname", "basename", "which", "realpath", "readlink", "pwd", "cd"}
FETCHES = {"curl", "wget", "fetch", "aria2c", "axel", "http", "https", "xh"}
_HOOKS = pattern(
    r"(direnv (hook|export)|(pyenv|rbenv|nodenv|goenv|jenv|starship|zoxide|atuin|navi) init|brew shellenv|fnm env|mise (activate|env)|opam env|luarocks path"
    r"|conda shell\.\w+ hook|micromamba shell hook|ssh-agent|dircolors|minikube docker-env|docker-machine env|register-python-argcomplete|resize|thefuck --alias|fzf --\w+|[\w-]+ completions?)\b"
)


def from_network(look: Look, name: str, command: Command) -> None:
    """Refuses code from the network that runs as root, unseen: by a pipe, `<(…)` or `-c "$(…)"`."""
    if not look.raises:
        return
    sources = [part.commands for word in command.words for part in word.parts if part.commands]
    redirected = [
        part.commands
        for redirect in command.redirects
        for part in redirect.word.parts
        if part.commands
    ]
    piped, source = list[Command](), command.source
    while source is not None and len(piped) < 20:
        piped.append(source)
        source = source.source
    for commands in (*sources, *redirected, piped):
        for each in commands:
            if {(word.literal or "").rpartition("/")[2] for word in each.words[:4]} & FETCHES:
                look.add(
                    "catastrophic",
                    f"{name} runs as root what comes from the network, and nobody has seen it",
                    name,
                )
                return


def shell(
    look: Look, name: str, args: list[Arg], values: list[str | None], command: Command
) -> None:
    from_network(look, name, command)
    at = next(
        (n for n, value in enumerate(values) if re.fullmatch(r"-[a-zA-Z]*c", value or "")), None
    )
    if at is not None:
        rest, known = values[at + 1 : at + 2], values[at + 2 :]
        positional = [value or "" for value in known[1:]] if None not in known else None
        if (
            known[:1]
            and known[0] is not None
            and rest
            and rest[0]
            and re.match(r'\s*"?\$\{?0', rest[0])
        ):
            rest = [rest[0].replace("$0", known[0], 1)]
        look.nested(rest or [None], positional if known else None)
        return
    operands = [arg for arg in args[1:] if not arg.start.startswith(("-", "+")) or arg.stream]
    if "-s" in values or not operands:
        _from_input(look, name, command)
    elif operands[0].stream:
        look.nested([inputs.output_of(look, operands[0].stream)])
    else:
        _file(look, name, operands[0], command)


def _file(look: Look, name: str, arg: Arg, command: Command) -> None:
    """A script in a file: by its name, unless this script has made it."""
    if arg.text in ("/dev/stdin", "/proc/look/fd/0", "/dev/fd/0", "-"):
        _from_input(look, name, command)
    elif arg.start.startswith(("/dev/fd", "/proc/look/fd", "/dev/tcp")) or (
        arg.has_output and not _beside(command)
    ):
        look.add("unknown", f"{name} runs what is only known when it runs", name)
    elif (path := look.path(arg)) is not None and str(path) in look.written:
        text = look.written[str(path)]
        if name.startswith(("python", "pypy")):
            _code(look, [text], name)
        else:
            look.nested([text])


def _beside(command: Command) -> bool:
    """Whether a script is named by its place beside this one: `"$(dirname "$0")/lib.sh"`."""
    for word in command.words:
        commands = [each for part in word.parts for each in part.commands]
        last = word.parts[-1] if word.parts else None
        names = {each.words[0].literal for each in commands if each.words}
        if (
            names
            and last
            and last.kind == "text"
            and last.value.startswith("/")
            and names <= _OF_PATHS
        ):
            return True
    return False


def source(
    look: Look, name: str, args: list[Arg], values: list[str | None], command: Command
) -> None:
    if _asks_for_settings(command):
        return
    if args[1:] and args[1].stream:
        look.nested([inputs.output_of(look, args[1].stream)])
    elif args[1:]:
        _file(look, name, args[1], command)


def _from_input(look: Look, name: str, command: Command) -> None:
    text = inputs.input_of(look, command)
    look.nested([text] if text is not None else inputs.known_input(look, command))
    is_started = look.depth > 0 or (
        bool(command.words) and (command.words[0].literal or "").rpartition("/")[2] != name
    )
    if text is None and not inputs.has_input(command) and is_started:
        look.add("unknown", f"{name}: a shell that waits for commands", name)
    if inputs.from_disguise(command.source) or (text is None and inputs.has_input(command)):
        look.add("unknown", f"{name} runs what another command sends it", name)
    elif any(redirect.operator == "<&" for redirect in command.redirects):
        look.add("unknown", f"{name} runs what comes from elsewhere", name)


def python(
    look: Look, name: str, args: list[Arg], values: list[str | None], command: Command
) -> None:
    from_network(look, name, command)
    operands = [
        arg for arg in args[1:] if not arg.start.startswith("-") or arg.text == "-" or arg.stream
    ]
    if at := next(
        (n + 1 for n, value in enumerate(values) if re.fullmatch(r"-[a-zA-Z]*c", value or "")), 0
    ):
        _code(look, values[at : at + 1] or [None], name)
    elif (
        at := next(
            (n for n, value in enumerate(values) if re.match(r"-[bBdEiIOqsSuvx]*m", value or "")),
            -1,
        )
    ) >= 0:
        named = args[at + 1]
        module = named.start.partition("m")[2]
        inner = [Arg(module, module), *args[at + 2 :]] if module else args[at + 2 :]
        if inner and inner[0].text in (
            "pip",
            "ensurepip",
            "uv",
            "smtplib",
            "pipx",
            "conda",
            "ansible",
            "smtpd",
            "twine",
            "poetry",
        ):
            look.words(inner, command)
    elif operands and operands[0].stream:
        _code(look, [inputs.output_of(look, operands[0].stream)], name)
    elif not operands or operands[0].text in ("-", "/dev/stdin"):
        if inputs.has_input(command):
            _code(look, [inputs.input_of(look, command)], name)
    else:
        _file(look, name, operands[0], command)


def _code(look: Look, codes: Sequence[str | None], name: str) -> None:
    for text in codes:
        if text is None:
            look.add("unknown", f"{name} runs code that is only known when it runs", name)
        else:
            look.findings += look.python(text, look.cwd, look.depth)


def interpreter(
    look: Look, name: str, args: list[Arg], values: list[str | None], command: Command
) -> None:
    if name in ("awk", "gawk", "mawk", "nawk"):
        if "-f" not in values:
            _awk(look, name, next(iter(operands_of("awk", values)), ""))
        return
    flags = INTERPRETERS[name].split()
    at = next(
        (
            n
            for n, value in enumerate(values)
            if value in flags
            or (name in ("perl", "ruby") and re.fullmatch(r"-[a-zA-Z0-9]*[eE]", value or ""))
        ),
        None,
    )
    if at is not None:
        _one_liner(look, name, values[at + 1] if at + 1 < len(values) else None)
    elif not operands_of(name, values) or "-" in values:
        text = inputs.input_of(look, command)
        if text is not None:
            _one_liner(look, name, text)
        else:
            _from_input(look, name, command)
    elif args[1:] and any(arg.stream for arg in args[1:]):
        look.add("unknown", f"{name} runs code that is only known when it runs", name)
    else:
        _file(look, name, next(arg for arg in args[1:] if not arg.start.startswith("-")), command)


def _awk(look: Look, name: str, program: str | None) -> None:
    found = awk.effects(program or "")
    if program is None or found.is_hidden:
        look.add("unknown", f"{name} may start commands or write files", name)
    look.nested(found.commands + code.started(program or "") if found.is_hidden else found.commands)
    for file in found.files:
        file_effects.write(look, Arg(file, file), name)
    if found.is_unplaced:
        file_effects.write(look, Arg(None), name)


def _one_liner(look: Look, name: str, text: str | None) -> None:
    text = text and code.with_home(text, str(look.places.owner))
    if text is None or code.has_effect(code.without_started(text) if name in _JAVASCRIPT else text):
        look.add("unknown", f"{name} runs code that may change files or start commands", name)
    for file in code.written(text or ""):
        file_effects.write(look, Arg(file, file), name)
    deep(look, name, text or "")
    look.nested(code.started(text or ""))


def deep(look: Look, name: str, text: str) -> None:
    """What code destroys for the whole machine."""
    if code.is_bomb(text):
        look.add("catastrophic", f"{name} starts itself again and again: a fork bomb", name)
    home = str(look.places.owner)
    named = [home + path[1:] if re.match(r"~(/|$)", path) else path for path in code.removed(text)]
    removed = [Arg(path, path, "*" in path) for path in named]
    vital.deletes(look, "rm", [Arg("rm"), *removed], is_deep=True)


def apple(
    look: Look, name: str, args: list[Arg], values: list[str | None], command: Command
) -> None:
    """The commands in a script for `osascript`."""
    look.nested(code.started(" ".join(value or "" for value in values)))


def _asks_for_settings(command: Command) -> bool:
    """`eval "$(direnv hook bash)"`, `source <(kubectl completion bash)`."""
    hooks = [
        part.commands for word in command.words[1:] for part in word.parts if part.kind == "unknown"
    ]
    if len(command.words) != 2 or len(hooks) != 1 or len(hooks[0]) != 1:
        return False
    asked = " ".join(word.literal or "?" for word in hooks[0][0].words)
    return bool(_HOOKS.match(asked)) and not hooks[0][0].redirects and not hooks[0][0].is_piped


def evaluate(
    look: Look, name: str, args: list[Arg], values: list[str | None], command: Command
) -> None:
    if _asks_for_settings(command):
        return
    if args[1:]:
        known = [value for value in values if value is not None]
        look.nested([" ".join(known) if len(known) == len(values) else None])
        if len(known) == len(values):  # what it sets is set here
            look.variables.update(
                re.findall(r"(?:^|;)\s*(\w+)=([\w./-]+)\s*(?=;|$)", " ".join(known))
            )


def trap(
    look: Look, name: str, args: list[Arg], values: list[str | None], command: Command
) -> None:
    if len(values) > 1 and values[0] not in ("-", "", "-l", "-p"):
        look.nested(values[:1])


def alias(
    look: Look, name: str, args: list[Arg], values: list[str | None], command: Command
) -> None:
    for value in values:
        if value is None:
            look.add("unknown", "an alias that is only known when it runs", name)
        elif "=" in value:
            key, _, text = value.partition("=")
            words = text.split()
            if words[:1] != [key] or not all(
                word.startswith("-") for word in words[1:]
            ):  # `rm='rm -i'` adds an option
                look.findings += look.inner().script(text)
            look.aliases[key] = text
