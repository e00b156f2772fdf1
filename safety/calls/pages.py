"""Judge calls of the browser's tools: the address that is opened, what is pressed and typed, what
is handed out.

To open an address is to send it. What a reference is (a button "Pay now", a link) was noted when
the page was shown; its words are read as a tool's name is: searching passes, an effect passes when
the request asks for it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, cast
from urllib.parse import unquote, urlsplit

from safety.calls.desktop import typed
from safety.calls.page_scripts import PageScript, read
from safety.calls.tool_words import Effect, Words, asks_for, read_name
from safety.findings import Ask, Finding, Risk, found
from safety.paths import Places
from safety.reach import is_local
from safety.taint import Named, Target, host_of
from safety.taint.naming import is_public_page
from text import pattern
from text.sections import sections

_OUTWARD: tuple[Effect, ...] = ("spend", "delete", "send", "system")
_EFFECTS = (*_OUTWARD, "change")
# words on buttons that no tool is named by
_LABELS = {name: re.compile(text) for name, text in sections("safety/labels.txt").items()}
# Presses that the owner is told about are no effect on others; a cart is a thing.
_TO_THE_OWNER = pattern(
    r"(?i)\b(?:tell|show|give|let|send|write|get|inform|read|list|answer) (?:me|us)\b(?: know)?|告诉我|给我看看?|让我知道|发给我|购物车|订单号|订单状态"
)
_OWN_CONTENT = pattern("(?i)(?:about|data|blob):")
_NO_ADDRESS = pattern("(?:javascript:|#|mailto:|tel:|$)")
_FIELDS = {"textbox", "searchbox", "checkbox", "radio", "combobox", "tab", "option", "slider"}
_MOST_ADDRESSES = 30


def page_calls(ask: Ask, named: Named, places: Places) -> Iterator[Finding]:
    """Give what a call would do. Hints: `url` of the page that the tab shows, `refs`: what its
    references were."""
    named = Named(_TO_THE_OWNER.sub(" ", named.request), named.own)
    page = _Page(ask, named, places)
    if url := ask.args.get("url"):
        yield from page.opened([str(url)])
    script = str(ask.args.get("script") or "").strip()
    if script:
        yield from page.done(read(script))
    elif not (page.asks_for_any or ask.args.get("dialog") in (None, "", "dismiss")):
        yield found("change", "confirms_dialog", tool=ask.tool)  # something that passed opened it


@dataclass
class _Page:
    """A page that a call works on."""

    ask: Ask
    named: Named
    places: Places

    @property
    def refs(self) -> Mapping[str, Mapping[str, Any]]:
        refs: Mapping[str, Mapping[str, Any]] = self.ask.hints.get("refs", {})
        return refs

    @cached_property
    def asks_for_any(self) -> bool:
        """Return True if the request asks for anything but looking."""
        none = frozenset[str]()
        return any(asks_for(self.named.request, Words(each, none, none)) for each in _EFFECTS)

    @property
    def is_doubtful(self) -> bool:
        """Return True if others may have asked for what happens here, or nobody has."""
        return self.ask.is_tainted or not self.asks_for_any

    def _found(self, risk: Risk, key: str, *, is_target: bool = False, **values: Any) -> Finding:
        return found(risk, key, is_target=is_target, tool=self.ask.tool, **values)

    def done(self, script: PageScript) -> Iterator[Finding]:
        """Yield what a script does."""
        yield from self.opened(script.urls)
        for ref in script.presses:
            yield from self._pressed(ref)
        yield from self._sent(script)
        for each in script.typed:
            yield from typed(self.ask.tool, str(each.text), self.named)
        for path in script.uploads:
            yield from self._uploaded(path)
        yield from self._unseen(script)

    def opened(self, urls: list[str]) -> Iterator[Finding]:
        """Yield addresses that the request does not name."""
        for url in urls[:_MOST_ADDRESSES]:
            full = _whole(url.strip())
            if full.lower().startswith("file:"):
                yield from self._of_file(Path(unquote(urlsplit(full).path)))
            elif not self._may_open(full):
                yield self._found("send", "opens", is_target=True, name=full[:200])

    def _of_file(self, path: Path) -> Iterator[Finding]:
        if self.places.is_secret(path):
            yield self._found("secret", "holds_keys", file=path)

    def _may_open(self, url: str) -> bool:
        if _OWN_CONTENT.match(url) or is_local(url) or is_public_page(url):
            return True
        if self._is_own_site(url):
            return True
        return self.named.has_url(url, strict=self.ask.is_tainted)

    def _is_own_site(self, url: str) -> bool:
        """Return True of the site that is open; not of a query that no page has shown, once others
        could have asked for it."""
        if host_of(url) not in {host_of(str(self.ask.hints.get("url")))} - {""}:
            return False
        shown = [str(each.get("href")) for each in self.refs.values()]
        return url in shown or not (self.ask.is_tainted and "?" in url)

    def _pressed(self, ref: str) -> Iterator[Finding]:
        about = self.refs.get(ref)
        if about is None:
            if self.ask.is_tainted:
                yield self._found("unknown", "presses_unseen", name=ref)
        elif about.get("role") != "file":  # what is uploaded is looked at by itself
            href = str(about.get("href", ""))
            yield from () if _NO_ADDRESS.match(href) else self.opened([href])
            yield from self._of_label(about)

    def _of_label(self, about: Mapping[str, Any]) -> Iterator[Finding]:
        """Yield what the words on a button or link say that it does."""
        label = str(about.get("name", ""))[:140]
        effect = _effect_of(label, str(about.get("role")))
        if effect:
            yield from self._with_effect(label, effect)
        elif not (self.asks_for_any or about.get("submits") in (None, "get")):
            yield self._found("send", "presses_form", name=label)

    def _with_effect(self, label: str, effect: Effect) -> Iterator[Finding]:
        said = read_name(re.sub(r"\W+", "_", label))
        call = said._replace(effect=said.effect if said.effect in _OUTWARD else effect)
        calls = (call, call._replace(effect=effect))
        if not any(asks_for(self.named.request, each) for each in calls):
            yield self._found(cast("Risk", effect), f"presses_{effect}", name=label)

    def _sent(self, script: PageScript) -> Iterator[Finding]:
        if not self.asks_for_any:
            yield from self._unasked(script)
        if script.enters_nowhere and self.ask.is_tainted:
            yield self._found("unknown", "presses_enter")
        if script.sends and self.is_doubtful:
            methods = ", ".join(dict.fromkeys(script.sends))
            yield self._found("send", "sends_requests", name=methods)

    def _unasked(self, script: PageScript) -> Iterator[Finding]:
        sent = script.typed if script.enters else [each for each in script.typed if each.enters]
        if "post" in [self.refs.get(each.ref, {}).get("form") for each in sent]:
            yield self._found("send", "sends_form")

    def _uploaded(self, path: str | None) -> Iterator[Finding]:
        if path is None:
            yield self._found("unknown", "uploads_unseen")
            return
        place = Path(path) if re.match("~[^/]", path) else Path(path).expanduser()
        if self.places.is_secret(place):
            yield self._found("secret", "holds_keys", file=path)
        upload = Words("send", frozenset({"upload", "attach", "import"}), frozenset())
        names = (place.name, str(place.parent.name or place))
        missing = self.named.unknown([Target("file", name) for name in names], strict=True)
        if len(missing) == len(names) or not asks_for(self.named.request, upload):
            yield self._found("send", "uploads", is_target=True, path=path)

    def _unseen(self, script: PageScript) -> Iterator[Finding]:
        if script.private:
            names = ", ".join(dict.fromkeys(script.private))
            yield self._found("secret", "reads_logins", name=names)
        if script.hidden and self.ask.is_tainted:
            yield self._found("send", "asks_unwritten", is_target=True)
        for key, values in script.blind[:1] if self.is_doubtful else ():
            yield self._found("unknown", f"page_{key}", **values)


def _whole(url: str) -> str:
    """Return an address with its scheme."""
    url = url.removeprefix("view-source:")
    if re.match(r"(?i)[a-z][a-z0-9+.-]*:", url):
        return url
    return "https:" + url if url.startswith("//") else f"https://{url}"


def _effect_of(label: str, role: str) -> Effect | None:
    if role in _FIELDS:
        return None
    effect = next((each for each in _OUTWARD if _LABELS[each].search(label)), None)
    # "Contact", "Comments", "Share": a link leads somewhere, where there is another button
    return None if (role, effect) == ("link", "send") else effect
