"""Judge calls of tools that are not ours: by their name, by whom they reach, and by what was asked for.

Reading passes; an effect passes when the request asks for it and names all that it reaches, or at least the day, the title
and the kind of thing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from safety import records
from safety.findings import Finding, Risk
from safety.targets import Named, Target, host_of, of_call
from safety.tool_words import Effect, Words, asks_for, names_thing, takes_all
from shell.effects import changes_sql
from text.patterns import names

# The effects of tools that are not ours, as the gate calls them, and what it says of each.
_FOREIGN: dict[Effect, tuple[Risk, str]] = {
    "change": ("change", "changes something"),
    "send": ("send", "sends something to others"),
    "delete": ("delete", "deletes something"),
    "spend": ("spend", "spends money"),
    "system": ("system", "changes rights, accounts or programs"),
}
_ON_A_DAY = {"book", "reserve", "schedule", "reschedule", "rent", "hire"}
# Hosts that nobody can read the log of whom a fetch could tell something; without a query, that is.
PUBLIC = names(
    "python.org docs.python.org pypi.org files.pythonhosted.org github.com api.github.com raw.githubusercontent.com wikipedia.org"
    " en.wikipedia.org zh.wikipedia.org de.wikipedia.org registry.npmjs.org npmjs.com debian.org deb.debian.org ubuntu.com kernel.org"
    " gnu.org developer.mozilla.org w3.org ietf.org rfc-editor.org crates.io docs.rs wttr.in"
)


# Hosts where anybody keeps pages: which one is asked tells whoever owns it.
_OF_ANYBODY = names(
    "github.com api.github.com raw.githubusercontent.com registry.npmjs.org npmjs.com pypi.org files.pythonhosted.org crates.io docs.rs wikipedia.org"
)
_LIKE_DATA = re.compile(r"[A-Za-z0-9+=_-]{32,}|%[0-9A-Fa-f]{2}|[A-Za-z0-9]*\d[A-Za-z0-9]{15,}")
_FREE = names(
    "query q text message body prompt question keyword keywords search term content note comment description input"
)
_VALUE = re.compile(r"[^\s\"'<>,;:()\[\]{}]{6,}")


def is_unremarkable(url: str, *, is_tainted: bool) -> bool:
    """Return True for an address that tells nobody anything: of a public host, with no data in it."""
    host = host_of(url)
    if host not in PUBLIC or "?" in url or url.endswith("…"):
        return False
    return not is_tainted or (host not in _OF_ANYBODY and not _LIKE_DATA.search(url))


def _carried(
    tool: str, args: Mapping[str, Any], request: str, read: Callable[[], Iterable[str]]
) -> Iterator[Finding]:
    """A free text that carries what was read, or what nobody can read, to a tool that is not ours."""
    texts = [text for name, text in args.items() if name.lower() in _FREE and isinstance(text, str)]
    found = [value for text in texts for value in _VALUE.findall(text[:5_000])]
    telling = [
        value
        for value in found
        if value not in request and (re.search(r"\d", value) or len(value) > 24)
    ]
    seen = "\n".join(read()) if telling else ""
    sent = [value for value in telling[:20] if value in seen or len(value) > 40]
    if sent:
        said = f"{tool} is given {sent[0][:40]}, which was read and is not in the request"
        yield Finding("send", said, "target")


def look(
    tool: str,
    args: Mapping[str, Any],
    call: Words,
    named: Named,
    *,
    is_tainted: bool,
    read: Callable[[], Iterable[str]] = tuple,
) -> Iterator[Finding]:
    """The findings; `call` is what the tool's name says, `is_tainted`: the run has read what others wrote, `read`: that."""
    targets = of_call(args, effect=call.effect)
    if call.effect == "read":
        missing = named.unknown(targets, strict=is_tainted)
        yield from _asked(tool, args, missing, is_tainted=is_tainted)
        if is_tainted:
            yield from _carried(tool, args, named.request, read)
    elif call.effect == "unknown":
        yield Finding("unknown", f"{tool}: its name does not say what it does")
    else:
        found = list(_reached(tool, call, targets, named))
        yield from found or (_others(tool, call, targets, named, read) if is_tainted else ())


def _asked(
    tool: str, args: Mapping[str, Any], missing: list[Target], *, is_tainted: bool
) -> Iterator[Finding]:
    """Yield what a tool that reads asks of others, and whether it only reads."""
    if any(_is_sql(name, value) and changes_sql(value) for name, value in args.items()):
        yield Finding("delete", f"{tool} may change what is in a database")
    for target in missing:
        if not is_unremarkable(target.value, is_tainted=is_tainted):
            yield Finding(
                "send",
                f"{tool} fetches {_shown(target)}, which the request does not name",
                "target",
            )


def _reached(tool: str, call: Words, targets: list[Target], named: Named) -> Iterator[Finding]:
    """Yield what an effect reaches that the owner has not named, or that the owner has not asked for it."""
    risk, does = _FOREIGN[call.effect]
    if (
        call.effect == "spend" and not call.verbs & _ON_A_DAY
    ):  # a payment is made today, whatever else the day is of
        targets = [target for target in targets if target.kind != "time"]
    missing = named.unknown(targets, strict=True)
    reached = [target for target in missing if target.kind != "id"]
    if not named.request.strip():
        yield Finding(risk, f"{tool} {does}")
    elif reached:
        for target in reached[:5]:
            yield Finding(
                risk, f"{tool} {does}: the request does not name {_shown(target)}", "target"
            )
    elif takes_all(tool, named.request):
        yield Finding(risk, f"{tool} {does}, all there is, and the request does not speak of all")
    elif not asks_for(named.request, call) or (
        _needs_thing(targets, missing, named) and not names_thing(named.request, call)
    ):
        yield Finding(risk, f"{tool} {does}, and the request does not ask for that")


def _others(
    tool: str, call: Words, targets: list[Target], named: Named, read: Callable[[], Iterable[str]]
) -> Iterator[Finding]:
    """Yield what is named by its id alone, and is another thing than the request speaks of by what was read of it."""
    ids = [target for target in named.unknown(targets, strict=True) if target.kind == "id"]
    texts = list(read()) if ids else []
    risk, does = _FOREIGN[call.effect]
    for id in (target.value[:60] for target in ids[:5]):
        misfit = records.misfit(
            named.request, id, texts, lambda id: not named.unknown([Target("id", id)], strict=True)
        )
        if misfit == "not read":
            yield Finding(
                risk, f"{tool} {does}, and nothing that was read is called {id}", "target"
            )
        elif misfit:
            yield Finding(
                risk, f"{tool} {does}, and {id} is another one than the request speaks of", "target"
            )


def _needs_thing(targets: list[Target], missing: list[Target], named: Named) -> bool:
    """Return True if the request must speak of the thing as well (the event, the file): nothing else in the call was named."""
    kinds = {target.kind for target in targets}
    if kinds & {"address", "url", "account", "phone", "name", "file"} or (
        "time" in kinds and named.has_days
    ):
        return False
    return not any(target.kind == "id" for target in targets) or any(
        target.kind == "id" for target in missing
    )


def _is_sql(name: str, value: Any) -> bool:
    words = r"\s*(select|insert|update|delete|drop|alter|create|truncate|grant|merge|replace)\s+\S+\s+\S+|\s*(drop|truncate)\s"
    return isinstance(value, str) and (
        name.lower() in ("sql", "statement") or bool(re.match(words, value[:200], re.IGNORECASE))
    )


def _shown(target: Target) -> str:
    text = " ".join(target.value.split())
    return text if len(text) <= 120 else f"{text[:80]} … {text[-30:]}"
