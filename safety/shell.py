"""Splits a shell script into its simple commands, as bash would before it expands anything; runs and imports nothing.

It looks into `$(…)`, backticks, `<(…)`, double quotes and here-documents. What it cannot split is `NotUnderstood`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

MAX_CHARS = 200_000
MAX_DEPTH = 20
_PLAIN = re.compile(r"[^\s|&;()<>'\"\\$`#]+|#")  # '#' starts a comment only at the start of a word
_IN_QUOTES = re.compile(r'[^"\\$`]+')
_NAME = re.compile(r"[A-Za-z_]\w*|[0-9@*#?$!-]")
_ASSIGNMENT = re.compile(r"([A-Za-z_]\w*)(?:\[[^\]]*\])?\+?=")
_REDIRECT = re.compile(r"(?:\d+|\{\w+\})?(<<<|<<-|<<|<>|<&|>>|>\||>&|<|>)|&>>|&>")
_GLOB = re.compile(r"[*?\[]|\{[^}]*[,.][^}]*\}")
_ANSI = re.compile(r"\\(x[0-9a-fA-F]{1,2}|u[0-9a-fA-F]{1,4}|[0-7]{1,3}|.)", re.DOTALL)
_BEFORE_A_COMMAND = {"if", "then", "else", "elif", "while", "until", "do", "!", "{", "time", "coproc"}
_ALONE = {"fi", "done", "esac", "}", "in"}


class NotUnderstood(Exception):
    """The script is not shell as we read it; the text says where we stopped."""


@dataclass(frozen=True, slots=True)
class Part:
    """A piece of a word: "text" as it is, "variable" by name, or "unknown" (a substitution, an expansion)."""

    kind: str
    value: str = ""
    is_quoted: bool = False


@dataclass(slots=True)
class Word:
    """One word of a command, before expansion."""

    parts: list[Part] = field(default_factory=list)

    def value(self, variables: Mapping[str, str]) -> str | None:
        """The word as the command would get it; None when that cannot be known. A pattern such as *.txt stays."""
        texts = []
        for part in self.parts:
            text = variables.get(part.value) if part.kind == "variable" else part.value
            if part.kind == "unknown" or text is None:
                return None
            texts.append(text)
        whole = "".join(texts)
        first = self.parts[0] if self.parts else None
        if (
            first
            and first.kind == "text"
            and not first.is_quoted
            and re.match(r"~(/|$)", whole)
            and "HOME" in variables
        ):
            return variables["HOME"] + whole[1:]
        return whole

    def known_start(self, variables: Mapping[str, str]) -> str:
        """What is known of the word's beginning."""
        known = Word()
        for part in self.parts:
            if part.kind == "unknown" or (part.kind == "variable" and part.value not in variables):
                break
            known.parts.append(part)
        return known.value(variables) or ""

    @property
    def literal(self) -> str | None:
        """The text of an unquoted word without any expansion, for reserved words; else None."""
        if len(self.parts) == 1 and self.parts[0].kind == "text" and not self.parts[0].is_quoted:
            return self.parts[0].value
        return None

    @property
    def has_pattern(self) -> bool:
        return any(part.kind == "text" and not part.is_quoted and _GLOB.search(part.value) for part in self.parts)


@dataclass(slots=True)
class Redirect:
    """`> file`, `<<< text` (the word is the text), `<< END` (the word is the document)."""

    operator: str
    word: Word


@dataclass(slots=True)
class Command:
    """A simple command: assignments before it, words, redirections; `is_piped`: its input is another's output."""

    words: list[Word] = field(default_factory=list)
    assignments: list[tuple[str, Word]] = field(default_factory=list)
    redirects: list[Redirect] = field(default_factory=list)
    is_piped: bool = False
    loop_variable: str = ""  # of `for NAME in words`: the words are no command


def parse(script: str) -> list[Command]:
    """The simple commands of a script, those in substitutions before the command that holds them."""
    if len(script) > MAX_CHARS:
        raise NotUnderstood(f"the script is longer than {MAX_CHARS:,} characters")
    reader = _Reader(script)
    reader.read_list("")
    return reader.commands


class _Reader:
    def __init__(self, text: str, depth: int = 0) -> None:
        if depth > MAX_DEPTH:
            raise NotUnderstood("nested too deeply")
        self.text, self.at, self.depth = text, 0, depth
        self.commands: list[Command] = []
        self._documents: list[tuple[Redirect, str, bool, bool]] = []  # redirect, end word, is quoted, tabs stripped

    def read_list(self, closer: str) -> None:
        """Reads commands up to `closer` (")" of a substitution, "" for the end of the text)."""
        command, groups, cases = Command(), 0, 0
        while True:
            self._skip_blanks()
            letter = self.text[self.at : self.at + 1]
            if not letter:
                if closer or groups or self._documents:
                    raise NotUnderstood("something that was opened is not closed")
                self._end(command)
                return
            redirect = _REDIRECT.match(self.text, self.at)
            if redirect and not self.text.startswith(("<(", ">("), self.at):
                self._redirect(command, redirect)
            elif letter == ")":
                if not groups and not cases:
                    if closer != ")":
                        raise NotUnderstood("a ) too many")
                    self._end(command)
                    self.at += 1
                    return
                command = self._pattern_end(command) if not groups else self._end(command)
                groups -= groups > 0
                self.at += 1
            elif letter == "(":
                command, opened = self._open(command)
                groups += opened
            elif letter in "\n;&|":
                command = self._separate(command)
            else:
                word = self._word()
                cases += (not command.words and word.literal == "case") - (not command.words and word.literal == "esac")
                self._place(command, word)

    def _pattern_end(self, command: Command) -> Command:
        """`one|two)` of a case: what was read was no command."""
        while command.is_piped and self.commands:
            command = self.commands.pop()
        return Command()

    def _end(self, command: Command, is_piped: bool = False) -> Command:
        if command.words or command.assignments or command.redirects:
            self.commands.append(command)
        return Command(is_piped=is_piped)

    def _separate(self, command: Command) -> Command:
        start, self.at = self.at, self.at + 1
        while self.text[self.at : self.at + 1] in tuple("&|;"):
            self.at += 1
        operator = self.text[start : self.at]
        if operator == "\n":
            self._read_documents()
        return self._end(command, operator in ("|", "|&"))

    def _open(self, command: Command) -> tuple[Command, int]:
        """A "(": a subshell, an array, a function, or arithmetic. Gives how many groups it opened."""
        if self.text.startswith("((", self.at) and not command.words:
            end = self.text.find("))", self.at)
            if end < 0:
                raise NotUnderstood("(( is not closed")
            self._quoted_text(self.text[self.at + 2 : end])
            self.at = end + 2
            return command, 0
        if re.compile(r"\(\s*\)").match(self.text, self.at) and len(command.words) <= 2:  # name ( ): its body follows
            self.at = self.text.index(")", self.at) + 1
            return Command(), 0
        if command.assignments and not command.words and self.text[self.at - 1] == "=":  # name=(…)
            self.at += 1
            inner = _Reader(self.text, self.depth + 1)
            inner.at = self.at
            inner.read_list(")")
            self.commands += inner.commands[:-1]  # the last one is the list itself
            self.at = inner.at
            command.assignments[-1] = (command.assignments[-1][0], Word([Part("unknown")]))
            return command, 0
        if command.words and command.words[0].literal != "case":
            raise NotUnderstood("a ( where none belongs")
        self.at += 1
        return command, 0 if command.words else 1

    def _place(self, command: Command, word: Word) -> None:
        literal = word.literal
        if not command.words and not command.assignments:
            if literal in _BEFORE_A_COMMAND or literal in _ALONE:
                return
            if literal in ("for", "select"):
                self._loop(command)
                return
            if literal == "function":
                self._skip_blanks()
                self._word()
                return
            if literal == "[[":
                self._skip_test()
                return
            if literal == "case":
                self._skip_blanks()
                self._word()
                self._skip_blanks()
                self._word()  # in
                return
        found = _ASSIGNMENT.match(word.parts[0].value) if word.parts and word.parts[0].kind == "text" else None
        if found and not command.words and not word.parts[0].is_quoted:
            rest = Part("text", word.parts[0].value[found.end() :])
            value = Word(([rest] if rest.value else []) + word.parts[1:])
            command.assignments.append((found[1], value))
        else:
            command.words.append(word)

    def _loop(self, command: Command) -> None:
        self._skip_blanks()
        name = self._word() if self.text[self.at : self.at + 1] != "(" else None
        command.loop_variable = (name.literal if name else "") or ""
        command.words.append(Word([Part("text", "for", True)]))  # what follows, up to the separator, is its list

    def _skip_test(self) -> None:
        end = re.compile(r"\s\]\](?=[\s;&|)]|$)").search(self.text, self.at)
        if not end:
            raise NotUnderstood("[[ is not closed")
        self._quoted_text(self.text[self.at : end.start()])
        self.at = end.end()

    def _skip_blanks(self) -> None:
        while self.at < len(self.text):
            if self.text[self.at] in " \t\r":
                self.at += 1
            elif self.text.startswith("\\\n", self.at):
                self.at += 2
            elif self.text[self.at] == "#":
                end = self.text.find("\n", self.at)
                self.at = len(self.text) if end < 0 else end
            else:
                return

    def _redirect(self, command: Command, found: re.Match[str]) -> None:
        operator = found[1] or found[0]
        self.at = found.end()
        self._skip_blanks()
        if operator in ("<<", "<<-"):
            start = self.at
            word = self._word()
            is_quoted = any(mark in self.text[start : self.at] for mark in "'\"\\")
            redirect = Redirect("<<", Word())
            self._documents.append((redirect, "".join(part.value for part in word.parts), is_quoted, operator == "<<-"))
        else:
            redirect = Redirect(operator, self._word())
        command.redirects.append(redirect)

    def _read_documents(self) -> None:
        for redirect, end, is_quoted, strips in self._documents:
            lines = []
            while True:
                stop = self.text.find("\n", self.at)
                line = self.text[self.at :] if stop < 0 else self.text[self.at : stop]
                if self.at >= len(self.text):
                    raise NotUnderstood(f"the document up to {end!r} does not end")
                self.at = len(self.text) if stop < 0 else stop + 1
                if (line.lstrip("\t") if strips else line) == end:
                    break
                lines.append(line)
            body = "\n".join(lines)
            redirect.word.parts = [Part("text", body, True)] if is_quoted else self._quoted_text(body)
        self._documents = []

    def _word(self) -> Word:
        word, start = Word(), self.at
        while self.at < len(self.text):
            letter = self.text[self.at]
            if letter in " \t\r\n|&;)":
                break
            if letter in "<>" or letter == "(":
                if letter != "(" and self.text.startswith("(", self.at + 1) and not word.parts:
                    self.at += 2
                    self._substitution()
                    word.parts.append(Part("unknown"))
                    continue
                break
            word.parts += self._piece(letter)
        if self.at == start:
            raise NotUnderstood(f"a word is missing at {self.text[start : start + 20]!r}")
        return word

    def _piece(self, letter: str) -> list[Part]:
        if letter == "'":
            return [Part("text", self._until("'", self.at + 1), True)]
        if letter == '"':
            self.at += 1
            return self._double_quoted()
        if letter == "\\":
            self.at += 2
            return [Part("text", self.text[self.at - 1 : self.at].replace("\n", ""), True)]
        if letter in "$`":
            return self._expansion(False)
        found = _PLAIN.match(self.text, self.at)
        if not found:
            raise NotUnderstood(f"unexpected {letter!r}")
        self.at = found.end()
        return [Part("text", found[0])]

    def _until(self, closer: str, start: int) -> str:
        end = self.text.find(closer, start)
        if end < 0:
            raise NotUnderstood(f"{closer} is not closed")
        self.at = end + len(closer)
        return self.text[start:end]

    def _double_quoted(self) -> list[Part]:
        parts: list[Part] = [Part("text", "", True)]
        while True:
            letter = self.text[self.at : self.at + 1]
            if not letter:
                raise NotUnderstood('" is not closed')
            if letter == '"':
                self.at += 1
                return parts
            parts += self._quoted_piece(letter)

    def _quoted_piece(self, letter: str) -> list[Part]:
        if letter == "\\":
            self.at += 2
            escaped = self.text[self.at - 1 : self.at]
            return [Part("text", escaped if escaped in '$`"\\' else "" if escaped == "\n" else "\\" + escaped, True)]
        if letter in "$`":
            return self._expansion(True)
        found = _IN_QUOTES.match(self.text, self.at)
        self.at = found.end() if found else self.at + 1
        return [Part("text", found[0] if found else letter, True)]

    def _quoted_text(self, text: str) -> list[Part]:
        """The parts of a text in which only expansions count: a document, arithmetic, a parameter's default."""
        inner = _Reader(text, self.depth + 1)
        parts: list[Part] = []
        while inner.at < len(text):
            letter = text[inner.at]
            if letter == '"':
                inner.at += 1
                parts.append(Part("text", '"', True))
            else:
                parts += inner._quoted_piece(letter)
        self.commands += inner.commands
        return parts

    def _expansion(self, is_quoted: bool) -> list[Part]:
        if self.text[self.at] == "`":
            inner = re.compile(r"`((?:[^`\\]|\\.)*)`", re.DOTALL).match(self.text, self.at)
            if not inner:
                raise NotUnderstood("` is not closed")
            self.at = inner.end()
            return [self._inner(re.sub(r"\\([`$\\])", r"\1", inner[1]))]
        rest = self.text[self.at + 1 : self.at + 3]
        if rest.startswith("(("):
            end = self._closing(self.at + 1)
            if self.text[end - 2 : end] == "))":
                self._quoted_text(self.text[self.at + 3 : end - 2])
                self.at = end
                return [Part("unknown")]
        if rest.startswith("("):
            self.at += 2
            return [self._substitution()]
        if rest.startswith("{"):
            return [self._braces()]
        if rest.startswith("'") and not is_quoted:
            inside = re.compile(r"(?:[^'\\]|\\.)*'", re.DOTALL).match(self.text, self.at + 2)
            if not inside:
                raise NotUnderstood("$' is not closed")
            self.at = inside.end()
            return [Part("text", _ANSI.sub(_ansi, inside[0][:-1]), True)]
        if rest.startswith('"') and not is_quoted:
            self.at += 2
            return self._double_quoted()
        name = _NAME.match(self.text, self.at + 1)
        self.at = name.end() if name else self.at + 1
        return [Part("variable", name[0], is_quoted) if name else Part("text", "$", is_quoted)]

    def _closing(self, start: int) -> int:
        """The place behind the ) that closes the ( at `start`."""
        depth = 0
        for found in re.compile(r"[()]").finditer(self.text, start):
            depth += 1 if found[0] == "(" else -1
            if not depth:
                return found.end()
        raise NotUnderstood("( is not closed")

    def _substitution(self) -> Part:
        """Reads `…)` of a `$(…)`; of `$(mktemp …)` it is known that it makes a path for temporary files."""
        inner = _Reader(self.text, self.depth + 1)
        inner.at = self.at
        inner.read_list(")")
        self.at = inner.at
        return self._result_of(inner.commands)

    def _inner(self, script: str) -> Part:
        inner = _Reader(script, self.depth + 1)
        inner.read_list("")
        return self._result_of(inner.commands)

    def _result_of(self, commands: list[Command]) -> Part:
        self.commands += commands
        only = commands[0].words if len(commands) == 1 else []
        names = [word.literal for word in only]
        if names[:1] == ["mktemp"] and all(name and (name == "mktemp" or name in ("-d", "-t", "-u")) for name in names):
            return Part("variable", "TMPDIR")
        return Part("variable", "PWD") if names == ["pwd"] else Part("unknown")

    def _braces(self) -> Part:
        start, depth = self.at + 2, 1
        self.at = start
        while depth:
            letter = self.text[self.at : self.at + 1]
            if not letter:
                raise NotUnderstood("${ is not closed")
            if letter == "\\":
                self.at += 1
            depth += (letter == "{") - (letter == "}")
            self.at += 1
        inner = self.text[start : self.at - 1]
        if re.fullmatch(r"[A-Za-z_]\w*", inner):
            return Part("variable", inner)
        self._quoted_text(inner)
        return Part("unknown")


def _ansi(found: re.Match[str]) -> str:
    code = found[1]
    if code[0] in "xu" and len(code) > 1:
        return chr(int(code[1:], 16))
    if code[0] in "01234567":
        return chr(int(code, 8) & 0xFF)
    return {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "e": "\x1b", "E": "\x1b"}.get(code, code)
