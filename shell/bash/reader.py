"""Reads the statements of a script into simple commands, looking into substitutions, functions,
loops and branches.

`read` gives what could be read and says what could not; `parse` raises NotUnderstood for it.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from shell.bash.pieces import REDIRECTS, WORDS, Pieces
from shell.bash.syntax import Command, NotUnderstood, Part, Redirect, Script, Word
from shell.bash.tree import tree_of

if TYPE_CHECKING:
    from tree_sitter import Node

MAX_CHARS = 50_000
MAX_DEPTH = 100  # of nested commands
MAX_COMMANDS = 500
_UNREADABLE = "it is no shell script that we can read"
_DECLARES = {"declaration_command", "unset_command"}
_GROUPS = {"list", "pipeline", "negated_command"}
_QUOTES = frozenset("'\"\\")
_NO_CONTENT = {"heredoc_start", "heredoc_end", "file_descriptor"}


def parse(script: str) -> list[Command]:
    """Return the simple commands of a script, those in substitutions before the command that holds
    them.

    Raises NotUnderstood.
    """
    found = read(script)
    if found.problem:
        raise NotUnderstood(found.problem)
    return found.commands


@functools.lru_cache(maxsize=16)
def read(script: str) -> Script:
    """Return all that can be read of a script. Never raises; nobody changes what is given."""
    return _read(script)


def _read(script: str, *, has_offsets: bool = True) -> Script:
    if len(script) > MAX_CHARS:
        return Script(problem=f"the script is longer than {MAX_CHARS:,} characters")
    text = script.encode("utf-8", "replace")
    tree = None if "\0" in script else tree_of(text)
    if tree is None:
        return Script(problem=_UNREADABLE)
    reader = _Reader(text, _read_inner, has_offsets=has_offsets)
    if tree.root_node.has_error:
        reader.script.problem = _UNREADABLE
    try:
        reader.visit(tree.root_node)
    except RecursionError:  # of words within words, which `visit` does not count
        reader.script.problem = "nested too deeply"
    return reader.script


def _read_inner(script: str) -> Script:
    return _read(script, has_offsets=False)


class _Reader(Pieces):
    def __init__(self, text: bytes, read: Callable[[str], Script], *, has_offsets: bool) -> None:
        super().__init__(text, read, has_offsets=has_offsets)
        self._depth = 0
        self._behind: list[Callable[[], None]] = []  # what stands behind `<< END` in its line

    def visit(self, node: Node) -> None:
        """Gather the commands below a node, in the order in which the script has them."""
        self._depth += 1
        if self._depth > MAX_DEPTH:
            self.script.problem = "nested too deeply"
        elif len(self.script.commands) > MAX_COMMANDS:
            self.script.problem = f"more than {MAX_COMMANDS:,} commands"
        elif (own := self._VISITS.get(node.type)) is not None:
            own(self, node)
        elif node.type in WORDS:
            self.word(node)
        else:
            self._below(node)
        self._depth -= 1

    def _below(self, node: Node) -> None:
        for child in node.children:
            self.visit(child)

    def _new(self, node: Node, loop_variable: str = "") -> Command:
        command = Command(loop_variable=loop_variable)
        if self._has_offsets:
            command.start, command.end = node.start_byte, node.end_byte
        return command

    def _add(self, command: Command) -> None:
        self.script.commands.append(command)

    # Simple commands

    def _command(self, node: Node) -> None:
        command, end = self._new(node), -1
        for child in node.children:
            is_glued, end = child.start_byte == end, child.end_byte
            if is_glued and child.type in WORDS and command.words:
                # r`:`m is one word to bash, three to the grammar
                piece = self.word(child)
                command.words[-1].parts += piece.parts
                command.words[-1].end = piece.end
            else:
                self._of_command(child, command)
        self._add(command)

    def _of_command(self, child: Node, command: Command) -> None:
        kind = child.type
        if kind == "command_name":
            raw = Word([Part("text", self.source(child))])
            named = [self.word(each) for each in child.children]
            command.words += named or [self.placed(raw, child)]
        elif kind == "variable_assignment":
            self._assignment(child, command)
        elif kind in REDIRECTS:
            self.redirect(child, command)
        elif kind in ("comment", "subshell", "ERROR"):
            self.visit(child)
        else:
            command.words.append(self.word(child))

    def _declaration(self, node: Node) -> None:
        """`A=b`, `export A=b`, `declare -a x=(…)`, `unset x`."""
        command = self._new(node)
        for child in [node] if node.type == "variable_assignment" else node.children:
            self._of_command(child, command)
        self._add(command)

    def _assignment(self, node: Node, command: Command) -> None:
        name = node.child_by_field_name("name")
        value = node.child_by_field_name("value")
        if name is None:
            return
        key = self.source(name)
        word = Word() if value is None else self.word(value)
        if name.type == "subscript":
            self.inside(name)
            key, word = key.partition("[")[0], Word([Part("unknown")])
        is_added = any(child.type == "+=" for child in node.children)
        if is_added and word.items is None:
            old = Part("variable", key, True)
            word = Word([old, *word.parts], None, word.start, word.end)
        command.assignments.append((key, word))

    # Redirections

    def _redirected(self, node: Node) -> None:
        before = len(self.script.commands)
        body = node.child_by_field_name("body")
        if body is not None:
            self.visit(body)
        after = len(self.script.commands)
        is_simple = _is_simple(_last(body))
        command = self._new(node)
        if is_simple and after > before:
            command = self.script.commands.pop()
        else:
            command.is_piped = body is not None
        for child in node.children:
            if child.type in REDIRECTS:
                self.redirect(child, command)
        self._add(command)
        if not is_simple:
            _hand_in(command, self.script.commands[before:after])
        late, self._behind = self._behind, []
        for run in late:
            run()

    def redirect(self, node: Node, command: Command) -> None:
        """Read `> file`, `<<< text` or `<< END` into the command."""
        if node.type == "heredoc_redirect":
            self._document(node, command)
            return
        operator, words = "", list[Word]()
        for child in node.children:
            if child.type == "file_descriptor":
                continue
            if not child.is_named and not words:
                operator = self.source(child)
            else:
                words.append(self.word(child))
        command.redirects.append(Redirect(operator, words[0] if words else Word()))
        # `a > f b`: the grammar gives b to the redirection, bash to the command
        command.words += words[1:]

    def _document(self, node: Node, command: Command) -> None:
        """`<< END`, with all that stands behind it in its line: the grammar holds that here."""
        redirect = Redirect("<<", Word())
        later: list[Node] = []
        is_quoted = is_piped = False
        for child in node.children:
            kind = child.type
            if kind == "heredoc_start":
                is_quoted = not _QUOTES.isdisjoint(self.source(child))
            elif kind == "heredoc_body":
                redirect.word = self._body(child, is_quoted)
            elif kind in REDIRECTS:
                self.redirect(child, command)
            elif kind in WORDS:
                command.words.append(self.word(child))
            elif child.is_named and kind not in _NO_CONTENT:
                later.append(child)
            is_piped = _JOINTS.get(kind, is_piped)
        command.redirects.append(redirect)
        if later:
            self._behind.append(functools.partial(self._follow, later, command, is_piped))

    def _body(self, node: Node, is_quoted: bool) -> Word:
        text = Part("text", self.source(node).removesuffix("\n"), True)
        return self.placed(Word([text] if is_quoted else self.filled(node, True)), node)

    def _follow(self, nodes: list[Node], command: Command, is_piped: bool) -> None:
        for node in nodes:
            self._stage(node, [command] if is_piped else [])

    # Pipelines, loops, functions, tests

    def _stage(self, node: Node, producers: list[Command]) -> None:
        """Read one part of a pipeline; `producers` are the commands before the |."""
        if node.type == "pipeline":
            self._pipeline(node, producers)
            return
        before = len(self.script.commands)
        self.visit(node)
        for each in self.script.commands[before:]:
            if producers and not each.is_piped:
                each.is_piped = True
                if len(producers) == 1:
                    each.source = producers[0]
                else:
                    each.sources = tuple(one for one in producers if one.words)

    def _pipeline(self, node: Node, producers: list[Command] | None = None) -> None:
        current = producers or []
        for child in (each for each in node.children if each.is_named):
            before = len(self.script.commands)
            self._stage(child, current)
            own = self.script.commands[before:]
            is_simple = child.type in ("command", "redirected_statement", "pipeline")
            current = own[-1:] if is_simple else [*own, Command()]

    def _loop(self, node: Node) -> None:
        name = node.child_by_field_name("variable")
        command = self._new(node, loop_variable=self.source(name) if name else "")
        command.words.append(Word([Part("text", "for", True)]))
        for child in node.children:
            if child.type in WORDS and child != name:
                command.words.append(self.word(child))
        self._add(command)
        if (body := node.child_by_field_name("body")) is not None:
            self.visit(body)

    def _function(self, node: Node) -> None:
        name, before = node.child_by_field_name("name"), len(self.script.commands)
        for child in node.children:
            if child != name:
                self.visit(child)
        if name is not None:
            self.script.functions[self.source(name)] = self.script.commands[before:]

    def _test(self, node: Node) -> None:
        if not node.children or node.children[0].type != "[":
            self.inside(node)
            return
        command = self._new(node)
        ends = [Word([Part("text", "[")]), Word([Part("text", "]")])]
        command.words = [ends[0], *self._leaves(node), ends[1]]
        self._add(command)

    def _leaves(self, node: Node) -> Iterator[Word]:
        for child in node.children:
            if child.type in ("[", "]"):
                continue
            if child.type in WORDS or not child.children:
                yield self.word(child)
            else:
                yield from self._leaves(child)

    def _case(self, node: Node) -> None:
        """Skip the patterns of a case, which are no commands."""
        value = node.child_by_field_name("value")
        for child in node.children:
            if child.type == "case_item":
                self._case_item(child)
            elif child == value:
                self.word(child)

    def _case_item(self, node: Node) -> None:
        is_pattern = True
        for child in node.children:
            if child.type == ")":
                is_pattern = False
            elif child.is_named and is_pattern:
                self.inside(child)
            elif child.is_named:
                self.visit(child)

    _VISITS: dict[str, Callable[[_Reader, Node], None]] = {  # noqa: RUF012 - a table, never changed
        "command": _command,
        "declaration_command": _declaration,
        "unset_command": _declaration,
        "variable_assignment": _declaration,
        "variable_assignments": _declaration,
        "redirected_statement": _redirected,
        "pipeline": _pipeline,
        "for_statement": _loop,
        "select_statement": _loop,
        "function_definition": _function,
        "test_command": _test,
        "case_statement": _case,
        "comment": lambda _self, _node: None,
    }


# By what stands behind a command: is its output read there?
_JOINTS = {"|": True, "|&": True, "pipeline": True, "&&": False, "||": False, ";": False}


def _last(body: Node | None) -> Node | None:
    """Return the command to which bash gives a redirection: the grammar gives `a && b > f` all of
    it."""
    last = body
    while last is not None and last.type in _GROUPS and last.named_children:
        last = last.named_children[-1]
    return last


def _is_simple(node: Node | None) -> bool:
    return node is not None and node.type in ("command", *_DECLARES)


def _hand_in(group: Command, inner: list[Command]) -> None:
    """Give the input of a group, `{ a; b; } < file`, to the commands in it."""
    inputs = [redirect for redirect in group.redirects if "<" in redirect.operator]
    for each in inner if inputs else []:
        each.is_piped = True
        if not each.redirects:
            each.redirects += [one for one in inputs if one.operator.startswith("<")]
