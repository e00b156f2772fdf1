"""Whether a request is one of an SOP's wordings said in other words, and with which values: rules alone, no model.

The words of the request and of the wording must say the same: each word of the wording is said, by itself or by what
means the same (learning/concepts.py), and each word of the request is explained by the wording. Only small words, the
order of the parts, and words that the SOP's other wordings use freely may differ. Every literal goes into exactly one
parameter, by its type and by what stands before it (from, to, in), and a number keeps its unit. A negation, an
instruction too many, another unit, two ways to fill the parameters: declined.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import permutations
from typing import Any

from learning.concepts import (
    ABOVE,
    ALIKE,
    ASKING,
    BEHIND,
    BELOW,
    EMPTIES,
    FREE_CHINESE,
    FREE_ENGLISH,
    KINDS_BY_ENDING,
    LABELS,
    MAKES,
    NEGATIONS,
    NEGATIONS_CHINESE,
    PAST,
    PLACES,
    SEEING,
    SIZES,
    chinese_cut,
    is_verb,
    meaning,
    phrases,
    sure,
)
from learning.request import PLAIN, Asked
from learning.slots import ENDINGS, NOT_A_NAME, QUOTES, Slot, Unclear, Where, value_of
from models.procedure import Procedure
from safety.patterns import pattern

MAX_LITERALS = 5
ENDED = ("file", "path", "quoted")  # kinds of values that may end in .csv
TELLING = ("v:", "t:", "u:", "o:")  # words of the tables
SOFT = ("o:", "w:")  # what another wording of the SOP may explain: things, never what is done, compared or measured
SHOW = "v:show"
FILE_OR_FOLDER = frozenset({"o:file", "o:folder"})
CJK = r"\u3400-\u9fff"
HARD_LITERALS = (  # kind, form; the first that fits
    ("quoted", pattern(r"\"[^\"]+\"|`[^`]+`|「[^」]+」|『[^』]+』|《[^》]+》|(?<![\w])'[^']+'(?!\w)")),
    ("url", pattern(rf"https?://[^\s\"'<>「」,{CJK}]*[^\s\"'<>「」,.;:!?{CJK}]")),
    ("email", pattern(r"[A-Za-z0-9._%+-]+@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+")),
    ("date", pattern(r"\d{4}-\d{1,2}-\d{1,2}|\d{4}/\d{1,2}/\d{1,2}|\d{4}年\d{1,2}月\d{1,2}日?")),
    (
        "path",
        pattern(
            rf"(?:~|\.{{1,2}})?/[^\s\"'`,;:|&<>*?$!(){{}}\[\]\\{CJK}]*(?<![.])|~(?![\w])|[\w.-]+/[\w./-]*\w/?", re.ASCII
        ),
    ),
    ("glob", pattern(r"[\w.-]*\*[\w.*?-]*", re.ASCII)),
    ("code", pattern(r"[vV]?\d+(?:\.\d+){2,}(?:[\w.-]*\w)?|[vV]\d+(?:\.\d+)*(?![\w])", re.ASCII)),
    ("file", pattern(r"[A-Za-z0-9_][\w-]*(?:\.[\w-]+)*\.[A-Za-z][A-Za-z0-9]{0,4}(?![\w.]*\w)", re.ASCII)),
    (
        "number",
        pattern(r"\d{1,3}(?:,\d{3})+(?![\d.])|\d+\.\d+(?![\w.])|\d+(?![\w-]*[A-Za-z][\w-]*\d|-\w|_)", re.ASCII),
    ),
    ("code", pattern(r"(?=[\w-]*\d)[A-Za-z0-9][\w-]*\w|[A-Za-z]+_[\w]*\w", re.ASCII)),
)
WORD = pattern(rf"[A-Za-z]+(?:['’-][A-Za-z]+)*|[{CJK}]+|%|[^\s]")
SPACE = pattern(r"(?:[\s,!…]|[.:;?](?=\s|$)|#(?=\d))+")  # between words; ./x begins with a dot
PATH_FOLLOWS = pattern(r"\s*(?:[~\"'`「『《]|\.{0,2}/|[\w.-]*\.[A-Za-z]{1,4}\b)", re.ASCII)
CHINESE_NUMBER = pattern(
    r"[零一二两三四五六七八九十百]+(?=\s*(?:天|日|周|星期|个(?!人)|小时|分钟|秒|年|行|条|份|元|块|次|件|张|页|名))"
)
PATH_IN_CHINESE = pattern(rf"[{CJK}][\w./{CJK}-]*(?=[\s,.?!]|$)")
MEASURES = ("号", "个", "条", "份", "张", "名", "行", "件")


PLAIN_ROLE = frozenset({""})


@dataclass(frozen=True, slots=True)
class Word:
    """One word of a request or a wording, what it may mean, and the words like "to" that it may stand behind: "convert
    json to csv" says the same words as "convert csv to json". `also`: what it surely means where it stands:
    the photo a.png is the image a.png, over 5 MB is larger than 5 MB."""

    text: str
    things: frozenset[str]
    roles: frozenset[str] = PLAIN_ROLE
    also: frozenset[str] = frozenset()

    @property
    def sure(self) -> frozenset[str]:
        """What it means in every procedure."""
        return sure(self.base) | self.also

    @property
    def base(self) -> str:
        """The word without the ending of a possessive."""
        return self.text if self.text in SEEING else self.text.removesuffix("'s")

    @property
    def said(self) -> frozenset[tuple[str, str]]:
        """Each meaning that is sure, in each role."""
        return _said(self.base, self.also, self.roles)

    @property
    def is_free(self) -> bool:
        """True for small words that change nothing."""
        return self.text in FREE_ENGLISH or self.text in FREE_CHINESE

    @property
    def place(self) -> str:
        """What it says about the value behind it, when it is a word like "to"."""
        return PLACES.get(self.text, "")


@lru_cache(maxsize=4096)
def _said(base: str, also: frozenset[str], roles: frozenset[str]) -> frozenset[tuple[str, str]]:
    return frozenset((thing, role) for thing in sure(base) | also for role in roles)


@dataclass(frozen=True, slots=True)
class Literal:
    """A value in a request: what kind it looks like, and its text."""

    kind: str
    slot: Slot
    start: int  # where it stands in the request
    end: int
    exact_context: bool = False  # a bare word: only where a wording has its slot between the same two words


@dataclass(frozen=True, slots=True)
class Gap:
    """A slot of a wording."""

    name: str
    shape: str


@dataclass(frozen=True, slots=True)
class Choice:
    """A group of a wording: one of these may be said; an empty one: none need be."""

    options: tuple[tuple[Word, ...], ...]


Part = Word | Literal
Piece = Word | Gap | Choice


@dataclass(frozen=True, slots=True)
class Context:
    """What stands around a value: `place` is in, to, from …, "thing" for any other word, or "start"; `before` and
    `behind` are the words themselves, `unit` what a number counts, `labels` the words file, folder … beside it."""

    place: str
    before: str
    behind: str
    unit: frozenset[str]
    labels: frozenset[str]
    preposition: str = ""  # the English word that says the place
    is_put: bool = False  # behind 把


@dataclass(frozen=True, slots=True)
class Understood:
    """The values of an SOP's parameters that a request gives, and the wording that it says in other words."""

    values: dict[str, Any]
    wording: str


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a request is not one of an SOP's wordings."""

    why: str


def understand(asked: Asked, procedure: Procedure, name: str, where: Where) -> Understood | Refusal:
    """Reads a request as one of the wordings of a procedure; `name` is the SOP's name."""
    known = knowledge(procedure, name, "zh" if _is_chinese(asked) else "en")
    try:
        parts = read(asked, procedure, known, where)
        if why := never(parts) or _other_question(parts, known):
            return Refusal(why)
        particles = _particles(parts)
        outcomes = [
            Refusal(f"it says “{' '.join(particles or sentence.particles)}” otherwise")
            if particles != sentence.particles
            else _as_wording(parts, sentence, known, procedure, where)
            for sentence in known.sentences
        ]
    except Unclear as unclear:
        return Refusal(f"{unclear} may mean two things")
    readings = [outcome for outcome in outcomes if isinstance(outcome, Understood)]
    if not readings:
        return _nearest([outcome for outcome in outcomes if isinstance(outcome, Refusal)])
    if any(reading.values != readings[0].values for reading in readings):
        return Refusal("the values fit in two ways")
    return readings[0]


def _nearest(whys: Sequence[Refusal]) -> Refusal:
    """The reason that says most: of the wording that came furthest."""
    return next((why for why in whys if why.why.startswith("it says")), whys[0] if whys else Refusal("no wordings"))


# what an SOP says about itself


@dataclass(frozen=True, slots=True)
class Sentence:
    """One wording: its pieces, its slots with what stands around them, and everything that its words may mean."""

    text: str
    pieces: tuple[Piece, ...]
    gaps: tuple[str, ...]
    explains: frozenset[tuple[str, str]]
    head: frozenset[str]  # what its first word may mean; empty when it begins with a slot
    is_chinese: bool
    particles: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Knowledge:
    """All wordings of an SOP, what its words mean together, and for each slot the contexts in which it stands."""

    sentences: tuple[Sentence, ...]
    soft: frozenset[tuple[str, str]]
    contexts: Mapping[str, tuple[Context, ...]]
    shapes: Mapping[str, str]
    chinese: frozenset[str]
    only_reads: bool
    things: frozenset[str]  # all that its words may mean
    texts: frozenset[str]  # its words as they are written


def knowledge(procedure: Procedure, name: str, lang: str = "") -> Knowledge:
    """What the wordings of a procedure say; worked out once for the same wordings. With a language only those that are in
    it, if any are: 行 is a row and a line, so an English request is held against the English wordings."""
    wordings = tuple(wording.text for wording in procedure.wordings)
    own = tuple(text for text in wordings if not lang or is_chinese(text) == (lang == "zh"))
    paths = frozenset(name for name, schema in procedure.parameters.items() if schema.get("format") == "path")
    return _knowledge(own or wordings, name, tuple(procedure.parameters), paths, procedure.effects == "none")


def is_chinese(text: str) -> bool:
    """True for a wording with Chinese words outside of its slots."""
    return re.search(f"[{CJK}]", text) is not None


def _is_chinese(asked: Asked) -> bool:
    """True for a request with a Chinese word that belongs to no value."""
    text = asked.plain[asked.start : asked.end]
    for kind, form in HARD_LITERALS:
        if kind in ("quoted", "path"):
            text = form.sub(" ", text)
    return is_chinese(text)


@lru_cache(maxsize=1024)
def _knowledge(
    wordings: tuple[str, ...], name: str, parameters: tuple[str, ...], paths: frozenset[str], only_reads: bool
) -> Knowledge:
    sentences = tuple(_sentence(text, paths) for text in wordings)
    said = {word for sentence in sentences for word in _words(_without_labels(sentence.pieces))}
    soft = {pair for word in said for pair in word.said if pair[0].startswith(SOFT)}
    names = [part for name in (name, *parameters) for part in re.split("[-_]", name)]
    soft |= {(thing, "") for part in names for thing in sure(part) - FILE_OR_FOLDER if thing.startswith(SOFT)}
    contexts: dict[str, list[Context]] = {}
    shapes: dict[str, str] = {}
    for sentence in sentences:
        for gap, found in _gap_contexts(sentence.pieces):
            contexts.setdefault(gap.name, []).extend(found)
            shapes[gap.name] = gap.shape or shapes.get(gap.name, "")
    chinese = frozenset(word.text for word in said if not word.text.isascii())
    packed = {key: tuple(dict.fromkeys(several)) for key, several in contexts.items()}
    things = {thing for thing, _ in soft}.union(*(word.things for word in said))
    things |= {thing for part in names for thing in meaning(part) - FILE_OR_FOLDER if thing.startswith(SOFT)}
    texts = frozenset(word.text for word in said)
    return Knowledge(sentences, frozenset(soft), packed, shapes, chinese, only_reads, frozenset(things), texts)


def _sentence(text: str, paths: frozenset[str]) -> Sentence:
    pieces, _ = _with_roles(_in_place(list(_pieces(text)), paths), PLAIN_ROLE)
    words = list(_words(_without_labels(pieces)))
    first = pieces[0] if pieces else None
    heads = (
        [first]
        if isinstance(first, Word)
        else [option[0] for option in first.options if option]
        if isinstance(first, Choice)
        else []
    )
    return Sentence(
        text,
        pieces,
        tuple(piece.name for piece in pieces if isinstance(piece, Gap)),
        frozenset(pair for word in words for pair in word.said),
        frozenset(thing for word in heads for thing in word.sure),
        not text.isascii(),
        _particles(pieces),
    )


def _in_place(pieces: Sequence[Any], paths: frozenset[str]) -> list[Any]:
    """The same, each word with what it surely means between its neighbours."""
    return [
        replace(piece, also=_also(piece, pieces[:at], pieces[at + 1 :], paths)) if isinstance(piece, Word) else piece
        for at, piece in enumerate(pieces)
    ]


def _also(word: Word, before: Sequence[Any], behind: Sequence[Any], paths: frozenset[str]) -> frozenset[str]:
    found = frozenset[str]()
    if behind and _is_path(behind[0], paths):
        found = frozenset(thing for thing in word.things if thing.startswith("o:"))
    text = word.text.replace(" ", "_")
    if text in EMPTIES and not _is_object(behind) and not (before and not behind and not isinstance(before[-1], Word)):
        found |= {"v:delete"}
    rest = [each for each in behind[:3] if not (isinstance(each, Word) and each.text == "than")]
    is_size = len(rest) > 1 and not isinstance(rest[0], Word) and isinstance(rest[1], Word) and rest[1].things & SIZES
    if is_size and text in ABOVE:
        found |= {"t:larger"}
    return found | {"t:smaller"} if is_size and text in BELOW else found


def _is_path(piece: Any, paths: frozenset[str]) -> bool:
    return (isinstance(piece, Literal) and piece.kind in ("path", "file")) or (
        isinstance(piece, Gap) and piece.name in paths
    )


def _particles(pieces: Sequence[Any]) -> tuple[str, ...]:
    """The words like "on" that belong to the verb: "turn on lamp 3", "turn lamp 3 on"; and in Chinese what stands in another
    word instead of a value."""
    found = []
    for at, piece in enumerate(pieces):
        if not isinstance(piece, Word):
            continue
        rest = pieces[at + 1 :]
        behind = next(
            (each for each in rest if not (isinstance(each, Word) and (each.is_free or _is_label(each)))), None
        )
        if piece.place and piece.text.isascii():
            is_noun = at == 1 and isinstance(pieces[0], Word) and all(t.startswith("o:") for t in pieces[0].things)
            is_after_verb = at == 1 and isinstance(behind, Word) and not is_noun
            if behind is None or is_after_verb or (isinstance(behind, Word) and behind.place):
                found.append(piece.text)
        elif piece.text in BEHIND and at and isinstance(pieces[at - 1], Word) and not pieces[at - 1].is_free:
            found += [piece.text] if any(not isinstance(each, Word) for each in rest) else []
    return tuple(sorted(found))


def _pieces(text: str) -> Iterator[Piece]:
    for token in re.findall(r"\{[^{}]*\}|\[[^\[\]]*\]|[^{}\[\]]+", text.translate(PLAIN).lower()):
        if token[0] == "{":
            name, _, shape = token[1:-1].partition(":")
            yield Gap(name, shape)
        elif token[0] == "[":
            yield Choice(tuple(tuple(_cut(choice)) for choice in token[1:-1].split("|")))
        else:
            yield from _cut(token)


def _cut(text: str) -> Iterator[Word]:
    """The words of a text without values."""
    found = [word for word in WORD.findall(text) if word not in ',.:!?…"#']
    at = 0
    while at < len(found):
        if not found[at].isascii():
            yield from (Word(part, meaning(part)) for part in chinese_cut(found[at]))
            at += 1
            continue
        several = next((p for p in phrases().get(found[at], ()) if tuple(found[at : at + len(p)]) == p), (found[at],))
        yield _word(" ".join(several))
        at += len(several)


def _word(text: str) -> Word:
    plain = text.replace("’", "'")
    return Word(plain, meaning(plain.removesuffix("'s") if plain not in SEEING else plain))


def _with_roles(pieces: Sequence[Any], roles: frozenset[str]) -> tuple[tuple[Any, ...], frozenset[str]]:
    """The same pieces, their words with roles; and the roles of a word that would follow."""
    found: list[Any] = []
    for piece in pieces:
        if isinstance(piece, Choice):
            options = [_with_roles(option, roles) for option in piece.options]
            found.append(Choice(tuple(option for option, _ in options)))
            roles = frozenset[str]().union(*(after for _, after in options))
        elif isinstance(piece, Word):
            found.append(replace(piece, roles=roles))
            if piece.place:
                roles = frozenset({"" if piece.place == "in" else piece.place})
            elif not piece.text.isascii() and piece.text.endswith(MAKES):
                roles = frozenset({"to"})
            elif not piece.is_free:
                roles = PLAIN_ROLE
        else:
            found.append(piece)
            roles = PLAIN_ROLE
    return tuple(found), roles


def _without_labels(pieces: Sequence[Piece]) -> list[Piece]:
    """Without "file" and "folder" beside a slot: they are about its value, and explain nothing else."""
    return [
        piece
        for at, piece in enumerate(pieces)
        if not (
            isinstance(piece, Word)
            and piece.things & FILE_OR_FOLDER
            and any(isinstance(near, Gap) for near in (*pieces[max(0, at - 1) : at], *pieces[at + 1 : at + 2]))
        )
    ]


def _words(pieces: Sequence[Piece]) -> Iterator[Word]:
    for piece in pieces:
        if isinstance(piece, Word):
            yield piece
        elif isinstance(piece, Choice):
            yield from (word for option in piece.options for word in option)


def _gap_contexts(pieces: Sequence[Piece]) -> Iterator[tuple[Gap, list[Context]]]:
    """For each slot every context that the choices around it allow."""
    for at, piece in enumerate(pieces):
        if not isinstance(piece, Gap):
            continue
        befores = list(_sides(pieces[:at], -1, 3))
        behinds = list(_sides(pieces[at + 1 :], 1, 2))
        yield piece, [_context(before, behind) for before in befores for behind in behinds]


def _sides(pieces: Sequence[Piece], step: int, count: int) -> Iterator[tuple[Word, ...]]:
    """The up to `count` words beside a place, nearest first, in each way that the groups can be said."""
    if not pieces or not count:
        yield ()
        return
    nearest, rest = (pieces[0], pieces[1:]) if step > 0 else (pieces[-1], pieces[:-1])
    if isinstance(nearest, Gap):
        yield ()
    elif isinstance(nearest, Word):
        yield from ((nearest, *more) for more in _sides(rest, step, count - 1))
    else:
        for option in nearest.options:
            words = option[::step]
            for more in _sides(rest, step, max(0, count - len(words))):
                yield (*words, *more)


def _context(before: Sequence[Word], behind: Sequence[Word]) -> Context:
    """`before` is given nearest first."""
    labels = frozenset(
        t for w in (*before[:1], *behind[:1]) if w.text in LABELS or w.things & FILE_OR_FOLDER for t in w.things
    )
    left = next((word for word in before if not word.is_free and not _is_label(word)), None)
    right = behind[0] if behind else None
    unit = frozenset(thing for thing in (right.things if right else ()) if thing.startswith("u:"))
    place = (left.place or _made(left) or "thing") if left else "start"
    if right and right.text in BEHIND and place in ("thing", "start"):
        return Context("in", before[0].text if before else "", right.text, unit, labels)
    is_put = any(word.text in ("把", "将") for word in before)
    preposition = left.text if left and left.place and left.text.isascii() else ""
    place = "thing" if is_put and place == "start" else place
    return Context(
        place, before[0].text if before else "", right.text if right else "", unit, labels, preposition, is_put
    )


def _made(word: Word) -> str:
    """ "to" for a Chinese verb that says what comes of it: 替换为."""
    makes = len(word.text) > 1 and word.text.endswith(MAKES) and not word.things & {SHOW, "v:find"}
    return "to" if makes and not word.text.isascii() else ""


def _is_label(word: Word) -> bool:
    return word.text in LABELS or bool(word.things & FILE_OR_FOLDER)


# the request


def read(asked: Asked, procedure: Procedure, known: Knowledge, where: Where) -> list[Part]:
    """A request as words and values; what may be either (a name, a place, "thirty") is a value when the SOP has a
    parameter of its type. Raises Unclear."""
    parts = _in_place(list(_Reader(asked, procedure, known, where).parts()), frozenset())
    return list(_with_roles(parts, PLAIN_ROLE)[0])


class _Reader:
    """Goes through a request once, from left to right."""

    def __init__(self, asked: Asked, procedure: Procedure, known: Knowledge, where: Where) -> None:
        self.asked, self.procedure, self.known, self.where = asked, procedure, known, where
        schemas = procedure.parameters.values()
        self.has_path = any(schema.get("format") == "path" for schema in schemas)
        self.has_number = any(schema["type"] in ("integer", "number") for schema in schemas)
        self.enums = [schema for schema in schemas if "enum" in schema]
        self.free_text = [
            name
            for name, schema in procedure.parameters.items()
            if schema["type"] == "string" and "enum" not in schema and schema.get("format") is None
        ]

    def parts(self) -> Iterator[Part]:
        at, end = self.asked.start, self.asked.end
        before = ""
        while at < end:
            if space := SPACE.match(self.asked.plain, at, end):
                at = space.end()
                continue
            part, at = self.part(at, end, before)
            if isinstance(part, Word):
                before = part.text
            yield part

    def part(self, at: int, end: int, before: str) -> tuple[Part, int]:
        plain = self.asked.plain
        touches = at > self.asked.start and plain[at - 1].isascii() and plain[at - 1].isalnum()
        for kind, form in () if touches else HARD_LITERALS:
            if (found := form.match(plain, at, end)) and found.end() > at:
                stop = self.end_of_path(found.end(), end) if kind == "path" else found.end()
                return Literal(kind, self.asked.slot(at, stop), at, stop), stop
        if soft := self.soft(at, end, before):
            return soft
        word = WORD.match(self.asked.lower, at, end) or WORD.match(plain, at, end)
        assert word is not None
        if not word[0].isascii():
            cut = next(chinese_cut(word[0], self.known.chinese))
            return Word(cut, meaning(cut)), at + len(cut)
        for several in phrases().get(word[0], ()):
            if said := pattern(r"\s+".join(several) + r"(?![a-z])").match(plain.lower(), at, end):
                return _word(" ".join(several)), said.end()
        return (_word(word[0]) if word[0][0].isalpha() else Word(word[0], meaning(word[0]))), word.end()

    def end_of_path(self, at: int, end: int) -> int:
        """Where a path ends that goes on in Chinese: ~/照片 with a space behind it; not where a sentence goes on, as in
        ~/notes里的文件."""
        rest = PATH_IN_CHINESE.match(self.asked.plain, at, end)
        if not rest or self.asked.plain[at - 1] not in "/-_":
            return at
        words = [word for run in re.findall(rf"[{CJK}]+", rest[0]) for word in chinese_cut(run)]
        is_sentence = any(word in FREE_CHINESE or word in BEHIND or word in PLACES for word in words)
        return at if is_sentence else rest.end()

    def soft(self, at: int, end: int, before: str) -> tuple[Literal, int] | None:
        """A place, a number in words, a choice of a parameter, or a name: the longest."""
        lower = self.asked.lower
        if lower[at].isascii():
            spans = [
                m.end()
                for n in (3, 2, 1)
                if (m := pattern(r"[\w'’-]+" + r"\s+[\w'’-]+" * (n - 1) + r"(?![\w])").match(lower, at, end))
            ]
        else:
            run = WORD.match(lower, at, end)
            spans = list(range(min(at + 8, run.end() if run else at), at, -1))
        for stop in spans:
            if PATH_FOLLOWS.match(self.asked.plain, stop):  # "the picture a.png" is no folder
                continue
            slot = self.asked.slot(at, stop)
            if kind := self.soft_kind(slot, at, stop):
                return Literal(kind, slot, at, stop), stop
        return self.name(at, end, before)

    def soft_kind(self, slot: Slot, at: int, stop: int) -> str:
        if any(value_of(slot, schema, "", self.where) is not None for schema in self.enums):
            return "enum"
        if (
            self.has_path
            and slot.plain[:1] not in QUOTES
            and value_of(slot, {"type": "string", "format": "path"}, "", self.where)
        ):
            return "path"
        if not self.has_number:
            return ""
        is_counted = (
            slot.plain.isascii()
            or CHINESE_NUMBER.fullmatch(self.asked.plain, at, stop)
            or ((found := CHINESE_NUMBER.match(self.asked.plain, at)) is not None and found.end() == stop)
        )
        if not is_counted or slot.plain in ("一", "one"):
            return ""
        return "number" if value_of(slot, {"type": "integer"}, "", self.where) is not None else ""

    def name(self, at: int, end: int, before: str) -> tuple[Literal, int] | None:
        """A word that nobody knows, where the SOP has a parameter for free text: a capital says that it is a name."""
        if not self.free_text or not self.asked.lower[at].isascii():
            return None
        found = pattern(r"[A-Z][\w-]*(?:\s+[A-Z][\w-]*){0,2}(?![\w'’])", re.ASCII).match(self.asked.written, at, end)
        if found and at > self.asked.start and not any(self.is_known(word.lower()) for word in found[0].split()):
            return Literal("name", self.asked.slot(at, found.end()), at, found.end()), found.end()
        bare = pattern(r"[a-z][a-z0-9-]*(?![\w'’])").match(self.asked.written, at, end)
        if not bare or self.is_known(bare[0]) or NOT_A_NAME.fullmatch(bare[0]):
            return None
        stands = [context for name in self.free_text for context in self.known.contexts.get(name, ())]
        behind = WORD.search(self.asked.lower, bare.end(), end)
        after = behind[0] if behind else ""
        if any(context.before == before and context.behind == after for context in stands if before):
            return Literal("bare", self.asked.slot(at, bare.end()), at, bare.end(), True), bare.end()
        return None

    def is_known(self, word: str) -> bool:
        """True for a word of the tables, a small word, or one that the SOP's wordings use."""
        things = meaning(word)
        is_listed = not all(thing.startswith("w:") for thing in things)
        return (
            is_listed
            or any(thing in things for thing, _ in self.known.soft)
            or word in NEGATIONS
            or Word(word, things).is_free
            or word in PLACES
        )


def never(parts: Sequence[Part]) -> str:
    """What no wording may be said with."""
    for part in parts:
        if isinstance(part, Word):
            is_unknown = all(thing.startswith("w:") for thing in part.things) and not part.text.isascii()
            if part.text in NEGATIONS or (is_unknown and any(word in part.text for word in NEGATIONS_CHINESE)):
                return f"it says “{part.text}”"
            if part.text in ";|&<>$?\\^=+*/" and len(part.text) == 1:
                return f"it holds {part.text}"
    return "it holds too many values" if sum(isinstance(part, Literal) for part in parts) > MAX_LITERALS else ""


# a choice that a model made


def contradiction(
    asked: Asked,
    procedure: Procedure,
    name: str,
    parameters: Mapping[str, Any],
    where: Where,
    *,
    is_strict: bool = False,
) -> str:
    """What in a request speaks against doing this SOP with these values; empty when nothing does. Raises Unclear.

    Strict, for a model that is easily wrong: no word may be left that the SOP does not know, but for an unknown first
    one when the SOP only reads. Else only what is done, compared, measured or dealt with must be known to it.
    """
    known = knowledge(procedure, name)
    parts = read(asked, procedure, known, where)
    from learning.likeness import contrary, swapped

    if why := contrary(parts, known, parameters.values(), is_careful=True) or (
        _strange(parts, known) if is_strict else ""
    ):
        return why
    around = [_around(parts, at) for at, part in enumerate(parts) if isinstance(part, Literal)]
    literals = [part for part in parts if isinstance(part, Literal)]
    taken: set[int] = set()
    stands: list[tuple[int, str]] = []
    for key, value in parameters.items():
        schema = procedure.parameters[key]
        places = [
            at
            for at, literal in enumerate(literals)
            if literal_is(literal, value, schema, where)
            and not (is_strict and _value(literal, around[at], key, known, procedure, where) is None)
        ]
        taken.update(places)
        stands += [(at, key) for at in places[:1]]
        is_filled_in = value == schema.get("default") or _is_default(key, value, procedure, where)
        if not places and not is_filled_in and not (_type(schema) in ("text", "enum") and _stands(str(value), asked)):
            return f"it does not say {key}"
    kinds = {key: _type(procedure.parameters[key]) for key in parameters}
    if name := swapped([(key, around[at].place) for at, key in sorted(stands)], kinds, known):
        return f"{name} stands where another value belongs"
    left = next(
        (literal for at, literal in enumerate(literals) if at not in taken and literal.kind not in ("name", "bare")),
        None,
    )
    return f"nothing takes up “{left.slot.written}”" if left else ""


def _is_listed(word: Word) -> bool:
    return not all(thing.startswith("w:") for thing in word.things)


def _subjects(
    pieces: Sequence[Piece], said: frozenset[tuple[str, str]], known: Knowledge
) -> Iterator[tuple[Word, ...]]:
    """The words of a wording, other than what is to be done, that are not said in any way."""
    for at, piece in enumerate(pieces):
        options = piece.options if isinstance(piece, Choice) else ((piece,),) if isinstance(piece, Word) else ()
        kept = [tuple(word for word in option if not _only_does(word, at == 0)) for option in options]
        if kept and all(option and not all(_is_said(word, said, known) for word in option) for option in kept):
            yield kept[0]


def _only_does(word: Word, is_first: bool) -> bool:
    """True for a verb: in English the first word, in Chinese any that is no thing as well."""
    is_thing = any(thing.startswith("o:") for thing in word.things)
    return is_verb(word.things) and not is_thing and (is_first or not word.text.isascii())


def _strange(parts: Sequence[Part], known: Knowledge) -> str:
    """A word that no wording explains, or a wording's subject that is not said in any."""
    whys = []
    said = frozenset(pair for part in parts if isinstance(part, Word) for pair in part.said)
    for sentence in known.sentences:
        left = [
            part
            for at, part in enumerate(parts)
            if isinstance(part, Word) and not _is_explained(part, at, parts, sentence, known)
        ]
        if left and left[0] is parts[0] and known.only_reads and not _is_listed(left[0]):
            left = left[1:]
        unsaid = [words[0] for words in _subjects(sentence.pieces, said, known)]
        if not left and not unsaid:
            return ""
        whys.append(f"it says “{left[0].text}”" if left else f"it does not say “{unsaid[0].text}”")
    return whys[0] if whys else "no wordings"


def literal_is(literal: Literal, value: Any, schema: Mapping[str, Any], where: Where) -> bool:
    """True when a value of a request is this value of a parameter. Raises Unclear."""
    found = value_of(literal.slot, schema, "", where)
    return found is not None and (found == value or str(found) == str(value))


def _is_default(key: str, value: Any, procedure: Procedure, where: Where) -> bool:
    """True for a value that binding fills in by itself."""
    from models.parameters import bind

    return bool(bind({key: procedure.parameters[key]}, (), {}, where.cwd).get(key) == value)


def _stands(value: str, asked: Asked) -> bool:
    """True when the request holds the text as words of its own; .rtf also as rtf."""
    texts = [value, *([value[1:]] if value[:1] == "." and value[1:].lower() in ENDINGS else [])]
    found = (re.search(rf"(?<![\w]){re.escape(text)}(?![\w])", asked.written, re.IGNORECASE) for text in texts if text)
    return any(found)


# the two held against each other


def _as_wording(
    parts: Sequence[Part], sentence: Sentence, known: Knowledge, procedure: Procedure, where: Where
) -> Understood | Refusal:
    words = [part for part in parts if isinstance(part, Word)]
    if (
        why := _unsaid(words, parts, sentence, known)
        or _unexplained(parts, sentence, known)
        or _other_head(parts, sentence, known)
    ):
        return Refusal(why)
    literals = [(part, _around(parts, at)) for at, part in enumerate(parts) if isinstance(part, Literal)]
    if len(literals) != len(sentence.gaps):
        return Refusal(f"it holds {len(literals)} values where {len(sentence.gaps)} are needed")
    return _filled(literals, sentence, known, procedure, where)


def _filled(
    literals: Sequence[tuple[Literal, Context]],
    sentence: Sentence,
    known: Knowledge,
    procedure: Procedure,
    where: Where,
) -> Understood | Refusal:
    """The one way to put each value into a parameter of its type and place."""
    fits = {
        (at, name): value
        for at, (literal, around) in enumerate(literals)
        for name in sentence.gaps
        if (value := _value(literal, around, name, known, procedure, where)) is not None
    }
    ways = []
    for names in permutations(sentence.gaps):
        if all((at, name) in fits for at, name in enumerate(names)):
            ways.append({name: fits[at, name] for at, name in enumerate(names)})
    if not ways:
        return Refusal("its values do not fit the parameters")
    if any(way != ways[0] for way in ways):
        return Refusal("its values fit the parameters in two ways")
    return Understood(ways[0], sentence.text)


def _other_question(parts: Sequence[Part], known: Knowledge) -> str:
    """Who did something is another question than what was done; what was running is not what runs."""
    words = [part for part in parts if isinstance(part, Word) and part.text not in known.texts]
    asks = (
        part.text for part in words if ("t:who" in part.things and "t:who" not in known.things) or part.text in PAST
    )
    return next((f"it asks “{text}”" for text in asks), "")


def _unsaid(words: Sequence[Word], parts: Sequence[Part], sentence: Sentence, known: Knowledge) -> str:
    """What of the wording the request does not say."""
    said = frozenset(pair for word in words for pair in word.said)
    endings = {f"w:{_ending(part)}" for part in parts if isinstance(part, Literal) and part.kind in ENDED}
    for at, piece in enumerate(sentence.pieces):
        if isinstance(piece, Word):
            if not _is_said(piece, said, known) and not _goes_without_saying(sentence.pieces, at, endings):
                return f"it does not say “{piece.text}”"
        elif isinstance(piece, Choice) and not any(
            all(_is_said(word, said, known) for word in option) for option in piece.options
        ):
            return f"it does not say “{piece.options[0][0].text}”"
    is_about = any(word.said & sentence.explains and not word.is_free and not word.place for word in words)
    return "" if is_about else "it says none of the wording's words"


def _ending(literal: Literal) -> str:
    """The ending of a file's name: it says "csv" when nobody does."""
    return literal.slot.plain.strip("\"'`").rpartition(".")[2].lower()


def _is_said(word: Word, said: frozenset[tuple[str, str]], known: Knowledge) -> bool:
    if word.is_free or word.place or word.text in BEHIND or word.text in SEEING:
        return True
    return bool(word.said & said) or (known.only_reads and SHOW in word.things)


def _goes_without_saying(pieces: Sequence[Piece], at: int, endings: set[str]) -> bool:
    """True for "file" or "folder" beside its slot, and for "csv" before it when the value ends with .csv."""
    word = pieces[at]
    if not isinstance(word, Word):
        return False
    if word.things & endings:
        behind = next((piece for piece in pieces[at + 1 :] if not (isinstance(piece, Word) and _is_label(piece))), None)
        return isinstance(behind, Gap)
    beside = (*pieces[max(0, at - 1) : at], *pieces[at + 1 : at + 2])
    kind = (
        pieces[at - 1] if at > 1 and "o:file" in word.things else None
    )  # "log files" are logs, "old files" are not old
    is_compound = (
        isinstance(kind, Word)
        and not kind.is_free
        and not kind.place
        and not any(t[:2] in ("t:", "u:") for t in kind.things)
    )
    return is_compound or (_is_label(word) and any(isinstance(piece, Gap) for piece in beside))


def _unexplained(parts: Sequence[Part], sentence: Sentence, known: Knowledge) -> str:
    """What of the request neither the wording nor, for things, the SOP's other wordings explain."""
    for at, part in enumerate(parts):
        if isinstance(part, Word) and not _is_explained(part, at, parts, sentence, known):
            return f"it says “{part.text}”"
    return ""


def _is_explained(word: Word, at: int, parts: Sequence[Part], sentence: Sentence, known: Knowledge) -> bool:
    if word.is_free or word.said & sentence.explains or word.place == "in" or word.text in BEHIND:
        return True
    before = parts[at - 1] if at else None
    behind = next((part for part in parts[at + 1 :] if not (isinstance(part, Word) and part.is_free)), None)
    if word.place:  # what it means for what is behind it is looked at there
        return behind is not None and not (isinstance(behind, Word) and behind.place)
    if known.only_reads and (SHOW in word.things or word.text in SEEING or word.text in ASKING):
        return True
    if isinstance(before, Literal) and (_is_label(word) or word.text in MEASURES):
        return True
    if isinstance(behind, Literal) and (_is_label(word) or _tells_ending(word, behind)):
        return True
    return bool(word.said & known.soft) and not (is_verb(word.things) and at == 0)


def _tells_ending(word: Word, value: Literal) -> bool:
    """True for the image a.png."""
    return any(_ending(value) in KINDS_BY_ENDING.get(thing, ()) for thing in word.things)


def _other_head(parts: Sequence[Part], sentence: Sentence, known: Knowledge) -> str:
    """What is to be done stands first in English, and is what the wording begins with; in Chinese it may stand anywhere."""
    first = _first(parts)
    said = {thing for thing, _ in sentence.explains}
    verbs = {thing for thing in said if thing.startswith("v:")}
    if not isinstance(first, Word) or not first.text.isascii():
        has_verb = any(isinstance(part, Word) and part.sure & verbs for part in parts)
        return "" if known.only_reads or has_verb else "it does not say what to do"
    if sentence.is_chinese and any(isinstance(part, Word) and not part.text.isascii() for part in parts):
        return ""
    if first.sure & sentence.head or (known.only_reads and (SHOW in first.things or first.text in SEEING)):
        return ""
    if sentence.is_chinese and first.sure & verbs:
        return ""
    has_object = any(part is first and _is_object(parts[at + 1 :]) for at, part in enumerate(parts))
    is_plain = known.only_reads and not is_verb(first.things) and first.sure & said and not has_object
    return "" if is_plain else f"it begins with “{first.text}”"


def _is_object(behind: Sequence[Any]) -> bool:
    """True for a value that follows directly: in "answer https://…" the first word is a verb."""
    rest = [part for part in behind if not (isinstance(part, Word) and part.text.isascii() and part.is_free)]
    rest = rest[1:] if rest and isinstance(rest[0], Word) and _is_label(rest[0]) else rest
    is_place = len(rest) > 1 and isinstance(rest[1], Word) and rest[1].text in BEHIND
    return bool(rest) and isinstance(rest[0], Literal | Gap) and not is_place


def _first(parts: Sequence[Part]) -> Part | None:
    """The word that says what to do in English: the first one that counts, behind "in FOLDER" or "from A to B"."""
    rest = [part for part in parts if isinstance(part, Literal) or not part.is_free]
    while len(rest) > 2 and isinstance(rest[0], Word) and rest[0].text.isascii() and _leads(rest[0]):
        value = 2 if isinstance(rest[1], Word) and not is_verb(rest[1].things) else 1
        if not isinstance(rest[value], Literal):
            break
        has_unit = len(rest) > value + 2 and isinstance(unit := rest[value + 1], Word) and _is_unit(unit)
        rest = rest[value + 2 :] if has_unit else rest[value + 1 :]
    return rest[0] if rest else None


def _leads(word: Word) -> bool:
    return bool(word.place) or bool(word.things & {"t:before", "t:after", "t:since"})


def _is_unit(word: Word) -> bool:
    return any(thing.startswith("u:") for thing in word.things)


def _around(parts: Sequence[Part], at: int) -> Context:
    before = _until_literal(reversed(parts[:at]), 3)
    behind = _until_literal(parts[at + 1 :], 2)
    found = _context(before, behind)
    follows_value = at > 0 and isinstance(parts[at - 1], Literal)
    return found if not follows_value or found.place == "in" else replace(found, place="value")


def _until_literal(parts: Any, count: int) -> list[Word]:
    words: list[Word] = []
    for part in parts:
        if isinstance(part, Literal) or len(words) == count:
            break
        words.append(part)
    return words


KINDS: Mapping[str, tuple[str, ...]] = {  # what a value looks like → the types of parameters that it may be for
    "quoted": ("text", "path", "enum"),
    "url": ("url",),
    "email": ("text",),
    "path": ("path",),
    "file": ("path", "text"),
    "glob": ("text",),
    "date": ("date",),
    "code": ("text",),
    "number": ("number", "text"),
    "enum": ("enum",),
    "name": ("text", "enum"),
    "bare": ("text",),
}


def _value(literal: Literal, around: Context, name: str, known: Knowledge, procedure: Procedure, where: Where) -> Any:
    """What the literal is as this parameter; None when its type, its place or its unit is another."""
    schema = procedure.parameters[name]
    wanted = _type(schema)
    if wanted not in KINDS[literal.kind] or (
        literal.kind in ("file", "number") and wanted == "text" and _has_own(literal.kind, procedure)
    ):
        return None
    contexts = known.contexts.get(name, ())
    is_exact = any((c.before, c.behind) == (around.before, around.behind) for c in contexts)
    if (literal.exact_context or (literal.kind == "number" and wanted == "text")) and not (
        is_exact or any(c.before == around.before for c in contexts if around.before)
    ):
        return None
    if not any(_stands_alike(around, context, literal, name, procedure) for context in contexts):
        return None
    return value_of(literal.slot, schema, known.shapes.get(name, ""), where)


def _type(schema: Mapping[str, Any]) -> str:
    if "enum" in schema:
        return "enum"
    if schema["type"] in ("integer", "number"):
        return "number"
    return str(schema.get("format") or ("text" if schema["type"] == "string" else schema["type"]))


def _has_own(kind: str, procedure: Procedure) -> bool:
    """True when the SOP has a parameter of the type that a literal of this kind looks like."""
    own = {"file": "path", "number": "number"}[kind]
    return any(_type(schema) == own for schema in procedure.parameters.values())


def _stands_alike(around: Context, context: Context, literal: Literal, name: str, procedure: Procedure) -> bool:
    """True when the value stands in the request as the slot stands in a wording."""
    if literal.kind == "number" and around.unit != context.unit and not (around.unit & context.unit):
        return False
    own = context.labels or {thing for part in name.split("_") for thing in meaning(part)} & FILE_OR_FOLDER
    if around.labels & FILE_OR_FOLDER and own & FILE_OR_FOLDER and not around.labels & own:
        return False
    if around.place == context.place:
        return _same_preposition(around, context, literal)
    wanted = _type(procedure.parameters[name])
    if around.behind in BEHIND and context.behind and context.place in ("thing", "start"):  # a.csv 里有多少行
        return wanted == "path"
    if context.is_put and around.place == "start":  # 把 a 改名为 b, a 改名为 b
        return True
    is_only_one = sum(_type(schema) == wanted for schema in procedure.parameters.values()) == 1
    return is_only_one and around.place in ("thing", "start") and context.place in ("thing", "start", "value", "in")


def _same_preposition(around: Context, context: Context, literal: Literal) -> bool:
    """ "in 5 minutes" is not "at 5 minutes"; "of a.csv" is "in a.csv"."""
    if around.place == "to":
        return "as" not in (around.preposition, context.preposition) or around.preposition == context.preposition
    alike = next((words for kinds, words in ALIKE if literal.kind in kinds), frozenset[str]())
    words = {around.preposition, context.preposition} - {""}
    return len(words) < 2 or words <= alike or around.place not in ("in", "with", "from")
