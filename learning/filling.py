"""The one way to give each literal of a request to a parameter of an SOP, for an owner who is shown what would be done.

Three ways to look, the surest first: each value stands where a wording has its slot; each is of its parameter's type and
nothing around it says that it is another's; or of all ways that the types allow one is most like what the SOP was taught
with (learning/habits.py): looks, endings, names of columns that are in the file. Two ways left, and there is none.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import permutations
from pathlib import Path
from typing import Any, NamedTuple

from learning.concepts import ALIKE, ASKING, IDLE, LIGHT, QUESTIONS, SEEING, stem
from learning.habits import Habits, names_in
from learning.likeness import COUNTED, OPPOSITE, plain, swapped, things_of
from learning.parts import Context, Literal, Part, Word, surroundings
from learning.placing import KINDS, fitting, kind_of
from learning.request import Asked
from learning.sentences import Knowledge
from learning.slots import ENDINGS, Slot, Where, as_ending, says_which, value_of
from replay.parameters import mismatch
from replay.procedure import Procedure

BY = dict.fromkeys(
    ("per", "each", "every", "按", "按照", "每个", "每"), "by"
)  # says into what something is divided
SMALL = ASKING | IDLE | LIGHT | QUESTIONS | SEEING | {*BY}
RESULT = frozenset({"to", "with", "by"})
JOINING = frozenset({"and", "with", "和", "与", "跟", "同"})
MAX_WAYS = 2000  # to give the values to the parameters


class Loose(NamedTuple):
    """A word that may be a value, where a parameter is left without one: an ending of files, or a word nobody knows."""

    text: str
    around: Context
    is_ending: bool


class Filled(NamedTuple):
    """The values of the parameters, and the words like "into" of which no wording has one before such a value."""

    values: dict[str, Any]
    moved: tuple[str, ...] = ()


def filled(
    parts: Sequence[Part],
    asked: Asked,
    procedure: Procedure,
    known: Knowledge,
    how: Habits,
    where: Where,
) -> Filled | None:
    """What a request gives the parameters; None when there is no way to give them, or more than one."""
    literals = [
        (part, surroundings(parts, at))
        for at, part in enumerate(parts)
        if isinstance(part, Literal) and not _ending(part)
    ]
    loose = list(_loose(parts, asked, known))
    only = {
        name: schema["enum"][0]
        for name, schema in procedure.parameters.items()
        if len(schema.get("enum", ())) == 1 and _stands(str(schema["enum"][0]), asked)
    }
    if not _speaks_otherwise(asked, procedure, known):
        lanes = ((_placed, False), (_typed, _has_several_paths(procedure)))
        for ways, must_be_ready in lanes:
            given = ways(literals, procedure, known, where)
            found = [
                whole for way in given for whole in _with_loose(only | way, loose, procedure, known)
            ]
            found = [way for way in found if how.looks_right(way)]
            if must_be_ready or any(way != found[0] for way in found):
                found = [way for way in found if _is_ready(procedure, way)]
            if found and all(way == found[0] for way in found):
                return Filled(found[0])
    return _most_alike(parts, literals, loose, only, procedure, known, how, where)


def _speaks_otherwise(asked: Asked, procedure: Procedure, known: Knowledge) -> bool:
    """Whether the wordings are of another language: then where their slots stand does not say which of two texts is which."""
    kinds = Counter(kind_of(schema) for schema in procedure.parameters.values())
    is_chinese = not asked.plain[asked.start : asked.end].isascii()
    return (
        all(each.is_chinese != is_chinese for each in known.sentences)
        and max(kinds["text"], kinds["number"]) > 1
    )


def _stands(value: str, asked: Asked) -> bool:
    """Whether a request says a value, an ending also without its dot."""
    return (
        re.search(rf"(?<!\w){re.escape(value.lstrip('.'))}(?!\w)", asked.written, re.IGNORECASE)
        is not None
    )


def _has_several_paths(procedure: Procedure) -> bool:
    """Whether one path could be taken for another: then what must be there says which is which."""
    return sum(kind_of(schema) == "path" for schema in procedure.parameters.values()) > 1


def _is_ready(procedure: Procedure, values: Mapping[str, Any]) -> bool:
    """Whether what must be there for these values is there."""
    paths = {
        kind: [Path(values[name]) for name in procedure.requires.get(kind, ()) if name in values]
        for kind in ("files", "folders")
    }
    return all(path.is_file() for path in paths["files"]) and all(
        path.is_dir() for path in paths["folders"]
    )


def _placed(
    literals: Sequence[tuple[Literal, Context]],
    procedure: Procedure,
    known: Knowledge,
    where: Where,
) -> Iterator[dict[str, Any]]:
    """Each way in which every value stands as the slot of its parameter stands in a wording."""
    kinds = Counter(kind_of(schema) for schema in procedure.parameters.values())
    for names in permutations(procedure.parameters, len(literals)):
        if any(
            context.preposition == "for" and kinds[kind_of(procedure.parameters[name])] > 1
            for name, (_, context) in zip(names, literals, strict=True)
        ):
            continue  # "swap a for b" is the one, and "substitute a for b" the other
        values = {
            name: fitting(literal, context, name, known, procedure, where)
            for name, (literal, context) in zip(names, literals, strict=True)
        }
        if None not in values.values():
            yield values


def _typed(
    literals: Sequence[tuple[Literal, Context]],
    procedure: Procedure,
    known: Knowledge,
    where: Where,
) -> Iterator[dict[str, Any]]:
    """Each way in which every value is of its parameter's type, and none stands where another's belongs."""
    kinds = {name: kind_of(schema) for name, schema in procedure.parameters.items()}
    for names in permutations(procedure.parameters, len(literals)):
        values = {
            name: value_of(
                literal.slot, procedure.parameters[name], known.shapes.get(name, ""), where
            )
            for name, (literal, _) in zip(names, literals, strict=True)
            if not (literal.kind == "quoted" and not _may_be(literal.slot.plain, kinds[name]))
            and not (
                literal.kind == "bare"
                and says_which(literal.slot.plain, procedure.parameters[name])
            )
        }
        stands = [(name, context.place) for name, (_, context) in zip(names, literals, strict=True)]
        well = all(
            _stands_well(literal, context, name, known, procedure)
            for name, (literal, context) in zip(names, literals, strict=True)
        )
        is_whole = len(values) == len(literals) and None not in values.values()
        if is_whole and well and not swapped(stands, kinds, known):
            yield values


def _may_be(quoted: str, kind: str) -> bool:
    """Whether a quoted text looks like what a parameter is for: "~/My files" is a path, and "Ann Lee" is none."""
    return bool(re.search(r"[/~.]", quoted)) if kind == "path" else not re.match(r".[/~]", quoted)


def _stands_well(
    literal: Literal, around: Context, name: str, known: Knowledge, procedure: Procedure
) -> bool:
    """Whether nothing around a value says that it is another's: it counts the same, and stands behind the same kind of
    word (by 5 is not to 5). A path may also be named with "in" or "from" where a wording has neither, and be written in."""
    if not _counts_alike(around, name, known):
        return False
    own = {plain(context.place) for context in known.contexts.get(name, ())}
    kinds = [kind_of(schema) for schema in procedure.parameters.values()]
    kind = kind_of(procedure.parameters[name])
    if kind != "path":
        prepositions = {context.preposition for context in known.contexts.get(name, ())}
        is_same = (
            around.preposition in prepositions or not around.preposition or literal.kind == "date"
        )
        is_quiet = around.preposition in ("", "with", "of", "in") and plain(around.place) in (
            "",
            "with",
        )
        if kind == "number":  # its unit tells what it is
            is_told = (
                is_quiet
                and not around.preposition
                and bool(around.unit - COUNTED)
                and own <= {"", "than"}
            )
        else:
            is_told = is_quiet and (not around.preposition or own <= {"", "with"})
        return kinds.count(kind) == 1 and (is_told or (plain(around.place) in own and is_same))
    return plain(around.place) in own | (
        {"from", ""}
        if own & {"from", ""}
        else {""}
        if around.preposition in ("in", "as")
        else set()
    )


def _counts_alike(around: Context, name: str, known: Knowledge) -> bool:
    """Whether a value counts the same as a slot: days are no weeks."""
    own = [context.unit - COUNTED for context in known.contexts.get(name, ())]
    unit = around.unit - COUNTED
    return any(unit & each or unit == each for each in own) if own else not unit


def _with_loose(
    values: Mapping[str, Any], loose: Sequence[Loose], procedure: Procedure, known: Knowledge
) -> Iterator[dict[str, Any]]:
    """Each way to give the parameters that are left without a value one of the loose words; an ending must be given away."""
    missing = [name for name in procedure.required if name not in values]
    taken = {str(value).lower().lstrip(".").rpartition(".")[2] for value in values.values()}
    endings = [each for each in loose if each.is_ending and each.text.lstrip(".") not in taken]
    words = endings or [each for each in loose if not each.is_ending]
    if not missing and not endings:
        yield dict(values)
    if not missing or len(words) != len(missing):
        return
    ways = []
    for names in permutations(missing):
        pairs = list(zip(names, words, strict=True))
        filled = {name: as_ending(word.text, procedure.parameters[name]) for name, word in pairs}
        beside = sum(
            any(_stands_beside(word.around, each) for each in known.contexts.get(name, ()))
            for name, word in pairs
        )
        if not any(_mismatch(value, procedure.parameters[name]) for name, value in filled.items()):
            ways.append((beside, filled))
    most = max((beside for beside, _ in ways), default=0)
    best = [filled for beside, filled in ways if beside == most]
    if len(best) == 1 and (most >= max(1, len(words) - 1) or (bool(endings) and len(words) == 1)):
        yield {**values, **best[0]}


def _stands_beside(around: Context, context: Context) -> bool:
    """Whether a word stands behind the same word as a slot."""
    before, own = (BY.get(each.before, each.before) for each in (around, context))
    return bool(before and before == own)


def _mismatch(value: str, schema: Mapping[str, Any]) -> bool:
    return kind_of(schema) != "text" or bool(mismatch(value, schema)) or says_which(value, schema)


def _ending(literal: Literal) -> str:
    """The ending that *.svg means; "" for what is no such pattern."""
    return (
        literal.slot.plain[1:]
        if literal.kind == "glob" and re.fullmatch(r"\*\.\w+", literal.slot.plain, re.ASCII)
        else ""
    )


def _loose(parts: Sequence[Part], asked: Asked, known: Knowledge) -> Iterator[Loose]:
    """The words of a request that may be values."""
    for at, part in enumerate(parts):
        around = surroundings(parts, at)
        if isinstance(part, Literal):
            if ending := _ending(part):
                yield Loose(ending, around, True)
        elif re.search(rf"(?<!\w)\.{re.escape(part.text)}(?![\w.])", asked.lower):
            yield Loose(f".{part.text}", around, True)
        elif part.text in ENDINGS and part.text not in known.texts:
            yield Loose(part.text, around, True)
        elif at and _is_unknown(part, known):
            yield Loose(part.text, around, False)


def _is_unknown(word: Word, known: Knowledge) -> bool:
    """Whether a word is in no table and no wording, and is none of the small ones."""
    things = things_of(word)
    is_small = word.is_free or bool(word.place) or word.text in SMALL or bool(things & known.things)
    is_word = re.fullmatch(r"[a-z][a-z0-9_-]+", word.text, re.ASCII)
    return bool(is_word) and not is_small and all(thing.startswith("w:") for thing in things)


class _Item(NamedTuple):
    """A value of a request, with what stands around it; `is_by`: behind "by", "per", "每个"."""

    literal: Literal
    around: Context
    is_by: bool


_Way = Mapping[str, tuple[_Item, Any]]  # parameter → what is given to it, and the value


def _most_alike(
    parts: Sequence[Part],
    literals: Sequence[tuple[Literal, Context]],
    loose: Sequence[Loose],
    only: Mapping[str, Any],
    procedure: Procedure,
    known: Knowledge,
    how: Habits,
    where: Where,
) -> Filled | None:
    """Of all ways that the types allow, the one that is best by everything that tells them apart."""
    items = [_Item(literal, _meant(around), _is_by(parts, literal)) for literal, around in literals]
    taken = {literal.slot.plain.strip("\"'`").lower().rpartition(".")[2] for literal, _ in literals}
    items += [
        _Item(Literal("ending", Slot(each.text, each.text), -1, -1), each.around, False)
        for each in loose
        if each.is_ending and each.text.lstrip(".") not in taken
    ]
    names = [name for name in procedure.parameters if name not in only]
    if len(items) > len(names):
        return None
    fits = {
        (item, name): value
        for item in items
        for name in names
        if (value := _value(item, name, procedure, known, how, where)) is not None
    }
    ways: list[_Way] = []
    for chosen in permutations(names, len(items)):
        if all(pair in fits for pair in zip(items, chosen, strict=True)):
            way = {name: (item, fits[item, name]) for item, name in zip(items, chosen, strict=True)}
            ways += _with_names(way, parts, only, procedure, known, how)
        if len(ways) > MAX_WAYS:
            return None
    kinds = {name: kind_of(schema) for name, schema in procedure.parameters.items()}
    sound = [way for way in ways if _is_sound(way, only, kinds, procedure, known)]
    best = list(sound)
    tells: tuple[Callable[[_Way], int], ...] = (
        lambda way: how.agreeing({name: value for name, (_, value) in way.items()}),
        lambda way: sum(_is_labelled(item, name, known) for name, (item, _) in way.items()),
        lambda way: _in_order(way, parts, known),
        lambda way: _result_last(way, kinds, known),
        lambda way: sum(
            (known.shapes.get(name) == "quoted") == (item.literal.kind == "quoted")
            for name, (item, _) in way.items()
            if kinds[name] == "text"
        ),
        lambda way: sum(item.is_by == _stands_by(name, known) for name, (item, _) in way.items()),
        lambda way: -sum(item.literal.slot.plain in known.texts for item, _ in way.values()),
    )
    for tell in tells:
        most = max((tell(way) for way in sound), default=0)
        best = [way for way in best if tell(way) == most]
    values = [{**only, **{name: value for name, (_, value) in way.items()}} for way in best]
    if not values or any(each != values[0] for each in values):
        return None
    return Filled(values[0], tuple(_moved(best[0], known)))


def _meant(around: Context) -> Context:
    """What stands around a value, with what some words mean in another sentence: 为 ~/a 写报告 is for ~/a, and what
    something should become is what comes of it."""
    if around.before in ("为", "给", "替", "生成"):
        return replace(around, place="thing")
    return replace(around, place="to") if around.before in ("become", "becomes") else around


def _moved(way: _Way, known: Knowledge) -> Iterator[str]:
    """The words before values that stand before no such slot, where a wording of the same language has it."""
    for name, (item, _) in way.items():
        around, contexts = item.around, known.contexts.get(name, ())
        own = {context.preposition for context in contexts}
        alike = next(
            (words for kinds, words in ALIKE if item.literal.kind in kinds), frozenset[str]()
        )
        if (
            around.preposition
            and around.preposition not in own
            and not (around.preposition in alike and own & alike)
        ):
            yield around.preposition
        is_chinese = (
            any(each.is_chinese for each in known.sentences) and not around.before.isascii()
        )
        if (
            is_chinese
            and plain(around.place)
            and around.place not in {context.place for context in contexts}
        ):
            yield around.before


def _value(
    item: _Item, name: str, procedure: Procedure, known: Knowledge, how: Habits, where: Where
) -> Any:
    """What this is as that parameter; None when it cannot be."""
    literal, schema = item.literal, procedure.parameters[name]
    kind = kind_of(schema)
    if literal.kind == "ending":
        text = as_ending(literal.slot.plain, schema)
        return text if not _mismatch(text, schema) and how.looks_so(name, text) else None
    may_be = kind in KINDS[literal.kind] or (
        kind == "text" and literal.kind in how.looks.get(name, ())
    )
    if not may_be or (literal.kind == "quoted" and not _may_be(literal.slot.plain, kind)):
        return None
    if (
        kind == "text"
        and literal.kind in ("number", "file")
        and literal.kind not in how.looks.get(name, ())
    ):
        return None
    if literal.kind == "bare" and says_which(literal.slot.plain, schema):
        return None
    if not _counts_alike(item.around, name, known):
        return None
    if kind == "number" and not _stands_well(literal, item.around, name, known, procedure):
        return None
    value = value_of(literal.slot, schema, known.shapes.get(name, ""), where)
    return value if how.looks_so(name, value) else None


def _with_names(
    way: _Way,
    parts: Sequence[Part],
    only: Mapping[str, Any],
    procedure: Procedure,
    known: Knowledge,
    how: Habits,
) -> Iterator[_Way]:
    """The way, and each parameter that it leaves empty given a word that names a column or field of the file, as the
    values did that were taught."""
    missing = [name for name in procedure.required if name not in way and name not in only]
    if not missing:
        yield way
        return
    files = [{two for one, two in how.names if one == name and two in way} for name in missing]
    if not all(files):
        return
    there = frozenset[str]().union(
        *(names_in(way[file][1]) for several in files for file in several)
    )
    words = [
        _Item(Literal("named", Slot(text, text), -1, -1), surroundings(parts, at), _is_by(parts, part))
        for at, part in enumerate(parts)
        if isinstance(part, Word) and (text := next((each for each in (part.text, stem(part.text)) if each in there), ""))
    ]  # fmt: skip
    for chosen in permutations(words, len(missing)):
        given = {
            name: (item, item.literal.slot.plain)
            for name, item in zip(missing, chosen, strict=True)
        }
        if not any(
            _mismatch(value, procedure.parameters[name]) for name, (_, value) in given.items()
        ):
            yield {**way, **given}


def _is_sound(
    way: _Way,
    only: Mapping[str, Any],
    kinds: Mapping[str, str],
    procedure: Procedure,
    known: Knowledge,
) -> bool:
    """Whether nothing speaks against it: all is given that must be, what must be there is, nothing stands in another's place."""
    values = {**only, **{name: value for name, (_, value) in way.items()}}
    if any(name not in values for name in procedure.required) or not _is_ready(procedure, values):
        return False
    return not any(_is_opposed(name, way, kinds, known) for name in way)


def _is_opposed(name: str, way: _Way, kinds: Mapping[str, str], known: Knowledge) -> bool:
    """Whether a value stands where another parameter's belongs: "from" is not "to". Where nothing is said, it may stand
    anywhere: then what is there, and what it looks like, has to tell."""
    own = {
        other: {plain(context.place) for context in known.contexts.get(other, ())} for other in way
    }
    place = plain(way[name][0].around.place)
    if own[name] & OPPOSITE.get(place, set()):
        return True
    others = [other for other in way if other != name and kinds[other] == kinds[name]]
    return (
        bool(place)
        and bool(others)
        and (
            (place == "for" and kinds[name] == "text")
            or (place not in own[name] and any(place in own[other] for other in others))
        )
    )


def _is_labelled(item: _Item, name: str, known: Knowledge) -> bool:
    """Whether the word before a value is the word before the slot: the customer "Ann", 客户 "Ann"."""
    said = {thing for thing in things_of_text(item.around.before) if thing.startswith("o:")}
    return any(said & things_of_text(context.before) for context in known.contexts.get(name, ()))


def things_of_text(text: str) -> frozenset[str]:
    from learning.concepts import meaning

    return meaning(text) if text else frozenset()


def _is_by(parts: Sequence[Part], part: Part) -> bool:
    """Whether a value stands behind "by" or a word like it, small words and "column" between them passed over."""
    at = next(number for number, each in enumerate(parts) if each is part)
    for before in reversed(parts[max(0, at - 4) : at]):
        if not isinstance(before, Word):
            return False
        if BY.get(before.text, before.text) == "by":
            return True
        if not (before.is_free or before.text in ("个", "column", "列")):
            return False
    return False


def _stands_by(name: str, known: Knowledge) -> bool:
    return any(
        BY.get(context.before, context.before) == "by" for context in known.contexts.get(name, ())
    )


def _result_last(way: _Way, kinds: Mapping[str, str], known: Knowledge) -> int:
    """How many values that say what comes of another one stand behind "to", "with", "by", as their slots do."""
    results = {
        name
        for name in way
        if {plain(context.place) for context in known.contexts.get(name, ())} <= RESULT
    }
    return sum(
        way[result][0].around.place in RESULT and way[other][0].around.place not in RESULT
        for result in results
        for other in way
        if other not in results and kinds[other] == kinds[result]
    )


def _in_order(way: _Way, parts: Sequence[Part], known: Knowledge) -> int:
    """How many values that are joined by "and" or "with" stand in the order of the slots that a wording joins."""
    from learning.parts import Gap

    joined = {
        (before.name, behind.name)
        for sentence in known.sentences
        for before, word, behind in zip(
            sentence.pieces, sentence.pieces[1:], sentence.pieces[2:], strict=False
        )
        if isinstance(before, Gap)
        and isinstance(behind, Gap)
        and isinstance(word, Word)
        and word.text in JOINING
    }
    found = 0
    for before, word, behind in zip(parts, parts[1:], parts[2:], strict=False):
        if isinstance(word, Word) and word.text in JOINING:
            pair = tuple(
                next((name for name, (item, _) in way.items() if item.literal is each), "")
                for each in (before, behind)
            )
            found += pair in joined
    return found
