"""SOPs that a request may mean although no lane is sure: for an owner who is there, and looks before anything is done.

Where routing declines, what is missing is mostly a word that nobody knows. So words may be left over here, and are shown;
values may not: each literal of the request goes into one parameter, in the only way there is, and none is made up. What
would be another task (a negation, another verb, unit or comparison, something left unsaid) is not even asked about.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from learning.concepts import GENERIC_THINGS, families, meaning, stem
from learning.filling import SMALL, filled
from learning.habits import habits
from learning.index import INDEX
from learning.likeness import contrary, left_over, reads, said_in, unsaid
from learning.parts import FILE_OR_FOLDER, Literal, Part, Word, particles_of
from learning.placing import kind_of
from learning.reading import read
from learning.request import Asked
from learning.rewording import other_question
from learning.sentences import Knowledge, Sentence, knowledge
from learning.slots import BARE_FILE, Unclear, Where
from learning.spoken_forms import in_active
from memory.sops import Sop
from models.parameters import ParameterError
from models.procedure import SLOT, Procedure
from safety.patterns import pattern

MOST = 3  # that the owner is shown
LOOKED_AT = 12  # of those that the ranking found
MAX_CHARS = 400  # of a request
MAX_PASSED_OVER = 2  # words that say something of their own
MOST_SHOWN = 4  # with those that say little, like "rows"
FAR = ("external", "destructive")  # effects of which a word that nobody knows must not be what is to be done
NEEDS = pattern(r"(?<!\w)only ((?:need|want)\b)", re.IGNORECASE)  # who only needs some rows denies nothing
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
EACH = ("every", "each", "每")  # each "river" is what is there, every 5 minutes is when
READING = frozenset(
    {"v:show", "v:find", "v:count", "v:check", "v:print", "v:read", "v:sum up", "v:calculate", "v:average"}
)
ASKED = frozenset({"吗", "什么时候", "何时", "谁", "哪", "哪个", "哪些", "多少", "几", "是否", "有没有"})  # a question
DIRECTIONS = frozenset(
    {"up", "down", "out", "off", "over", "away", "back", "向上", "向下"}
)  # with a verb they make another


class Near(NamedTuple):
    """An SOP that a request may mean: its parameters (bound), the request as one of its wordings would say it, the words
    of the request that it passes over, and those that it adds."""

    sop: Sop
    parameters: dict[str, Any]
    said: str
    passed_over: tuple[str, ...]
    added: tuple[str, ...] = ()

    @property
    def command(self) -> list[str]:
        """The words of the command that does it."""
        return ["sops", "run", self.sop.name, *(f"{key}={value}" for key, value in self.parameters.items())]


def near(request: str, sops: Sequence[Sop], where: Where) -> list[Near]:
    """Up to three SOPs that may run alone; those that pass over fewest words first, what the owner taught before seeds."""
    request = NEEDS.sub(r"\1", request)
    asked = Asked.read(request) if len(request) <= MAX_CHARS else None
    able = {sop.name: sop for sop in sops if sop.runs_alone}
    if asked is None or not able:
        return []
    ranked = [able[name] for name, _ in INDEX.of(list(able.values())).best(request, LOOKED_AT)]
    found = [each for sop in ranked if (each := _as(sop, asked, where))]
    if not found and (active := in_active(request)) and (asked := Asked.read(active)):
        found = [each for sop in ranked if (each := _as(sop, asked, where))]
    own = [each for each in found if not each.sop.is_seed] or found
    return sorted(own, key=lambda each: len(each.passed_over) + len(each.added))[:MOST]


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
        found = filled(parts, asked, procedure, known, habits(sop), where)
        values = found.values if found else {}
        parameters = procedure.bind(values, where.cwd) if found else {}
    except (Unclear, ParameterError):
        return None
    if found is None or _is_of_other_kind(procedure, parameters):
        return None
    if (
        contrary(parts, known, values.values(), is_careful=False, is_shown=True)
        or other_question(_plainly(parts), known)
        or _is_of_other_verb(parts, known)
        or _is_turned(parts, known)
    ):
        return None
    if not reads(known) and any(isinstance(part, Word) and part.text in ASKED for part in parts):
        return None
    given = {word for value in values.values() for word in re.findall(r"\w+", str(value).lower())}
    words = _passed_over(parts, known, given)
    counted = [word for word in words if not word.things & GENERIC_THINGS]
    understood = sum(isinstance(part, Literal) or part.text in given or _tells(part, known) for part in parts)
    says_more = len(counted) > MAX_PASSED_OVER or len(words) > MOST_SHOWN or understood <= len(counted)
    said = _said(procedure, values, where, lang)
    if not said or says_more or (procedure.effects in FAR and any(_may_be_verb(word, parts) for word in words)):
        return None
    added = min((unsaid(each, said_in(parts, given), known) for each in known.sentences), key=len)
    over = tuple(dict.fromkeys((*(word.text for word in words), *found.moved)))
    return Near(sop, parameters, said, over, tuple(word.text for word in added))


def _plainly(parts: Sequence[Part]) -> list[Part]:
    """Without the "been" of "that have been merged": they are."""
    texts = [part.text if isinstance(part, Word) else "" for part in parts]
    return [part for at, part in enumerate(parts) if texts[at] != "been" or texts[at - 1] not in ("have", "has")]


def _passed_over(parts: Sequence[Part], known: Knowledge, given: set[str]) -> list[Word]:
    """The words that are not taken up; where a file begins or ends with something, that too."""
    own = {thing for sentence in known.sentences for piece in sentence.pieces for thing in getattr(piece, "things", ())}
    labels = own & FILE_OR_FOLDER  # those beside a slot say nothing else
    left = [word for word in left_over(parts, known, given) if not word.things & labels]
    tells = [part for part in parts if isinstance(part, Word) and _tells_where(part) and part.text not in known.texts]
    return [*left, *(word for word in tells if word not in left)]


def _may_be_verb(word: Word, parts: Sequence[Part]) -> bool:
    """Whether a word that nobody knows may be what is to be done: the first one, and in Chinese any."""
    is_listed = not all(thing.startswith("w:") for thing in word.things)
    return not is_listed and (word is parts[0] or not word.text.isascii())


def _tells(word: Word, known: Knowledge) -> bool:
    """Whether a word says something, and the SOP's wordings say it too."""
    return not (word.is_free or word.place or word.text in SMALL) and bool(word.things & known.things)


def _is_of_other_kind(procedure: Procedure, parameters: Mapping[str, Any]) -> bool:
    """Whether a file is given where a folder must be, or a folder where a file must be."""
    for name in procedure.requires.get("folders", ()):
        path = Path(parameters.get(name, "/"))
        if path.is_file() or (not path.exists() and BARE_FILE.fullmatch(path.name)):
            return True
    return any(Path(parameters[name]).is_dir() for name in procedure.requires.get("files", ()) if name in parameters)


def _is_of_other_verb(parts: Sequence[Part], known: Knowledge) -> bool:
    """Whether a request says first that something else is to be done than what the SOP does, or undone."""
    words = [part for part in parts if isinstance(part, Word)]
    for at, word in enumerate(words):
        undone = re.findall(r"^(?:un|re|dis)(\w{3,})", word.text) if word.text not in known.texts else []
        verbs = frozenset(thing for base in undone for thing in meaning(base) if thing.startswith("v:"))
        if verbs & known.things or (verbs and at == 0 and not word.things & known.things):
            return True
    heads = frozenset(thing for sentence in known.sentences for thing in _verbs(sentence.pieces[:1]))
    if words and not words[0].things & heads and _verbs(words[:1]) and _is_only_told(words[0], known):
        return True  # "duplicate the files", where duplicates are looked for
    own = heads | frozenset(thing for sentence in known.sentences for thing in _verbs(sentence.pieces))
    own |= READING if reads(known) else frozenset()
    said = [
        verbs
        for word in words
        if (verbs := _verbs([word])) and not _tells_where(word) and not word.things & known.things & _things(word)
    ]
    if not said or not own:
        return False
    if not reads(known) and said[0] <= READING and not any(verbs & heads for verbs in said):
        return True
    return not (said[0] & own or families(said[0]) & families(own) or any(verbs & heads for verbs in said))


def _verbs(pieces: Sequence[Any]) -> frozenset[str]:
    """What these words may be as things to do; "merged" tells which branches, and is not to be done."""
    words = [piece for piece in pieces if isinstance(piece, Word) and not piece.text.endswith(("ed", "ing"))]
    return frozenset(thing for word in words for thing in word.things if thing.startswith("v:"))


def _things(word: Word) -> frozenset[str]:
    return frozenset(thing for thing in word.things if thing.startswith("o:"))


def _is_only_told(word: Word, known: Knowledge) -> bool:
    """Whether the wordings have a word too, and as something else than what is to be done."""
    return any(
        stem(text).removesuffix("d") in (word.text, f"{word.text}e") or stem(text) == word.text for text in known.texts
    )


def _tells_where(word: Word) -> bool:
    """True for words that are seldom what is to be done: files that start with a, the end of the name."""
    return word.text in ("start", "starts", "end", "ends", "begin", "begins", "open", "开头")


def _is_turned(parts: Sequence[Part], known: Knowledge) -> bool:
    """Whether the small words of a request turn it into another: off for on, from json for to json, every 5 minutes."""
    ends = [part.text for part in parts[-2:] if isinstance(part, Word)]
    particles, said = _particles(parts[:-2] if ends == ["in", "it"] else parts), _directions(parts)
    if not any(
        particles == _particles(each.pieces) and _of_verb(each) <= said <= _directions(each.pieces)
        for each in known.sentences
    ):
        return True
    pairs = frozenset(pair for sentence in known.sentences for pair in sentence.explains)
    for at, part in enumerate(parts):
        if not isinstance(part, Word) or part.is_free or part.place:
            continue
        placed = {thing for thing, role in pairs if role in ("from", "to")}
        if part.roles & {"from", "to"} and part.things & placed and not part.said & pairs:
            return True
        if (
            part.text in TURNING
            and isinstance(value := next(iter(parts[at + 1 : at + 2]), None), Literal)
            and (value.kind != "quoted" or part.text not in EACH)
            and part.text not in known.texts
        ):
            return True
    return False


def _particles(parts: Sequence[Any]) -> frozenset[str]:
    """Of the words that belong to no value those that make another verb of one: turn on, check in."""
    plain = [part.text if isinstance(part, Word) else "" for part in parts]
    is_in = "in" in (*plain[1:2], *plain[-1:])
    return frozenset(particles_of(parts)) & (DIRECTIONS | {"on", *(["in"] if is_in else [])})


def _directions(parts: Sequence[Any]) -> frozenset[str]:
    """The words like "up" in a request, or in a wording."""
    texts = [part.text if isinstance(part, Word) else "" for part in parts]
    return DIRECTIONS & {text for text, behind in zip(texts, [*texts[1:], ""], strict=True) if behind != "of"}


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
