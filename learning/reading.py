"""Takes a request apart into words and values; what may be either is a value when the SOP has a parameter of its type."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from learning.concepts import (
    BEHIND,
    FREE_CHINESE,
    IDLE,
    NEGATIONS,
    NEGATIONS_CHINESE,
    PLACES,
    chinese_cut,
    meaning,
    phrases,
)
from learning.parts import CJK, PLAIN_ROLE, WORD, Literal, Part, Word, in_place, with_roles, word_of
from learning.request import Asked
from learning.sentences import Knowledge, is_chinese
from learning.slots import NOT_A_NAME, QUOTES, Slot, Where, value_of
from replay.procedure import Procedure
from text import pattern

MAX_LITERALS = 5
HARD_LITERALS = (  # kind, form; the first that fits
    (
        "quoted",
        pattern(r"\"[^\"]+\"|`[^`]+`|「[^」]+」|『[^』]+』|《[^》]+》|(?<![\w])'[^']+'(?!\w)"),
    ),
    ("url", pattern(rf"https?://[^\s\"'<>「」,{CJK}]*[^\s\"'<>「」,.;:!?{CJK}]")),
    ("email", pattern(r"[A-Za-z0-9._%+-]+@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+")),
    ("date", pattern(r"\d{4}-\d{1,2}-\d{1,2}|\d{4}/\d{1,2}/\d{1,2}|\d{4}年\d{1,2}月\d{1,2}日?")),
    (
        "path",
        pattern(
            rf"(?:~|\.{{1,2}})?/[^\s\"'`,;:|&<>*?$!(){{}}\[\]\\{CJK}]*(?<![.])|~(?![\w])|[\w.-]+/[\w./-]*\w/?",
            re.ASCII,
        ),
    ),
    ("glob", pattern(r"[\w.-]*\*[\w.*?-]*", re.ASCII)),
    ("code", pattern(r"[vV]?\d+(?:\.\d+){2,}(?:[\w.-]*\w)?|[vV]\d+(?:\.\d+)*(?![\w])", re.ASCII)),
    (
        "file",
        pattern(r"[A-Za-z0-9_][\w-]*(?:\.[\w-]+)*\.[A-Za-z][A-Za-z0-9]{0,4}(?![\w.]*\w)", re.ASCII),
    ),
    (
        "number",
        pattern(
            r"\d{1,3}(?:,\d{3})+(?![\d.])|\d+\.\d+(?![\w.])|\d+(?![\w-]*[A-Za-z][\w-]*\d|-\w|_)",
            re.ASCII,
        ),
    ),
    ("code", pattern(r"(?=[\w-]*\d)[A-Za-z0-9][\w-]*\w|[A-Za-z]+_[\w]*\w", re.ASCII)),
)
SPACE = pattern(r"(?:[\s,!…]|[.:;?](?=\s|$)|#(?=\d))+")  # between words; ./x begins with a dot
PATH_FOLLOWS = pattern(r"\s*(?:[~\"'`「『《]|https?:|\.{0,2}/|[\w.-]*\.[A-Za-z]{1,4}\b)", re.ASCII)
CHINESE_NUMBER = pattern(
    r"[零一二两三四五六七八九十百]+(?=\s*(?:天|日|周|星期|个(?!人)|小时|分钟|秒|年|行|条|份|元|块|次|件|张|页|名))"
)
PATH_IN_CHINESE = pattern(rf"[{CJK}][\w./{CJK}-]*(?=[\s,.?!]|$)")


def asks_in_chinese(asked: Asked) -> bool:
    """True for a request with a Chinese word that belongs to no value."""
    text = asked.plain[asked.start : asked.end]
    for kind, form in HARD_LITERALS:
        if kind in ("quoted", "path"):
            text = form.sub(" ", text)
    return is_chinese(text)


def read(asked: Asked, procedure: Procedure, known: Knowledge, where: Where) -> list[Part]:
    """A request as words and values; what may be either (a name, a place, "thirty") is a value when the SOP has a
    parameter of its type. Raises Unclear."""
    parts = in_place(list(_Reader(asked, procedure, known, where).parts()), frozenset())
    return list(with_roles(parts, PLAIN_ROLE)[0])


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
                return word_of(" ".join(several)), said.end()
        return (
            word_of(word[0]) if word[0][0].isalpha() else Word(word[0], meaning(word[0]))
        ), word.end()

    def end_of_path(self, at: int, end: int) -> int:
        """Where a path ends that goes on in Chinese: ~/照片 with a space behind it; not where a sentence goes on, as in
        ~/notes里的文件."""
        rest = PATH_IN_CHINESE.match(self.asked.plain, at, end)
        if not rest or self.asked.plain[at - 1] not in "/-_":
            return at
        words = [word for run in re.findall(rf"[{CJK}]+", rest[0]) for word in chinese_cut(run)]
        is_sentence = any(
            word in FREE_CHINESE or word in BEHIND or word in PLACES for word in words
        )
        return at if is_sentence else rest.end()

    def soft(self, at: int, end: int, before: str) -> tuple[Literal, int] | None:
        """A place, a number in words, a choice of a parameter, or a name: the longest."""
        lower = self.asked.lower
        if lower[at].isascii():
            spans = [
                m.end()
                for n in (3, 2, 1)
                if (
                    m := pattern(r"[\w'’-]+" + r"\s+[\w'’-]+" * (n - 1) + r"(?![\w])").match(
                        lower, at, end
                    )
                )
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
            or (
                (found := CHINESE_NUMBER.match(self.asked.plain, at)) is not None
                and found.end() == stop
            )
        )
        if not is_counted or slot.plain in ("一", "one"):
            return ""
        return "number" if value_of(slot, {"type": "integer"}, "", self.where) is not None else ""

    def name(self, at: int, end: int, before: str) -> tuple[Literal, int] | None:
        """A word that nobody knows, where the SOP has a parameter for free text: a capital says that it is a name."""
        if not self.free_text or not self.asked.lower[at].isascii():
            return None
        found = pattern(r"[A-Z][\w-]*(?:\s+[A-Z][\w-]*){0,2}(?![\w'’])", re.ASCII).match(
            self.asked.written, at, end
        )
        if (
            found
            and at > self.asked.start
            and not any(self.is_known(word.lower()) for word in found[0].split())
        ):
            return Literal("name", self.asked.slot(at, found.end()), at, found.end()), found.end()
        bare = pattern(r"[a-z][a-z0-9-]*(?![\w'’])").match(self.asked.written, at, end)
        if not bare or self.is_known(bare[0]) or NOT_A_NAME.fullmatch(bare[0]):
            return None
        stands = [
            context for name in self.free_text for context in self.known.contexts.get(name, ())
        ]
        behind = WORD.search(self.asked.lower, bare.end(), end)
        after = behind[0] if behind else ""
        if any(
            context.before == before and context.behind == after for context in stands if before
        ):
            return Literal(
                "bare", self.asked.slot(at, bare.end()), at, bare.end(), True
            ), bare.end()
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
            is_unknown = (
                all(thing.startswith("w:") for thing in part.things) and not part.text.isascii()
            )
            is_unknown = is_unknown and part.text not in IDLE  # 分别 denies nothing
            if part.text in NEGATIONS or (
                is_unknown and any(word in part.text for word in NEGATIONS_CHINESE)
            ):
                return f"it says “{part.text}”"
            if part.text in ";|&<>$?\\^=+*/" and len(part.text) == 1:
                return f"it holds {part.text}"
    return (
        "it holds too many values"
        if sum(isinstance(part, Literal) for part in parts) > MAX_LITERALS
        else ""
    )
