"""Reads a shell script with tree-sitter's grammar of bash and gives its simple commands; runs and expands nothing.

It looks into `$(…)`, backticks, `<(…)`, double quotes, here-documents, functions, loops and branches. `parse` raises
NotUnderstood for what the grammar does not take; `read` gives what could be read of it, and says so.
"""

from __future__ import annotations

import functools
import re
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from safety.rewrites import rewritten
from safety.tables import MADE
from text import pattern

if TYPE_CHECKING:
    from tree_sitter import Language, Node, Tree

MAX_CHARS = 50_000
MAX_DEPTH = 100  # of nested commands
MAX_COMMANDS = 500
_SHORT = (
    1_000  # bytes: so little takes the grammar no longer than a few milliseconds, whatever it is
)
_SECONDS_A_BYTE = 1e-6  # scripts take a quarter of it; what is no shell can take the grammar the square of its length
_ANSI = pattern(
    r"\\(x[0-9a-fA-F]{1,2}|u[0-9a-fA-F]{1,4}|U[0-9a-fA-F]{1,8}|[0-7]{1,3}|c.|.)", re.DOTALL
)
_WORDS = {
    *(
        "word",
        "number",
        "concatenation",
        "string",
        "raw_string",
        "ansi_c_string",
        "translated_string",
        "array",
    ),
    *(
        "simple_expansion",
        "expansion",
        "command_substitution",
        "process_substitution",
        "arithmetic_expansion",
    ),
    *(
        "brace_expression",
        "extglob_pattern",
        "regex",
        "test_operator",
        "special_variable_name",
        "variable_name",
    ),
}
_EXPANSIONS = {
    "simple_expansion",
    "expansion",
    "command_substitution",
    "process_substitution",
    "arithmetic_expansion",
}
_REDIRECTS = {"file_redirect", "herestring_redirect", "heredoc_redirect"}
_DECLARES = {"declaration_command", "unset_command"}


class NotUnderstood(Exception):
    """The script is not shell as we read it; the text says where we stopped."""


@dataclass(frozen=True, slots=True)
class Part:
    """A piece of a word: "text" as it is, "variable" by name, or "unknown" (a substitution, an expansion).

    Of an unknown part `source` is the text of a `${…}`, and `commands` are those of a substitution."""

    kind: str
    value: str = ""
    is_quoted: bool = False
    source: str = ""
    commands: tuple[Command, ...] = field(default=(), compare=False, repr=False)


@dataclass(slots=True)
class Word:
    """One word of a command, before expansion. `items` are the words of an array."""

    parts: list[Part] = field(default_factory=list)
    items: list[Word] | None = None

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
        is_home = (
            first and first.kind == "text" and not first.is_quoted and re.match(r"~(/|$)", whole)
        )
        return variables["HOME"] + whole[1:] if is_home and "HOME" in variables else whole

    def known_start(self, variables: Mapping[str, str]) -> str:
        """What is known of the word's beginning."""
        known = Word()
        for part in self.parts:
            if part.kind == "unknown" or (part.kind == "variable" and part.value not in variables):
                break
            known.parts.append(part)
        return known.value(variables) or ""

    @property
    def written(self) -> str:
        """The word as it stands in the script, as far as it can be told."""
        return "".join(
            f"${part.value}" if part.kind == "variable" else part.value for part in self.parts
        )

    @property
    def literal(self) -> str | None:
        """The text of an unquoted word without any expansion, for reserved words; else None."""
        if len(self.parts) == 1 and self.parts[0].kind == "text" and not self.parts[0].is_quoted:
            return self.parts[0].value
        return None


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
    source: Command | None = None  # whose output it reads, if that is one simple command
    sources: tuple[Command, ...] = ()  # … if it is several: of `{ a; b; } |`


@dataclass(slots=True)
class Script:
    """What was read: the commands, those of each function, the loops' bodies; `problem` when some could not be read."""

    commands: list[Command] = field(default_factory=list)
    functions: dict[str, list[Command]] = field(default_factory=dict)
    problem: str = ""


def parse(script: str) -> list[Command]:
    """The simple commands of a script, those in substitutions before the command that holds them."""
    found = read(script)
    if found.problem:
        raise NotUnderstood(found.problem)
    return found.commands


@functools.lru_cache(maxsize=16)
def read(script: str) -> Script:
    """All that can be read of a script; nobody changes what is given. Never raises."""
    return _read(script)


def _read(script: str) -> Script:
    if len(script) > MAX_CHARS:
        return Script(problem=f"the script is longer than {MAX_CHARS:,} characters")
    text = script.encode("utf-8", "replace")
    tree = _tree(text)
    if tree is not None and tree.root_node.has_error and (other := rewritten(script)) is not None:
        second = _tree(other.encode("utf-8", "replace"))
        if second is not None and not second.root_node.has_error:
            text, tree = other.encode("utf-8", "replace"), second
    reader = _Reader(text)
    if tree is None:
        reader.script.problem = "it is no shell script that we can read"
        return reader.script
    if tree.root_node.has_error:
        reader.script.problem = "it is no shell script that we can read"
    reader.visit(tree.root_node)
    return reader.script


def _tree(text: bytes) -> Tree | None:
    """The syntax tree; None when the grammar takes too long, as it does for much that is no shell."""
    from tree_sitter import Parser

    parser = Parser(
        _language()
    )  # a new one each time (10 µs): what one keeps of a text before ended a process once
    if len(text) <= _SHORT:
        return parser.parse(text)
    end = time.thread_time() + _SECONDS_A_BYTE * len(text)
    try:
        return parser.parse(
            lambda at, _: text[at:], progress_callback=lambda _, __: time.thread_time() > end
        )
    except ValueError:
        return None


@functools.cache
def _language() -> Language:
    import tree_sitter_bash
    from tree_sitter import Language

    return Language(tree_sitter_bash.language())


class _Reader:
    def __init__(self, text: bytes) -> None:
        self.text = text
        self.script = Script()
        self.depth = 0
        self._behind: list[Callable[[], None]] = []  # what stands behind `<< END` in its line

    # Statements

    def visit(self, node: Node) -> None:
        """Gathers the commands below a node, in the order in which the script has them."""
        self.depth += 1
        try:
            if self.depth > MAX_DEPTH:
                self.script.problem = "nested too deeply"
            elif len(self.script.commands) > MAX_COMMANDS:
                self.script.problem = f"more than {MAX_COMMANDS:,} commands"
            elif (own := self._VISITS.get(node.type)) is not None:
                own(self, node)
            elif node.type in _WORDS:
                self._word(node)
            else:
                for child in node.children:
                    if child.is_named or child.children:
                        self.visit(child)
        finally:
            self.depth -= 1

    def _add(self, command: Command) -> Command:
        self.script.commands.append(command)
        return command

    def _command(self, node: Node) -> None:
        command, end = Command(), -1
        for child in node.children:
            kind = child.type
            is_glued, end = child.start_byte == end, child.end_byte
            if (
                is_glued and kind in _WORDS and command.words
            ):  # r`:`m is one word to bash, three to the grammar
                command.words[-1].parts += self._word(child).parts
            elif kind == "command_name":
                command.words += [self._word(each) for each in child.children] or [
                    Word([self._raw(child)])
                ]
            elif kind == "variable_assignment":
                self._assignment(child, command)
            elif kind in _REDIRECTS:
                self._redirect(child, command)
            elif kind == "ERROR":
                self.visit(child)
            elif kind not in ("comment", "subshell"):
                command.words.append(self._word(child))
            else:
                self.visit(child)
        self._add(command)

    def _declaration(self, node: Node) -> None:
        """`export A=b`, `declare -a x=(…)`, `unset x`: the assignments are words too."""
        command = Command()
        for child in node.children:
            if child.type == "variable_assignment":
                held = Command()
                self._assignment(child, held)
                name, value = held.assignments[0]
                command.words.append(Word([Part("text", name + "="), *value.parts], value.items))
            elif child.type in _REDIRECTS:
                self._redirect(child, command)
            else:
                command.words.append(self._word(child))
        self._add(command)

    def _assignments(self, node: Node) -> None:
        command = Command()
        for child in [node] if node.type == "variable_assignment" else node.children:
            if child.type == "variable_assignment":
                self._assignment(child, command)
        self._add(command)

    def _assignment(self, node: Node, command: Command) -> None:
        name = node.child_by_field_name("name")
        value = node.child_by_field_name("value")
        if name is None:
            return
        key = self._source(name)
        if name.type == "subscript":
            self._inside(name)
            key = key.partition("[")[0]
            word = Word([Part("unknown")])
            if value is not None:
                self._word(value)
        elif value is None:
            word = Word()
        else:
            word = self._word(value)
        is_added = any(child.type == "+=" for child in node.children)
        if is_added and word.items is None:
            word = Word([Part("variable", key, True), *word.parts])
        command.assignments.append((key, word))

    def _redirected(self, node: Node) -> None:
        before = len(self.script.commands)
        body = node.child_by_field_name("body")
        if body is not None:
            self.visit(body)
        after = len(self.script.commands)
        last = body
        while (
            last is not None
            and last.type in ("list", "pipeline", "negated_command")
            and last.named_children
        ):
            last = last.named_children[
                -1
            ]  # the grammar gives `a && b > f` the redirection as a whole, bash gives it to b
        is_simple = last is not None and last.type in ("command", *_DECLARES)
        command = self.script.commands.pop() if is_simple else Command(is_piped=body is not None)
        for child in node.children:
            if child.type in _REDIRECTS:
                self._redirect(child, command)
        self._add(command)
        if not is_simple and any("<" in redirect.operator for redirect in command.redirects):
            for each in self.script.commands[before:after]:
                each.is_piped = True
                if not each.redirects:
                    each.redirects += [
                        redirect
                        for redirect in command.redirects
                        if redirect.operator.startswith("<")
                    ]
        if self._behind:
            late, self._behind = self._behind, []
            for run in late:
                run()

    def _redirect(self, node: Node, command: Command) -> None:
        if node.type == "heredoc_redirect":
            self._document(node, command)
            return
        operator, words = "", list[Word]()
        for child in node.children:
            if child.type == "file_descriptor":
                continue
            if not child.is_named and not words:
                operator = self._source(child)
            else:
                words.append(self._word(child))
        command.redirects.append(Redirect(operator, words[0] if words else Word()))
        command.words += words[
            1:
        ]  # `a > f b`: the grammar gives b to the redirection, bash to the command

    def _document(self, node: Node, command: Command) -> None:
        """`<< END`, with all that stands behind it in its line: the grammar holds that here."""
        redirect, pipe = Redirect("<<", Word()), ""
        later: list[Node] = []
        start = next((child for child in node.children if child.type == "heredoc_start"), None)
        is_quoted = start is not None and any(mark in self._source(start) for mark in "'\"\\")
        for child in node.children:
            if child.type == "heredoc_body":
                text = self._source(child)
                redirect.word.parts = (
                    [Part("text", text.removesuffix("\n"), True)]
                    if is_quoted
                    else self._filled(child, True)
                )
            elif child.type in _REDIRECTS:
                self._redirect(child, command)
            elif child.type in ("|", "|&", "&&", "||", ";"):
                pipe = child.type
            elif child.type == "pipeline":
                pipe, later = "|", [*later, child]
            elif child.type in _WORDS:
                command.words.append(self._word(child))
            elif child.is_named and child.type not in (
                "heredoc_start",
                "heredoc_end",
                "file_descriptor",
            ):
                later.append(child)
        command.redirects.append(redirect)
        if later:
            self._behind = [
                *self._behind,
                lambda: self._follow(later, command, pipe.startswith("|")),
            ]

    def _follow(self, nodes: list[Node], command: Command, is_piped: bool) -> None:
        for node in nodes:
            self._stage(node, [command] if is_piped else [])

    def _stage(self, node: Node, producers: list[Command]) -> None:
        """One part of a pipeline; `producers` are the commands before the |."""
        if node.type == "pipeline":
            self._pipeline(node, producers)
            return
        before = len(self.script.commands)
        self.visit(node)
        for each in self.script.commands[before:]:
            if producers and not each.is_piped:
                each.is_piped = True
                each.source = producers[-1] if len(producers) == 1 else None
                each.sources = (
                    tuple(one for one in producers if one.words) if each.source is None else ()
                )

    def _pipeline(self, node: Node, producers: list[Command] | None = None) -> None:
        current = producers or []
        for child in node.children:
            if not child.is_named:
                continue
            before = len(self.script.commands)
            self._stage(child, current)
            own = self.script.commands[before:]
            is_simple = child.type in ("command", "redirected_statement", "pipeline")
            current = own[-1:] if is_simple else [*own, Command()]

    def _loop(self, node: Node) -> None:
        name = node.child_by_field_name("variable")
        command = Command(loop_variable=self._source(name) if name else "")
        command.words.append(Word([Part("text", "for", True)]))
        body = node.child_by_field_name("body")
        for child in node.children:
            if child.type in _WORDS and child != name:
                command.words.append(self._word(child))
        self._add(command)
        if body is not None:
            self.visit(body)

    def _function(self, node: Node) -> None:
        name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
        before = len(self.script.commands)
        for child in node.children:
            if child != name:
                self.visit(child)
        if name is not None and body is not None:
            self.script.functions[self._source(name)] = self.script.commands[before:]

    def _test(self, node: Node) -> None:
        if node.children and node.children[0].type == "[":
            self._add(
                Command([Word([Part("text", "[")]), *self._leaves(node), Word([Part("text", "]")])])
            )
        else:
            self._inside(node)

    def _leaves(self, node: Node) -> Iterator[Word]:
        for child in node.children:
            if child.type in ("[", "]"):
                continue
            if child.type in _WORDS or not child.children:
                yield self._word(child)
            else:
                yield from self._leaves(child)

    def _case(self, node: Node) -> None:
        """The patterns of a case are no commands."""
        value = node.child_by_field_name("value")
        for child in node.children:
            if child.type == "case_item":
                is_pattern = True
                for each in child.children:
                    if each.type == ")" and is_pattern:
                        is_pattern = False
                    elif each.is_named and not is_pattern:
                        self.visit(each)
                    elif each.is_named:
                        self._inside(each)
            elif child == value:
                self._word(child)

    def _inside(self, node: Node) -> None:
        """Only what is substituted counts."""
        for child in node.children:
            if child.type in ("command_substitution", "process_substitution"):
                self._substitution(child)
            elif child.children:
                self._inside(child)

    # Words

    def _source(self, node: Node) -> str:
        return self.text[node.start_byte : node.end_byte].decode("utf-8", "replace")

    def _raw(self, node: Node) -> Part:
        return Part("text", self._source(node))

    def _word(self, node: Node) -> Word:
        if node.type == "array":
            items = [
                self._word(child)
                for child in node.children
                if child.is_named and child.type != "comment"
            ]
            return Word([Part("unknown")], items)
        return Word(self._parts(node))

    def _parts(self, node: Node, is_quoted: bool = False) -> list[Part]:
        kind, source = node.type, self._source(node)
        if kind in _EXPANSIONS:
            blanks = len(source) - len(
                source.lstrip()
            )  # inside quotes the grammar gives blanks to what follows
            before = [Part("text", source[:blanks], is_quoted)] if blanks else []
            return before + self._expanded(node, source[blanks:], is_quoted)
        if kind in ("concatenation", "command_name"):
            return self._concatenated(node)
        if kind == "string":
            return [Part("text", "", True), *self._filled(node, False)]
        if kind == "raw_string":
            return [Part("text", source[1:-1], True)]
        if kind == "ansi_c_string":
            return [Part("text", _ANSI.sub(_ansi, source[2:-1]), True)]
        if kind == "translated_string":
            return [
                part for child in node.children if child.is_named for part in self._parts(child)
            ]
        self._inside(node)
        return _unescaped(source)

    def _concatenated(self, node: Node) -> list[Part]:
        """The pieces side by side; what the grammar has no node for (a lone `$`) is text."""
        parts, at = list[Part](), node.start_byte
        for child in node.children:
            if child.start_byte > at:
                parts += _unescaped(self.text[at : child.start_byte].decode("utf-8", "replace"))
            parts += self._parts(child)
            at = child.end_byte
        return parts

    def _filled(self, node: Node, is_document: bool) -> list[Part]:
        """The parts of a double-quoted string or of a here-document: expansions, and all between them as text."""
        start, end = node.start_byte, node.end_byte
        if not is_document:
            start, end = start + 1, end - 1
        parts = list[Part]()
        for child in node.children:
            if child.type not in _WORDS:
                continue
            if child.start_byte > start:
                parts.append(self._quoted(start, child.start_byte, is_document))
            parts += self._parts(child, True)
            start = max(start, child.end_byte)
        if start < end:
            text = self._quoted(start, end, is_document)
            parts.append(Part("text", text.value.removesuffix("\n"), True) if is_document else text)
        return parts

    def _quoted(self, start: int, end: int, is_document: bool) -> Part:
        text = self.text[start:end].decode("utf-8", "replace")
        if "\\" in text:
            text = re.sub(r'\\([$`"\\\n])' if not is_document else r"\\([$`\\\n])", _kept, text)
        return Part("text", text, True)

    def _expanded(self, node: Node, source: str, is_quoted: bool) -> list[Part]:
        kind = node.type
        if kind == "simple_expansion":
            return [Part("variable", source[1:], is_quoted)]
        if kind == "expansion":
            self._inside(node)
            for quoted in re.findall(r"`([^`]+)`", source):  # the grammar leaves them as text here
                self.script.commands += _read(quoted).commands
            inner = source[2:-1]
            if re.fullmatch(r"[A-Za-z_]\w*|[0-9@*#?$!-]", inner):
                return [Part("variable", inner, is_quoted)]
            return [Part("unknown", "", is_quoted, source)]
        if kind == "arithmetic_expansion":
            self._inside(node)
            return [Part("unknown", "", is_quoted, source)]
        return [self._substitution(node, is_quoted)]

    def _substitution(self, node: Node, is_quoted: bool = False) -> Part:
        """`$(…)`; of `$(mktemp …)` it is known that it makes a path for temporary files."""
        before = len(self.script.commands)
        source = self._source(node).lstrip()
        if source.startswith("`") and "\\" in source:
            inner = _read(re.sub(r"\\([`$\\])", r"\1", source[1:-1]))
            self.script.commands += inner.commands
            self.script.problem = self.script.problem or inner.problem
        else:
            command = Command()
            for child in node.children:
                if child.type in _REDIRECTS:
                    self._redirect(child, command)
                elif child.is_named:
                    self.visit(child)
            if command.redirects:
                self._add(command)
        own = tuple(self.script.commands[before:])
        only = own[0].words if len(own) == 1 else []
        names = [word.literal for word in only]
        if names[:1] == ["mktemp"] and all(
            name and (name == "mktemp" or name in ("-d", "-t", "-u")) for name in names
        ):
            return Part("variable", MADE, is_quoted)
        if names == ["pwd"]:
            return Part("variable", "PWD", is_quoted)
        return Part(
            "unknown", "", is_quoted, source[:2] if source.startswith(("<(", ">(")) else "$(", own
        )

    _VISITS: dict[str, Callable[[_Reader, Node], None]] = {  # noqa: RUF012 - a table, never changed
        "command": _command,
        "declaration_command": _declaration,
        "unset_command": _declaration,
        "variable_assignment": _assignments,
        "variable_assignments": _assignments,
        "redirected_statement": _redirected,
        "pipeline": _pipeline,
        "for_statement": _loop,
        "select_statement": _loop,
        "function_definition": _function,
        "test_command": _test,
        "case_statement": _case,
        "comment": lambda _self, _node: None,
    }


def _unescaped(source: str) -> list[Part]:
    """An unquoted word: what stands behind a backslash is as good as quoted."""
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
    return {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "e": "\x1b", "E": "\x1b"}.get(code, code)
