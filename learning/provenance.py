"""Where each value in the arguments of a run came from: the request, an earlier result, the environment, or nowhere.

A value binds by itself only when it is three characters or longer; a shorter one needs the *name* beside it: `-mtime +30`
and "30 days". What could come from two places is ambiguous and has candidates; nothing is guessed. Pure functions.
Source: seed 002 §3. (Measured elsewhere: names as a prior take silent errors from 40 % to none.)
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

from learning import shell_words
from learning.mentions import Mention, given, is_ending, mentions_in, merged
from learning.outputs import FIELD, Output
from learning.places import contains, number_spans, path_ends, spans_of, suffix_fits
from learning.trace import Trace
from learning.units import MIN_BYTES, Surroundings, Unit, absolute, units_of
from memory.runlog.evidence import Result

Origin = Literal["request", "earlier", "environment", "constant", "reasoned"]
COMPOSED = (
    "content",
    "new",
    "old",
    "text",
    "body",
    "message",
)  # arguments that a model may have written itself
_TIME_WORDS = {
    "day": "mtime atime ctime day days age d 天 日 newer_days keep_days",
    "minute": "mmin amin cmin minute minutes min mins 分 分钟",
    "hour": "hour hours hrs 小时 时",
    "week": "week weeks 周 星期",
    "month": "month months 月",
    "year": "year years 年",
    "second": "second seconds sec secs 秒 timeout",
}
_OTHER_WORDS = {
    "count": "n head tail line lines row rows top first last count limit max number num largest biggest smallest newest oldest longest record"
    " records file files entry entries item items word words most_common nlargest nsmallest 个 行 条 名 前 后 多少 份",
    "column": "column columns col cols field fields k f key 列",
    "depth": "depth maxdepth mindepth level levels deep 层 级",
    "size": "size larger bigger smaller mb kb gb m k g byte bytes megabytes kilobytes gigabytes 大小 大于",
    "port": "port 端口",
    "page": "page pages 页",
    "threshold": "above below over under threshold least most than minimum maximum min_value limit amount price score 以上 以下 超过 大于 小于",
}
_TIME = {name: frozenset(words.split()) for name, words in _TIME_WORDS.items()}
_GROUPS = _TIME | {name: frozenset(words.split()) for name, words in _OTHER_WORDS.items()}


@dataclass(frozen=True, slots=True)
class Source:
    """Where a value may have come from. `name` is the mention's number, the earlier call's, or environment's name."""

    origin: Origin
    mention: Mention | None = None
    call: int = -1
    extractor: str = ""  # "output", "lines", "json.id", "data.id"
    name: str = ""  # of the environment: today, cwd, home, user, host
    operation: str = ""  # what is done to it: "##*/", "//-/"
    by: Mention | None = (
        None  # the value that picks the row of an earlier result; its name goes into `extractor` at {}
    )


@dataclass(frozen=True, slots=True)
class Found:
    """A value, or a part of one, with its origin. `candidates` are those of an ambiguous one."""

    unit: Unit
    start: int
    end: int
    source: Source
    candidates: tuple[Source, ...] = ()
    why: str = ""

    @property
    def text(self) -> str:
        return self.unit.text[self.start : self.end]

    @property
    def is_whole(self) -> bool:
        return (self.start, self.end) == (0, len(self.unit.text))


@dataclass(slots=True)
class Provenance:
    """All that was found in one trace. `lists` are runs of words that are all lines of an earlier output."""

    mentions: list[Mention]
    units: list[Unit]
    found: list[Found]
    lists: list[tuple[list[Unit], Source]] = field(default_factory=list)
    unread: list[tuple[int, str]] = field(default_factory=list)  # call, why its script is not read

    def of(self, origin: Origin) -> list[Found]:
        """The findings of one origin; ambiguous ones are of none."""
        return [each for each in self.found if each.source.origin == origin and not each.candidates]

    @property
    def unused(self) -> list[Mention]:
        """Hard mentions that no argument uses."""
        used = [
            m for each in self.found for m in (each.source.mention, each.source.by) if m is not None
        ]
        return [mention for mention in self.mentions if mention.is_hard and mention not in used]


def provenance(
    trace: Trace,
    around: Surroundings,
    values: Mapping[str, str] | None = None,
    known: Mapping[int, str] | None = None,
) -> Provenance:
    """Where each value of the trace's calls came from. `values`: what the owner confirmed, name → value."""
    asked = [] if trace.taught else mentions_in(trace.request, trace.cwd, around.owner_home)
    mentions = merged(
        asked,
        given(values or {}, trace.cwd, around.owner_home),
        "" if trace.taught else trace.request,
    )
    if values is not None:  # a plain word is a value only where the owner says so
        mentions = [mention for mention in mentions if mention.kind != "word" or mention.name]
    result = Provenance(mentions, [], [])
    for number, call in enumerate(trace.calls):
        units, why = units_of(number, call, trace.cwd, around.owner_home)
        result.units += units
        if why:
            result.unread.append((number, why))
    look = _Look(trace.calls, mentions, around, result.units)
    result.lists = look.lists()
    listed = {unit.where for units, _ in result.lists for unit in units}
    for unit in result.units:
        if unit.where not in listed:
            result.found += look.at(unit)
    return _settled(result)


def fields_shown(
    trace: Trace, around: Surroundings, mentions: list[Mention], number: int
) -> list[tuple[str, Source]]:
    """Each value that a later step could take of a call's result as a field, with how it would take it."""
    look = _Look(trace.calls, mentions, around, [])
    output = look.outputs[number]
    found = [
        (value, Source("earlier", call=number, extractor=extractor))
        for extractor, _, value in output.fields
    ]
    values = dict.fromkeys(
        value for _, rows in output.tables for row in rows for value in row.values()
    )
    return found + [
        (value, source) for value in values for _, source in look.selected(number, value)
    ]


def agree(hints: Iterable[str], near: Iterable[str]) -> bool:
    """True when a name beside the argument and a word beside the mention mean the same."""
    ours, theirs = _meanings(hints), _meanings(near)
    return bool(ours & theirs)


def contradict(hints: Iterable[str], near: Sequence[str]) -> bool:
    """True for `-mtime +90` and "90 minutes": both name a unit of time, and not the same."""
    ours = {name for name in _meanings(hints) if name in _TIME}
    theirs = {name for name in _meanings(near[:2]) if name in _TIME}
    return bool(ours and theirs and not ours & theirs)


def _meanings(words: Iterable[str]) -> set[str]:
    found = set()
    for word in words:
        for each in {word, *word.split("_")}:
            plain = each[:-1] if len(each) > 3 and each.endswith("s") else each
            found |= {plain} | {
                name for name, group in _GROUPS.items() if each in group or plain in group
            }
    return found - {""}


class _Look:
    """One look at all units of a trace."""

    def __init__(
        self,
        calls: Sequence[Result],
        mentions: list[Mention],
        around: Surroundings,
        units: list[Unit],
    ) -> None:
        self.calls, self.mentions, self.around, self.units = calls, mentions, around, units
        self.outputs = [Output.of(call) for call in calls]
        self._paths: dict[int, set[Path]] = {}
        self.said = [json.dumps(call.args, ensure_ascii=False) for call in calls]

    def at(self, unit: Unit) -> list[Found]:
        """What the parts of one unit are; parts that nothing explains are one constant, or reasoned."""
        if unit.place == "fixed" or not unit.text.strip() or unit.text == shell_words.OPAQUE:
            return []
        asked = self._asked(unit)
        earlier = self._earlier(unit)
        whole = [each for each in asked if each.is_whole or _is_behind_sign(each)]
        if earlier and whole:
            return [
                replace(
                    whole[0],
                    candidates=(whole[0].source, earlier[0].source),
                    why="request or earlier result",
                )
            ]
        if earlier:
            return earlier[:1]
        found = asked or self._environment(unit)
        return [*found, *self._rest(unit, found)] or [
            Found(unit, 0, len(unit.text), Source("constant"))
        ]

    # the request

    def _asked(self, unit: Unit) -> list[Found]:
        hits = [hit for mention in self.mentions for hit in self._hits(unit, mention)]
        hits.sort(key=lambda hit: (hit.start - hit.end, not _is_hard(hit), hit.start))
        chosen: list[Found] = []
        for hit in hits:
            rivals = [each for each in chosen if each.start < hit.end and hit.start < each.end]
            if not rivals:
                chosen.append(hit)
            elif (rivals[0].start, rivals[0].end) == (hit.start, hit.end) and _is_hard(
                hit
            ) == _is_hard(rivals[0]):
                chosen[chosen.index(rivals[0])] = _between(rivals[0], hit)
        return sorted(chosen, key=lambda hit: hit.start)

    def _hits(self, unit: Unit, mention: Mention) -> Iterator[Found]:
        if mention.kind == "path":
            spans = list(self._path_hits(unit, mention))
        elif mention.kind == "word":
            spans = list(_word_hits(unit, mention.text))
        elif mention.kind == "date":
            spans = [
                *spans_of(unit.text, mention.value, ""),
                *spans_of(unit.text, mention.value.replace("-", ""), "//-/"),
            ]
        elif mention.kind in ("integer", "number"):
            spans = [
                (*span, "")
                for span in number_spans(unit.text, mention.value)
                if suffix_fits(unit.text, span[1], mention)
            ]
        else:
            spans = spans_of(unit.text, mention.text, "")
            if is_ending(mention.text):  # the end of `*.log`, and not of app.log
                spans = [each for each in spans if not re.search(r"[\w-]$", unit.text[: each[0]])]
        for start, end, operation in spans:
            source = Source("request", mention, operation=operation)
            if hit := self._weighed(Found(unit, start, end, source), mention):
                yield hit

    def _weighed(self, hit: Found, mention: Mention) -> Found | None:
        """Short values need a name that agrees; units of time must not disagree."""
        hints = _hints_of(hit)
        if contradict(hints, mention.near):
            return None
        is_short = len(mention.value.encode()) < MIN_BYTES
        if not is_short or agree(hints, mention.near):
            return hit
        nothing = Source("constant")
        return replace(
            hit,
            candidates=(hit.source, nothing),
            why=f"{mention.text!r} is short, and no name says so",
        )

    def _path_hits(self, unit: Unit, mention: Mention) -> Iterator[tuple[int, int, str]]:
        wanted = Path(mention.value)
        offset = _value_at(unit)
        text = unit.text[offset:]
        if shell_words.OPAQUE in text.split("/")[0] or not text:
            text = ""
        longest = 0
        for end in path_ends(text):
            if text[:end] not in (".", "./", "..") and self._path(unit, text[:end]) == wanted:
                longest = end
        if longest:
            yield offset, offset + longest, ""
            return
        if "\n" in text or " " in text.strip():
            for form in {
                mention.value,
                mention.text if "/" in mention.text.strip("/") else mention.value,
            }:
                yield from (
                    (start, end, "")
                    for start, end, _ in spans_of(unit.text, form, "")
                    if unit.text[start - 1 : start] not in ("/", ".", "-")
                )
        if wanted.name and ("/" in text or offset):
            for start, end, _ in spans_of(unit.text, wanted.name, ""):
                made_of = re.search(r"/([^/\n]*)$", unit.text[:start])
                if (
                    made_of and "\n" not in text and not re.search(r"[^\W\d_]", made_of[1])
                ):  # also 2026-01-31-NAME
                    yield start, end, "##*/"

    def _path(self, unit: Unit, text: str) -> Path | None:
        if text.startswith("~") and not (unit.is_home_known or unit.language == "python"):
            return None
        return absolute(text, unit.folder, self.around.owner_home)

    # earlier results

    def _earlier(self, unit: Unit) -> list[Found]:
        """The earlier results that are this value wholly: same field name first, then the nearest."""
        offset = _value_at(unit)
        text = unit.text[offset:].rstrip("\n") or unit.text[offset:]
        if not text or shell_words.OPAQUE in text or unit.place in ("code", "regex", "glob"):
            return []
        found = []
        for number in range(unit.call - 1, -1, -1):
            for source, is_named in self._held(number, text, unit.hints):
                is_short = len(text.encode()) < MIN_BYTES
                if (not is_short or is_named) and not self._is_echo(text, number):
                    found.append((not is_named, source))
        found.sort(key=lambda each: each[0])
        best = [source for is_unnamed, source in found if is_unnamed == found[0][0]]
        if not best:
            return []
        nearest = [source for source in best if source.call == best[0].call]
        several = tuple(nearest) if len(nearest) > 1 else ()
        end = offset + len(text)
        return [
            Found(
                unit, offset, end, nearest[0], several, "several fields hold it" if several else ""
            )
        ]

    def _held(self, number: int, text: str, hints: tuple[str, ...]) -> list[tuple[Source, bool]]:
        """How a step would get exactly this value from a result: as a field, all of it, or a field of one row."""
        output = self.outputs[number]
        held = output.holding(text, hints)
        if held:
            return [
                (Source("earlier", call=number, extractor=extractor), named)
                for extractor, named in held
            ]
        found = [(source, name in hints) for name, source in self.selected(number, text)]
        named = [each for each in found if each[1]]
        return named or found

    def selected(self, number: int, text: str) -> Iterator[tuple[str, Source]]:
        """The fields of rows that hold this value, where a value of the request picks the row, or there is but one."""
        for root, rows in self.outputs[number].tables:
            for row in rows:
                names = [
                    name for name, value in row.items() if FIELD.fullmatch(name) and value == text
                ]
                if not names:
                    continue
                for picked, by in self._picks(rows, row, names):
                    yield from (
                        (
                            name.lower(),
                            Source(
                                "earlier", call=number, extractor=f"{root}[{picked}].{name}", by=by
                            ),
                        )
                        for name in names
                    )

    def _picks(
        self, rows: list[dict[str, str]], row: dict[str, str], names: list[str]
    ) -> Iterator[tuple[str, Mention | None]]:
        """What tells this row from the others: a field that is a value of the request; or that there is no other."""
        for mention in self.mentions:
            if not mention.is_hard or len(mention.value.encode()) < MIN_BYTES:
                continue
            same = [
                key
                for key, value in row.items()
                if value in (mention.value, mention.text) and key not in names
            ]
            for key in same:
                if FIELD.fullmatch(key) and sum(other.get(key) == row[key] for other in rows) == 1:
                    yield f"{key}={{}}", mention
                    return
        if len(rows) == 1:
            yield "", None

    def _is_echo(self, text: str, number: int) -> bool:
        """True when the value went into that call, or an earlier one, before it came out."""
        return any(
            contains(said, json.dumps(text, ensure_ascii=False)[1:-1])
            for said in self.said[: number + 1]
        )

    def lists(self) -> list[tuple[list[Unit], Source]]:
        """Words in a row, or items of a list, that are together all lines of one earlier output."""
        found = []
        groups: dict[tuple[int, tuple[str | int, ...], str], list[Unit]] = {}
        for unit in self.units:
            if unit.language == "bash" and unit.place == "operand":
                groups.setdefault((unit.call, unit.argument, unit.verb), []).append(unit)
            elif (
                not unit.language and len(unit.argument) == 2 and isinstance(unit.argument[1], int)
            ):
                groups.setdefault((unit.call, unit.argument[:1], ""), []).append(unit)
        for (call, _, _), units in groups.items():
            for number in range(call - 1, -1, -1):
                lines = self.outputs[number].lines
                if lines and (own := self._lines_among(units, number)):
                    found.append((own, Source("earlier", call=number, extractor="lines")))
                    break
        return found

    def _lines_among(self, units: list[Unit], number: int) -> list[Unit]:
        wanted = self._listed(number)
        if len(wanted) != len(units):
            return []
        own = [unit for unit in units if self._path(unit, unit.text) in wanted]
        got = {self._path(unit, unit.text) for unit in own}
        if (
            got != wanted
            or len(own) != len(units)
            or any(self._is_echo(unit.text, number) for unit in own)
        ):
            return []
        return own if len(own) > 1 or not self._asked_whole(own[0]) else []

    def _listed(self, number: int) -> set[Path]:
        """The lines of a result as paths."""
        if number not in self._paths:
            home = self.around.owner_home
            folder = absolute(str(self.calls[number].args.get("cwd") or "."), self.around.cwd, home)
            self._paths[number] = {
                absolute(line, folder, home) for line in self.outputs[number].lines[:5_000]
            }
        return self._paths[number]

    def _asked_whole(self, unit: Unit) -> bool:
        return any(hit.is_whole for hit in self._asked(unit))

    # the environment, and nowhere

    def _environment(self, unit: Unit) -> list[Found]:
        around, offset = self.around, _value_at(unit)
        text = unit.text[offset:]
        for start, end, _ in spans_of(unit.text, around.today, ""):
            return [Found(unit, start, end, Source("environment", name="today"))]
        for start, end, _ in spans_of(unit.text, around.today.replace("-", ""), ""):
            return [Found(unit, start, end, Source("environment", name="today", operation="//-/"))]
        for name, folder in (("cwd", around.cwd), ("home", around.owner_home)):
            place = str(folder)
            if place != "/" and (text == place or text.startswith(place + "/")):
                return [Found(unit, offset, offset + len(place), Source("environment", name=name))]
        for name, value in (("user", around.user), ("host", around.host)):
            if len(value) >= MIN_BYTES and value != "root" and text == value:
                return [Found(unit, offset, len(unit.text), Source("environment", name=name))]
        return []

    def _fields_with(self, number: int, token: str, unit: Unit) -> list[Source]:
        """The fields of a result that are this part of a unit: a name beside it in the unit decides between them."""
        if unit.place in ("code", "regex", "glob") or len(token.encode()) < MIN_BYTES:
            return []
        hints = (*unit.hints, *(word.lower() for word in re.findall(r"[A-Za-z_]+", unit.text)))
        return [
            source for source, _ in self._held(number, token, hints) if source.extractor != "output"
        ]

    def _rest(self, unit: Unit, found: list[Found]) -> Iterator[Found]:
        """What the rest of a unit has of earlier results: all of one is that result; a part of one was chosen."""
        for start, end in _tokens(unit, found):
            token = unit.text[start:end]
            for number in range(unit.call - 1, -1, -1):
                output = self.outputs[number]
                if not output.shows(token) or self._is_echo(token, number):
                    continue
                stem = re.sub(r"\.[A-Za-z]\w{0,7}$", "", token)
                part, held = next(
                    ((p, h) for p in (token, stem) if (h := self._fields_with(number, p, unit))),
                    (token, []),
                )
                if held:
                    several = tuple(held) if len(held) > 1 else ()
                    why = "several fields hold it" if several else ""
                    yield Found(unit, start, start + len(part), held[0], several, why)
                    break
                if output.lines == [token] and unit.place not in ("code", "regex", "glob"):
                    yield Found(
                        unit, start, end, Source("earlier", call=number, extractor="output")
                    )
                    break
                why = f"{token!r} was read in the result of call {number + 1}"
                yield Found(unit, start, end, Source("reasoned", call=number), why=why)
                break


def _settled(result: Provenance) -> Provenance:
    """A short value that the owner named, and that stands in one place only, is that place."""
    result.found = [_doubted(each, result.found) for each in result.found]
    for number, each in enumerate(result.found):
        mention = each.source.mention
        if (
            not each.candidates
            or mention is None
            or not mention.name
            or each.candidates[-1].origin != "constant"
        ):
            continue
        same = [other for other in result.found if other.source.mention is mention]
        if len(same) == 1:
            result.found[number] = replace(each, candidates=(), why="the only place of this value")
        elif any(not other.candidates for other in same):
            result.found[number] = replace(
                each, source=Source("constant"), candidates=(), why="another place has its name"
            )
    return result


def _doubted(each: Found, found: list[Found]) -> Found:
    """A short value in places of different kinds (`tail -n +5 | head -n 5`) may be two things that are the same here."""
    mention = each.source.mention
    if mention is None or each.candidates or len(mention.value.encode()) >= MIN_BYTES:
        return each
    kinds = {
        other.unit.hints
        for other in found
        if other.source.mention is mention and not other.candidates
    }
    if len(kinds) < 2:
        return each
    return replace(
        each,
        candidates=(each.source, Source("constant")),
        why="a short value in places of different kinds",
    )


def _between(one: Found, two: Found) -> Found:
    """Two mentions for one value: the one whose name agrees, else both are candidates."""
    for nearest in (2, 9):
        fits = [
            each
            for each in (one, two)
            if each.source.mention and agree(each.unit.hints, each.source.mention.near[:nearest])
        ]
        if len(fits) == 1:
            return replace(fits[0], candidates=())
    same = (
        one.source.mention
        and two.source.mention
        and one.source.mention.value == two.source.mention.value
    )
    if (
        same
        and one.source.mention
        and two.source.mention
        and "word" in (one.source.mention.kind, two.source.mention.kind)
    ):
        return one
    return replace(
        one, candidates=(one.source, two.source), why="two values of the request are the same"
    )


def _word_hits(unit: Unit, word: str) -> Iterator[tuple[int, int, str]]:
    """A plain word of the request: where an argument is that very word, or where it is the ending of a pattern."""
    if unit.is_number or unit.verb in ("print", "echo", "printf"):
        return  # what is printed beside a result says what it is
    if unit.text == word and unit.place in ("argument", "operand", "regex", "code"):
        yield 0, len(word), ""
    elif unit.text.endswith(f"*.{word}") and unit.place in ("argument", "operand", "glob"):
        yield len(unit.text) - len(word), len(unit.text), ""


def _is_hard(hit: Found) -> bool:
    return hit.source.mention is not None and hit.source.mention.is_hard


def _is_behind_sign(hit: Found) -> bool:
    return hit.end == len(hit.unit.text) and hit.start == _value_at(hit.unit) > 0


def _value_at(unit: Unit) -> int:
    """Where the value begins in `--name=value`, `name=value`; else 0."""
    match = re.match(r"-{0,2}[A-Za-z][\w-]*=", unit.text) if unit.language == "bash" else None
    return match.end() if match else 0


def _hints_of(hit: Found) -> tuple[str, ...]:
    """The names beside a value; inside a text also the words next to it."""
    unit = hit.unit
    around = re.findall(r"[A-Za-z_]+|[\u4e00-\u9fff]", unit.text[: hit.start])[-1:]
    around += re.findall(r"[A-Za-z_]+|[\u4e00-\u9fff]", unit.text[hit.end :])[:1]
    return (*unit.hints, *(word.lower() for word in around))


def _tokens(unit: Unit, found: list[Found]) -> Iterator[tuple[int, int]]:
    """The parts of a unit that nothing explains yet: whole, and between slashes; of code what stands in quotes."""
    at, gaps = 0, list[tuple[int, int]]()
    for each in [*found, Found(unit, len(unit.text), len(unit.text), Source("constant"))]:
        gaps.append((at, each.start))
        at = max(at, each.end)
    pattern = (
        r"[^\W_][\w.@-]+\w"
        if not unit.language and unit.argument[-1] in COMPOSED
        else r"(?<=[\"'/])[^\"'/]{3,}(?=[\"'/])|^[\w.-]{3,}$"
        if unit.place in ("code", "regex")
        else r"[^/=\s,:\0]{2,}"
    )
    for start, end in gaps:
        gap = unit.text[start:end]
        whole = (start + len(gap) - len(gap.lstrip("/ ")), end)
        if re.search(r"[/\s,:]", gap.strip("/ ")) and len(gap) < 400:
            yield whole
        for match in re.finditer(pattern, gap):
            if len(match[0].encode()) >= MIN_BYTES:
                yield start + match.start(), start + match.end()
            bare = match[0].strip("\"'{}[]()")  # {"id": "A-1"}
            first = start + match.start() + (match[0].index(bare) if bare else 0)
            is_key = re.match(r"[\"']\s*:", unit.text[first + len(bare) :])
            if bare != match[0] and len(bare.encode()) >= MIN_BYTES and not is_key:
                yield first, first + len(bare)
