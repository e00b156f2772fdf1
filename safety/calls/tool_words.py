"""Tell what a tool that is not ours does, by its name and what its server declares; and whether a
request asks for it.

An MCP server's tool declares no effects that we could rely on, but its name says what it is for:
`get_balance` reads, `calendar.events.delete` deletes, `发送邮件` sends. A declaration can make a tool
more dangerous than its name, never less; the owner's word can (`mcp.servers.NAME.effects`).
"""

from __future__ import annotations

import itertools
import re
import unicodedata
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, Literal, NamedTuple

from text import pattern
from text.sections import sections

Effect = Literal["read", "change", "send", "delete", "spend", "system", "unknown"]
_STRONGER: tuple[Effect, ...] = ("read", "change", "send", "delete", "spend", "system")
_ROWS = sections("safety/verbs.txt")
_WORDS = {name: frozenset(text.split()) for name, text in _ROWS.items()}
_VERB_OF = {word: effect for effect in _STRONGER for word in _WORDS[f"verbs.{effect}"]}
_ASKED_BY = {
    effect: _WORDS[f"verbs.{effect}"] | _WORDS.get(f"asks.{effect}", frozenset())
    for effect in _STRONGER
}
_GROUPS = [frozenset(line.split()) for line in _ROWS["groups"].splitlines()]
_IN_GROUPS = frozenset[str]().union(*_GROUPS)
_MONEY = {"money", "payment", "payments", "funds", "cash"}
_RIGHTS = {"permission", "permissions", "role", "access", "mfa", "2fa"}
_STRONGER_WITH: tuple[tuple[Effect, set[str], Effect], ...] = (
    ("send", _MONEY, "spend"),
    ("delete", _RIGHTS, "system"),
)
# Hint, its value, effects that a name says, and the effect that they become.
_DECLARED: tuple[tuple[str, bool, tuple[Effect, ...], Effect], ...] = (
    ("readOnlyHint", True, ("unknown",), "read"),
    ("readOnlyHint", False, ("read",), "change"),
    ("destructiveHint", True, ("change", "unknown"), "delete"),
)
_JOINTS = ("and", "then", "or")
_MAKES = {"create", "add", "make", "new", "write", "put"}
# One question and nothing else: no second part that could ask for something.
_ONLY_WANTS_TO_KNOW = pattern(
    r"(?:how (?:many|much|long|often|old|far|big)|which|what|who|whose|when|where|why)\b(?!.*\b(?:and|then|please)\b)[^.;:!?,\n]*\?"
    r"|(?!.*(?:把|给|请|帮|并|然后))[^，。；：！？\n]*(?:哪|多少|什么|几|谁|是否)[^，。；：！？\n]*[?？]",
    re.IGNORECASE,
)
_ALL_IN_CHINESE = pattern("全部|所有|批量")
_ALL = pattern(
    r"(?i)\b(all|every(thing|body|one)?|each|both|any|whole|entire)\b|全部|所有|每|都|一切|统统"
)
_WORD = pattern(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[\u3400-\u9fff]+")
_CHINESE = pattern(r"[\u3400-\u9fff]")
_SAID_WORD = pattern(r"(?<![\w-])[a-z0-9]+(?![\w-])")  # a kick-off kicks nobody
_PLURAL = pattern(r"(?<=..[^s])s\Z")
_DOUBLED = pattern(r"(?<=..)(.)\1\Z")
_ENDINGS = (("ing", ("", "e")), ("ed", ("", "e")), ("es", ("",)), ("ies", ("y",)), ("ied", ("y",)))


class Words(NamedTuple):
    """Hold what a tool's name says: the effect, the verbs that said so, and the things it is
    about."""

    effect: Effect
    verbs: frozenset[str]
    things: frozenset[str]


def read_name(tool: str, hints: Mapping[str, Any] | None = None) -> Words:
    """Return the meaning of `tool`, perhaps `server.tool`; `hints` are MCP's ToolAnnotations."""
    found = _read_name(unicodedata.normalize("NFKC", tool)[:200])
    declared = hints or {}
    if said := declared.get("effect by owner"):
        return found._replace(effect=said)
    for hint, value, weaker, effect in _DECLARED:
        if found.effect in weaker and declared.get(hint) is value:
            found = found._replace(effect=effect)
    return found


@cache
def _read_name(tool: str) -> Words:
    parts = re.split(r"[.:/]|__", tool.strip("._:/"))
    own = parts[-1]
    if _CHINESE.search(own):
        return _chinese(own)
    if not _verbs_in(_split(own)):
        own = ".".join(parts[-2:])  # `calendar.delete.event`
    words = _split(own)
    verbs = _verbs_in(words)
    things = frozenset(map(_singular, set(words) - set(verbs) - _WORDS["fillers"]))
    if not verbs:
        return Words("unknown", frozenset(), things)
    effect = max((_VERB_OF[verb] for verb in verbs), key=_STRONGER.index)
    rest = {word for word in words if word not in verbs or words.count(word) > 1}
    return Words(_with_thing(effect, rest, set(verbs)), frozenset(verbs), things)


def _verbs_in(words: list[str]) -> list[str]:
    """Return the verbs that count: the first one, and those behind an "and".

    A name of a thing gives way to a plain verb.
    """
    verbs = [word for word in words if word in _VERB_OF]
    if not verbs:
        return []
    plain = [verb for verb in verbs if verb not in _WORDS["also_things"]]
    behind = words[words.index(verbs[0]) + 1 :]
    if not plain and not _WORDS["things_that_read"].isdisjoint(behind):
        return ["list"]
    is_thing = plain and verbs[0] == words[0]
    return [plain[0] if is_thing else verbs[0], *_joined(words)]


def _joined(words: list[str]) -> Iterator[str]:
    """Yield the verbs behind an "and"."""
    for before, word in itertools.pairwise(words):
        if before in _JOINTS and word in _VERB_OF:
            yield word


def _with_thing(effect: Effect, things: set[str], verbs: set[str]) -> Effect:
    """Return what is done to it matters: to create a payment is to pay, to change a password is
    more than to change a note."""
    for kind, about, stronger in _STRONGER_WITH:
        if effect == kind and things & about:
            return stronger
    return _of_change(things, verbs) if effect == "change" else effect


def _of_change(things: set[str], verbs: set[str]) -> Effect:
    if things & (_MONEY | _WORDS["money"]):
        return "spend"
    if things & _WORDS["keys"]:
        return "system"
    if things & {"user", "to", "from"} == {"user"}:
        return "system"
    if "draft" in things or not verbs & _MAKES:
        return "change"
    return "send" if things & (_WORDS["said"] | {"user"}) else "change"


def _chinese(name: str) -> Words:
    """Read a name with Chinese in it: the verb that comes first, the longest of those."""
    found = [
        (name.index(word), -len(word), effect, word)
        for effect in _STRONGER
        for word in _WORDS[f"chinese.{effect}"]
        if word in name
    ]
    if not found:
        return Words("unknown", frozenset(), frozenset({name}))
    _, _, effect, word = min(found)
    if effect == "change" and any(key in name for key in _WORDS["chinese_keys"]):
        effect = "system"
    thing = name.replace(word, "", 1)
    return Words(effect, frozenset({word}), frozenset({thing} - {""}))


def asks_for(request: str, call: Words) -> bool:
    """Return True if the request has a verb of the call's kind, in English or Chinese.

    One that only wants to know has none: "which tickets are open?" opens nothing.
    """
    if _ONLY_WANTS_TO_KNOW.fullmatch(request.strip()):
        return False
    kinds = {call.effect, *(_VERB_OF.get(verb, "unknown") for verb in call.verbs)}
    kinds -= {"read", "unknown"}
    wanted = call.verbs.union(*(_ASKED_BY[kind] for kind in kinds))
    if request_words(request) & wanted:
        return True
    return any(re.search(_ROWS[f"asks_chinese.{kind}"], request) for kind in kinds)


def takes_all(tool: str, request: str) -> bool:
    """Return True if a tool takes all there is of a kind by its name, and the request does not
    speak of all."""
    words = {*_split(tool.rpartition(".")[2]), *_ALL_IN_CHINESE.findall(tool)}
    return not (words.isdisjoint(_WORDS["takes_all"]) or _ALL.search(request))


def is_verb(word: str) -> bool:
    """Return True for a word that asks for something to be done."""
    return any(word in asked for asked in _ASKED_BY.values())


def names_thing(request: str, call: Words) -> bool:
    """Return True if the request speaks of what the call is about: an event, an e-mail, a file."""
    words, things = request_words(request), call.things
    near = things.union(*filter(things.intersection, _GROUPS))
    if not things or words & near:
        return True
    if words & call.verbs and words.isdisjoint(_IN_GROUPS):
        return True  # "cancel my check-up": it is what it is
    called = (word for thing in things for word in (thing, *_in_chinese().get(thing, ())))
    return any(word in request for word in filter(_CHINESE.search, called))


@cache
def _in_chinese() -> dict[str, list[str]]:
    lines = (line.partition(": ") for line in _ROWS["things_chinese"].splitlines())
    return {thing: words.split() for thing, _, words in lines}


@cache
def request_words(request: str) -> frozenset[str]:
    """Return the words of a request with what they may be forms of: "sharing" gives share,
    "replied" reply."""
    text = unicodedata.normalize("NFKC", request).casefold()
    return frozenset(form for word in _SAID_WORD.findall(text) for form in _forms(word))


def _forms(word: str) -> set[str]:
    forms = {word, _singular(word)}
    for ending, others in _ENDINGS:
        stem = word.removesuffix(ending)
        if 2 < len(stem) < len(word):
            forms |= {stem + other for other in others} | {_DOUBLED.sub(r"\1", stem)}
    return forms


def _singular(word: str) -> str:
    return _PLURAL.sub("", word)


def _split(name: str) -> list[str]:
    """`sendMoneyTo`, `send_money_to`, `send-money-to`: the same three words."""
    return [word.lower() for word in _WORD.findall(name)]
