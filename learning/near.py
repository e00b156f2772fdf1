"""SOPs that a request may mean although no lane is sure: for an owner who is there, and looks before anything is done.

Where routing declines, what is missing is mostly a word that nobody knows. So words may be left over here, and are shown;
values may not: each literal of the request goes into one parameter, in the only way there is, and none is made up. What
would be another task (a negation, another verb, unit or comparison, something left unsaid) is not even asked about.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import permutations
from pathlib import Path
from typing import Any, NamedTuple

from learning.concepts import ASKING, IDLE, LIGHT, QUESTIONS, SEEING, families, is_verb, meaning
from learning.index import INDEX
from learning.likeness import COUNTED, contrary, left_over, plain, swapped, things_of
from learning.parts import Context, Literal, Part, Word, particles_of, surroundings
from learning.placing import fitting, kind_of
from learning.reading import read
from learning.request import Asked
from learning.rewording import other_question
from learning.sentences import Knowledge, Sentence, knowledge
from learning.slots import BARE_FILE, ENDINGS, Unclear, Where, as_ending, says_which, value_of
from learning.spoken_forms import in_active
from memory.sops import Sop
from models.parameters import ParameterError, mismatch
from models.procedure import SLOT, Procedure
from safety.patterns import pattern

MOST = 3  # that the owner is shown
LOOKED_AT = 12  # of those that the ranking found
MAX_CHARS = 400  # of a request
MAX_PASSED_OVER = 2  # words
BY = dict.fromkeys(("per", "each", "every", "按", "每个", "每"), "by")  # says into what something is divided
FAR = ("external", "destructive")  # effects of which a word that nobody knows must not be what is to be done
GROUP = pattern(r"\[([^\[\]|]*)[^\[\]]*\]")
TURNING = (
    "every",
    "each",
    "about",
    "via",
    "through",
    "每",
    "每隔",
    "关于",
)  # before a value: it is there for something else
DIRECTIONS = frozenset(
    {"up", "down", "out", "off", "over", "away", "back", "向上", "向下"}
)  # with a verb they make another
SMALL = ASKING | IDLE | LIGHT | QUESTIONS | SEEING | {*BY}


class Near(NamedTuple):
    """An SOP that a request may mean: its parameters (bound), the request as one of its wordings would say it, and the words
    of the request that it passes over."""

    sop: Sop
    parameters: dict[str, Any]
    said: str
    passed_over: tuple[str, ...]

    @property
    def command(self) -> list[str]:
        """The words of the command that does it."""
        return ["sops", "run", self.sop.name, *(f"{key}={value}" for key, value in self.parameters.items())]


class Loose(NamedTuple):
    """A word that may be a value, where a parameter is left without one: an ending of files, or a word nobody knows."""

    text: str
    around: Context
    is_ending: bool


def near(request: str, sops: Sequence[Sop], where: Where) -> list[Near]:
    """Up to three SOPs that may run alone; those that pass over fewest words first, what the owner taught before seeds."""
    asked = Asked.read(request) if len(request) <= MAX_CHARS else None
    able = {sop.name: sop for sop in sops if sop.runs_alone}
    if asked is None or not able:
        return []
    ranked = [able[name] for name, _ in INDEX.of(list(able.values())).best(request, LOOKED_AT)]
    found = [each for sop in ranked if (each := _as(sop, asked, where))]
    if not found and (active := in_active(request)) and (asked := Asked.read(active)):
        found = [each for sop in ranked if (each := _as(sop, asked, where))]
    own = [each for each in found if not each.sop.is_seed] or found
    return sorted(own, key=lambda each: len(each.passed_over))[:MOST]


def _as(sop: Sop, asked: Asked, where: Where) -> Near | None:
    """The request as this SOP would take it, if it can."""
    procedure = sop.procedure
    if procedure is None:
        return None
    lang = "en" if asked.plain[asked.start : asked.end].isascii() else "zh"
    known = knowledge(procedure, sop.name, lang)
    try:
        parts = [
            part for part in read(asked, procedure, known, where) if not (isinstance(part, Word) and part.text == ".")
        ]
        values = _values(parts, asked, procedure, known, where)
        parameters = procedure.bind(values, where.cwd) if values is not None else None
    except (Unclear, ParameterError):
        return None
    if values is None or parameters is None or _is_of_other_kind(procedure, parameters):
        return None
    if (
        contrary(parts, known, values.values(), is_careful=False, may_stand_in=False)
        or other_question(parts, known)
        or _is_of_other_verb(parts, known)
        or _is_turned(parts, known)
    ):
        return None
    given = {word for value in values.values() for word in re.findall(r"\w+", str(value).lower())}
    words = tuple(dict.fromkeys(word.text for word in left_over(parts, known, given)))
    understood = sum(isinstance(part, Literal) or _tells(part, known) for part in parts)
    says_more = len(words) > MAX_PASSED_OVER or understood <= len(words)
    is_unknown_verb = bool(parts) and isinstance(parts[0], Word) and parts[0].text in words and procedure.effects in FAR
    said = _said(procedure, values, where, lang)
    return Near(sop, parameters, said, words) if said and not says_more and not is_unknown_verb else None


def _values(
    parts: Sequence[Part], asked: Asked, procedure: Procedure, known: Knowledge, where: Where
) -> dict[str, Any] | None:
    """The one way to give every literal of a request to a parameter; None when there is none, or another one."""
    literals = [
        (part, surroundings(parts, at))
        for at, part in enumerate(parts)
        if isinstance(part, Literal) and not _ending(part)
    ]
    kinds = Counter(kind_of(schema) for schema in procedure.parameters.values())
    is_chinese = not asked.plain[asked.start : asked.end].isascii()
    if all(each.is_chinese != is_chinese for each in known.sentences) and max(kinds["text"], kinds["number"]) > 1:
        return None  # wordings of another language do not say which of two texts is which
    loose = list(_loose(parts, asked, known))
    only = {
        name: schema["enum"][0]
        for name, schema in procedure.parameters.items()
        if len(schema.get("enum", ())) == 1 and _stands(str(schema["enum"][0]), asked)
    }
    lanes = ((_placed, False), (_typed, _has_several_paths(procedure)))
    for ways, must_be_ready in lanes:
        given = ways(literals, procedure, known, where)
        found = [whole for way in given for whole in _with_loose(only | way, loose, procedure, known)]
        if must_be_ready or any(way != found[0] for way in found):
            found = [way for way in found if _is_ready(procedure, way)]
        if found:
            return found[0] if all(way == found[0] for way in found) else None
    return None


def _stands(value: str, asked: Asked) -> bool:
    """Whether a request says a value, an ending also without its dot."""
    return re.search(rf"(?<!\w){re.escape(value.lstrip('.'))}(?!\w)", asked.written, re.IGNORECASE) is not None


def _has_several_paths(procedure: Procedure) -> bool:
    """Whether one path could be taken for another: then what must be there says which is which."""
    return sum(kind_of(schema) == "path" for schema in procedure.parameters.values()) > 1


def _is_ready(procedure: Procedure, values: Mapping[str, Any]) -> bool:
    """Whether what must be there for these values is there."""
    paths = {
        kind: [Path(values[name]) for name in procedure.requires.get(kind, ()) if name in values]
        for kind in ("files", "folders")
    }
    return all(path.is_file() for path in paths["files"]) and all(path.is_dir() for path in paths["folders"])


def _placed(
    literals: Sequence[tuple[Literal, Context]], procedure: Procedure, known: Knowledge, where: Where
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
    literals: Sequence[tuple[Literal, Context]], procedure: Procedure, known: Knowledge, where: Where
) -> Iterator[dict[str, Any]]:
    """Each way in which every value is of its parameter's type, and none stands where another's belongs."""
    kinds = {name: kind_of(schema) for name, schema in procedure.parameters.items()}
    for names in permutations(procedure.parameters, len(literals)):
        values = {
            name: value_of(literal.slot, procedure.parameters[name], known.shapes.get(name, ""), where)
            for name, (literal, _) in zip(names, literals, strict=True)
            if not (literal.kind == "quoted" and not _may_be(literal.slot.plain, kinds[name]))
            and not (literal.kind == "bare" and says_which(literal.slot.plain, procedure.parameters[name]))
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


def _stands_well(literal: Literal, around: Context, name: str, known: Knowledge, procedure: Procedure) -> bool:
    """Whether nothing around a value says that it is another's: it counts the same, and stands behind the same kind of
    word (by 5 is not to 5). A path may also be named with "in" or "from" where a wording has neither, and be written in."""
    if not _counts_alike(around, name, known):
        return False
    own = {plain(context.place) for context in known.contexts.get(name, ())}
    kinds = [kind_of(schema) for schema in procedure.parameters.values()]
    kind = kind_of(procedure.parameters[name])
    if kind != "path":
        prepositions = {context.preposition for context in known.contexts.get(name, ())}
        is_same = around.preposition in prepositions or not around.preposition or literal.kind == "date"
        is_quiet = around.preposition in ("", "with", "of", "in") and plain(around.place) in ("", "with")
        if kind == "number":  # its unit tells what it is
            is_told = is_quiet and not around.preposition and bool(around.unit - COUNTED) and own <= {"", "than"}
        else:
            is_told = is_quiet and (not around.preposition or own <= {"", "with"})
        return kinds.count(kind) == 1 and (is_told or (plain(around.place) in own and is_same))
    return plain(around.place) in own | (
        {"from", ""} if own & {"from", ""} else {""} if around.preposition in ("in", "as") else set()
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
            any(_stands_beside(word.around, each) for each in known.contexts.get(name, ())) for name, word in pairs
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


def _tells(word: Word, known: Knowledge) -> bool:
    """Whether a word says something, and the SOP's wordings say it too."""
    return not (word.is_free or word.place or word.text in SMALL) and bool(word.things & known.things)


def _is_unknown(word: Word, known: Knowledge) -> bool:
    """Whether a word is in no table and no wording, and is none of the small ones."""
    things = things_of(word)
    is_small = word.is_free or bool(word.place) or word.text in SMALL or bool(things & known.things)
    is_word = re.fullmatch(r"[a-z][a-z0-9_-]+", word.text, re.ASCII)
    return bool(is_word) and not is_small and all(thing.startswith("w:") for thing in things)


def _is_of_other_kind(procedure: Procedure, parameters: Mapping[str, Any]) -> bool:
    """Whether a file is given where a folder must be, or a folder where a file must be."""
    for name in procedure.requires.get("folders", ()):
        path = Path(parameters.get(name, "/"))
        if path.is_file() or (not path.exists() and BARE_FILE.fullmatch(path.name)):
            return True
    return any(Path(parameters[name]).is_dir() for name in procedure.requires.get("files", ()) if name in parameters)


def _is_of_other_verb(parts: Sequence[Part], known: Knowledge) -> bool:
    """Whether a request says first that something else is to be done than what the SOP would change, or undone."""
    words = [part for part in parts if isinstance(part, Word)]
    bases = {
        base
        for word in words
        for base in re.findall(r"^(?:un|re|dis)(\w{3,})", word.text)
        if word.text not in known.texts
    }
    if any(thing.startswith("v:") and thing in known.things for base in bases for thing in meaning(base)):
        return True
    heads = frozenset(thing for thing in known.things if thing.startswith("v:"))
    first = next((word.things for word in words if is_verb(word.things)), None)
    if known.only_reads or not heads or first is None:
        return False
    return not (first & heads or families(first) & families(heads))


def _is_turned(parts: Sequence[Part], known: Knowledge) -> bool:
    """Whether the small words of a request turn it into another: off for on, from json for to json, every 5 minutes."""
    ends = [part.text for part in parts[-2:] if isinstance(part, Word)]
    particles, said = particles_of(parts[:-2] if ends == ["in", "it"] else parts), _directions(parts)
    if not any(
        particles == each.particles and _of_verb(each) <= said <= _directions(each.pieces) for each in known.sentences
    ):
        return True
    pairs = frozenset(pair for sentence in known.sentences for pair in sentence.explains)
    for at, part in enumerate(parts):
        if not isinstance(part, Word) or part.is_free or part.place:
            continue
        if part.roles & {"from", "to"} and part.things & {thing for thing, _ in pairs} and not part.said & pairs:
            return True
        if (
            part.text in TURNING
            and isinstance(next(iter(parts[at + 1 : at + 2]), None), Literal)
            and part.text not in known.texts
        ):
            return True
    return False


def _directions(parts: Sequence[Any]) -> frozenset[str]:
    """The words like "up" in a request, or in a wording."""
    return DIRECTIONS & {part.text for part in parts if isinstance(part, Word)}


def _of_verb(sentence: Sentence) -> frozenset[str]:
    """Those that belong to what is to be done for sure: right behind it, or at the end."""
    return _directions([*sentence.pieces[:2], *sentence.pieces[-1:]])


def _said(procedure: Procedure, values: Mapping[str, Any], where: Where, lang: str) -> str:
    """A wording of the procedure with these values in its slots."""
    texts = sorted(procedure.wordings, key=lambda each: (each.text.isascii() != (lang == "en"), each.text.count("|")))
    found = next((wording.text for wording in texts if {*wording.slots} == {*values}), "")
    plain = GROUP.sub(lambda group: group[1], found)
    home = f"{where.owner_home}/"

    def shown(name: str) -> str:
        text = str(values[name])
        if kind_of(procedure.parameters[name]) == "text":
            return f'"{text}"'
        return f"~/{text.removeprefix(home)}" if text.startswith(home) else text

    return " ".join(SLOT.sub(lambda slot: shown(slot[1]), plain).split())
