"""Commands that run the rest of their line: env, timeout, xargs, parallel; and what they give to it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from safety import finds, inputs, interpreters, listings
from safety.expand import Arg
from safety.options import behind, value_of
from safety.shell import Command
from safety.showing import LOCAL_TOOLS
from safety.tables import GUARDED_VARIABLES, SHELLS, WRAPPERS

if TYPE_CHECKING:
    from safety.commands import Look


_RAISES = {"sudo", "doas", "pkexec", "su", "runuser", "run0"}
_LISTS = {"find", "grep", "egrep", "rg", "fd", "fdfind", "git", "ls"}


def wrapped(look: Look, name: str, args: list[Arg], command: Command) -> None:
    values = [arg.text for arg in args[1:]]
    if (name == "command" and values[:1] in (["-v"], ["-V"])) or (
        name == "parallel" and "--dry-run" in values
    ):
        return
    if name in ("env", "flock", "parallel", "watch", "script") and _as_text(look, name, values):
        return
    _sets_variables(look, name, args, values)
    inner = behind(args, *WRAPPERS[name])
    if name == "npx" and inner and inner[0].text in LOCAL_TOOLS:
        return
    before, listing = listings.harm(look), listings.NOTHING
    was_raised, look.raises = look.raises, look.raises or name in _RAISES
    if name in ("xargs", "parallel") and (listing := listings.given_to(look, command)).folders:
        listings.refuse_named(look, inner, listing)
    if name == "xargs":
        filled = _filled(look, inner, values, args, command)
        more = [] if filled is not inner else _given(look, command, values, args)
        look.words([*(filled or [Arg("echo", "echo")]), *more], command)
    elif name in _RAISES and not inner and {"-s", "-i", "--shell", "--login"} & set(values):
        interpreters.shell(look, "sh", [Arg("sh")], [], command)
    elif name == "parallel" and any("{}" in arg.start for arg in inner):
        look.words(_filled(look, inner, ["-I", "{}"], args, command), command)
    elif inner:
        look.words(inner, command)
    look.raises = was_raised
    if listing.folders and not listing.is_bare:
        listings.refuse_harm(look, inner, listing.folders, before)


def _sets_variables(look: Look, name: str, args: list[Arg], values: list[str | None]) -> None:
    """`env NAME=VALUE …` with a name that changes what commands do."""
    for arg in args[1:] if name == "env" and "-i" not in values else []:
        found = re.match(r"([A-Za-z_]\w*)=", arg.start)
        if (
            found and found[1] != "IFS" and GUARDED_VARIABLES.match(found[1])
        ):  # a child starts with an IFS of its own
            look.add("unknown", f"sets {found[1]}, which changes what commands do", name)


def _filled(
    look: Look, inner: list[Arg], values: list[str | None], args: list[Arg], command: Command
) -> list[Arg]:
    """The arguments of `xargs -I{} …` with what is read in the place of {}."""
    at = next(
        (n for n, value in enumerate(values) if value and re.match(r"-I|-i|--replace", value)), None
    )
    if at is None:
        return inner
    mark = _mark(values[at] or "") or (value_of(values, "-I") or "{}")
    text = inputs.input_of(look, command)
    line = text.strip() if text is not None and text.count("\n") < 2 else None
    if line is None and (listing := listings.given_to(look, command)).is_bare:
        for arg in inner:
            if arg.start.endswith(f"/{mark}"):
                listings.refuse_named(look, inner, listing, arg.start.removesuffix(mark))
    scripts = [
        n for n in range(2, len(inner)) if inner[n - 1].text == "-c" and inner[n - 2].text in SHELLS
    ]
    if (
        line is None and scripts and " " in inner[scripts[0]].start
    ):  # `sh -c 'echo {}; wc {}'`: a name in a script
        text = inner[scripts[0]].start.replace(mark, "$__listed")
        return [*inner[: scripts[0]], Arg(text, text), *inner[scripts[0] + 1 :]]
    return [
        arg
        if mark not in arg.start
        else Arg(None, arg.start.partition(mark)[0] or _given(look, command, values, args)[0].start)
        if line is None
        else Arg(arg.start.replace(mark, line), "")
        for arg in inner
    ]


def _mark(option: str) -> str:
    """What `-I{}`, `-iFILE` and `--replace=X` name; "" where it stands in the next word, or nowhere."""
    return option.partition("=")[2] if option.startswith("--") else option[2:]


def _as_text(look: Look, name: str, values: list[str | None]) -> bool:
    """The ways in which a wrapper takes a whole command line as one text."""
    if name in ("env",) and any(
        value and value.startswith(("-S", "--split-string")) for value in values
    ):
        at = next(
            n
            for n, value in enumerate(values)
            if value and value.startswith(("-S", "--split-string"))
        )
        rest = re.sub(r"^(-S|--split-string=?)", "", values[at] or "") or (
            values[at + 1] if at + 1 < len(values) else None
        )
        look.nested([rest])
        return True
    if name == "flock" and "-c" in values:
        look.nested(values[values.index("-c") + 1 :][:1] or [None])
        return True
    if name in ("watch", "parallel"):
        texts = [value for value in values if value and " " in value and not value.startswith("-")]
        look.nested(texts[:1])
        return bool(texts)
    return False


def _given(look: Look, command: Command, values: list[str | None], args: list[Arg]) -> list[Arg]:
    """What xargs adds: the words that it reads, or an argument that is not known."""
    at = next((n + 1 for n, value in enumerate(values[:-1]) if value in ("-a", "--arg-file")), 0)
    if at and (stream := args[at + 1].stream):
        text = inputs.output_of(look, stream)
    elif at and (path := look.path(args[at + 1])) is not None:
        text = look.written.get(str(path))
    else:
        text = inputs.input_of(look, command)
    if text is not None and len(text) < 2000:
        return [Arg(word, word) for word in re.split(r"[\s\0]+", text) if word] or [Arg(None)]
    source = command.source
    name = (source.words[0].literal or "") if source and source.words else ""
    if source is None or name not in _LISTS:
        return [Arg(None)]
    found = look.expander().words(source.words)
    if name == "find" and not finds.is_filtered([arg.start for arg in found]):
        return finds.roots(found)
    return [Arg(None, _listed_in(look, name, found))]


def _listed_in(look: Look, name: str, args: list[Arg]) -> str:
    """The folder of the files that find, grep and the like list; "" when it is not known."""
    values = [arg.text for arg in args[1:]]
    if name == "find":
        roots = finds.roots(args)
    elif name in ("git", "ls"):
        roots = [Arg(".", ".")] if values[:1] in (["ls-files"], ["grep"], ["diff"]) else []
        if name == "ls":
            named = [
                arg.start.rpartition("/")[0]
                for arg in args[1:]
                if arg.is_pattern and "/" in arg.start
            ]
            roots = [Arg(folder, folder) for folder in named]
    else:
        is_listing = any(
            re.match(r"-\w*[lL]|--files", value or "") for value in values
        ) or name.startswith("fd")
        pattern = 0 if {"-e", "-f", "--files"} & set(values) else 1
        roots = (
            [arg for arg in args[1:] if not arg.start.startswith("-")][pattern:]
            if is_listing
            else []
        )
        roots = roots or ([Arg(".", ".")] if is_listing else [])
    if len(roots) != 1 or not roots[0].text:
        return ""
    return f"{look.join(roots[0].text) or '/'}/listed/"
