"""Read the JavaScript that a model writes for a page: what it presses, types, uploads, asks of
whom, and what cannot be seen.

A syntax tree, not a search: an address that is only compared, a word in a comment, a click in a
string do nothing.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from text import pattern
from text.patterns import names

if TYPE_CHECKING:
    from tree_sitter import Language, Node

MAX_LENGTH = 100_000  # bytes; nobody reads a longer one before saying yes
_DEEPEST = 250  # expressions in one another; nobody writes such a script, and nobody reads it
_ADDRESS = pattern(r"(?i)(?:(?:https?|wss?|ftp|file):)?//[^\s'\"<>`]+|file:\S+")
_COMPARES = names(
    "includes startsWith endsWith indexOf match matchAll test search split replace replaceAll querySelector"
    " querySelectorAll closest matches getAttribute hasAttribute error log"
)
_ASKS = names("fetch sendBeacon WebSocket EventSource axios importScripts Worker SharedWorker")
# of XMLHttpRequest, $, axios
_ASKS_ON = {method: method for method in ("get", "post", "put", "delete", "patch")}
_ASKS_ON |= {"ajax": "post", "getJSON": "get"}
_GOES = names("assign replace open")  # of location and window
_PASSES_ON = names("call apply bind")
_PRESSES = names("click submit requestSubmit")
_TIMERS = names("setTimeout setInterval")
_CODE = names("eval Function atob")
_PRIVATE = names("cookie cookieStore localStorage sessionStorage indexedDB credentials")
_WINDOW = names("window globalThis self top parent document")
_HELPERS = names("click upload fetch eval XMLHttpRequest WebSocket Function")
_PLACES = names("location href src action formAction srcset data")
_MARKUP = names("innerHTML outerHTML srcdoc")
_TEXTS = ("string", "template_string")
_CALLED_AS = {"call_expression": "function", "new_expression": "constructor"}
_OPERATIONS = ("binary_expression", "unary_expression")
_AROUND = ("arguments", "parenthesized_expression", "binary_expression", "array")
_QUIET_EVENT = pattern(r"['\"](input|change|blur|focus|scroll|mouseover|mouseenter)['\"]")
_PASSED_ON = pattern(r"\b(click|submit|fetch|open|sendBeacon)$")
_LEADS = pattern(r"(^|\.)(location|window|globalThis|self|top)$")
_CLIENT = pattern(r"(?i)xhr|req|http|axios|^\$$|^jquery$|ajax|client")
_ELEMENT = pattern(r"\bel\(\s*['\"`](e\d+)['\"`]\s*\)")
_METHOD = pattern(r"['\"]?\bmethod\b['\"]?\s*:\s*['\"`](\w+)")
_NO_METHOD = pattern(r"\{(?!.*(?:\.\.\.|\bmethod\b)).*", re.DOTALL)
_ENTER = pattern(r"(?i)(^|\+)(enter|space| )$")
_ESCAPE = pattern(r"\\(?:u\{?([0-9a-fA-F]{4,6})\}?|x([0-9a-fA-F]{2})|(.))", re.DOTALL)


class Typed(NamedTuple):
    """A text typed into the field `ref`; None: not written out. `enters`: Enter follows."""

    ref: str
    text: str | None
    enters: bool


@dataclass
class PageScript:
    """Hold what a script does; "…" at the end of an address: more follows."""

    presses: list[str] = field(default_factory=list)  # references
    typed: list[Typed] = field(default_factory=list)
    uploads: list[str | None] = field(default_factory=list)
    enters: bool = False
    urls: list[str] = field(default_factory=list)
    sends: list[str] = field(default_factory=list)  # methods of requests that do more than get
    hidden: bool = False  # it asks an address that is not written out
    blind: list[tuple[str, dict[str, Any]]] = field(default_factory=list)  # what is not seen
    private: list[str] = field(default_factory=list)  # cookies and the like that it reads

    @property
    def enters_nowhere(self) -> bool:
        """Return True if it presses Enter without a field or a button before."""
        return self.enters and not [*self.typed, *self.presses]


def read(script: str) -> PageScript:
    """Return what a script does. Never raises."""
    if len(script) > MAX_LENGTH:
        return PageScript(blind=[("too_long", {})])
    # As the browser's tools run it: in an async function, where `return` and `await` stand for
    # themselves.
    root = _parsed("async function script() {\n" + script + "\n}")
    if root.has_error:
        other = _parsed("async function script() { return (\n" + script + "\n) }")
        root = root if other.has_error else other
    found = list(_nodes(root))
    if any(depth > _DEEPEST for _, depth in found):
        return PageScript(blind=[("too_deep", {})])
    nodes = [node for node, _ in found]
    reader = _Reader(nodes, has_xhr="XMLHttpRequest" in script)
    if root.has_error:
        reader.blind("unreadable")
    for node in nodes:
        reader.look(node)
    reader.found.urls = list(dict.fromkeys(reader.found.urls))
    return reader.found


def _parsed(text: str) -> Node:
    from tree_sitter import Parser

    return Parser(_language()).parse(text.encode("utf-8", "replace")).root_node


@functools.cache
def _language() -> Language:
    import tree_sitter_javascript
    from tree_sitter import Language

    return Language(tree_sitter_javascript.language())


def _nodes(root: Node) -> Iterator[tuple[Node, int]]:
    """Yield each node, and how deep it lies."""
    queue = [(root, 0)]
    while queue:
        node, depth = queue.pop()
        yield node, depth
        queue += [(child, depth + 1) for child in reversed(node.children)]


def _word(node: Node | None) -> str:
    return (node.text or b"").decode("utf-8", "replace") if node is not None else ""


def _constants(nodes: list[Node]) -> dict[str, str]:
    """Return the variables that are given one text, once."""
    values: dict[str, list[str | None]] = {}
    for node in nodes:
        if node.type == "variable_declarator":
            text = _text(node.child_by_field_name("value"), {})
            values.setdefault(_word(node.child_by_field_name("name")), []).append(text)
        elif node.type in ("assignment_expression", "augmented_assignment_expression"):
            values.setdefault(_word(node.child_by_field_name("left")), []).append(None)
    once = {name: given[0] for name, given in values.items() if len(given) == 1}
    return {name: text for name, text in once.items() if text is not None}


def _text(node: Node | None, known: Mapping[str, str]) -> str | None:
    """Return the text that an expression is, when it is written out; what follows a known start is
    "…"."""
    if node is None:
        return None
    read = _TEXTS_OF.get(node.type)
    return read(node, known) if read else None


def _inner(node: Node, known: Mapping[str, str]) -> str | None:
    return _text(node.named_children[0] if node.named_children else None, known)


def _sum(node: Node, known: Mapping[str, str]) -> str | None:
    sides = [node.child_by_field_name(side) for side in ("left", "right")]
    is_sum = _word(node.child_by_field_name("operator")) == "+"
    return _joined([_text(side, known) for side in sides]) if is_sum else None


_TEXTS_OF: Mapping[str, Callable[[Node, Mapping[str, str]], str | None]] = {
    **dict.fromkeys(("parenthesized_expression", "template_substitution"), _inner),
    "string": lambda node, _: _ESCAPE.sub(_unescaped, _word(node)[1:-1]),
    "number": lambda node, _: _word(node),
    "template_string": lambda node, known: _joined(
        [_piece(child, known) for child in node.named_children]
    ),
    "binary_expression": _sum,
    "identifier": lambda node, known: known.get(_word(node)),
}


def _piece(node: Node, known: Mapping[str, str]) -> str | None:
    return _text(node, known) if node.type == "template_substitution" else _word(node)


def _joined(parts: list[str | None]) -> str | None:
    """Join parts up to the first that is not known, or not to its end."""
    text = ""
    for at, part in enumerate(parts):
        if part is None:
            return f"{text}…" if at else None
        text += part
        if part.endswith("…"):
            return text
    return text


def _unescaped(match: re.Match[str]) -> str:
    if code := match[1] or match[2]:
        return chr(int(code, 16)) if int(code, 16) < 0x110000 else ""
    return {"n": "\n", "t": "\t", "r": "\r", "\n": ""}.get(match[3], match[3])


class _Reader:
    def __init__(self, nodes: list[Node], *, has_xhr: bool) -> None:
        self.root = nodes[0]
        self.found, self.known, self.has_xhr = PageScript(), _constants(nodes), has_xhr
        # `node.parent` looks for it from the top of the tree
        self.above = {child.id: node for node in nodes for child in node.children}
        self.by_type: dict[str, Callable[[Node], None]] = {
            **dict.fromkeys(("call_expression", "new_expression"), self._call),
            **dict.fromkeys(_TEXTS, self._string),
            **dict.fromkeys(("identifier", "property_identifier"), self._name),
            "assignment_expression": self._set,
            "subscript_expression": self._subscript,
        }

    def look(self, node: Node) -> None:
        """Note what one node of the tree does."""
        if node.type in self.by_type:
            self.by_type[node.type](node)

    def blind(self, key: str, **values: str) -> None:
        """Note what cannot be seen."""
        self.found.blind.append((key, values))

    def text(self, node: Node | None) -> str | None:
        return _text(node, self.known)

    def _first(self, args: list[Node]) -> str | None:
        return self.text(args[0]) if args else None

    def _name(self, node: Node) -> None:
        name = _word(node)
        if name in _PRIVATE:
            self.found.private.append(name)
        if node.type == "identifier":
            self._identifier(node, name)

    def _identifier(self, node: Node, name: str) -> None:
        if name in _HELPERS and not self._is_called(node):
            self.blind("renames", name=name)

    def _subscript(self, node: Node) -> None:
        index = self.text(node.child_by_field_name("index"))
        if index in _PRIVATE:
            self.found.private.append(index)
        if _word(node.child_by_field_name("object")) in _WINDOW:
            if not str(index).isdigit():
                self.blind("from_window", name="…" if index is None else index)
        elif index in _PRESSES | _ASKS | _CODE | _TIMERS:
            self.blind("by_text", name=str(index))

    def _string(self, node: Node) -> None:
        """Collect an address that is written out: it may be requested, unless it is only
        compared."""
        if self._is_compared(node):
            return
        text, above = self.text(node), self.above.get(node.id, node)
        start = "" if text is None else text.lstrip()
        if above.type == "binary_expression" and _ADDRESS.match(start):
            joined = str(self.text(above))
            self.found.urls.append(joined if joined.lstrip().startswith(start) else start)
        else:
            self.found.urls += _ADDRESS.findall(start)

    def _is_compared(self, node: Node) -> bool:
        above = self.above.get(node.id, node)
        while above.type in _AROUND:
            above = self.above.get(above.id, self.root)
        function = above.child_by_field_name("function")
        method = function.child_by_field_name("property") if function is not None else None
        return _word(method) in _COMPARES

    def _is_called(self, node: Node) -> bool:
        above = self.above.get(node.id, node)
        if above.type in _CALLED_AS:
            return above.child_by_field_name(_CALLED_AS[above.type]) == node
        return above.type in _OPERATIONS and "typeof" in _word(above)

    def _set(self, node: Node) -> None:
        """`location = x`, `location.href = x`, `form.action = x`, `img.src = x`."""
        last = _word(node.child_by_field_name("left")).rpartition(".")[2]
        if self.text(node.child_by_field_name("right")) is not None:
            return
        self.found.hidden |= last in _PLACES
        if last in _MARKUP:
            self.blind("writes", name=last)

    def _call(self, node: Node) -> None:
        function = node.child_by_field_name(_CALLED_AS[node.type])
        inner = node.child_by_field_name("arguments")
        children = inner.named_children if inner is not None else []
        args = [each for each in children if each.type != "comment"]
        if function is None:
            return
        if function.type == "member_expression":
            owner = _word(function.child_by_field_name("object"))
            self._method(_word(function.child_by_field_name("property")), owner, args)
        elif function.type == "identifier":
            self._function(_word(function), args)
        elif function.type == "import":
            self._asked("import", args[:1], "get")

    def _function(self, name: str, args: list[Node]) -> None:
        own = {
            "click": lambda: self._pressed(self._first(args)),
            "type": lambda: self._typed(args),
            "press": lambda: self._enters(self._first(args)),
            "upload": lambda: self._uploads(args),
            "open": lambda: self._asked(name, args[:1], "get"),
            **dict.fromkeys(_TIMERS, lambda: self._timed(name, args)),
        }
        if name in own:
            own[name]()
        elif name in _CODE:
            self.blind("runs_text", name=name)
        elif name in _ASKS:
            self._asked(name, args, "get")

    def _timed(self, name: str, args: list[Node]) -> None:
        """Note a text that runs after a while; a function is in the tree."""
        if any(arg.type in _TEXTS for arg in args[:1]):
            self.blind("runs_text", name=name)

    def _typed(self, args: list[Node]) -> None:
        enters = any("enter" in _word(each) for each in args[2:])
        text = self.text(args[1]) if len(args) > 1 else ""
        self.found.typed.append(Typed(self._first(args) or "", text, enters))

    def _enters(self, key: str | None) -> None:
        self.found.enters |= key is None or bool(_ENTER.search(key))

    def _uploads(self, args: list[Node]) -> None:
        """Count what opens the choice of a file as pressed."""
        self._pressed(self._first(args))
        for each in args[1:]:
            inside = each.named_children if each.type == "array" else [each]
            self.found.uploads += [self.text(path) for path in inside]

    def _pressed(self, ref: str | None) -> None:
        if ref is None:
            self.blind("presses_unwritten")
        else:
            self.found.presses.append(ref)

    def _method(self, name: str, on: str, args: list[Node]) -> None:
        if name in _PRESSES:
            self._pressed_by_method(name, on)
        elif name in _PASSES_ON and _PASSED_ON.search(on):
            self.blind("renames", name=on[-40:])
        elif name in _GOES and _LEADS.search(on):
            self._asked(name, args[:1], "get")
        elif name == "open" and self.has_xhr:
            method = self._first(args)
            self._asked(name, args[1:2], "post" if method is None else method)
        else:
            self._asked_on(name, on, args)

    def _asked_on(self, name: str, on: str, args: list[Node]) -> None:
        if name == "dispatchEvent":
            if not any(_QUIET_EVENT.search(_word(each)) for each in args):
                self.blind("sends_events")
        elif name in _ASKS_ON and _CLIENT.search(on):
            self._asked(name, args[:1], _ASKS_ON[name])
        elif name in _ASKS:
            self._asked(name, args, "get")

    def _pressed_by_method(self, name: str, on: str) -> None:
        refs = _ELEMENT.findall(on)
        if len(refs) == 1 and on.count("(") <= 3:
            self.found.presses += refs
        else:
            self.blind("presses_by", name=" ".join(on.split())[:80], method=name)

    def _asked(self, name: str, args: list[Node], method: str) -> None:
        """Collect a request; a written-out address is among the strings already."""
        address = self.text(args[0]) if args else ""
        self.found.hidden |= address is None or address.startswith("…")
        if name == "fetch":
            for options in args[1:2]:
                method = _method_of(_word(options))
        if name in ("sendBeacon", "WebSocket"):
            method = "post"
        if method.lower() not in ("get", "head", "options"):
            self.found.sends.append(method.upper())


def _method_of(options: str) -> str:
    """Return the method in the options of `fetch`; what is not written out may be any."""
    said = _METHOD.search(options)
    if said:
        return said[1]
    return "get" if _NO_METHOD.fullmatch(options) else "post"
