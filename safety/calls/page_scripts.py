"""Read the JavaScript that a model writes for a page: what it presses, types, uploads, asks of
whom, and what cannot be seen.

A syntax tree, not a search: an address that is only compared, a word in a comment, a click in a
string do nothing.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterator
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
# These names ask an address, by the method.
_ASKS = dict.fromkeys(names("fetch EventSource axios importScripts Worker SharedWorker"), "get")
_ASKS |= dict.fromkeys(("sendBeacon", "WebSocket"), "post")
_ASKS_ON = {method: method for method in ("get", "post", "put", "delete", "patch")}
_ASKS_ON |= {"ajax": "post", "getJSON": "get"}  # of $, axios and the like
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
    reader = _Reader([node for node, _ in found], has_xhr="XMLHttpRequest" in script)
    if root.has_error:
        reader.blind("unreadable")
    for node, _ in found:
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


def _text(node: Node | None) -> str | None:
    """Return the text that an expression is, when it is written out; "…": more follows."""
    if node is None:
        return None
    kind = node.type
    if kind == "number":
        return _word(node)
    if kind in _TEXTS:
        plain, more, _ = _word(node)[1:-1].partition("${" if kind == "template_string" else "\0")
        return _ESCAPE.sub(_unescaped, plain) + "…" * bool(more)
    if kind == "binary_expression":
        start = _text(node.child_by_field_name("left"))
        return f"{start.removesuffix('…')}…" if start else None
    return None


def _first(args: list[Node]) -> str | None:
    return _text(args[0]) if args else None


def _unescaped(match: re.Match[str]) -> str:
    if match[3] is None:
        code = int(match[match.lastindex or 0], 16)
        return chr(code) if code < 0x110000 else ""
    return {"n": "\n", "t": "\t", "r": "\r", "\n": ""}.get(match[3], match[3])


class _Reader:
    def __init__(self, nodes: list[Node], *, has_xhr: bool) -> None:
        self.root, self.found, self.has_xhr = nodes[0], PageScript(), has_xhr
        # `node.parent` looks for it from the top of the tree
        self.above = {child.id: node for node in nodes for child in node.children}
        self.by_type: dict[str, Callable[[Node], None]] = {
            **dict.fromkeys(_CALLED_AS, self._call),
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

    def _name(self, node: Node) -> None:
        name, above = _word(node), self.above.get(node.id, node)
        if name in _PRIVATE:
            self.found.private.append(name)
        called = above.child_by_field_name(_CALLED_AS.get(above.type, "function"))
        if node.type == "identifier" and name in _HELPERS and called != node:
            self.blind("renames", name=name)

    def _subscript(self, node: Node) -> None:
        index = _text(node.child_by_field_name("index"))
        if index in _PRIVATE:
            self.found.private.append(index)
        if _word(node.child_by_field_name("object")) in _WINDOW:
            if not str(index).isdigit():
                self.blind("from_window", name="…" if index is None else index)
        elif index in _PRESSES | _CODE | _TIMERS | _ASKS.keys():
            self.blind("by_text", name=str(index))

    def _string(self, node: Node) -> None:
        """Collect an address that is written out: it may be requested, unless it is only
        compared."""
        if self._is_compared(node):
            return
        text, above = str(_text(node)).lstrip(), self.above.get(node.id, node)
        if above.type == "binary_expression" and _ADDRESS.match(text):
            self.found.urls.append(f"{text}…")
        else:
            self.found.urls += _ADDRESS.findall(text)

    def _is_compared(self, node: Node) -> bool:
        above = self.above.get(node.id, node)
        while above.type in _AROUND:
            above = self.above.get(above.id, self.root)
        called = _word(above.child_by_field_name("function"))
        return called.rpartition(".")[2] in _COMPARES

    def _set(self, node: Node) -> None:
        """`location = x`, `location.href = x`, `form.action = x`, `img.src = x`."""
        last = _word(node.child_by_field_name("left")).rpartition(".")[2]
        if _text(node.child_by_field_name("right")) is not None:
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
        else:
            self._function(_word(function), args)

    def _function(self, name: str, args: list[Node]) -> None:
        match name:
            case "click":
                self._pressed(_first(args))
            case "type":
                self._typed(args)
            case "press":
                key = _first(args)
                self.found.enters |= key is None or bool(_ENTER.search(key))
            case "upload":
                self._uploads(args)
            case "open" | "import":
                self._asked(args[:1], "get")
            case "setTimeout" | "setInterval" if _first(args) is not None:
                self.blind("runs_text", name=name)  # a function is in the tree
            case _ if name in _CODE:
                self.blind("runs_text", name=name)
            case _ if name in _ASKS:
                self._asked(args, _method_of(name, args))

    def _typed(self, args: list[Node]) -> None:
        enters = any("enter" in _word(each) for each in args[2:])
        text = _text(args[1]) if len(args) > 1 else ""
        self.found.typed.append(Typed(str(_first(args)), text, enters))

    def _uploads(self, args: list[Node]) -> None:
        """Count what opens the choice of a file as pressed."""
        self._pressed(_first(args))
        for each in args[1:]:
            inside = each.named_children if each.type == "array" else [each]
            self.found.uploads += map(_text, inside)

    def _pressed(self, ref: str | None) -> None:
        if ref is None:
            self.blind("presses_unwritten")
        else:
            self.found.presses.append(ref)

    def _method(self, name: str, on: str, args: list[Node]) -> None:
        match name:
            case "click" | "submit" | "requestSubmit":
                self._pressed_by_method(name, on)
            case "call" | "apply" | "bind" if _PASSED_ON.search(on):
                self.blind("renames", name=on[-40:])
            case "assign" | "replace" | "open" if _LEADS.search(on):
                self._asked(args[:1], "get")
            case "open" if self.has_xhr:
                self._asked(args[1:2], _first(args) or "post")
            case "dispatchEvent":
                if not _QUIET_EVENT.search(" ".join(map(_word, args))):
                    self.blind("sends_events")
            case _ if name in _ASKS:
                self._asked(args, _method_of(name, args))
            case _ if _CLIENT.search(on) and name in _ASKS_ON:
                self._asked(args[:1], _ASKS_ON[name])

    def _pressed_by_method(self, name: str, on: str) -> None:
        refs = _ELEMENT.findall(on)
        if len(refs) == 1 and on.count("(") <= 3:
            self.found.presses += refs
        else:
            self.blind("presses_by", name=" ".join(on.split())[:80], method=name)

    def _asked(self, args: list[Node], method: str) -> None:
        """Collect a request; a written-out address is among the strings already."""
        starts = ["…" if text is None else text for text in map(_text, args[:1])]
        self.found.hidden |= any(start.startswith("…") for start in starts)
        if method.lower() not in ("get", "head", "options"):
            self.found.sends.append(method.upper())


def _method_of(name: str, args: list[Node]) -> str:
    """Return the method of a request; of `fetch` by its options: what is not written out may be
    any."""
    for options in map(_word, args[1:2] if name == "fetch" else []):
        said = _METHOD.search(options)
        if said:
            return said[1]
        return "get" if _NO_METHOD.fullmatch(options) else "post"
    return _ASKS[name]
