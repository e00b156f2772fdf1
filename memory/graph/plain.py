"""Read what people say of themselves and others without a model: names, kinship, "my X is Y", plain
likings.

Only a sentence that is one of the forms of assets/graph/plain.toml from end to end says something;
what goes on, doubts or is quoted says nothing. A graph that is wrong is worse than one that is
small. Source: seed 003 P5.3.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import NamedTuple

from memory.graph.people import CHINESE, ENGLISH, forms_file, meant, role_of, roles_in, speaker
from memory.graph.shapes import AGENT, PREDICATES, Party, Predicate, Statement, both, entity
from memory.journal.turns import Turn
from memory.wording import told, values
from text import pattern

MAX_SENTENCE_CHARS = 120  # a longer one is no plain case
MAX_CHARS = 6_000  # of a turn; what stands behind is pasted
SURE = 0.85
_QUOTED = pattern(
    r"```.*?(?:```|\Z)|`[^`\n]*`|\"[^\"\n]*\"|“[^”]*”|「[^」]*」|(?<!\w)'[^'\n]*'(?!\w)|^[ \t]*>[^\n]*|\w+://\S+|\[photo:[^\]]*\]",
    re.MULTILINE | re.DOTALL,
)
_CHINESE = pattern("[\u3400-\u9fff]")
_TITLE = pattern(r"\b(Dr|Mr|Mrs|Ms|Prof)\. ")  # its full stop ends no sentence
_SENTENCE = pattern(r"(?:[^.!?。！？\n]|[.](?=\w))+[.!?。！？]*")
_ASKS = pattern(r"[?？]\s*$|[吗呢][。！!~\s]*$")
_POLITE = pattern(
    r"(?i)^(?:by the way|well|so|oh|and|also),? |,? (?:by the way|you know|too|as well)$|^[对哦嗯]，"
)
_PERSONAL = pattern(r"(?i)\b(?:I|I['’]\w+|my|we|our)\b(?:\W+\w+){2}|[我咱].{3}")
_NOTHING = pattern(
    r"(?i)^(?:it|this|that|these|those|them|him|her|you|me|us|one|what|how|when|to|your|his|their|its|everything|nothing"
    r"|something|things?|stuff|there|here|so|all|more|both|not)\b|[我你他她它这那什怎谁]"
)


class Form(NamedTuple):
    """One way to say something; `who` where the form names nobody."""

    pattern: re.Pattern[str]
    predicate: Predicate
    who: str


def statements(number: int, turn: Turn) -> Iterator[Statement]:
    """Give what one turn says. `number` is that of the turn in the index."""
    if turn.who == "agent":
        return
    who = speaker(turn)
    for sentence in sentences(turn.text):
        found = _found(sentence)
        statement = _statement(*found, who, number) if found else None
        if statement:
            yield statement


def is_personal(turn: Turn) -> bool:
    """Return True if somebody speaks of themselves, so that a model may find something in it."""
    return turn.who != "agent" and any(map(_PERSONAL.search, sentences(turn.text, 10_000)))


def sentences(text: str, most_chars: int = MAX_SENTENCE_CHARS) -> list[str]:
    """Return the sentences that state something in the speaker's own words, without the full
    stop."""
    own = _TITLE.sub(r"\1 ", _QUOTED.sub(" ", text[:MAX_CHARS]))
    found = (each.strip() for each in _SENTENCE.findall(own))
    stated = (each for each in found if not _ASKS.search(each))
    plain = (_POLITE.sub("", told(each.rstrip(".!。！ "))) for each in stated)
    return [each for each in plain if 2 < len(each) <= most_chars]


def mentions(turns: Sequence[tuple[int, Turn]], limit: int) -> list[tuple[Party, int]]:
    """Return the names that people say, and who else speaks, each with the turn that says it last;
    most frequent first."""
    last: dict[Party, int] = {}
    counts: dict[Party, int] = {}
    for number, turn in turns:
        for party in _named(turn) if turn.who != "agent" else ():
            if party.kind == "Entity" and party.name not in _words("no_names"):
                last[party] = number
                counts[party] = counts.get(party, 0) + 1
    chosen = sorted(counts, key=lambda party: (-counts[party], party.key))[:limit]
    return [(party, last[party]) for party in chosen]


def _named(turn: Turn) -> Iterator[Party]:
    own, who = _QUOTED.sub(" ", turn.text[:MAX_CHARS]), speaker(turn)
    whole = {place: found[0] for found in _full_name().finditer(own) for place in _places(found)}
    for value in values(own):
        is_name = value.kind == "word" or _is_name(value.kind, value.text)
        if is_name and (party := entity(whole.get(value.start, value.text))):
            yield party
    for words in roles_in(own):
        spoken = meant(words, who)
        if spoken and spoken.role:
            yield spoken.party
    yield who


def _places(found: re.Match[str]) -> Iterator[int]:
    """Yield where each word of a name begins."""
    return (found.start() + word.start() for word in re.finditer(r"\S+", found[0]))


@cache
def _full_name() -> re.Pattern[str]:
    """Two names or more in a row: "Peter Meier". The first word of a sentence is one where a verb
    follows."""
    return re.compile(forms_file()["full_name"].replace("{no_names}", "|".join(_words("no_names"))))


def _is_name(kind: str, text: str) -> bool:
    """Return True for a name such as GitHub; an address, path, or number is none."""
    is_word = text.isalnum() and text[0].isalpha()
    return kind == "name" and is_word and sum(each.isalpha() for each in text) > 1


def _found(sentence: str) -> tuple[Form, re.Match[str]] | None:
    for form in _forms()["zh" if _CHINESE.search(sentence) else "en"]:
        if found := form.pattern.fullmatch(sentence):
            return form, found
    return None


def _statement(form: Form, found: re.Match[str], who: Party, number: int) -> Statement | None:
    said = {slot: text for slot, text in found.groupdict().items() if text}
    subject = _party(_slot(said, "me") or form.who or "my", who, own=True)
    sides = both(subject, _party(_slot(said, "name", "value", "what"), who))
    if sides is None or AGENT in sides:
        return None
    if "role" in said and sides[1].name.split()[0] in _words("no_person"):
        return None
    label = role_of(_slot(said, "role")) or _slot(said, "label", "attribute")
    return Statement(sides[0], form.predicate, sides[1], number, label.lower(), SURE)


def _slot(said: Mapping[str, str], *names: str) -> str:
    """Return what stands in the first of these slots that has something."""
    return next((said[name] for name in names if name in said), "")


def _party(words: str, who: Party, *, own: bool = False) -> Party | None:
    """Return whom or what words mean; `own`: whose something is."""
    plain = words.strip()
    if own:
        plain = plain.removesuffix("'s").removesuffix("’s").removesuffix("的")
        if plain.casefold() in ("my", "our", "i", "我", "我们", "我家", "我们家"):
            return who
    spoken = meant(plain, who)
    if spoken is None or (not spoken.role and _NOTHING.match(plain)):
        return None
    return spoken.party


@cache
def _words(key: str) -> frozenset[str]:
    return frozenset(forms_file()[key].split())


@cache
def _forms() -> dict[str, list[Form]]:
    return {language: list(_of(language)) for language in ("en", "zh")}


def _of(language: str) -> Iterator[Form]:
    tables = forms_file()[language]
    attributes = sorted(re.split(r"\s*\|\s*", tables["attributes"].strip()), key=len, reverse=True)
    slots = tables["slots"] | {
        "attributes": "|".join(attributes),
        "roles": ENGLISH if language == "en" else CHINESE,
        "no_names": "|".join(_words("no_names")),
    }
    for row in tables["forms"]:
        text = row["form"]
        for name, slot in slots.items():
            text = text.replace(f"{{{name}}}", slot)
        predicate: Predicate = next(each for each in PREDICATES if each == row["says"])
        yield Form(re.compile(text, re.IGNORECASE), predicate, row.get("who", ""))
