"""Finds the words of a shell script with their places in its text, and puts variables there, right for each quoting.

What the scanner does not read (`case`, `[[ ]]`, arrays, functions) stays as it is: a value in it is then not replaced,
and `left_over` says so. `same_meaning` proves a rewritten script with the other reader, safety/shell.py: with the
variables at their old values every command must get the words that it got before.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Literal

from shell.bash import Command, NotUnderstood, Part, Redirect, Word, parse
from shell.catalogue.lists import INTERPRETERS, SHELLS

Place = Literal["argument", "operand", "fixed", "code", "regex", "glob", "format", "document"]
Kind = Literal["text", "home", "opaque"]

MAX_DEPTH = 12
OPAQUE = "\0"  # stands for what is only known when it runs
_PLAIN = re.compile(r"[^\s|&;()<>'\"\\$`]+")
_IN_QUOTES = re.compile(r'[^"\\$`]+')
_CUT_ENDING = re.compile(r"(\$\{[A-Za-z_]\w*%%?)(\.[A-Za-z]\w*)\}")  # "${file%.txt}"
_NAME = re.compile(r"[A-Za-z_]\w*|[0-9@*#?$!-]")
_REDIRECT = re.compile(r"(?:\d+)?(?:<<<|<<-|<<|<>|<&|>>|>\||>&|<|>)|&>>|&>")
_ASSIGNMENT = re.compile(r"([A-Za-z_]\w*)\+?=")
_RESERVED = {
    "if",
    "then",
    "else",
    "elif",
    "while",
    "until",
    "do",
    "!",
    "{",
    "time",
    "fi",
    "done",
    "}",
}
_UNREAD = {"case", "select", "function", "coproc", "[["}
_SAFE_WORD = re.compile(r"[\w./+=:,@%-]*", re.ASCII)
_QUOTED_WORD = re.compile(r"[^$`\"\\\\!\n]*")
# Commands whose first operand says what they do; it is part of the procedure, never a value.
_WITH_SUBCOMMANDS = (
    "git docker podman npm pnpm yarn pip pip3 uv cargo go kubectl helm systemctl brew apt apt-get dnf yum conda gh glab aws gcloud az"
    " ip hg svn make terraform rclone restic borg openssl cmake poetry bundle dotnet flutter nmcli loginctl journalctl"
)
_SUBCOMMANDS = frozenset(_WITH_SUBCOMMANDS.split())
_GREPS = {"grep", "egrep", "zgrep", "rg", "ag", "ack", "pgrep", "pkill"}
_SQL = {"sqlite3", "psql", "mysql", "mariadb", "duckdb", "clickhouse-client"}
_CODE_FIRST = {
    "awk",
    "gawk",
    "mawk",
    "sed",
    "jq",
    "yq",
    "bc",
    "eval",
    "trap",
    "ssh",
    "xmlstarlet",
    "perl",
    "ruby",
}
_LONG_OPTIONS = {
    "find",
    "ffmpeg",
    "convert",
    "magick",
    "openssl",
    "java",
    "terraform",
    "gcc",
}  # -name is one option
_CODE_OPTIONS = {"-c", "-e", "-E", "-ne", "-pe", "-ple", "-lane", "-r", "--eval", "--expression"}
_GLOB_OPTIONS = re.compile(
    r"-(i?name|i?path|i?wholename|lname|ilname)|--(include|exclude|exclude-dir|glob|iglob)"
)
_VALUED = {  # options whose value is no operand
    "sed": {"-l", "--line-length"},
    "jq": {"--arg", "--argjson", "--indent"},
    "awk": {"-F", "-v", "-f"},
    "gawk": {"-F", "-v", "-f"},
    "mawk": {"-F", "-v", "-f"},
    "grep": {"-m", "-A", "-B", "-C", "-f", "--color"},
    "git": {"-C", "-c"},
}


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of a word. Text that is the same letter by letter in the script, or `home`, or `opaque`."""

    text: str
    start: int
    end: int
    quote: str = ""  # "" unquoted, '"', "'", "document", "raw document", "other"
    kind: Kind = "text"

    @property
    def is_literal(self) -> bool:
        """True when each letter of the text is one letter of the script."""
        return self.kind == "text" and len(self.text) == self.end - self.start


@dataclass(slots=True)
class ShellWord:
    """One word: of an argument, an assignment, a redirection, a here-document. `hints` are the names next to it."""

    pieces: list[Piece]
    start: int
    end: int
    command: int = 0
    place: Place = "argument"
    hints: tuple[str, ...] = ()
    verb: str = ""  # the command that gets it
    is_first: bool = False
    sets: str = ""  # the variable of an assignment
    redirect: str = ""

    @property
    def text(self) -> str:
        """What the command gets, with the owner's home as `~`; OPAQUE for what is only known when it runs."""
        return "".join(piece.text for piece in self.pieces)

    @property
    def is_known(self) -> bool:
        return OPAQUE not in self.text

    @property
    def has_glob(self) -> bool:
        """True when the shell itself would look for files."""
        return any(
            p.kind == "text" and not p.quote and re.search(r"[*?\[]", p.text) for p in self.pieces
        )


@dataclass(frozen=True, slots=True)
class Script:
    """A scanned script. `comments` are places that nothing reads."""

    text: str
    words: tuple[ShellWord, ...]
    comments: tuple[tuple[int, int], ...] = ()

    def command(self, number: int) -> list[ShellWord]:
        """The words of one simple command, its name first; assignments and redirections are not among them."""
        return [w for w in self.words if w.command == number and not w.sets and not w.redirect]


@dataclass(frozen=True, slots=True)
class Use:
    """Put `$name` for the text from `start` to `end` of a word's `text`. `operation` is the end of `${name…}`."""

    word: int
    start: int
    end: int
    name: str
    operation: str = ""  # "##*/" for the last part of a path, "//-/" to take out hyphens


def scan(script: str) -> Script:
    """The words of a script. Raises NotUnderstood."""
    scanner = _Scanner(script)
    scanner.read("")
    words = sorted(scanner.words, key=lambda word: word.start)
    _classify(words)
    return Script(script, tuple(words), tuple(scanner.comments))


@dataclass(slots=True)
class _Scanner:
    text: str
    at: int = 0
    depth: int = 0
    words: list[ShellWord] = field(default_factory=list)
    comments: list[tuple[int, int]] = field(default_factory=list)
    commands: list[int] = field(
        default_factory=lambda: [0]
    )  # one counter for the script and what is inside
    documents: list[tuple[ShellWord, str, bool, bool]] = field(default_factory=list)

    def read(self, closer: str) -> None:
        """Reads commands up to `closer`: ")" of a substitution, "" for the end of the text."""
        if self.depth > MAX_DEPTH:
            raise NotUnderstood("nested too deeply")
        own: list[ShellWord] = []
        number, groups = self._new_command(), 0
        while True:
            self._skip_blanks()
            letter = self.text[self.at : self.at + 1]
            if not letter or (letter == ")" and not groups):
                self._end(closer, letter, groups)
                return
            if letter in "()":
                groups += self._group(letter, own)
                own, number = [], self._new_command()
            elif letter in "\n;&|" and not self.text.startswith("&>", self.at):
                self._separator(letter)
                own, number = [], self._new_command()
            elif (found := _REDIRECT.match(self.text, self.at)) and not self.text.startswith(
                ("<(", ">("), self.at
            ):
                self._redirect(found, number)
            else:
                self._place(self._word(number), own)

    def _end(self, closer: str, letter: str, groups: int) -> None:
        if letter != closer:
            raise NotUnderstood(
                "a ) too many" if letter else "something that was opened is not closed"
            )
        if groups or (self.documents and not letter):
            raise NotUnderstood("something that was opened is not closed")
        self.at += len(letter)

    def _group(self, letter: str, own: list[ShellWord]) -> int:
        """A subshell begins or ends."""
        if letter == "(" and (own or self.text.startswith("((", self.at)):
            raise NotUnderstood("a ( that is no subshell")
        self.at += 1
        return 1 if letter == "(" else -1

    def _new_command(self) -> int:
        self.commands[0] += 1
        return self.commands[0]

    def _separator(self, letter: str) -> None:
        self.at += 1
        if letter == "\n":
            self._read_documents()

    def _place(self, word: ShellWord, own: list[ShellWord]) -> None:
        plain = word.text if len(word.pieces) == 1 and not word.pieces[0].quote else ""
        if not own and plain in _RESERVED:
            return
        if not own and plain in _UNREAD:
            raise NotUnderstood(f"{plain} is not read here")
        found = (
            _ASSIGNMENT.match(word.pieces[0].text)
            if word.pieces and not word.pieces[0].quote
            else None
        )
        if found and not own:
            first = word.pieces[0]
            rest = Piece(first.text[found.end() :], first.start + found.end(), first.end)
            word.sets, word.start = found[1], rest.start
            word.pieces = _with_home([*([rest] if rest.text else []), *word.pieces[1:]])
        else:
            word.is_first = not own
            own.append(word)
        self.words.append(word)

    def _skip_blanks(self) -> None:
        while self.at < len(self.text):
            if self.text[self.at] in " \t\r":
                self.at += 1
            elif self.text.startswith("\\\n", self.at):
                self.at += 2
            elif self.text[self.at] == "#":
                end = self.text.find("\n", self.at)
                end = len(self.text) if end < 0 else end
                self.comments.append((self.at, end))
                self.at = end
            else:
                return

    def _redirect(self, found: re.Match[str], number: int) -> None:
        operator = found[0].lstrip("0123456789")
        self.at = found.end()
        self._skip_blanks()
        start = self.at
        word = self._word(number)
        word.redirect = operator
        if operator in ("<<", "<<-"):
            is_raw = any(mark in self.text[start : self.at] for mark in "'\"\\")
            self.documents.append((word, word.text, is_raw, operator == "<<-"))
        self.words.append(word)

    def _read_documents(self) -> None:
        for word, end, is_raw, strips in self.documents:
            start = self.at
            while True:
                stop = self.text.find("\n", self.at)
                stop = len(self.text) if stop < 0 else stop
                line = self.text[self.at : stop]
                if (line.lstrip("\t") if strips else line) == end:
                    break
                if stop >= len(self.text):
                    raise NotUnderstood(f"the document up to {end!r} does not end")
                self.at = stop + 1
            body_end, self.at = self.at, min(stop + 1, len(self.text))
            word.start, word.end = start, body_end
            if is_raw:
                word.pieces = [Piece(self.text[start:body_end], start, body_end, "raw document")]
            else:
                inner = _Scanner(
                    self.text[:body_end],
                    start,
                    self.depth + 1,
                    self.words,
                    self.comments,
                    self.commands,
                )
                word.pieces = inner.document(word.command)
        self.documents = []

    def document(self, number: int) -> list[Piece]:
        """Reads to the end of the text, in which only expansions count."""
        pieces: list[Piece] = []
        while self.at < len(self.text):
            if self.text[self.at] == '"':
                pieces.append(Piece('"', self.at, self.at + 1, "document"))
                self.at += 1
            else:
                pieces += self._quoted_piece("document", number)
        return pieces

    def _word(self, number: int) -> ShellWord:
        start, pieces = self.at, list[Piece]()
        while self.at < len(self.text) and self.text[self.at] not in " \t\r\n|&;)":
            letter = self.text[self.at]
            if letter in "<>" and (pieces or not self.text.startswith("(", self.at + 1)):
                break
            pieces += (
                self._double_quoted(number) if letter == '"' else [self._piece(letter, number)]
            )
        if self.at == start:
            raise NotUnderstood(f"a word is missing at {self.text[start : start + 20]!r}")
        return ShellWord(_with_home(pieces), start, self.at, number)

    def _piece(self, letter: str, number: int) -> Piece:
        start = self.at
        if letter in "<>":
            return self._nested(start + 2)
        if letter in "$`":
            return self._expansion("", number)
        if letter == "'":
            end = self.text.find("'", start + 1)
            if end < 0:
                raise NotUnderstood("' is not closed")
            self.at = end + 1
            return Piece(self.text[start + 1 : end], start + 1, end, "'")
        if letter == "\\":
            self.at += 2
            return Piece(self.text[start + 1 : start + 2], start, self.at, "other")
        found = _PLAIN.match(self.text, start)
        if not found:
            raise NotUnderstood(f"unexpected {letter!r}")
        self.at = found.end()
        return Piece(found[0], start, self.at)

    def _double_quoted(self, number: int) -> list[Piece]:
        self.at += 1
        pieces = [Piece("", self.at, self.at, '"')]
        while self.text[self.at : self.at + 1] != '"':
            if self.at >= len(self.text):
                raise NotUnderstood('" is not closed')
            pieces += self._quoted_piece('"', number)
        self.at += 1
        return pieces

    def _quoted_piece(self, quote: str, number: int) -> list[Piece]:
        letter, start = self.text[self.at], self.at
        if letter == "\\":
            self.at += 2
            escaped = self.text[start + 1 : self.at]
            special = '$`\\"' if quote == '"' else "$`\\"
            text = "" if escaped == "\n" else escaped if escaped in special else "\\" + escaped
            return [Piece(text, start, self.at, quote)]
        if cut := _CUT_ENDING.match(self.text, start) if quote == '"' else None:
            self.at = cut.end()
            name, ending = cut.span(1), cut.span(2)
            return [
                Piece(OPAQUE, *name, quote, "opaque"),
                Piece(cut[2], *ending, quote),
                Piece(OPAQUE, ending[1], self.at, quote, "opaque"),
            ]
        if letter in "$`":
            return [self._expansion(quote, number)]
        found = _IN_QUOTES.match(self.text, self.at)
        self.at = found.end() if found else self.at + 1
        return [Piece(self.text[start : self.at], start, self.at, quote)]

    def _expansion(self, quote: str, number: int) -> Piece:
        start = self.at
        rest = self.text[start : start + 3]
        if rest.startswith("$(") and not rest.startswith("$(("):
            return self._nested(start + 2)
        if rest.startswith("$'") and not quote:
            return self._ansi(start)
        if rest.startswith("`"):
            self.at = self._matched(re.compile(r"`((?:[^`\\]|\\.)*)`", re.DOTALL), start, "`")
        elif rest.startswith("$(("):
            self.at = self._closing(start + 1)
        elif rest.startswith("${"):
            self.at = self._closing(start + 1, "{}")
        else:
            name = _NAME.match(self.text, start + 1)
            self.at = name.end() if name else start + 1
        source = self.text[start : self.at]
        if source == "$":
            return Piece("$", start, self.at, quote)
        is_home = source in ("$HOME", "${HOME}")
        return Piece(
            "~" if is_home else OPAQUE, start, self.at, quote, "home" if is_home else "opaque"
        )

    def _ansi(self, start: int) -> Piece:
        """`$'…'`: known when it has no escapes."""
        self.at = self._matched(re.compile(r"\$'(?:[^'\\]|\\.)*'", re.DOTALL), start, "$'")
        text = self.text[start + 2 : self.at - 1]
        return Piece(
            OPAQUE if "\\" in text else text,
            start,
            self.at,
            "other",
            "opaque" if "\\" in text else "text",
        )

    def _matched(self, pattern: re.Pattern[str], start: int, opener: str) -> int:
        found = pattern.match(self.text, start)
        if not found:
            raise NotUnderstood(f"{opener} is not closed")
        return found.end()

    def _nested(self, start: int) -> Piece:
        """A command inside a word; its words are found like the others."""
        inner = _Scanner(self.text, start, self.depth + 1, self.words, self.comments, self.commands)
        inner.read(")")
        opened, self.at = self.at, inner.at
        return Piece(OPAQUE, opened, self.at, "", "opaque")

    def _closing(self, start: int, pair: str = "()") -> int:
        depth = 0
        for found in re.compile(f"[{re.escape(pair)}]").finditer(self.text, start):
            depth += 1 if found[0] == pair[0] else -1
            if not depth:
                return found.end()
        raise NotUnderstood(f"{pair[0]} is not closed")


def _with_home(pieces: list[Piece]) -> list[Piece]:
    """An unquoted ~ at the start is the owner's home."""
    if not pieces or pieces[0].quote or not re.match(r"~(/|$)", pieces[0].text):
        return pieces
    first = pieces[0]
    if len(first.text) == 1 and len(pieces) > 1 and not pieces[1].text.startswith("/"):
        return pieces
    home = Piece("~", first.start, first.start + 1, "", "home")
    rest = Piece(first.text[1:], first.start + 1, first.end)
    return [home, *([rest] if rest.text else []), *pieces[1:]]


# What a word is to its command


def _classify(words: Sequence[ShellWord]) -> None:
    """Sets place, verb and hints of all words."""
    numbers = sorted({word.command for word in words})
    for number in numbers:
        own = [
            word for word in words if word.command == number and not word.sets and not word.redirect
        ]
        _classify_command(own)
        verb = own[0].verb if own else ""
        for word in words:
            if word.command == number and word.sets:
                word.hints = (word.sets.lower(),)
            elif word.command == number and word.redirect:
                word.verb = verb
                word.hints = ("output",) if ">" in word.redirect else ("input",)
                if word.redirect.startswith("<<"):
                    word.hints = ("text",)
                    word.place = (
                        "code"
                        if verb in SHELLS | set(INTERPRETERS) | _SQL | {"python3", "python"}
                        else "document"
                    )


def _classify_command(own: list[ShellWord]) -> None:
    own = _behind_wrapper(own)
    if not own:
        return
    verb = own[0].text.rpartition("/")[2]
    for word in own:
        word.verb = verb
    own[0].place = "fixed"
    operands = _operands(verb, own)
    for before, word in pairwise(own):
        word.hints = _hints(before, word, verb)
        word.place = "operand" if word in operands else "argument"
        if not word.text.startswith("-") or re.match(r"-\w+\0|--?[\w-]+=", word.text):
            word.place = _special(verb, before, word, operands) or word.place
        elif re.fullmatch(r"--?[A-Za-z][\w-]*", word.text) and not _HEAD_COUNT.match(word.text):
            word.place = "fixed"


_HEAD_COUNT = re.compile(r"-[a-z]?\d+")


def _behind_wrapper(own: list[ShellWord]) -> list[ShellWord]:
    """`sudo rm x` and `xargs -0 rm x`: what counts is the rm; the words before it are part of the procedure."""
    from shell.catalogue.lists import WRAPPERS

    while own and own[0].text in WRAPPERS and own[0].text not in ("uv", "poetry"):
        valued, skipped = WRAPPERS[own[0].text]
        own[0].place, at = "fixed", 1
        while at < len(own) and (own[at].text.startswith("-") or "=" in own[at].text or skipped):
            is_option = own[at].text.startswith("-")
            skipped -= not is_option and "=" not in own[at].text
            own[at].hints = (own[0].text,)
            at += 2 if own[at].text in valued.split() else 1
        own = own[at:]
    return own


def _operands(verb: str, own: list[ShellWord]) -> list[ShellWord]:
    valued = _VALUED.get(verb, set())
    found, is_over = [], False
    for before, word in pairwise(own):
        if word.text == "--" and not is_over:
            is_over = True
        elif (
            is_over or not word.text.startswith("-") or word.text == "-"
        ) and before.text not in valued:
            found.append(word)
    return found


def _hints(before: ShellWord, word: ShellWord, verb: str) -> tuple[str, ...]:
    found = []
    if key := re.match(r"(?:--?)?([A-Za-z][\w-]*)=", word.text):
        found.append(key[1])
    elif short := re.match(r"-([A-Za-z]+)\d", word.text):
        found.append(short[1])
    elif re.fullmatch(r"--[A-Za-z][\w-]*|-[A-Za-z]", before.text) and not word.text.startswith("-"):
        found.append(before.text.lstrip("-"))
    elif re.fullmatch(r"-[a-z]+", before.text) and verb in _LONG_OPTIONS:
        found.append(before.text[1:])
    return (*[name.lower().replace("-", "_") for name in found], verb)


def _special(
    verb: str, before: ShellWord, word: ShellWord, operands: list[ShellWord]
) -> Place | None:
    first = next(iter(operands), None) is word
    flag = word.text.partition("=")[0] if word.text.startswith("-") else before.text
    if first and verb in _SUBCOMMANDS:
        return "fixed"
    if _GLOB_OPTIONS.fullmatch(flag):
        return "glob"
    if flag in ("-regex", "-iregex", "-printf"):
        return "regex"
    if (
        verb in SHELLS | set(INTERPRETERS) | _CODE_FIRST | {"python", "python3", "node"}
        and flag in _CODE_OPTIONS
    ):
        return "code"
    if first and verb in _CODE_FIRST and not _has_option(operands, before):
        return "code"
    if verb in _SQL and (not first or verb != "sqlite3"):
        return "code"
    return _pattern(verb, flag, word, first)


def _pattern(verb: str, flag: str, word: ShellWord, first: bool) -> Place | None:
    if verb in _GREPS and (first or flag in ("-e", "--regexp")):
        return "regex"
    if verb in ("tr", "expr", "rename"):
        return "regex"
    if (verb in ("printf", "awk", "gawk", "mawk") and first) or flag == "-v" or verb == "date":
        return "format"
    if verb == "xargs" or (word.has_glob and verb == "rename"):
        return "code"
    return None


def _has_option(operands: list[ShellWord], before: ShellWord) -> bool:
    return before.text in ("-f", "--file") and bool(operands)


# Putting variables in


def rewrite(script: Script, uses: Iterable[Use]) -> str:
    """The script with variables in the places of values. Raises NotUnderstood where a place cannot take one."""
    by_word: dict[int, list[Use]] = {}
    for use in uses:
        by_word.setdefault(use.word, []).append(use)
    text = script.text
    changes = [
        change for number, own in by_word.items() for change in _changes(script.words[number], own)
    ]
    for start, end, new in sorted(changes, reverse=True):
        text = text[:start] + new + text[end:]
    return text


def _changes(word: ShellWord, uses: list[Use]) -> list[tuple[int, int, str]]:
    if any(piece.quote == "raw document" for piece in word.pieces):
        raise NotUnderstood("a value in a quoted here-document")
    if nice := _in_one_quote(word, uses):
        return [nice]
    return [change for use in uses for change in _change(word, use)]


def _in_one_quote(word: ShellWord, uses: list[Use]) -> tuple[int, int, str] | None:
    """`+30` becomes `"+$days"`, and `'*.log'` becomes `"*.$kind"`: what quotes allow is quoted as a whole."""
    text, firsts = word.text, [piece for piece in word.pieces if piece.kind == "home"]
    if any(not piece.is_literal for piece in word.pieces if piece.kind != "home") or word.has_glob:
        return None
    if word.redirect.startswith("<<") or (firsts and not any(use.start == 0 for use in uses)):
        return None
    safe = (
        _QUOTED_WORD
        if all(piece.quote for piece in word.pieces if piece.kind == "text")
        else _SAFE_WORD
    )
    parts, at = [], 0
    for use in sorted(uses, key=lambda use: use.start):
        parts += [text[at : use.start], _variable(use, text[use.end : use.end + 1])]
        at = use.end
    rest = [*parts[::2], text[at:]]
    if not all(safe.fullmatch(each) for each in rest):
        return None
    return word.start, word.end, '"' + "".join([*parts, text[at:]]) + '"'


def _change(word: ShellWord, use: Use) -> list[tuple[int, int, str]]:
    """The pieces that the value covers are taken out; the variable goes where the first one was."""
    found, at = list[tuple[Piece, int, int]](), 0
    for piece in word.pieces:
        start, end = max(use.start - at, 0), min(use.end - at, len(piece.text))
        if piece.text and start < end:
            found.append((piece, start, end))
        at += len(piece.text)
    for piece, start, end in found:
        if piece.kind == "opaque" or (
            not piece.is_literal and (start, end) != (0, len(piece.text))
        ):
            raise NotUnderstood("a value that is partly an expansion")
    changes = []
    for number, (piece, start, end) in enumerate(found):
        place = (
            (piece.start + start, piece.start + end)
            if piece.is_literal
            else (piece.start, piece.end)
        )
        behind = piece.text[end:][:1] or _letter_behind(word, piece)
        new = _in_quotes(piece.quote, _variable(use, behind)) if number == 0 else ""
        changes.append((*place, new))
    return changes


def _letter_behind(word: ShellWord, piece: Piece) -> str:
    """The next letter inside the same quotes: `$name` must not swallow it."""
    rest = word.pieces[word.pieces.index(piece) + 1 :]
    return rest[0].text[:1] if rest and piece.quote else ""


def _variable(use: Use, behind: str) -> str:
    is_plain = not use.operation and not re.match(r"[\w\[(]", behind)
    return f"${use.name}" if is_plain else f"${{{use.name}{use.operation}}}"


def _in_quotes(quote: str, variable: str) -> str:
    if quote in ('"', "document"):
        return variable
    return f"'\"{variable}\"'" if quote == "'" else f'"{variable}"'


def variables_of(script: str) -> set[str]:
    """The names that a script sets itself: none of them may be taken for a value."""
    return set(re.findall(r"(?:^|[\s;&|({])([A-Za-z_]\w*)\+?=", script)) | set(
        re.findall(r"\b(?:for|read|local|declare|export)\s+(?:-\w+\s+)*([A-Za-z_]\w*)", script)
    )


def same_meaning(before: str, after: str, values: Mapping[str, str], home: str) -> bool:
    """True when every command of the rewritten script gets the words that it got before.

    `values` are those of the new variables, as the old script had them. Each new variable must stand in quotes.
    """
    try:
        old, new = parse(before), parse(after)
    except NotUnderstood:
        return False
    if len(old) != len(new):
        return False
    return all(_same_command(one, two, values, home) for one, two in zip(old, new, strict=True))


def _same_command(old: Command, new: Command, values: Mapping[str, str], home: str) -> bool:
    shape = (
        [len(each.words) for each in (old, new)],
        [[n for n, _ in each.assignments] for each in (old, new)],
    )
    if (
        shape[0][0] != shape[0][1]
        or shape[1][0] != shape[1][1]
        or len(old.redirects) != len(new.redirects)
    ):
        return False
    pairs = list(zip(old.words, new.words, strict=True))
    pairs += [
        (one, two) for (_, one), (_, two) in zip(old.assignments, new.assignments, strict=True)
    ]
    quoted = list[tuple[Redirect, Redirect]](zip(old.redirects, new.redirects, strict=True))
    pairs += [(one.word, two.word) for one, two in quoted]
    documents = {id(two.word) for _, two in quoted if two.operator.startswith("<<")}
    return all(_same_word(one, two, values, home, id(two) in documents) for one, two in pairs)


def _same_word(
    old: Word, new: Word, values: Mapping[str, str], home: str, is_document: bool
) -> bool:
    for part in new.parts:
        if part.kind == "variable" and part.value in values and not (part.is_quoted or is_document):
            return _is_braced(new, part)
    return _meaning(old, {}, home) == _meaning(new, values, home)


def _is_braced(word: Word, part: Part) -> bool:
    """safety/shell.py does not say of `${name}` whether it stands in quotes; ours always does (`_in_quotes`)."""
    return any(each.is_quoted for each in word.parts if each is not part)


def _meaning(word: Word, values: Mapping[str, str], home: str) -> list[str]:
    """The word as text, with what is not known as marks; the home folder is spelled out."""
    found: list[str] = []
    for at, part in enumerate(word.parts):
        if part.kind == "text":
            text = part.value
            if at == 0 and not part.is_quoted and re.match(r"~(/|$)", text):
                text = home + text[1:]
        elif part.kind == "variable" and part.value == "HOME":
            text = home
        elif part.kind == "variable" and part.value in values:
            text = values[part.value]
        else:
            text = f"\0{part.kind}{part.value}\0"
        found.append(text)
    return ["".join(found)]


def left_over(script: Script | None, after: str, value: str) -> bool:
    """True when the value still stands in the rewritten script, outside its comments."""
    if script is not None:
        try:
            again = scan(after)
        except NotUnderstood:
            return value in after
        for start, end in reversed(again.comments):
            after = after[:start] + after[end:]
    return re.search(rf"(?<!\w){re.escape(value)}(?!\w)", after) is not None
