"""What a shell script would do to the world, command by command. What is not understood is asked about.

shell.py reads the script, expand.py knows its arguments, tables.py what commands do by their names. Each subject has its own
file: inputs.py, variables.py, finds.py, wrappers.py, interpreters.py, starters.py, handing_on.py, git_commands.py, elsewhere.py, windows.py,
file_effects.py; vital.py and catastrophes.py refuse what cannot be undone for the whole machine.
"""

from __future__ import annotations

import fnmatch
import os
import re
import shlex
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from safety import (
    catastrophes,
    elsewhere,
    everything,
    file_effects,
    finds,
    git_commands,
    handing_on,
    inputs,
    interpreters,
    listings,
    packages,
    queries,
    script_text,
    starters,
    variables,
    verbs,
    vital,
    windows,
    wrappers,
)
from safety.expand import Arg, Expander
from safety.inputs import MAX_DEPTH
from safety.listings import Listing
from safety.options import matches, operands_of
from safety.paths import Places, without_links
from safety.shell import Command, Script, read
from safety.showing import only_shows
from safety.tables import INTERPRETERS, PLAIN, SHELLS, WRAPPERS, Finding, Risk
from text import pattern

MAX_COMMANDS = 250  # in one script; nobody reads more before they say yes
MAX_CHARS = 20_000  # a longer script is looked at in part, and asked about
_INVISIBLE = pattern("[\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff\u00ad]")
_CONTINUED = pattern(r"(?<=[^\s\\])\\\n(?=\S)")
_NAMES_SHELL = pattern(r"--?[\w-]+[=:](exec:)?(/usr)?/bin/(ba|da|z|k|a)?sh\b")
_REMOTE = {"ssh", "mosh"}
_CONTAINERS = {"docker", "podman", "nerdctl", "docker-compose", "podman-compose"}


@dataclass(slots=True)
class Look:
    """One look at a script: gathers findings. `python` looks at Python code. `variables` are those known at its start."""

    places: Places
    python: Callable[[str, Path | None, int], list[Finding]]
    cwd: Path | None
    variables: dict[str, str] = field(default_factory=dict)
    depth: int = 0
    forbidden: frozenset[str] = (
        frozenset()
    )  # commands that the owner's config forbids, whatever they do
    findings: list[Finding] = field(default_factory=list)
    functions: dict[str, list[Command]] = field(default_factory=dict)
    aliases: dict[str, str] = field(default_factory=dict)
    written: dict[str, str | None] = field(
        default_factory=dict
    )  # files that the script made: their text, if known
    programs: dict[str, str] = field(
        default_factory=dict
    )  # copies of programs that it made: their names
    positional: list[str] | None = None
    arrays: dict[str, list[str]] = field(default_factory=dict)
    outputs: set[str] = field(default_factory=set)
    budget: list[int] = field(default_factory=lambda: [MAX_COMMANDS])
    seen: set[tuple[str, str, Path | None]] = field(
        default_factory=set
    )  # commands, and files that they read
    loops: dict[str, list[str]] = field(default_factory=dict)
    paths: dict[str, Path] = field(default_factory=dict)  # with links followed
    listed: dict[str, Listing] = field(
        default_factory=dict
    )  # variables that go over all that is in a folder
    over: dict[str, tuple[Command, ...]] = field(
        default_factory=dict
    )  # … over what these commands print
    raises: bool = False  # the commands are run with the rights of root
    unplaced: list[str] = field(
        default_factory=list
    )  # programs that write to a place which is only known when they run
    calls: int = 0  # how often inputs.py has worked out what a command prints

    # Scripts

    def script(self, text: str) -> list[Finding]:
        """What the script would do. Understands or says that it does not; never raises."""
        script_text.told(self, text)
        if self.depth > MAX_DEPTH:
            self.add("unknown", "scripts within scripts, too deep", "")
            return self.findings
        whole = text
        if len(text) > MAX_CHARS:
            self.add(
                "unknown",
                f"the script is longer than {MAX_CHARS:,} characters: too long to be looked at",
                "",
            )
            text = script_text.ends(text)
        if "\\\n" in text and _CONTINUED.search(text):  # a word that goes on in the next line
            self.nested([_CONTINUED.sub("", text)])
        found = read(text)
        if found.problem:
            self.add("unknown", f"not understood: {found.problem}", "")
            if len(found.commands) <= MAX_COMMANDS:
                script_text.in_pieces(self, text)
        self._run(found)
        if self.depth == 0 and (text is not whole or found.problem or self.budget[0] < 0):
            script_text.worst(self, whole)
        return self.findings

    def _run(self, found: Script) -> None:
        self.functions |= found.functions
        for name, body in found.functions.items():
            own = [each for each in body if len(each.words) == 1 and each.words[0].literal == name]
            if len(own) > 1:
                self.add("catastrophic", f"{name} starts itself again and again: a fork bomb", "")
        for command in found.commands:
            self.command(command)

    def nested(self, scripts: Sequence[str | None], positional: list[str] | None = None) -> None:
        """Looks at scripts that this one runs; None: one that is only known when it runs."""
        for script in scripts:
            if script is None:
                self.add("unknown", "runs a script that is only known when it runs", "")
            else:
                inner = self.inner()
                inner.positional = positional
                self.findings += inner.script(script)

    def inner(self) -> Look:
        """A look at what a command runs: it knows what this one knows, and changes nothing here."""
        inner = Look(
            self.places, self.python, self.cwd, dict(self.variables), self.depth + 1, self.forbidden
        )
        inner.functions, inner.aliases, inner.written = (
            dict(self.functions),
            dict(self.aliases),
            dict(self.written),
        )
        inner.paths, inner.programs = self.paths, self.programs
        inner.listed, inner.over, inner.unplaced = dict(self.listed), dict(self.over), self.unplaced
        inner.raises = self.raises
        inner.budget, inner.arrays, inner.outputs = (
            self.budget,
            dict(self.arrays),
            set(self.outputs),
        )
        return inner

    def add(self, risk: Risk, reason: str, command: str) -> None:
        self.findings.append(Finding(risk, reason, command))

    def command(self, command: Command) -> None:
        """One command of the script, as often as a loop around it has known values."""
        if self.budget[0] <= 0:
            if self.budget[0] == 0:
                self.add(
                    "unknown", f"more than {MAX_COMMANDS} commands: too many to be looked at", ""
                )
            self.budget[0] = -1
            return
        self.budget[0] -= 1
        for name, word in command.assignments:
            variables.assign(self, name, word)
        if command.loop_variable:
            variables.loop(self, command)
            return
        if self.loops and (used := variables.used_loop(self, command)):
            for value in self.loops[used]:
                self.variables[used] = value
                self._simple(command)
            self.variables.pop(used)
            return
        self._simple(command)

    def _simple(self, command: Command) -> None:
        args = self.expander().words(command.words)
        file_effects.redirects(self, command, args)
        if args:
            listings.refuse(self, args, command)
            self.words(args, command)

    def expander(self) -> Expander:
        """What is known of the variables at this place of the script."""
        return Expander(
            self.variables,
            lambda commands: inputs.output_of(self, commands),
            self.arrays,
            self.outputs,
            self.positional,
        )

    # One command

    def words(self, args: list[Arg], command: Command) -> None:
        """One command with its arguments; a wrapper's inner command comes back here."""
        name = args[0].text
        if name is None or (args[0].is_pattern and name not in ("[", "[[")):
            self.add("unknown", "the name of a command is only known when it runs", "")
            if name is not None:
                self._guessed(name, args, command)
            return
        if not name:
            return
        if name in self.aliases and len(self.aliases) < 50:
            text = self.aliases.pop(name)
            known = [arg.text for arg in args[1:]]
            self.nested(
                [
                    None
                    if None in known
                    else shlex.join([each or "" for each in known]).join((text + " ", ""))
                ]
            )
            return
        if name in self.functions and self.depth <= MAX_DEPTH:
            self._call(name, args)
            return
        if not name.isascii() and not name.startswith(("./", "/", "~")):
            self.add(
                "unknown",
                f"{name!r} looks like the name of a command and is none that is known",
                "",
            )
            plain = unicodedata.normalize("NFKC", _INVISIBLE.sub("", name)).strip()
            if plain.isascii() and plain and plain != name:
                self.words([Arg(plain, plain), *args[1:]], command)
            return
        self._executed(name, args, command)

    def _guessed(self, pattern: str, args: list[Arg], command: Command) -> None:
        base = pattern.rpartition("/")[2]
        for name in ("rm", "dd", "chmod", "mv", "bash", "sh"):
            if fnmatch.fnmatchcase(name, base):
                self.words([Arg(name, name), *args[1:]], command)
                return

    def _call(self, name: str, args: list[Arg]) -> None:
        body = self.functions[name]
        values = [arg.text for arg in args[1:]]
        inner = self.inner()
        inner.functions.pop(name, None)
        inner.positional = None if None in values else [value or "" for value in values]
        for each in body:
            inner.command(each)
        self.findings += inner.findings

    def _executed(self, name: str, args: list[Arg], command: Command) -> None:
        path = self.path(args[0]) if "/" in name else None
        if path is not None and (program := self.programs.get(str(path))):
            self.words([Arg(program, program), *args[1:]], command)
            return
        if path is not None and str(path) in self.written:
            self.nested([self.written[str(path)]])
            return
        key = (args[0].start, "\1".join(str(arg.text) for arg in args), self.cwd)
        if (
            command.source is None
            and not command.redirects
            and name not in SHELLS
            and key in self.seen
        ):
            return  # the same again: the same findings
        self.seen.add(key)
        name = name.rpartition("/")[2] or name
        if name.lower().endswith(".exe"):
            name = name[:-4].lower()
        values = [arg.text for arg in args[1:]]
        self._read(name, args)
        if windows.empties(name, [word.written for word in command.words[1:]]):
            self.add("catastrophic", f"{name}: the system or a whole home", name)
        if windows.is_known(name):
            for risk, reason in windows.judge(" ".join(each or "?" for each in [name, *values])):
                self.add(risk, reason, name)
        elif not only_shows(name, values):
            self._by_name(name, args, values, command)
        vital.judge(self, name, args, values)
        catastrophes.judge(self, name, args, values, command)
        everything.judge(self, name, values, command)
        file_effects.targets(self, name, args, command)
        self._inner(name, args, values, command)
        if name in self.forbidden and name not in [finding.command for finding in self.findings]:
            self.add("forbidden", f"{name} is forbidden by the owner's config", name)

    def _read(self, name: str, args: list[Arg]) -> None:
        """The files that are named, and the code in `<(…)`."""
        for arg in args[1:]:
            file_effects.read(self, arg, name)
            if arg.stream and (text := inputs.output_of(self, arg.stream)):
                interpreters.deep(self, name, text)

    def _by_name(
        self, name: str, args: list[Arg], values: list[str | None], command: Command
    ) -> None:
        """What the tables and the rules of verbs say of a command."""
        # `-j$(nproc)`: an option of which only the value is not known
        told = [
            arg.start if arg.text is None and re.match(r"-\w", arg.start) else arg.text
            for arg in args[1:]
        ]
        found = list(matches(name, told))
        for risk, reason in found:
            self.add(risk, f"{name}: {reason}", name)
        operands = operands_of(name, told)
        if packages.changes(name, operands, told) and "install" not in [risk for risk, _ in found]:
            self.add("install", f"{name}: installs software", name)
        if name not in WRAPPERS and any(_NAMES_SHELL.match(value or "") for value in told):
            self.add("unknown", f"{name} starts a command that is named in an argument", name)
        if name in queries.CLIENTS or name in ("redis-cli", "valkey-cli", "keydb-cli"):
            elsewhere.database(self, name, args, values, command)
        elif name in _CONTAINERS:
            elsewhere.container(self, name, operands, args, values, command)
        elif name.lower() in verbs.CLOUDS:
            elsewhere.cloud(self, name.lower(), values, operands)
        elif name in verbs.RUNNERS or name in (
            "php",
            "python",
            "python3",
            "uv",
            "poetry",
            "bundle",
            "npx",
        ):
            elsewhere.task(self, name, operands, values)
        elif not found and name not in WRAPPERS and name not in PLAIN:
            self._unlisted(name, told, operands)

    def _unlisted(self, name: str, told: list[str | None], operands: list[str | None]) -> None:
        """A program that no table has, by its own name, its first words and its options."""
        kind = "deletes" if operands and verbs.judge_name(name) else verbs.judge_unknown(operands)
        option = verbs.judge_options(told)
        if option or kind:
            risk: Risk = "delete" if option or kind == "deletes" else "send"
            self.add(
                risk, f"{name} {option or operands[0]}: by its name it changes something", name
            )

    # What runs something else

    def _inner(
        self, name: str, args: list[Arg], values: list[str | None], command: Command
    ) -> None:
        handler = HANDLERS.get(name)
        if handler:
            handler(self, name, args, values, command)
        elif name in SHELLS:
            interpreters.shell(self, name, args, values, command)
        elif re.fullmatch(r"(python|pypy)[\d.]*", name):
            interpreters.python(self, name, args, values, command)
        elif name in INTERPRETERS:
            interpreters.interpreter(self, name, args, values, command)
        if name in WRAPPERS:
            wrappers.wrapped(self, name, args, command)
        if name in handing_on.PROGRAMS:
            handing_on.judge(self, name, args, values, command)

    def _change_folder(
        self, name: str, args: list[Arg], values: list[str | None], command: Command
    ) -> None:
        operands = [arg for arg in args[1:] if not arg.start.startswith("-")]
        self.cwd = self.path(operands[0]) if operands else self.places.owner
        if self.cwd is None:
            self.variables.pop("PWD", None)
        else:
            self.variables["PWD"] = str(self.cwd)

    # Places

    def path(self, arg: Arg) -> Path | None:
        """The path that an argument names, if it is known."""
        return None if arg.text is None else self.join(arg.text)

    def join(self, text: str) -> Path | None:
        """The path that a name stands for, with links followed; None when the working folder is not known."""
        if not text.startswith("/") and self.cwd is None:
            return None
        key = text if self.cwd is None or text.startswith("/") else f"{self.cwd}/{text}"
        if key not in self.paths:
            self.paths[key] = self._followed(key)
        return self.paths[key]

    def _followed(self, text: str) -> Path:
        """The path without dots, and without links as far as it exists. A folder's own links are followed once."""
        folder, _, name = text.rpartition("/")
        if name in ("", ".", "..") or not folder:
            return without_links(Path(text))
        if folder not in self.paths:
            self.paths[folder] = without_links(Path(folder))
        path = self.paths[folder] / name
        return without_links(path) if os.path.islink(path) else path  # noqa: PTH114 - a name that cannot be is no link here


_Handler = Callable[[Look, str, list[Arg], list[str | None], Command], None]
HANDLERS: dict[str, _Handler] = {
    **dict.fromkeys(("cd", "pushd"), Look._change_folder),
    **dict.fromkeys(("export", "declare", "local", "readonly", "typeset"), variables.declare),
    **dict.fromkeys((".", "source"), interpreters.source),
    **dict.fromkeys(
        ("vim", "vi", "nvim", "ex", "ed", "view", "less", "more", "man", "most"), starters.editor
    ),
    **dict.fromkeys(("tar", "gtar", "bsdtar"), starters.tar),
    **dict.fromkeys(("sed", "gsed"), starters.sed),
    **dict.fromkeys(("su", "script", "runuser"), starters.su),
    **dict.fromkeys(("tee", "cp", "mv", "ln", "install", "sponge"), starters.copy),
    **dict.fromkeys(
        (
            "make",
            "gmake",
            "rsync",
            "coproc",
            "sort",
            "split",
            "zip",
            "git-grep",
            "rg",
            "at",
            "batch",
        ),
        starters.misc,
    ),
    **dict.fromkeys(interpreters.FETCHES, starters.fetch),
    **dict.fromkeys(_REMOTE, starters.ssh),
    **dict.fromkeys(windows.PROGRAMS, starters.of_windows),
    **dict.fromkeys(
        ("ansible", "salt", "salt-ssh", "pssh", "parallel-ssh", "pdsh", "clush", "dsh", "mussh"),
        starters.others,
    ),
    "cpio": starters.cpio,
    "scp": starters.scp,
    **dict.fromkeys(("dig", "host", "nslookup", "ping", "whois", "traceroute"), starters.asks),
    "osascript": interpreters.apple,
    "openssl": starters.openssl,
    "eval": interpreters.evaluate,
    "trap": interpreters.trap,
    "alias": interpreters.alias,
    "set": variables.positional,
    "unset": variables.unset,
    "read": variables.read,
    "mapfile": variables.read_lines,
    "readarray": variables.read_lines,
    "printf": variables.printf,
    "find": finds.find,
    "fd": finds.fd,
    "fdfind": finds.fd,
    "git": git_commands.git,
    "crontab": starters.crontab,
}
