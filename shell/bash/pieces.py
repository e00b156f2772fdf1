"""Reads the words of a script: quotes, expansions, substitutions, arrays. The statements are in
reader.py."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from shell.bash.syntax import Command, Part, Script, Word
from text import pattern

if TYPE_CHECKING:
    from tree_sitter import Node

REDIRECTS = {"file_redirect", "herestring_redirect", "heredoc_redirect"}
EXPANSIONS = {
    *("simple_expansion", "expansion", "command_substitution"),
    *("process_substitution", "arithmetic_expansion"),
}
WORDS = EXPANSIONS | {
    *("word", "number", "concatenation", "string", "raw_string", "ansi_c_string"),
    *("translated_string", "array", "brace_expression", "extglob_pattern", "regex"),
    *("test_operator", "special_variable_name", "variable_name"),
}
_ANSI = pattern(
    r"\\(x[0-9a-fA-F]{1,2}|u[0-9a-fA-F]{1,4}|U[0-9a-fA-F]{1,8}|[0-7]{1,3}|c.|.)", re.DOTALL
)
_ANSI_LETTERS = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "e": "\x1b", "E": "\x1b"}
_PLAIN_NAME = pattern(r"[A-Za-z_]\w*|[0-9@*#?$!-]")
MADE = "$(mktemp)"  # the variable that stands for the path that mktemp makes
_MKTEMP = {"mktemp", "-d", "-t", "-u"}


class Pieces:
    """Turns nodes of words into `Word` and gathers the commands of substitutions in `script`."""

    def __init__(self, text: bytes, read: Callable[[str], Script], *, has_offsets: bool) -> None:
        self.text = text
        self.script = Script()
        self._read_again = read
        self._has_offsets = has_offsets

    def visit(self, node: Node) -> None:
        """Read a statement."""
        raise NotImplementedError

    def redirect(self, node: Node, command: Command) -> None:
        """Read a redirection of a command."""
        raise NotImplementedError

    def source(self, node: Node) -> str:
        """Return the text of a node."""
        return self._cut(node.start_byte, node.end_byte)

    def word(self, node: Node) -> Word:
        """Return the word of a node, with its place."""
        if node.type != "array":
            return self.placed(Word(self._parts(node)), node)
        inner = [child for child in node.children if child.is_named and child.type != "comment"]
        return self.placed(Word([Part("unknown")], [self.word(child) for child in inner]), node)

    def placed(self, word: Word, node: Node) -> Word:
        """Give a word the place of a node."""
        if self._has_offsets:
            word.start, word.end = node.start_byte, node.end_byte
        return word

    def inside(self, node: Node) -> None:
        """Read only what is substituted below a node."""
        for child in node.children:
            if child.type in ("command_substitution", "process_substitution"):
                self._substitution(child, False)
            elif child.children:
                self.inside(child)

    def filled(self, node: Node, is_document: bool) -> list[Part]:
        """Return the parts of a double-quoted string or of a here-document."""
        margin = 0 if is_document else 1
        start, end = node.start_byte + margin, node.end_byte - margin
        parts = list[Part]()
        for child in (each for each in node.children if each.type in WORDS):
            if child.start_byte > start:
                parts.append(self._quoted(start, child.start_byte, is_document))
            parts += self._parts(child, True)
            start = max(start, child.end_byte)
        if start < end:
            last = self._quoted(start, end, is_document)
            ending = "\n" if is_document else ""
            parts.append(Part("text", last.value.removesuffix(ending), True))
        return parts

    def _cut(self, start: int, end: int) -> str:
        return self.text[start:end].decode("utf-8", "replace")

    def _parts(self, node: Node, is_quoted: bool = False) -> list[Part]:
        kind, source = node.type, self.source(node)
        if kind in EXPANSIONS:
            # Inside quotes the grammar gives blanks to the expansion that follows them.
            blanks = source[: len(source) - len(source.lstrip())]
            before = [Part("text", blanks, is_quoted)] if blanks else []
            return before + self._expanded(node, source[len(blanks) :], is_quoted)
        if kind in ("concatenation", "command_name"):
            return self._concatenated(node)
        if kind == "string":
            return [Part("text", "", True), *self.filled(node, False)]
        if kind == "translated_string":
            inner = filter(lambda child: child.is_named, node.children)
            return list(itertools.chain.from_iterable(map(self._parts, inner)))
        if kind in _AS_IT_IS:
            return [Part("text", _AS_IT_IS[kind](source), True)]
        self.inside(node)
        return _unescaped(source)

    def _concatenated(self, node: Node) -> list[Part]:
        """Return the pieces side by side; what the grammar has no node for (a lone `$`) is text."""
        parts, at = list[Part](), node.start_byte
        for child in node.children:
            if child.start_byte > at:
                parts += _unescaped(self._cut(at, child.start_byte))
            parts += self._parts(child)
            at = child.end_byte
        return parts

    def _quoted(self, start: int, end: int, is_document: bool) -> Part:
        text = self._cut(start, end)
        if "\\" in text:
            escapes = r"\\([$`\\\n])" if is_document else r'\\([$`"\\\n])'
            text = re.sub(escapes, _kept, text)
        return Part("text", text, True)

    def _expanded(self, node: Node, source: str, is_quoted: bool) -> list[Part]:
        if node.type == "simple_expansion":
            return [Part("variable", source[1:], is_quoted)]
        if node.type not in ("expansion", "arithmetic_expansion"):
            return [self._substitution(node, is_quoted)]
        self.inside(node)
        if node.type == "expansion":
            for quoted in re.findall(r"`([^`]+)`", source):  # the grammar leaves them as text
                self.script.commands += self._read_again(quoted).commands
            if _PLAIN_NAME.fullmatch(source[2:-1]):
                return [Part("variable", source[2:-1], is_quoted)]
        return [Part("unknown", "", is_quoted, source)]

    def _substitution(self, node: Node, is_quoted: bool) -> Part:
        """`$(…)`; of `$(mktemp …)` it is known that it makes a path for temporary files."""
        before = len(self.script.commands)
        source = self.source(node).lstrip()
        if source.startswith("`") and "\\" in source:
            inner = self._read_again(re.sub(r"\\([`$\\])", r"\1", source[1:-1]))
            self.script.commands += inner.commands
            self.script.problem = self.script.problem or inner.problem
        else:
            self._substituted(node)
        own = tuple(self.script.commands[before:])
        names = [word.literal for word in own[0].words] if len(own) == 1 else []
        if names[:1] == ["mktemp"] and set(names) <= _MKTEMP:
            return Part("variable", MADE, is_quoted)
        if names == ["pwd"]:
            return Part("variable", "PWD", is_quoted)
        sign = source[:2] if source.startswith(("<(", ">(")) else "$("
        return Part("unknown", "", is_quoted, sign, own)

    def _substituted(self, node: Node) -> None:
        command = Command()
        for child in node.children:
            if child.type in REDIRECTS:
                self.redirect(child, command)
            elif child.is_named:
                self.visit(child)
        if command.redirects:
            self.script.commands.append(command)


_AS_IT_IS: Mapping[str, Callable[[str], str]] = {
    "raw_string": lambda source: source[1:-1],
    "ansi_c_string": lambda source: _ANSI.sub(_ansi, source[2:-1]),
}


def _unescaped(source: str) -> list[Part]:
    """Return the parts of an unquoted word: what stands behind a backslash is as good as quoted."""
    if "\\" not in source:
        return [Part("text", source)]
    parts = []
    for plain, escaped in re.findall(r"([^\\]+)|\\(.?)", source, re.DOTALL):
        if plain:
            parts.append(Part("text", plain))
        elif escaped != "\n":
            parts.append(Part("text", escaped, True))
    return parts


def _kept(found: re.Match[str]) -> str:
    return "" if found[1] == "\n" else found[1]


def _ansi(found: re.Match[str]) -> str:
    code = found[1]
    if code[0] in "xuU" and len(code) > 1:
        return chr(min(int(code[1:], 16), 0x10FFFF))
    if code[0] in "01234567":
        return chr(int(code, 8) & 0xFF)
    return _ANSI_LETTERS.get(code, code)
