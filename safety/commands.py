"""What a shell script would do to the world, command by command.

tables.py says what commands do by their names, verbs.py what the command lines of clouds do by their verbs, queries.py
what is asked of databases, code.py what one-liners do; shell.py reads the script and expand.py knows its arguments.
What is not understood is asked about, what cannot be undone for the whole machine is refused.
"""

from __future__ import annotations

import fnmatch
import itertools
import os
import re
import shlex
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from safety import catastrophes, code, git_commands, queries, starters, verbs, windows
from safety.expand import Arg, Expander
from safety.options import (
    LOCAL_TOOLS,
    behind,
    cut,
    is_operand,
    matches,
    only_shows,
    operands_of,
    option_values,
    value_of,
)
from safety.outputs import filtered, printed
from safety.paths import SYSTEM, Places
from safety.patterns import pattern
from safety.shell import Command, Part, Redirect, Script, Word, read
from safety.tables import GUARDED_VARIABLES, INTERPRETERS, SHELLS, TABLE, WRAPPERS, WRITES, Finding, Risk, names

__all__ = ["GUARDED_VARIABLES", "INTERPRETERS", "SHELLS", "TABLE", "WRAPPERS", "WRITES", "Finding", "Look", "Risk"]

MAX_DEPTH = 6
MAX_COMMANDS = 250  # in one script; nobody reads more before they say yes
MAX_CHARS = 20_000  # a longer script is looked at in part, and asked about
_BOMB = pattern(
    r"(?<![\w:.])([\w:.]{1,40})\s{0,9}\(\)\s{0,9}[{(]\s{0,9}\1\s{0,9}[|&]\s{0,9}\1\s{0,9}&?\s{0,9};?\s{0,9}[})]"
    r"|while\s{1,9}(true|:)[^\n]{0,20}do[^\n]{0,20}\$0\s{0,9}&"
)
_QUOTED = pattern(r"'[^']*'|\"(?:[^\"\\]|\\.)*\"", re.DOTALL)
_DRIVE = pattern(r"(?im)\s[\"']?[a-z]:[\\/]?(windows|users|program files)?[\\/]?\*?[\"']?(?=[\s;&|]|$)")
_DRIVE_ERASERS = names("remove-item ri del erase rd rmdir deltree format")
# In what is too long to be looked at as a whole: what could be the target of a catastrophe, by its looks.
_WORST_TARGET = pattern(
    r"/(?<![\w/.~-]/)(?:bin|boot|dev|etc|home|lib\w*|opt|proc|root|sbin|srv|sys|usr|var|Users|System|Library)?/?['\"]?(?:/?\*)?['\"]?(?=[\s;&|)'\"`]|$)"
    r"|~(?<![\w/.~-]~)/?['\"]?\*?(?=[\s;&|)'\"`]|$)|\$\{?HOME\b|/dev/(?:sd|hd|vd|xvd|nvme|mmcblk|disk|mapper|dm-|md)"
    r"|/etc/(?:passwd|shadow|sudoers|fstab)|/proc/sys|/boot/|\.sopwith|-preserve-root|-1\b|:\\|zpool\s|lvremove\s|vgremove\s|diskutil\s|base64|xxd"
)
_WORST_NAME = pattern(
    r"\b(rm|dd|mkfs|mke2fs|wipefs|shred|blkdiscard|chmod|chown|find|mv|cp|tee|kill|rsync|del|format|remove-item|base64)\b"
)
_SEPARATORS = pattern(r"[;&|\n]+")
MAX_PIECES = 40
_LOOKED_AT = 4_000  # characters of a longer script
_INVISIBLE = pattern("[\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff\u00ad]")
_DISKS = pattern(
    r"mkfs|mke2fs|mkdosfs|wipefs|blkdiscard|shred|mkswap|sgdisk|sfdisk|parted|hdparm|badblocks|pvremove|pvcreate|mdadm|cryptsetup|nvme|dd$|ddrescue|gdisk|wipe$"
)
_DISK_READS = names(
    "-l --list -p --print -d --dump print list -I -i --detail --examine luksDump isLuks smart-log id-ctrl -n --no-act status -tT -t -T"
)
_NEVER_READS = pattern(r"mkfs|mke2fs|mkdosfs|shred|mkswap|blkdiscard|dd$|ddrescue|pvremove|pvcreate|wipe$")
_DESTROYS = {
    ("lvremove", ""),
    ("vgremove", ""),
    ("zpool", "destroy"),
    ("zpool", "labelclear"),
    ("zfs", "destroy"),
    ("diskpart", ""),
    ("diskutil", "eraseDisk"),
    ("diskutil", "partitionDisk"),
    ("diskutil", "zeroDisk"),
    ("diskutil", "secureErase"),
}
_DELETES = {
    "rm",
    "rmdir",
    "unlink",
    "shred",
    "srm",
    "truncate",
    "mv",
    "chmod",
    "chown",
    "chgrp",
    "chattr",
    "setfacl",
    "Remove-Item",
    "rimraf",
    "wipe",
}
_NAMED_ONLY = {
    "ls",
    "stat",
    "test",
    "[",
    "cd",
    "echo",
    "printf",
    "mkdir",
    "which",
    "type",
    "file",
    "realpath",
    "basename",
    "dirname",
    "touch",
    "du",
    "find",
    "chmod",
    "git",
}
_FETCHES = {"curl", "wget", "fetch", "aria2c", "axel", "http", "https", "xh"}
_PRINTS = {
    "cat",
    "echo",
    "printf",
    "base64",
    "base32",
    "xxd",
    "rev",
    "tr",
    "openssl",
    "which",
    "command",
    "true",
    ":",
    "tee",
    "head",
    "tail",
    "sed",
}
_REMOTE = {"ssh", "mosh"}
_LISTS = {"find", "grep", "egrep", "rg", "fd", "fdfind", "git", "ls"}
# `eval "$(…)"`: programs that print settings for the shell that asks; running their output is no more than running them.
_HOOKS = pattern(
    r"(direnv (hook|export)|(pyenv|rbenv|nodenv|goenv|jenv|starship|zoxide|atuin|navi) init|brew shellenv|fnm env|mise (activate|env)|opam env|luarocks path"
    r"|conda shell\.\w+ hook|micromamba shell hook|ssh-agent|dircolors|minikube docker-env|docker-machine env|register-python-argcomplete|resize|thefuck --alias|fzf --\w+)\b"
)
_CONTAINERS = {"docker", "podman", "nerdctl", "docker-compose", "podman-compose"}
_CONTAINER_READS = names(
    "ps images logs inspect stats version info search top diff history port events build buildx tag save pull ls df show config create wait manifest attach_none help"
)
_FILTERS = {
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
    "-user",
    "-perm",
    "-maxdepth",
    "-inum",
    "-cmin",
    "-amin",
}

_PLAIN = names(
    "ls ll la cat head tail less more grep egrep fgrep rg ag ack find fd wc sort uniq cut paste join tr sed awk diff cmp comm stat file du df free ps top htop pgrep uptime whoami id date cal uname hostname env"
    " printenv echo printf pwd cd pushd popd which type whereis man info help tldr whatis apropos tree locate basename dirname realpath readlink md5sum sha1sum sha256sum cksum xxd od hexdump strings base64 jq yq test"
    " [ true false : sleep seq expr bc read export set unset local declare return exit shift let test mkdir touch cp mv ln tee vim vi nano code open xdg-open start git python python3 node ruby perl php lua java javac"
    " gcc g++ cc clang go cargo rustc pytest ruff mypy black flake8 pylint isort tsc eslint prettier jest mocha for if while case function select time notify-send say zip unzip tar gzip gunzip 7z ffmpeg convert pandoc"
    " column nl fold fmt rev shuf split csplit iconv dos2unix dig nslookup host ping traceroute curl wget ss netstat lsof lsblk lscpu lspci lsusb mount groups w who last jobs fg bg wait history journalctl dmesg"
    " systemctl tmux screen dpkg apt apt-get apt-cache rpm brew snap pip pip3 conda npm yarn pnpm npx uv poetry bundle rails rake gradle mvn dotnet flutter sqlite3 psql mysql xmllint csvlook exiftool rename watch timeout"
    " Get-ChildItem Get-Process Get-Content Write-Host Select-String dir ipconfig systeminfo where findstr Get-Item Test-Path sort-object cls clear reset stty tput getopts hash umask ulimit compgen complete"
)


@dataclass(slots=True)
class Look:
    """One look at a script: gathers findings. `python` looks at Python code. `variables` are those known at its start."""

    places: Places
    python: Callable[[str, Path | None, int], list[Finding]]
    cwd: Path | None
    variables: dict[str, str] = field(default_factory=dict)
    depth: int = 0
    findings: list[Finding] = field(default_factory=list)
    functions: dict[str, list[Command]] = field(default_factory=dict)
    aliases: dict[str, str] = field(default_factory=dict)
    written: dict[str, str | None] = field(
        default_factory=dict
    )  # files that the script itself made: their text, if known
    programs: dict[str, str] = field(default_factory=dict)  # copies of programs that it made: their names
    positional: list[str] | None = None
    arrays: dict[str, list[str]] = field(default_factory=dict)
    outputs: set[str] = field(default_factory=set)
    budget: list[int] = field(default_factory=lambda: [MAX_COMMANDS])
    _seen: set[tuple[str, str, Path | None]] = field(default_factory=set)  # what `_read` has looked at
    _loops: dict[str, list[str]] = field(default_factory=dict)
    _paths: dict[str, Path] = field(default_factory=dict)  # with links followed
    _calls: int = 0

    # Scripts

    def script(self, text: str) -> list[Finding]:
        """What the script would do. Understands or says that it does not; never raises."""
        self._texts(text)
        if self.depth > MAX_DEPTH:
            self.add("unknown", "scripts within scripts, too deep", "")
            return self.findings
        whole = text
        if len(text) > MAX_CHARS:
            self.add("unknown", f"the script is longer than {MAX_CHARS:,} characters: too long to be looked at", "")
            text = _ends(text)
        found = read(text)
        if found.problem:
            self.add("unknown", f"not understood: {found.problem}", "")
            if len(found.commands) <= MAX_COMMANDS:
                self._torn(text)
        self._run(found)
        if self.depth == 0 and (text is not whole or found.problem or self.budget[0] < 0):
            self._worst(whole)
        return self.findings

    def _texts(self, text: str) -> None:
        """What is told by the text of a script, whether it can be read or not."""
        bombs = _BOMB.finditer(text) if "()" in text or "$0" in text else iter(())
        for bomb in itertools.islice(bombs, 20):
            start, end = max(text.rfind("\n", 0, bomb.start()), bomb.start() - 500), bomb.end() + 500
            if _BOMB.search(_QUOTED.sub("", text[start + 1 : end])):
                self.add("catastrophic", "a fork bomb", "")
                break
        if "done" in text:
            catastrophes.endless(self, _QUOTED.sub("", text))
        drives = _DRIVE.finditer(text) if ":" in text else iter(())
        for drive in itertools.islice(drives, 20):
            line = text[max(text.rfind("\n", 0, drive.start()), drive.start() - 500) + 1 : drive.end()]
            if any(
                (each.words[0].literal or "").lower() in _DRIVE_ERASERS for each in read(line).commands if each.words
            ):
                self.add("catastrophic", "deletes or formats a whole drive", "")
                break

    def _worst(self, text: str) -> None:
        """What must be refused in a script that cannot be looked at as a whole: by the places that it names."""
        pieces: dict[str, None] = {}
        for found in itertools.islice(_WORST_TARGET.finditer(text), 2_000):
            before, behind = text[max(found.start() - 200, 0) : found.start()], text[found.end() : found.end() + 200]
            start = [mark.end() for mark in _SEPARATORS.finditer(before)][-2:-1]
            ends = [mark.start() for mark in _SEPARATORS.finditer(behind)][:3]
            piece = before[start[0] if start else 0 :] + found[0] + behind[: ends[-1] if ends else None]
            pieces[piece] = None
        for piece in sorted(pieces, key=lambda each: not _WORST_NAME.search(each))[:MAX_PIECES]:
            inner = self._inner_look()
            inner.depth, inner.budget = max(inner.depth, 1), [20]
            self.findings += [each for each in inner.script(piece) if each.risk in ("catastrophic", "agent")]

    def _run(self, found: Script) -> None:
        self.functions |= found.functions
        for name, body in found.functions.items():
            own = [each for each in body if len(each.words) == 1 and each.words[0].literal == name]
            if len(own) > 1:
                self.add("catastrophic", f"{name} starts itself again and again: a fork bomb", "")
        for command in found.commands:
            self._command(command)

    def _torn(self, text: str) -> None:
        """What cannot be read as a whole is read in pieces, for the sake of what must be refused."""
        for line in re.split(r"[;&|\n()]+", text[:4000])[:60]:
            try:
                words = shlex.split(line)
            except ValueError:
                continue
            if words:
                self._command(Command([Word([Part("text", word)]) for word in words]))

    def nested(self, scripts: Sequence[str | None], positional: list[str] | None = None) -> None:
        """Looks at scripts that this one runs; None: one that is only known when it runs."""
        for script in scripts:
            if script is None:
                self.add("unknown", "runs a script that is only known when it runs", "")
            else:
                inner = self._inner_look()
                inner.positional = positional
                self.findings += inner.script(script)

    def _inner_look(self) -> Look:
        inner = Look(self.places, self.python, self.cwd, dict(self.variables), self.depth + 1)
        inner.functions, inner.aliases, inner.written = dict(self.functions), dict(self.aliases), dict(self.written)
        inner._paths, inner.programs = self._paths, self.programs
        inner.budget, inner.arrays, inner.outputs = self.budget, dict(self.arrays), set(self.outputs)
        return inner

    def add(self, risk: Risk, reason: str, command: str) -> None:
        self.findings.append(Finding(risk, reason, command))

    def _command(self, command: Command) -> None:
        if self.budget[0] <= 0:
            if self.budget[0] == 0:
                self.add("unknown", f"more than {MAX_COMMANDS} commands: too many to be looked at", "")
            self.budget[0] = -1
            return
        self.budget[0] -= 1
        for name, word in command.assignments:
            self._assign(name, word)
        if command.loop_variable:
            self._loop(command)
            return
        if self._loops and (used := self._used_loop(command)):
            for value in self._loops[used]:
                self.variables[used] = value
                self._simple(command)
            self.variables.pop(used)
            return
        self._simple(command)

    def _used_loop(self, command: Command) -> str | None:
        """The variable of a loop whose values are known, if the command uses one."""
        words = [*command.words, *(redirect.word for redirect in command.redirects)]
        return next(
            (
                part.value
                for word in words
                for part in word.parts
                if part.kind == "variable" and part.value in self._loops
            ),
            None,
        )

    def _simple(self, command: Command) -> None:
        args = self._expander().words(command.words)
        self._redirects(command, args)
        if args:
            self._words(args, command)

    def _expander(self) -> Expander:
        return Expander(self.variables, self._output_of, self.arrays, self.outputs, self.positional)

    # Variables

    def _assign(self, name: str, word: Word) -> None:
        expander = self._expander()
        if GUARDED_VARIABLES.match(name) and name != "IFS":
            self.add("unknown", f"sets {name}, which changes what commands do", name)
        if name in ("HISTFILE", "HISTSIZE", "HISTFILESIZE"):
            self.add("system", f"sets {name}: the shell forgets what was done", name)
        if name == "PS4" and word.parts:
            self.nested([f'echo "{expander.text(word) or ""}"'])
        self.outputs.discard(name)
        if word.items is not None:
            args = expander.words(word.items)
            self.arrays[name] = [arg.text or "\0" for arg in args]
            if any(arg.text is None for arg in args):
                self.arrays.pop(name)
                self.outputs.add(name)
            return
        value = expander.text(word)
        if value is None or "\0" in value:
            self.variables.pop(name, None)
            if expander.holds_output(word):
                self.outputs.add(name)
        else:
            self.variables[name] = value

    def _loop(self, command: Command) -> None:
        """`for NAME in …`: the last value that does harm counts, so each known one is tried where it is used."""
        values = [arg.text for arg in self._expander().words(command.words[1:])]
        known = [value for value in values if value is not None]
        self._loops.pop(command.loop_variable, None)
        self.variables.pop(command.loop_variable, None)
        if known and len(known) == len(values):
            if len(known) == 1:
                self.variables[command.loop_variable] = known[0]
            else:
                self._loops[command.loop_variable] = known[:8]

    def _exports(self, name: str, args: list[Arg], words: list[Word]) -> None:
        for arg, word in zip(args[1:], words[1:], strict=False):
            found = re.match(r"([A-Za-z_]\w*)\+?=", arg.start)
            if not found:
                continue
            first = word.parts[0]
            rest = Part(first.kind, first.value.partition("=")[2], first.is_quoted)
            is_reference = name in ("declare", "typeset", "local") and any(
                each.text and re.fullmatch(r"-\w*n\w*", each.text) for each in args
            )
            if is_reference and arg.text is not None:
                self.aliases[""] = ""
                self.add("unknown", f"{name} -n: a second name for a variable", name)
            self._assign(found[1], Word([rest, *word.parts[1:]], word.items))

    # What a command prints, as far as it is known

    def _output_of(self, commands: tuple[Command, ...]) -> str | None:
        if not commands or self.depth > MAX_DEPTH or (len(commands) > 1 and commands[-1].source is None):
            return None
        return self._output(commands[-1])

    def _output(self, command: Command) -> str | None:
        self._calls += 1
        if self._calls > 200:
            return None
        args = [arg.text for arg in self._expander().words(command.words)]
        if any(arg is None for arg in args) or not args:
            return None
        words = [arg or "" for arg in args]
        name, values = words[0].rpartition("/")[2], words[1:]
        if name not in _PRINTS:
            return None
        return self._printed(name, values, command)

    def _from_disguise(self, command: Command | None) -> bool:
        """Whether a text was written so that one could not read it: nobody needs that for what is harmless."""
        while command is not None:
            name = (command.words[0].literal or "").rpartition("/")[2] if command.words else ""
            if name in ("base64", "base32", "xxd", "rev", "tr", "openssl"):
                return True
            command = command.source
        return False

    def _printed(self, name: str, values: list[str], command: Command) -> str | None:
        if name in ("echo", "printf"):
            return printed(name, values)
        if name in ("which", "command"):
            return values[-1] if values and (name == "which" or values[0] in ("-v", "-V")) else None
        if name in ("true", ":"):
            return ""
        given = self.input(command)
        operands = [value for value in values if not value.startswith("-")]
        if name == "cat" and operands:
            texts = [self.written.get(str(self.join(value))) for value in operands]
            return None if None in texts else "".join(text or "" for text in texts)
        if name in ("base64", "base32") and operands:
            given = None
        return None if given is None else filtered(name, values, given)

    def input(self, command: Command) -> str | None:
        """What a command reads, if that is known."""
        given = [
            redirect
            for redirect in command.redirects
            if redirect.operator.startswith("<") and redirect.operator != "<&"
        ]
        expander = self._expander()
        if given:
            last = given[-1]
            if last.operator in ("<<", "<<<"):
                return expander.text(last.word)
            args = expander.word(last.word)
            if args and args[0].stream:
                return self._output_of(args[0].stream)
            path = self.path(args[0]) if args else None
            return self.written.get(str(path)) if path else None
        return self._output(command.source) if command.source else None

    @staticmethod
    def has_input(command: Command) -> bool:
        """Whether something is sent to a command, by a pipe or from a file."""
        return command.is_piped or any(redirect.operator.startswith("<") for redirect in command.redirects)

    # One command

    def _redirects(self, command: Command, args: list[Arg]) -> None:
        name = (args[0].text or "") if args else ""
        for redirect in command.redirects:
            operator = redirect.operator
            if operator in (">", ">>", ">|", "<>", "&>", "&>>", ">&"):
                targets = self._expander().word(redirect.word)
                if operator == ">&" and (not targets or re.fullmatch(r"\d+-?|-", targets[0].text or "")):
                    continue
                self._redirected(targets[0] if targets else Arg(""), redirect, command, name)
            elif operator == "<":
                for arg in self._expander().word(redirect.word):
                    self._read(arg, "<")

    def _redirected(self, target: Arg, redirect: Redirect, command: Command, name: str) -> None:
        if target.stream:
            return
        if target.start.startswith(("/dev/tcp/", "/dev/udp/")):
            self.add("send", f"talks to {target.start[9:]}", name)
            return
        is_append = redirect.operator.endswith(">>")
        self.write(target, ">")
        path = self.path(target)
        if path is None:
            return
        text = self._output(command) if command.words else ""
        if not is_append and redirect.operator != "<>" and not str(path).startswith("/dev/"):
            is_empty = (not command.is_piped and name in ("", ":", "true")) or (
                name == "cat" and text is None and self._reads_nothing(command)
            )
            if is_empty:
                self.add("delete", f"empties {path}", name)
        before = self.written.get(str(path), "") if is_append else ""
        self.written[str(path)] = None if text is None or before is None else before + text

    def _reads_nothing(self, command: Command) -> bool:
        return [word.literal for word in command.words[1:]] == ["/dev/null"]

    def _words(self, args: list[Arg], command: Command) -> None:
        """One command with its arguments; a wrapper's inner command comes back here."""
        name = args[0].text
        if name is None or (args[0].is_pattern and name not in ("[", "[[")):
            self.add("unknown", "the name of a command is only known when it runs", "")
            if name is not None:
                self._guessed(name, args, command)
            return
        if not name:
            return
        if not name.isascii() and not name.startswith(("./", "/", "~")):
            self.add("unknown", f"{name!r} looks like the name of a command and is none that is known", "")
            plain = unicodedata.normalize("NFKC", _INVISIBLE.sub("", name)).strip()
            if plain.isascii() and plain and plain != name:
                self._words([Arg(plain, plain), *args[1:]], command)
            return
        if name in self.aliases and len(self.aliases) < 50:
            text = self.aliases.pop(name)
            known = [arg.text for arg in args[1:]]
            self.nested([None if None in known else shlex.join([each or "" for each in known]).join((text + " ", ""))])
            return
        if name in self.functions and self.depth <= MAX_DEPTH:
            self._call(name, args)
            return
        self._executed(name, args, command)

    def _guessed(self, pattern: str, args: list[Arg], command: Command) -> None:
        base = pattern.rpartition("/")[2]
        for name in ("rm", "dd", "chmod", "mv", "bash", "sh"):
            if fnmatch.fnmatchcase(name, base):
                self._words([Arg(name, name), *args[1:]], command)
                return

    def _call(self, name: str, args: list[Arg]) -> None:
        body = self.functions[name]
        values = [arg.text for arg in args[1:]]
        inner = self._inner_look()
        inner.functions.pop(name, None)
        inner.positional = None if None in values else [value or "" for value in values]
        for each in body:
            inner._command(each)
        self.findings += inner.findings

    def _executed(self, name: str, args: list[Arg], command: Command) -> None:
        path = self.path(args[0]) if "/" in name else None
        if path is not None and (program := self.programs.get(str(path))):
            self._words([Arg(program, program), *args[1:]], command)
            return
        if path is not None and str(path) in self.written:
            self.nested([self.written[str(path)]])
            return
        key = (args[0].start, "\1".join(str(arg.text) for arg in args), self.cwd)
        if command.source is None and not command.redirects and name not in SHELLS and key in self._seen:
            return  # the same again: the same findings
        self._seen.add(key)
        name = name.rpartition("/")[2] or name
        if name.lower().endswith(".exe"):
            name = name[:-4].lower()
        values = [arg.text for arg in args[1:]]
        for arg in args[1:]:
            self._read(arg, name)
        if windows.empties(name, [_written(word) for word in command.words[1:]]):
            self.add("catastrophic", f"{name}: the system or a whole home", name)
        if windows.is_known(name):
            for risk, reason in windows.judge(" ".join(each or "?" for each in [name, *values])):
                self.add(risk, reason, name)
        elif not only_shows(name, values):
            self._by_name(name, args, values, command)
        self._vital(name, args, values, command)
        self._targets(name, args, command)
        self._inner(name, args, values, command)

    def _by_name(self, name: str, args: list[Arg], values: list[str | None], command: Command) -> None:
        """What the tables and the rules of verbs say of a command."""
        # `-j$(nproc)`: an option of which only the value is not known
        told = [arg.start if arg.text is None and re.match(r"-\w", arg.start) else arg.text for arg in args[1:]]
        found = list(matches(name, told))
        for risk, reason in found:
            self.add(risk, f"{name}: {reason}", name)
        operands = operands_of(name, told)
        if name in queries.CLIENTS or name in ("redis-cli", "valkey-cli", "keydb-cli"):
            self._database(name, args, values, command)
        elif name in _CONTAINERS:
            self._container(name, operands, args, values, command)
        elif name.lower() in verbs.CLOUDS:
            self._cloud(name.lower(), values, operands)
        elif name in verbs.RUNNERS or name in ("php", "python", "python3", "uv", "poetry", "bundle", "npx"):
            self._task(name, operands, values)
        elif not found and name not in WRAPPERS and name not in _PLAIN:
            kind = verbs.judge_unknown(operands)
            if kind:
                self.add(
                    "delete" if kind == "deletes" else "send",
                    f"{name} {operands[0]}: by its name it changes something",
                    name,
                )

    def _cloud(self, name: str, values: list[str | None], operands: list[str | None]) -> None:
        kind = verbs.judge_cloud(name, values, operands)
        risks: dict[str, Risk] = {"deletes": "delete", "spends": "spend", "changes": "send", "shows keys": "secret"}
        reasons = {"deletes": "deletes or stops something there", "spends": "starts something there, which may cost money", "changes": "changes something on another machine", "shows keys": "shows keys or passwords"}  # fmt: skip
        if kind in risks:
            self.add(risks[kind], f"{name}: {reasons[kind]}", name)

    def _task(self, name: str, operands: list[str | None], values: list[str | None]) -> None:
        if any(value and verbs._DRY.fullmatch(value) for value in values) or (
            name in ("make", "gmake") and "-n" in values
        ):
            return
        at = 0
        if name in ("php", "python", "python3", "uv", "poetry", "bundle", "npx"):
            at = next(
                (n + 1 for n, value in enumerate(operands[:3]) if value and value.rpartition("/")[2] in verbs.RUNNERS),
                0,
            )
            if not at:
                return
        task = verbs.judge_task([value for value in operands[at:] if value not in ("run", "run-script", "exec")])
        if task:
            self.add("send", f"{name} {task}: by its name it changes more than files here", name)

    def _container(
        self, name: str, operands: list[str | None], args: list[Arg], values: list[str | None], command: Command
    ) -> None:
        words = list(operands)
        if name.endswith("compose"):
            words.insert(0, "compose")
        while words and words[0] in ("compose", "container", "image", "volume", "network", "context", "system", "buildx", "builder", "node", "service", "stack", "manifest", "plugin", "machine"):  # fmt: skip
            group = words.pop(0)
            if not words and group in ("compose", "buildx"):
                return
        verb = words[0] if words else None
        if verb == "exec":
            at = next((n for n, arg in enumerate(args) if arg.text == "exec"), 0)
            inner = behind(args[at:], "-u --user -w --workdir -e --env --env-file --index", 1)
            self._remote(name, inner, command)
        elif verb == "cp":
            if ":" in (words[-1] or ":"):
                self.add("send", f"{name} cp: copies into a container", name)
        elif verb not in _CONTAINER_READS and not set(values) <= {"--version", "--help", "-v"}:
            kind = verbs.kind_of_word(verb or "")
            self.add(
                "delete" if kind == "deletes" else "system",
                f"{name} {verb or ''}: changes what runs in containers",
                name,
            )
            if verb in ("run", "create"):
                catastrophes.container(self, args, values, command)

    def _remote(self, name: str, inner: list[Arg], command: Command) -> None:
        """A command in another place: reading there passes, a shell or anything else is asked about."""
        if not inner:
            self.add("system", f"{name}: a shell in another place", name)
            return
        before = len(self.findings)
        self._words(inner, command)
        word = (inner[0].text or "").rpartition("/")[2]
        if len(self.findings) == before and word not in _PLAIN:
            self.add("system", f"{name} runs {word or 'something'} in another place", name)

    def _database(self, name: str, args: list[Arg], values: list[str | None], command: Command) -> None:
        if set(values) & {"--version", "--help", "-V", "-l", "--list"}:
            return
        if name.endswith("-cli") and name not in ("linode-cli",):
            operands = operands_of("redis-cli", values)
            if (
                "--scan" in values
                or "--stat" in values
                or "--bigkeys" in values
                or any((value or "").startswith("--latency") for value in values)
            ):
                changes = False
            else:
                changes = queries.changes_redis(operands or self._from_text(command))
        elif name in ("bq", "influx") and "query" not in values:
            if name in verbs.CLOUDS:
                self._cloud(name, values, operands_of(name, values))
            return
        else:
            texts = self._statements(name, values, command)
            judge = queries.changes_mongo if name in ("mongosh", "mongo") else queries.changes_sql
            changes = not texts or any(text is None or judge(text) for text in texts)
            for text in texts:
                for shell in re.findall(r"(?m)^\s*(?:\\!|\.(?:shell|system))\s+(.*)", text or ""):
                    self.nested([shell])
        if changes:
            self.add("delete", f"{name}: may change or delete data, or waits for commands", name)

    def _from_text(self, command: Command) -> list[str | None]:
        given = self.input(command)
        return list(given.split()) if given else []

    def _statements(self, name: str, values: list[str | None], command: Command) -> list[str | None]:
        options = queries.CLIENTS[name].split()
        found: list[str | None] = []
        valued = queries.VALUED.get(name, "").split()
        operands: list[str | None] = []
        for at, value in enumerate(values):
            before = values[at - 1] if at else None
            glued = re.match(r"(--[\w-]+)=(.*)", value or "", re.DOTALL)
            if before in options:
                found.append(value)
            elif glued and glued[1] in options:
                found.append(glued[2])
            elif value in ("-f", "--file") or (glued and glued[1] == "--file"):
                found.append(None)
            elif before not in valued and not (value or "").startswith("-"):
                operands.append(value)
        if "positional" in options or name == "bq":
            found += operands[1:]
        elif name in ("mongosh", "mongo") and any(value and value.endswith(".js") for value in operands):
            found.append(None)
        if self.has_input(command):
            found.append(self.input(command))
        return found

    # What runs something else

    def _inner(self, name: str, args: list[Arg], values: list[str | None], command: Command) -> None:
        handler = _HANDLERS.get(name)
        if handler:
            handler(self, name, args, values, command)
        elif name in SHELLS:
            self._shell(name, args, values, command)
        elif re.fullmatch(r"(python|pypy)[\d.]*", name):
            self._python(name, args, values, command)
        elif name in INTERPRETERS:
            self._interpreter(name, args, values, command)
        if name in WRAPPERS:
            self._wrapped(name, args, command)

    def _wrapped(self, name: str, args: list[Arg], command: Command) -> None:
        if name == "command" and any(arg.text in ("-v", "-V") for arg in args[1:2]):
            return
        values = [arg.text for arg in args[1:]]
        if name in ("env", "flock", "parallel", "watch", "script") and self._as_text(name, values):
            return
        if name == "env":
            for arg in args[1:]:
                if (
                    (found := re.match(r"([A-Za-z_]\w*)=", arg.start))
                    and GUARDED_VARIABLES.match(found[1])
                    and "-i" not in values
                ):
                    self.add("unknown", f"sets {found[1]}, which changes what commands do", name)
        inner = behind(args, *WRAPPERS[name])
        if name == "npx" and inner and inner[0].text in LOCAL_TOOLS:
            return
        if name in ("xargs", "parallel") and (roots := self._whole_list(command)):
            catastrophes.emptied_list(self, inner, roots)
        if name == "xargs":
            inner = self._filled(inner, values, command)
            self._words([*(inner or [Arg("echo", "echo")]), *self._given(command, values)], command)
        elif inner:
            self._words(inner, command)

    def _filled(self, inner: list[Arg], values: list[str | None], command: Command) -> list[Arg]:
        """The arguments of `xargs -I{} …` with what is read in the place of {}."""
        at = next((n for n, value in enumerate(values) if value and re.match(r"-I|-i$|--replace", value)), None)
        if at is None:
            return inner
        mark = (values[at] or "")[2:] or (value_of(values, "-I") or "{}")
        text = self.input(command)
        line = text.strip() if text is not None and text.count("\n") < 2 else None
        if line is None and command.source and command.source.words[:1] == [Word([Part("text", "ls")])]:
            folders = [arg.start.removesuffix(mark) for arg in inner if arg.start.endswith(f"/{mark}")]
            catastrophes.emptied_list(self, inner, [Arg(folder, folder) for folder in folders])
        return [
            arg
            if mark not in arg.start
            else Arg(None, self._given(command, values)[0].start)
            if line is None
            else Arg(arg.start.replace(mark, line), "")
            for arg in inner
        ]

    def _as_text(self, name: str, values: list[str | None]) -> bool:
        """The ways in which a wrapper takes a whole command line as one text."""
        if name in ("env",) and any(value and value.startswith(("-S", "--split-string")) for value in values):
            at = next(n for n, value in enumerate(values) if value and value.startswith(("-S", "--split-string")))
            rest = re.sub(r"^(-S|--split-string=?)", "", values[at] or "") or (
                values[at + 1] if at + 1 < len(values) else None
            )
            self.nested([rest])
            return True
        if name == "flock" and "-c" in values:
            self.nested(values[values.index("-c") + 1 :][:1] or [None])
            return True
        if name in ("watch", "parallel"):
            texts = [value for value in values if value and " " in value and not value.startswith("-")]
            self.nested(texts[:1])
            return bool(texts)
        return False

    def _given(self, command: Command, values: list[str | None]) -> list[Arg]:
        """What xargs adds: the words that it reads, or an argument that is not known."""
        text = self.input(command)
        if text is not None and len(text) < 2000:
            return [Arg(word, word) for word in re.split(r"[\s\0]+", text) if word] or [Arg(None)]
        source = command.source
        name = (source.words[0].literal or "") if source and source.words else ""
        if source is None or name not in _LISTS:
            return [Arg(None)]
        found = self._expander().words(source.words)
        if name == "find" and not self._is_filtered([arg.start for arg in found]):
            return self._roots_of_find(found)
        return [Arg(None, self._listed_in(name, found))]

    def _whole_list(self, command: Command) -> list[Arg]:
        """The folders all of whose files come from a `find` that chooses none."""
        source = command.source
        if source is None or not source.words or source.words[0].literal != "find":
            return []
        found = self._expander().words(source.words)
        return [] if self._is_filtered([arg.start for arg in found]) else self._roots_of_find(found)

    def _listed_in(self, name: str, args: list[Arg]) -> str:
        """The folder of the files that find, grep and the like list; "" when it is not known."""
        values = [arg.text for arg in args[1:]]
        if name == "find":
            roots = self._roots_of_find(args)
        elif name in ("git", "ls"):
            roots = [Arg(".", ".")] if values[:1] in (["ls-files"], ["grep"], ["diff"]) else []
        else:
            is_listing = any(re.match(r"-\w*[lL]|--files", value or "") for value in values) or name.startswith("fd")
            pattern = 0 if {"-e", "-f", "--files"} & set(values) else 1
            roots = [arg for arg in args[1:] if not arg.start.startswith("-")][pattern:] if is_listing else []
            roots = roots or ([Arg(".", ".")] if is_listing else [])
        if len(roots) != 1 or not roots[0].text:
            return ""
        return f"{self.join(roots[0].text) or '/'}/listed/"

    def _shell(self, name: str, args: list[Arg], values: list[str | None], command: Command) -> None:
        at = next((n for n, value in enumerate(values) if re.fullmatch(r"-[a-zA-Z]*c", value or "")), None)
        if at is not None:
            rest, known = values[at + 1 : at + 2], values[at + 2 :]
            positional = [value or "" for value in known[1:]] if None not in known else None
            if known[:1] and known[0] is not None and rest and rest[0] and re.match(r'\s*"?\$\{?0', rest[0]):
                rest = [rest[0].replace("$0", known[0], 1)]
            self.nested(rest or [None], positional if known else None)
            return
        operands = [arg for arg in args[1:] if not arg.start.startswith(("-", "+")) or arg.stream]
        if "-s" in values or not operands:
            self._from_input(name, command)
        elif operands[0].stream:
            self.nested([self._output_of(operands[0].stream)])
        else:
            self._file(name, operands[0], command)

    def _file(self, name: str, arg: Arg, command: Command) -> None:
        """A script in a file: by its name, unless this script has made it."""
        if arg.text in ("/dev/stdin", "/proc/self/fd/0", "/dev/fd/0", "-"):
            self._from_input(name, command)
        elif arg.start.startswith(("/dev/fd", "/proc/self/fd", "/dev/tcp")) or arg.has_output:
            self.add("unknown", f"{name} runs what is only known when it runs", name)
        elif (path := self.path(arg)) is not None and str(path) in self.written:
            text = self.written[str(path)]
            if name.startswith(("python", "pypy")):
                self._code([text], name)
            else:
                self.nested([text])

    def _source(self, name: str, args: list[Arg], values: list[str | None], command: Command) -> None:
        if args[1:] and args[1].stream:
            self.nested([self._output_of(args[1].stream)])
        elif args[1:]:
            self._file(name, args[1], command)

    def _from_input(self, name: str, command: Command) -> None:
        text = self.input(command)
        if text is not None:
            self.nested([text])
        if self._from_disguise(command.source) or (text is None and self.has_input(command)):
            self.add("unknown", f"{name} runs what another command sends it", name)
        elif any(redirect.operator == "<&" for redirect in command.redirects):
            self.add("unknown", f"{name} runs what comes from elsewhere", name)

    def _python(self, name: str, args: list[Arg], values: list[str | None], command: Command) -> None:
        operands = [arg for arg in args[1:] if not arg.start.startswith("-") or arg.text == "-" or arg.stream]
        if at := next((n + 1 for n, value in enumerate(values) if re.fullmatch(r"-[a-zA-Z]*c", value or "")), 0):
            self._code(values[at : at + 1] or [None], name)
        elif "-m" in values:
            inner = args[values.index("-m") + 2 :]
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
                self._words(inner, command)
        elif operands and operands[0].stream:
            self._code([self._output_of(operands[0].stream)], name)
        elif not operands or operands[0].text in ("-", "/dev/stdin"):
            if self.has_input(command):
                self._code([self.input(command)], name)
        else:
            self._file(name, operands[0], command)

    def _code(self, codes: Sequence[str | None], name: str) -> None:
        for text in codes:
            if text is None:
                self.add("unknown", f"{name} runs code that is only known when it runs", name)
            else:
                if code.is_bomb(text):
                    self.add("catastrophic", f"{name} starts itself again and again: a fork bomb", name)
                self.findings += self.python(text, self.cwd, self.depth)

    def _interpreter(self, name: str, args: list[Arg], values: list[str | None], command: Command) -> None:
        if name in ("awk", "gawk", "mawk", "nawk"):
            program = next(iter(operands_of("awk", values)), "")
            if "-f" not in values and (program is None or code.awk_has_effect(program)):
                self.add("unknown", f"{name} may start commands or write files", name)
                self.nested(code.started(program or ""))
            return
        flags = INTERPRETERS[name].split()
        at = next(
            (
                n
                for n, value in enumerate(values)
                if value in flags or (name in ("perl", "ruby") and re.fullmatch(r"-[a-zA-Z0-9]*[eE]", value or ""))
            ),
            None,
        )
        if at is not None:
            self._one_liner(name, values[at + 1] if at + 1 < len(values) else None)
        elif not operands_of(name, values) or "-" in values:
            text = self.input(command)
            if text is not None:
                self._one_liner(name, text)
            else:
                self._from_input(name, command)
        elif args[1:] and any(arg.stream for arg in args[1:]):
            self.add("unknown", f"{name} runs code that is only known when it runs", name)
        else:
            self._file(name, next(arg for arg in args[1:] if not arg.start.startswith("-")), command)

    def _one_liner(self, name: str, text: str | None) -> None:
        if text is None or code.has_effect(text):
            self.add("unknown", f"{name} runs code that may change files or start commands", name)
        self._deep(name, text or "")
        self.nested(code.started(text or ""))

    def _deep(self, name: str, text: str) -> None:
        """What code destroys for the whole machine."""
        if code.is_bomb(text):
            self.add("catastrophic", f"{name} starts itself again and again: a fork bomb", name)
        removed = [Arg(path, path, "*" in path) for path in code.removed(text)]
        self._deletes("rm", [Arg("rm"), *removed], is_deep=True)

    def _eval(self, name: str, args: list[Arg], values: list[str | None], command: Command) -> None:
        hooks = [part.commands for word in command.words[1:] for part in word.parts if part.kind == "unknown"]
        if len(command.words) == 2 and len(hooks) == 1 and len(hooks[0]) == 1:
            asked = [word.literal or "" for word in hooks[0][0].words]
            if _HOOKS.match(" ".join(asked)) and not hooks[0][0].redirects and not hooks[0][0].is_piped:
                return
        if args[1:]:
            known = [value for value in values if value is not None]
            self.nested([" ".join(known) if len(known) == len(values) else None])
            if len(known) == len(values):  # what it sets is set here
                self.variables.update(re.findall(r"(?:^|;)\s*(\w+)=([\w./-]+)\s*(?=;|$)", " ".join(known)))

    def _trap(self, name: str, args: list[Arg], values: list[str | None], command: Command) -> None:
        if len(values) > 1 and values[0] not in ("-", "", "-l", "-p"):
            self.nested(values[:1])

    def _alias(self, name: str, args: list[Arg], values: list[str | None], command: Command) -> None:
        for value in values:
            if value is None:
                self.add("unknown", "an alias that is only known when it runs", name)
            elif "=" in value:
                key, _, text = value.partition("=")
                inner = self._inner_look()
                self.findings += inner.script(text)
                self.aliases[key] = text

    def _set(self, name: str, args: list[Arg], values: list[str | None], command: Command) -> None:
        if "--" in values:
            rest = values[values.index("--") + 1 :]
            self.positional = None if None in rest else [value or "" for value in rest]

    def _read_variable(self, name: str, args: list[Arg], values: list[str | None], command: Command) -> None:
        names = [value for value in values if value and re.fullmatch(r"[A-Za-z_]\w*", value)]
        text = self.input(command)
        for each in names:
            self.variables.pop(each, None)
            self.outputs.add(each)
        if text is not None and len(names) == 1:
            self.outputs.discard(names[0])
            self.variables[names[0]] = text.strip()

    def _printf(self, name: str, args: list[Arg], values: list[str | None], command: Command) -> None:
        if values[:1] == ["-v"] and len(values) > 2 and values[1]:
            rest = values[2:]
            self.variables.pop(values[1], None)
            if None not in rest:
                self.variables[values[1]] = printed("printf", [value or "" for value in rest]) or ""

    def _declare(self, name: str, args: list[Arg], values: list[str | None], command: Command) -> None:
        self._exports(name, args, command.words if len(command.words) == len(args) else [])
        if len(command.words) != len(args):
            for arg in args[1:]:
                key, is_set, rest = arg.start.partition("=")
                if is_set:
                    self._assign(key, Word([Part("text", rest, True)] if arg.text is not None else [Part("unknown")]))

    def _find(self, name: str, args: list[Arg], values: list[str | None], command: Command) -> None:
        roots = self._roots_of_find(args)
        is_filtered = self._is_filtered([value or "" for value in values])
        if "-delete" in values and not is_filtered:
            self._refuse_vital("find", roots)
        for at, value in enumerate(values):
            if value in ("-exec", "-execdir", "-ok", "-okdir"):
                inner = args[at + 2 :]
                end = next((n for n, arg in enumerate(inner) if arg.text in (";", "+")), len(inner))
                found = [
                    Arg(None)
                    if arg.text == "{}" or ("{}" in (arg.text or "") and arg.text is not None and " " not in arg.text)
                    else arg
                    for arg in inner[:end]
                ]
                if found:
                    names = {(each.text or "").rpartition("/")[2] for each in found}
                    if not is_filtered and names & {"rm", "shred", "unlink"}:
                        self._refuse_vital("find", roots)
                    self._words(found, command)
            elif value in ("-fprint", "-fprintf", "-fls", "-fprint0") and at + 2 < len(args):
                self.write(args[at + 2], "find")

    def _roots_of_find(self, args: list[Arg]) -> list[Arg]:
        end = next((n for n, arg in enumerate(args[1:], 1) if arg.start.startswith(("-", "(", "!"))), len(args))
        return args[1:end] or [Arg(".", ".")]

    @staticmethod
    def _is_filtered(values: list[str]) -> bool:
        return any(
            value in _FILTERS and after not in ("*", ".*", "*.*")
            for value, after in zip(values, [*values[1:], ""], strict=True)
        )

    def _fd(self, name: str, args: list[Arg], values: list[str | None], command: Command) -> None:
        at = next((n for n, value in enumerate(values) if value in ("-x", "-X", "--exec", "--exec-batch")), None)
        if at is not None and args[at + 2 :]:
            self._words(args[at + 2 :], command)

    def _change_folder(self, name: str, args: list[Arg], values: list[str | None], command: Command) -> None:
        operands = [arg for arg in args[1:] if not arg.start.startswith("-")]
        self.cwd = self.path(operands[0]) if operands else self.places.owner
        if self.cwd is None:
            self.variables.pop("PWD", None)
        else:
            self.variables["PWD"] = str(self.cwd)

    # What is written, read, and deleted

    def path(self, arg: Arg) -> Path | None:
        return None if arg.text is None else self.join(arg.text)

    def write(self, arg: Arg, name: str) -> None:
        """What it means that a program writes to a place."""
        if arg.stream:
            return
        path = self.path(arg)
        if path is None:
            is_placed = arg.start.count("/") > 1 if arg.start.startswith("/") else re.match(r"\w[\w.-]*/", arg.start)
            if arg.text is None and not is_placed:
                self.add("unknown", f"{name} writes to a place that is only known when it runs", name)
                return
            path = self.join(arg.start or "/") or _plain(Path(arg.start))
        kind = self.places.kind(path)
        if kind == "device" or self.places.is_vital_file(path):
            self.add("catastrophic", f"{name} writes to {path}, on which the machine depends", name)
        elif kind == "agent":
            self.add("agent", f"{name} writes to {path}, in the agent's own home", name)
        elif kind in ("secret", "startup"):
            self.add("system", f"{name} writes to {path}, which decides what runs or who gets in", name)
        elif kind == "outside":
            self.add("outside", f"{name} writes to {path}, outside the allowed folders", name)

    def _read(self, arg: Arg, name: str) -> None:
        value = (arg.text if arg.text is not None else arg.start).removeprefix("@")
        if "=" in value and value.startswith("-"):
            value = value.partition("=")[2].removeprefix("@")
        if not re.search(r"[/~.]", value) or (name, value, self.cwd) in self._seen or len(value) > 4096:
            return
        self._seen.add((name, value, self.cwd))
        if name in _NAMED_ONLY:
            return
        path = self.join(value)
        if path and self.places.is_secret(path):
            self.add("secret", f"{name} reads {path}, which holds keys or passwords", name)

    def _targets(self, name: str, args: list[Arg], command: Command) -> None:
        """The files that a command writes to by its nature."""
        if name not in WRITES:
            return
        rule, *options = WRITES[name].split() or [""]
        if rule.startswith("-"):
            rule, options = "", [rule, *options]
        values = [arg.text for arg in args]
        if name == "dd":
            self._write_all([cut(arg, 3) for arg in args[1:] if arg.start.startswith("of=")], name)
            return
        plain = [args[at] for at in range(1, len(args)) if is_operand(name, values, at)]
        if name in ("sed", "perl"):
            if any(re.match(r"-[a-zA-Z]*i|--in-place", value or "") for value in values[1:]):
                self._write_all(plain if "-e" in values else plain[1:], name)
            return
        if name == "rsync" and any(re.match(r"[\w.@-]+:", arg.start) for arg in plain):
            return
        chosen = {"all": plain, "last": plain[-1:], "rest": plain[1:], "first": plain[:1]}.get(rule, [])
        if name == "mv":
            chosen = [arg for arg in plain if arg.text != "/dev/null"]
        if name in ("cp", "ln", "install") and any(
            value and value.startswith(("-t", "--target-directory")) for value in values
        ):
            chosen = []
        self._write_all([*chosen, *option_values(args, values, options)], name)

    def _write_all(self, args: list[Arg], name: str) -> None:
        for arg in args:
            if arg.text is None and name in ("mkdir", "touch", "chmod", "gzip"):
                continue  # makes or marks; what is there stays
            self.write(arg, name)

    def _vital(self, name: str, args: list[Arg], values: list[str | None], command: Command) -> None:
        """What takes the system, the owner's home or the agent's own with it is refused, not asked."""
        flags = "".join(value[1:] for value in values if value and re.fullmatch(r"-[A-Za-z]+", value))
        is_deep = bool(set("rR") & set(flags)) or "--recursive" in values
        if name == "rm" and "--no-preserve-root" in values:
            self.add("catastrophic", "rm --no-preserve-root", name)
        if name == "kill" and "-1" in values[1:]:
            self.add("catastrophic", "kill -1 stops every process", name)
        if (
            _DISKS.match(name)
            and (_NEVER_READS.match(name) or not _DISK_READS & set(values))
            and any(
                re.search(r"^(of=)?/dev/(?!null|zero|u?random|shm|std|fd)", value or "")
                for value in values
                if not (value or "").startswith("if=")
            )
        ):
            self.add("catastrophic", f"{name} overwrites a device", name)
        second = next((value for value in values if value and not value.startswith("-")), "")
        if (name, "") in _DESTROYS or (name, second) in _DESTROYS:
            self.add("catastrophic", f"{name} {second}: destroys a volume", name)
        if name == "format" and any(re.match(r"[A-Za-z]:", value or "") for value in values):
            self.add("catastrophic", "formats a drive", name)
        if name == "btrfs" and "delete" in values:
            self._refuse_vital(name, args[1:])
        self._spread(name, args, values)
        catastrophes.judge(self, name, args, values, command)
        if name in _DELETES:
            self._deletes(name, args, is_deep)

    def _spread(self, name: str, args: list[Arg], values: list[str | None]) -> None:
        """Ordinary commands that empty a folder with all in it, or lock everybody out."""
        if name == "rsync" and any((value or "").startswith("--delete") for value in values):
            self._refuse_vital(name, args[-1:])
        if name == "tar" and "--remove-files" in values:
            folder = value_of(values, "-C") or value_of(values, "--directory") or "."
            self._refuse_vital(name, [Arg(f"{folder}/{value}", "") for value in operands_of(name, values) if value])
        if name in ("userdel", "deluser") and "root" in values:
            self.add("catastrophic", f"{name} root: nobody can repair the machine then", name)
        if name == "chmod" and any(
            re.fullmatch(r"[augo]*-[rwXst]*x[rwXst]*|0*|0?[0-6]{3}", value or "-") for value in values
        ):
            self._refuse_vital(name, args[1:])

    def _deletes(self, name: str, args: list[Arg], is_deep: bool) -> None:
        if name in ("rm", "mv", "shred", "Remove-Item", "rimraf", "srm") or is_deep:
            targets = args[1:-1] if name == "mv" and len(args) > 2 else args[1:]
            if is_deep or name in ("mv", "Remove-Item", "rimraf"):
                self._refuse_vital(name, targets)
        if name in ("shred", "srm", "wipe", "truncate", "unlink"):
            self._refuse_vital(name, [arg for arg in args[1:] if arg.is_pattern])
        for arg in args[1:-1] if name == "mv" and len(args) > 2 else args[1:]:
            path = self.path(arg) if arg.text and not arg.text.startswith("-") else None
            if path is None:
                continue
            if path.is_relative_to(self.places.agent):
                self.add("agent", f"{name} on {path}, in the agent's own home", name)
            elif self.places.is_vital_file(path):
                self.add("catastrophic", f"{name} on {path}, on which the machine depends", name)

    def _refuse_vital(self, name: str, args: list[Arg]) -> None:
        for arg in args:
            if self._is_vital(arg):
                self.add("catastrophic", f"{name} on {arg.text}: the system or a whole home", name)

    def _is_vital(self, arg: Arg) -> bool:
        value = arg.text
        if not value or value.startswith("-"):
            return False
        bare = re.sub(r"(/\.?\*+|/\.\[[^/]*|/\.\.?\?\*)$", "", value) if arg.is_pattern else value
        if arg.is_pattern and bare in ("*", ".*"):
            bare = "."
        path = self.join(bare or "/")
        return (
            path is not None
            and not re.search(r"[*?\[]", str(path))
            and (self.places.is_vital(path) or str(path) in SYSTEM)
        )

    def join(self, text: str) -> Path | None:
        """The path that a name stands for, with links followed; None when the working folder is not known."""
        if not text.startswith("/") and self.cwd is None:
            return None
        key = text if self.cwd is None or text.startswith("/") else f"{self.cwd}/{text}"
        if key not in self._paths:
            self._paths[key] = self._followed(key)
        return self._paths[key]

    def _followed(self, text: str) -> Path:
        """The path without dots, and without links as far as it exists. A folder's own links are followed once."""
        folder, _, name = text.rpartition("/")
        if name in ("", ".", "..") or not folder:
            return _plain(Path(text))
        if folder not in self._paths:
            self._paths[folder] = _plain(Path(folder))
        path = self._paths[folder] / name
        return _plain(path) if os.path.islink(path) else path  # noqa: PTH114 - a name that cannot be is no link here


def _written(word: Word) -> str:
    """The word as it stands in the script, as far as it can be told."""
    return "".join(f"${part.value}" if part.kind == "variable" else part.value for part in word.parts)


def _ends(text: str) -> str:
    """The first and the last commands of a long script."""
    end = max(text.rfind(mark, 0, _LOOKED_AT) for mark in "\n;")
    starts = [at for at in (text.find(mark, len(text) - _LOOKED_AT // 2) for mark in "\n;") if at >= 0]
    return text[: end + 1] + "\n" + (text[min(starts) + 1 :] if starts else "")


_Handler = Callable[[Look, str, list[Arg], list[str | None], Command], None]
_HANDLERS: dict[str, _Handler] = {
    **dict.fromkeys(("cd", "pushd"), Look._change_folder),
    **dict.fromkeys(("export", "declare", "local", "readonly", "typeset"), Look._declare),
    **dict.fromkeys((".", "source"), Look._source),
    **dict.fromkeys(("vim", "vi", "nvim", "ex", "view", "less", "more", "man", "most"), starters.editor),
    **dict.fromkeys(("tar", "gtar", "bsdtar"), starters.tar),
    **dict.fromkeys(("sed", "gsed"), starters.sed),
    **dict.fromkeys(("su", "script", "runuser"), starters.su),
    **dict.fromkeys(("tee", "cp", "mv", "ln"), starters.copy),
    **dict.fromkeys(
        ("make", "gmake", "rsync", "coproc", "sort", "split", "zip", "git-grep", "rg", "at", "batch"), starters.misc
    ),
    **dict.fromkeys(_FETCHES, starters.fetch),
    **dict.fromkeys(_REMOTE, starters.ssh),
    **dict.fromkeys(windows.PROGRAMS, starters.of_windows),
    "openssl": starters.openssl,
    "eval": Look._eval,
    "trap": Look._trap,
    "alias": Look._alias,
    "set": Look._set,
    "read": Look._read_variable,
    "printf": Look._printf,
    "find": Look._find,
    "fd": Look._fd,
    "fdfind": Look._fd,
    "git": git_commands.git,
    "crontab": starters.crontab,
}


def _plain(path: Path) -> Path:
    """The path without dots, and without links as far as it exists."""
    try:
        return path.resolve()
    except (OSError, RuntimeError, ValueError):  # links in a circle, a name too long, no name at all
        return Path(os.path.normpath(path))
