"""Judge calls of tools that are not ours: by their name, by whom they reach, and by what was asked
for.

Reading passes; an effect passes when the request asks for it and names all that it reaches, or at
least the day, the title and the kind of thing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, cast

from safety.calls.record_match import misfit
from safety.calls.tool_words import Words, asks_for, names_thing, takes_all
from safety.findings import Ask, Finding, Risk, found
from safety.taint import Named, Target, of_call
from shell.effects import changes_sql
from text import pattern
from text.patterns import names

_ON_A_DAY = names("book reserve schedule reschedule rent hire")
_FREE = names(
    "query q text message body prompt question keyword keywords search term content note comment description input"
)
_NAMES_IT = {"address", "url", "account", "phone", "name", "file"}
_VALUE = pattern(r"[^\s\"'<>,;:()\[\]{}]{6,}")
_SQL = pattern(
    r"(?i)\s*(select|insert|update|delete|drop|alter|create|truncate|grant|merge|replace)\s+\S+\s+\S+|\s*(drop|truncate)\s"
)
_TELLS = pattern(r".{25}|\D*\d")  # it is long, or has a digit
_MOST_SAID = 5
_MOST_VALUES = 20
_LONG_VALUE = 40  # characters; what is longer is no word that a person would write


def foreign_calls(ask: Ask, call: Words, named: Named) -> Iterator[Finding]:
    """Give what a call would do; `call` is what the tool's name says."""
    targets = of_call(ask.args, effect=call.effect)
    if call.effect == "read":
        yield from _asked(ask, targets, named)
        yield from _carried(ask)
    elif call.effect == "unknown":
        yield found("unknown", "unclear_name", tool=ask.tool)
    else:
        reached = list(_reached(ask.tool, call, targets, named))
        yield from reached or (_others(ask, call, targets, named) if ask.is_tainted else ())


def _asked(ask: Ask, targets: list[Target], named: Named) -> Iterator[Finding]:
    """Yield what a tool that reads asks of others, and whether it only reads."""
    if any(_is_sql(name, value) and changes_sql(value) for name, value in ask.args.items()):
        yield found("delete", "may_change_database", tool=ask.tool)
    for target in targets:
        url, is_tainted = target.value, ask.is_tainted
        if not named.may_ask(url, is_tainted=is_tainted, has_read=ask.has_read):
            yield found("send", "fetches", is_target=True, tool=ask.tool, name=_shown(target))


def _carried(ask: Ask) -> Iterator[Finding]:
    """Find a free text that carries private or unreadable data to a tool that is not ours."""
    telling = _telling(ask)
    seen = "\n".join(ask.read()) if telling else ""
    if not (seen or ask.is_tainted):
        return
    for each in [each for each in telling if each in seen or len(each) > _LONG_VALUE][:1]:
        yield found("send", "carries", is_target=True, tool=ask.tool, terms=each[:_LONG_VALUE])


def _telling(ask: Ask) -> list[str]:
    """Return the words of free texts that are no plain words and do not stand in the request."""
    texts = [str(text)[:5_000] for name, text in ask.args.items() if name.lower() in _FREE]
    values = [value for text in texts for value in _VALUE.findall(text) if _TELLS.match(value)]
    return [value for value in values if value not in ask.request][:_MOST_VALUES]


def _reached(tool: str, call: Words, targets: list[Target], named: Named) -> Iterator[Finding]:
    """Yield what an effect reaches that the owner has not named, or that the owner has not asked
    for it."""
    risk, does = cast("Risk", call.effect), f"foreign_{call.effect}"
    if not named.request.strip():
        yield found(risk, does, tool=tool)
        return
    missing = named.unknown(targets, strict=True)
    if call.effect == "spend" and call.verbs.isdisjoint(_ON_A_DAY):  # a payment is made today
        missing = _but("time", missing)
    reached = _but("id", missing)[:_MOST_SAID]
    for target in reached:
        yield found(risk, f"{does}_unnamed", is_target=True, tool=tool, name=_shown(target))
    if reached:
        return
    if takes_all(tool, named.request):
        yield found(risk, f"{does}_all", tool=tool)
    elif not _is_asked_for(call, targets, missing, named):
        yield found(risk, f"{does}_unasked", tool=tool)


def _but(kind: str, targets: list[Target]) -> list[Target]:
    return [each for each in targets if each.kind != kind]


def _is_asked_for(call: Words, targets: list[Target], missing: list[Target], named: Named) -> bool:
    needs_thing = _needs_thing(targets, missing, named)
    names_it = not needs_thing or names_thing(named.request, call)
    return names_it and asks_for(named.request, call)


def _others(ask: Ask, call: Words, targets: list[Target], named: Named) -> Iterator[Finding]:
    """Yield what is named by its id alone, and is another thing than the request speaks of by what
    was read of it."""
    ids = [target for target in named.unknown(targets, strict=True) if target.kind == "id"]
    texts = list(ask.read()) if ids else []
    for id in (target.value[:60] for target in ids[:_MOST_SAID]):
        why = misfit(named.request, id, texts, _is_named(named))
        if why:
            key = f"foreign_{call.effect}_{why}"
            yield found(cast("Risk", call.effect), key, is_target=True, tool=ask.tool, id=id)


def _is_named(named: Named) -> Callable[[str], bool]:
    return lambda id: not named.unknown([Target("id", id)], strict=True)


def _needs_thing(targets: list[Target], missing: list[Target], named: Named) -> bool:
    """Return True if the request must speak of the thing as well: nothing else in the call was
    named."""
    kinds = {target.kind for target in targets}
    if kinds & (_NAMES_IT | ({"time"} if named.has_days else set())):
        return False
    return "id" not in kinds or "id" in {target.kind for target in missing}


def _is_sql(name: str, value: Any) -> bool:
    is_called = name.lower() in ("sql", "statement")
    return isinstance(value, str) and (is_called or bool(_SQL.match(value[:200])))


def _shown(target: Target) -> str:
    text = " ".join(target.value.split())
    return text if len(text) <= 120 else f"{text[:80]} … {text[-30:]}"
