"""Reads the JavaScript that a model writes for a page: what it presses, types, uploads, asks of whom, and what cannot be seen.

A syntax tree, not a search: an address that is only compared, a word in a comment, a click in a string do nothing.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from tree_sitter import Language, Node

MAX_LENGTH = 100_000  # bytes; nobody reads a longer one before saying yes
_ADDRESS = re.compile(r"(?i)(?:(?:https?|wss?|ftp|file):)?//[^\s'\"<>`]+|file:\S+")
_COMPARES = {"includes", "startsWith", "endsWith", "indexOf", "match", "matchAll", "test", "search", "split", "replace", "replaceAll", "querySelector", "querySelectorAll", "closest", "matches", "getAttribute", "hasAttribute", "error", "log"}  # fmt: skip
_ASKS = {
    "fetch",
    "sendBeacon",
    "WebSocket",
    "EventSource",
    "axios",
    "importScripts",
    "Worker",
    "SharedWorker",
}
_ASKS_ON = {
    "get": "get",
    "post": "post",
    "put": "put",
    "delete": "delete",
    "patch": "patch",
    "ajax": "post",
    "getJSON": "get",
}  # of XMLHttpRequest, $, axios
_GOES = {"assign", "replace", "open"}  # of location and window
_PRESSES = {"click", "submit", "requestSubmit"}
_CODE = {"eval", "Function", "setTimeout", "setInterval", "atob"}
_PRIVATE = {"cookie", "cookieStore", "localStorage", "sessionStorage", "indexedDB", "credentials"}
_WINDOW = {"window", "globalThis", "self", "top", "parent", "document"}
_HELPERS = {
    "click",
    "drag",
    "upload",
    "fetch",
    "eval",
    "XMLHttpRequest",
    "WebSocket",
    "Function",
}  # under another name: unseen


class Typed(NamedTuple):
    """A text typed into the field `ref`; None: not written out. `enters`: Enter follows."""

    ref: str
    text: str | None
    enters: bool


@dataclass
class PageScript:
    """Hold what a script does. `blind` says what it does that cannot be seen; "…" at the end of an
    address: more follows."""

    presses: list[str] = field(default_factory=list)  # references
    typed: list[Typed] = field(default_factory=list)
    uploads: list[str | None] = field(default_factory=list)
    enters: bool = False
    drags: bool = False
    urls: list[str] = field(default_factory=list)
    sends: list[str] = field(default_factory=list)  # methods of requests that do more than get
    hidden: bool = False  # it asks an address that is not written out
    blind: list[str] = field(default_factory=list)
    private: list[str] = field(default_factory=list)  # cookies and the like that it reads


def read(script: str) -> PageScript:
    """Never raises."""
    found = PageScript()
    if len(script) > MAX_LENGTH:
        found.blind.append("is too long to be read")
        return found
    from tree_sitter import Parser

    # As the browser's tools run it: in an async function, where `return` and `await` stand for themselves.
    data = ("async function script() {\n" + script + "\n}").encode("utf-8", "replace")
    root = Parser(_language()).parse(data).root_node
    if root.has_error:
        data = ("async function script() { return (\n" + script + "\n) }").encode(
            "utf-8", "replace"
        )
        other = Parser(_language()).parse(data).root_node
        root = other if not other.has_error else root
        if other.has_error:
            found.blind.append("is not JavaScript that can be read")
    _Reader(found, _constants(root)).look(root)
    found.urls = list(dict.fromkeys(found.urls))
    return found


@functools.cache
def _language() -> Language:
    import tree_sitter_javascript
    from tree_sitter import Language

    return Language(tree_sitter_javascript.language())


def _nodes(root: Node) -> Iterator[Node]:
    queue = [root]
    while queue:
        node = queue.pop()
        yield node
        queue += reversed(node.children)


def _word(node: Node | None) -> str:
    return (node.text or b"").decode("utf-8", "replace") if node is not None else ""


def _constants(root: Node) -> dict[str, str]:
    """Variables that are given one text, once."""
    values: dict[str, list[str | None]] = {}
    for node in _nodes(root):
        if (
            node.type == "variable_declarator"
            and (name := node.child_by_field_name("name")) is not None
        ):
            values.setdefault(_word(name), []).append(_text(node.child_by_field_name("value"), {}))
        elif node.type in ("assignment_expression", "augmented_assignment_expression"):
            values.setdefault(_word(node.child_by_field_name("left")), []).append(None)
    return {
        name: given[0] for name, given in values.items() if len(given) == 1 and given[0] is not None
    }


def _text(node: Node | None, known: dict[str, str]) -> str | None:
    """The text that an expression is, when it is written out; what follows a known start is "…"."""
    if node is None:
        return None
    if node.type in ("parenthesized_expression", "template_substitution"):
        return _text(node.named_children[0] if node.named_children else None, known)
    if node.type == "string":
        raw = _word(node)[1:-1]
        return re.sub(
            r"\\(?:u\{?([0-9a-fA-F]{4,6})\}?|x([0-9a-fA-F]{2})|(.))",
            _unescaped,
            raw,
            flags=re.DOTALL,
        )
    if node.type == "number":
        return _word(node)
    if node.type == "template_string":
        return _template(node, known)
    if node.type == "binary_expression" and _word(node.child_by_field_name("operator")) == "+":
        return _sum(node, known)
    return known.get(_word(node)) if node.type == "identifier" else None


def _sum(node: Node, known: dict[str, str]) -> str | None:
    left, right = (_text(node.child_by_field_name(side), known) for side in ("left", "right"))
    if left is None or left.endswith("…"):
        return left
    return left + ("…" if right is None else right)


def _template(node: Node, known: dict[str, str]) -> str | None:
    parts: list[str] = []
    for child in node.named_children:
        inner = _text(child, known) if child.type == "template_substitution" else _word(child)
        if inner is None:
            return "".join(parts) + "…" if parts else None
        parts.append(inner)
    return "".join(parts)


def _unescaped(match: re.Match[str]) -> str:
    if code := match[1] or match[2]:
        return chr(int(code, 16)) if int(code, 16) < 0x110000 else ""
    return {"n": "\n", "t": "\t", "r": "\r", "\n": ""}.get(match[3], match[3])


class _Reader:
    def __init__(self, found: PageScript, known: dict[str, str]) -> None:
        self.found, self.known = found, known
        self.has_xhr = False

    def text(self, node: Node | None) -> str | None:
        return _text(node, self.known)

    def look(self, root: Node) -> None:
        """Goes through the whole tree."""
        self.has_xhr = "XMLHttpRequest" in _word(root)
        for node in _nodes(root):
            if node.type in ("call_expression", "new_expression"):
                self._call(node)
            elif node.type == "assignment_expression":
                self._set(node)
            elif node.type in ("string", "template_string"):
                self._string(node)
            elif node.type == "identifier" and _word(node) in _HELPERS and not _is_called(node):
                self.found.blind.append(f"uses {_word(node)} under another name")
            elif node.type in ("property_identifier", "identifier") and _word(node) in _PRIVATE:
                self.found.private.append(_word(node))
            elif node.type == "subscript_expression":
                self._subscript(node)

    def _subscript(self, node: Node) -> None:
        index = self.text(node.child_by_field_name("index"))
        if index in _PRIVATE:
            self.found.private.append(index)
        if _word(node.child_by_field_name("object")) in _WINDOW and not (index or "").isdigit():
            self.found.blind.append(f"takes {index or 'something'} from the window by a text")
        elif index in _PRESSES | _ASKS | _CODE:
            self.found.blind.append(f"takes {index} by a text")

    def _string(self, node: Node) -> None:
        """An address that is written out anywhere may be one that is asked, unless it is only compared with."""
        text = self.text(node) or ""
        above = node.parent
        while above is not None and above.type in (
            "arguments",
            "parenthesized_expression",
            "binary_expression",
            "array",
        ):
            above = above.parent
        if above is not None and above.type == "call_expression":
            function = above.child_by_field_name("function")
            if (
                _word(function.child_by_field_name("property") if function is not None else None)
                in _COMPARES
            ):
                return
        start = text.lstrip()
        if (
            _ADDRESS.match(start)
            and node.parent is not None
            and node.parent.type == "binary_expression"
        ):
            whole = self.text(node.parent) or text
            self.found.urls.append(whole if whole.lstrip().startswith(start) else start)
        else:
            self.found.urls += _ADDRESS.findall(text)

    def _set(self, node: Node) -> None:
        """`location = x`, `location.href = x`, `form.action = x`, `img.src = x`."""
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        name = _word(left)
        last = name.rpartition(".")[2]
        if (
            last in ("location", "src", "action", "formAction", "srcset", "data")
            or (last == "href")
        ) and self.text(right) is None:
            self.found.hidden = True
        if last.startswith("on") and last[2:].islower() and len(last) < 20:
            return
        if last in ("innerHTML", "outerHTML", "srcdoc") and self.text(right) is None:
            self.found.blind.append(f"writes {last} that is not written out")

    def _call(self, node: Node) -> None:
        function = node.child_by_field_name("function") or node.child_by_field_name("constructor")
        inner = node.child_by_field_name("arguments")
        args = (
            [each for each in inner.named_children if each.type != "comment"]
            if inner is not None
            else []
        )
        if function is None:
            return
        if function.type == "member_expression":
            owner = function.child_by_field_name("object")
            self._method(_word(function.child_by_field_name("property")), owner, args)
        elif function.type == "identifier":
            self._function(_word(function), args)
        elif function.type == "import":
            self._asked("import", args[:1], "get")

    def _function(self, name: str, args: list[Node]) -> None:
        first = self.text(args[0]) if args else None
        if name == "click":
            self._pressed(first)
        elif name == "type":
            enters = any("enter" in _word(each) for each in args[2:])
            self.found.typed.append(
                Typed(first or "", self.text(args[1]) if len(args) > 1 else "", enters)
            )
        elif name == "press":
            self.found.enters |= first is None or bool(
                re.search(r"(?i)(^|\+)(enter|space| )$", first)
            )
        elif name in ("drag", "upload"):
            self._handled(name, args)
        elif name in _CODE:
            if name not in ("setTimeout", "setInterval") or (
                args and args[0].type in ("string", "template_string")
            ):
                self.found.blind.append(f"runs a text as code ({name})")
        elif name in _ASKS:
            self._asked(name, args, "get")
        elif name == "open":
            self._asked(name, args[:1], "get")

    def _handled(self, name: str, args: list[Node]) -> None:
        """Count what is dragged, and onto what, as pressed; so does what opens the choice of a file."""
        self.found.drags |= name == "drag"
        for each in args[: 2 if name == "drag" else 1]:
            if each.type != "object":  # so many pixels
                self._pressed(self.text(each))
        for each in args[1:] if name == "upload" else []:
            inside = each.named_children if each.type == "array" else [each]
            self.found.uploads += [self.text(path) for path in inside]

    def _pressed(self, ref: str | None) -> None:
        if ref is None:
            self.found.blind.append("presses what is not written out")
        else:
            self.found.presses.append(ref)

    def _method(self, name: str, owner: Node | None, args: list[Node]) -> None:
        on = _word(owner)
        if name in _PRESSES:
            refs = re.findall(r"\bel\(\s*['\"`](e\d+)['\"`]\s*\)", on)
            if len(refs) == 1 and on.count("(") <= 3:
                self.found.presses += refs
            else:
                self.found.blind.append(f"presses {' '.join(on.split())[:80]} by .{name}()")
        elif name == "dispatchEvent" and not re.search(
            r"['\"](input|change|blur|focus|scroll|mouseover|mouseenter)['\"]",
            _word(args[0]) if args else "",
        ):
            self.found.blind.append("sends events to the page by itself")
        elif name in ("call", "apply", "bind") and re.search(
            r"\b(click|submit|fetch|open|sendBeacon)$", on
        ):
            self.found.blind.append(f"uses {on[-40:]} under another name")
        elif name in _GOES and re.search(r"(^|\.)(location|window|globalThis|self|top)$", on):
            self._asked(name, args[:1], "get")
        elif name in ("sendBeacon", "write", "writeln"):
            self._asked(name, args, "post") if name == "sendBeacon" else None
        elif name == "open" and self.has_xhr and len(args) > 1:
            self._asked(name, args[1:2], self.text(args[0]) or "post")
        elif name in _ASKS_ON and re.search(
            r"(?i)xhr|req|http|axios|^\$$|^jquery$|ajax|client", on
        ):
            self._asked(name, args[:1], _ASKS_ON[name])
        elif name in _ASKS:
            self._asked(name, args, "get")

    def _asked(self, name: str, args: list[Node], method: str) -> None:
        """A request: its address is among the strings when it is written out."""
        address = self.text(args[0]) if args else ""
        if address is None or address.startswith("…"):
            self.found.hidden = True
        if name == "fetch" and len(args) > 1:
            options = _word(args[1])
            said = re.search(r"['\"]?\bmethod\b['\"]?\s*:\s*['\"`](\w+)", options)
            method = (
                said[1]
                if said
                else "post"
                if not options.startswith("{")
                or "..." in options
                or re.search(r"\bmethod\b", options)
                else "get"
            )
        if name in ("sendBeacon", "WebSocket"):
            method = "post"
        if method.lower() not in ("get", "head", "options"):
            self.found.sends.append(method.upper())


def _is_called(node: Node) -> bool:
    above = node.parent
    if above is None:
        return False
    if above.type == "call_expression":
        return above.child_by_field_name("function") == node
    if above.type == "new_expression":
        return above.child_by_field_name("constructor") == node
    return above.type in ("binary_expression", "unary_expression") and "typeof" in _word(above)
