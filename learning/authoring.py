"""Lets a model put an SOP's draft into words: description, more wordings in both languages, pitfalls; code decides.

The model is asked once and never trusted. A wording is taken only when it asks for what the draft's own wordings ask
for, leads back to exactly the values that were taught, and means no other SOP; a text only when it is one short line
that the evidence gate would keep and that is addressed to nobody. Steps, parameters, checks and status are out of its
reach: without a reply, or with a bad one, the draft stands as it was. Source: seed 002 §2; issue "Crystallise".
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, zip_longest
from pathlib import Path
from typing import Any

from learning.draft import Draft, skill_text, to_yaml
from learning.route import Where, exact_match
from learning.route.filling import words_beside
from learning.route.typed import read
from learning.suspicion import scan
from memory.sops.store import Sop
from replay.parameters import ParameterError
from replay.procedure import SLOT, Procedure, ProcedureError
from text.words import SMALL, cut

MAX_REPLY_CHARS = 40_000
MOST_WORDINGS = 24  # of the draft in all
MOST_PROPOSED = 12  # in each language that are looked at
MOST_PITFALLS = 6
MAX_DESCRIPTION_CHARS = 300
MAX_PITFALL_CHARS = 240
MAX_WORDING_CHARS = 200
MAX_STEP_CHARS = 600
MAX_STEPS = 20
SHORTEST_VALUE = 3  # characters; a shorter one stands in a sentence by chance
KEYS = {
    "description": str,
    "description_zh": str,
    "wordings": list,
    "wordings_zh": list,
    "pitfalls": list,
}
REASONS = {  # why something was not taken, in English and Chinese
    "form": ("not one short line", "不是一行短句"),
    "slots": ("other slots", "槽位不对"),
    "value": ("holds a value of the run", "含有这次运行的取值"),
    "meaning": ("another meaning", "意思不同"),
    "places": ("a value in another place", "取值的位置不同"),
    "other": ("asks for another SOP", "说的是另一个 SOP"),
    "trip": ("does not give the values back", "取不回原来的值"),
    "known": ("said already", "已经有了"),
    "many": ("too many", "太多"),
    "address": ("addressed to an agent, or suspect", "对代理说话，或可疑"),
    "gate": ("not to be kept", "不能保存"),
}
_SMALL = re.compile(r"\b(?:the|an?|my|all|please)\b|:quoted|:glob|[\s,.!?，。！？的了]+")
_CHINESE = re.compile(r"[\u4e00-\u9fff]")
_ROLES = {
    "to": "to",
    "with": "with",
    "by": "by",
}  # of a value by the word before it; all others change nothing
_REACHES = re.compile(
    r"(?:https?|file|ftp)://|www\.|(?<![\w.])(?:~|\.{1,2})?/[\w.]|[`<>|$\\]"
)  # in a text for people

Keeps = Callable[
    [Mapping[str, str]], bool
]  # files of the SOP's folder → whether the evidence gate lets them pass


class BadReply(ValueError):
    """The reply is not the JSON object that was asked for. Nothing of it is used."""


@dataclass(slots=True)
class Authored:
    """The draft with what was taken, how much that is, and why the rest was not: reason (of `REASONS`) → how often."""

    draft: Draft
    is_described: bool = False
    wordings: int = 0
    pitfalls: int = 0
    refused: Counter[str] = field(default_factory=Counter)

    def refusals(self, lang: str) -> str:
        """What was refused, as a part of a line: "3 (2 another meaning, 1 too many)"; empty for nothing."""
        several = [
            f"{count} {REASONS[why][lang == 'zh']}" for why, count in self.refused.most_common()
        ]
        return f"{self.refused.total()} ({', '.join(several)})" if several else ""


def brief(draft: Draft) -> str:
    """What the model is told of the draft: one JSON object, for the placeholder {draft} of the prompt author_sop."""
    content, taught = draft.content, draft.taught[0] if draft.taught else None
    procedure = draft.procedure()
    steps = [(kind, step) for kind in ("plan", "commit") for step in getattr(content, kind)][
        :MAX_STEPS
    ]
    said = {
        "name": draft.name,
        "request": taught.trace.request[:MAX_STEP_CHARS] if taught else "",
        "parameters": {
            name: {
                key: schema[key]
                for key in ("type", "format", "enum", "description")
                if key in schema
            }
            for name, schema in procedure.parameters.items()
        },
        "slots": list(_slots(procedure).values()),
        "steps": [f"{kind}: {step.tool} {_cut(step.args)}" for kind, step in steps],
        "result": content.result,
        "answer": taught.trace.answer[:MAX_STEP_CHARS] if taught else "",
        "wordings": content.wordings,
    }
    return json.dumps(said, ensure_ascii=False, indent=1)


def _cut(args: Mapping[str, Any]) -> str:
    text = (
        str(args["script"])
        if isinstance(args.get("script"), str)
        else json.dumps(args, ensure_ascii=False)
    )
    return text if len(text) <= MAX_STEP_CHARS else f"{text[:MAX_STEP_CHARS]} …"


def authored(
    draft: Draft, reply: str, *, others: Sequence[Sop], where: Where, keeps: Keeps
) -> Authored:
    """The draft with what may be taken of a model's reply. `others`: the SOPs that there are.

    `keeps` is the evidence gate. Raises BadReply, and ProcedureError for a draft that cannot be read itself.
    """
    said = read_reply(reply)
    found = Authored(draft)
    judge = _Judge.of(draft, others, where)
    wordings = list(draft.content.wordings)
    pairs = zip_longest(said["wordings"][:MOST_PROPOSED], said["wordings_zh"][:MOST_PROPOSED])
    late = max(0, len(said["wordings"]) - MOST_PROPOSED) + max(
        0, len(said["wordings_zh"]) - MOST_PROPOSED
    )
    found.refused += Counter({"many": late} if late else {})
    for proposed in (each for each in chain.from_iterable(pairs) if each is not None):
        wording, why = judge.wording(proposed, wordings)
        why = why or ("" if keeps({"SKILL.md": wording}) else "gate")
        if why:
            found.refused[why] += 1
        else:
            wordings.append(wording)
            found.wordings += 1
    texts = _Texts(found.refused, keeps)
    description = texts.taken(said["description"], MAX_DESCRIPTION_CHARS)
    translated = texts.taken(said["description_zh"], MAX_DESCRIPTION_CHARS, is_chinese=True)
    pitfalls = texts.several(said["pitfalls"])
    found.is_described, found.pitfalls = bool(description or translated), len(pitfalls)
    if wordings == draft.content.wordings and not (description or translated or pitfalls):
        return found
    written = _written(draft, wordings, description, translated, pitfalls)
    written.procedure()
    if not keeps(written.files) and keeps(
        draft.files
    ):  # together they say what none of them says alone
        return Authored(
            draft, refused=Counter({"gate": found.wordings + found.pitfalls + found.is_described})
        )
    found.draft = written
    return found


def read_reply(reply: str) -> dict[str, Any]:
    """The object of a reply, each key there. Raises BadReply."""
    if len(reply) > MAX_REPLY_CHARS:
        raise BadReply(f"the reply is {len(reply)} characters long")
    fenced = re.fullmatch(r"\s*```(?:json)?\s*\n(.*)\n\s*```\s*", reply, re.DOTALL)
    try:
        said = json.loads(fenced[1] if fenced else reply)
    except (ValueError, RecursionError) as error:
        raise BadReply("the reply is not JSON") from error
    if not isinstance(said, dict) or set(said) != set(KEYS):
        raise BadReply(f"the reply is not an object with {', '.join(KEYS)}")
    if wrong := [key for key, kind in KEYS.items() if not isinstance(said[key], kind)]:
        raise BadReply(f"{wrong[0]} of the reply is not a {KEYS[wrong[0]].__name__}")
    return said


# wordings


@dataclass(frozen=True, slots=True)
class _Judge:
    """Holds a proposed wording against the draft as it was taught, and against the SOPs that there are."""

    sop: Sop  # the draft, as if it were in use
    values: Mapping[str, Any]  # that it was taught with, bound
    others: tuple[Sop, ...]
    twins: frozenset[
        str
    ]  # seeds that do what was taught already: the owner wants this one in their place
    where: Where

    @classmethod
    def of(cls, draft: Draft, others: Sequence[Sop], where: Where) -> _Judge:
        procedure = draft.procedure()
        sop = Sop(draft.name, Path(draft.name), False, status="active", steps=procedure)
        beside = tuple(other for other in others if other.name != draft.name)
        given = draft.taught[0].values if draft.taught else {
            name: _sample(schema) for name, schema in procedure.parameters.items()
        }  # fmt: skip
        try:
            values = procedure.bind(given, where.cwd)
        except ParameterError:  # nothing is known that it takes: then no wording can be tried
            values = {}
        judge = cls(sop, values, beside, frozenset(), where)
        led = {
            name for each in procedure.wordings if (name := judge.leads_to(judge.filled(each.text)))
        }
        return replace(
            judge,
            twins=frozenset(other.name for other in beside if other.is_seed and other.name in led),
        )

    def wording(self, proposed: Any, known: Sequence[str]) -> tuple[str, str]:
        """The wording as it would be kept, and why it is not; "" when it is."""
        if (
            not isinstance(proposed, str)
            or not _is_line(proposed, MAX_WORDING_CHARS)
            or re.search(r"[\[\]]", proposed)
        ):
            return "", "form"
        procedure = self.sop.procedure
        assert procedure is not None
        slots = _slots(procedure)
        text = SLOT.sub(
            lambda slot: slots.get(slot[1], slot[0]),
            " ".join(proposed.split()).rstrip(".!?。！？ "),
        )
        if len(known) >= MOST_WORDINGS:
            return text, "many"
        if scan({"SKILL.md": SLOT.sub("it", text).encode()}):
            return text, "address"
        try:
            extended = replace(procedure, wordings=()).with_wordings([text])
        except ProcedureError as error:
            return text, "value" if "outside a {slot}" in str(error) else "slots"
        if any(_core(text) == _core(each) for each in known):
            return text, "known"
        if self.holds_value(text):
            return text, "value"
        return text, self.contrary(self.filled(text), extended)

    def contrary(self, request: str, extended: Procedure) -> str:
        """Why a wording with the taught values filled in is not taken: it is held against the draft as it was taught."""
        try:
            if not self.means_it(" ".join(each.text for each in extended.wordings)):
                return "meaning"
            if not self.gives_them_their_places(extended):
                return "places"
        except ParameterError:
            return "trip"
        led = self.leads_to(request)
        if led and led not in self.twins:
            return "other"
        alone = replace(self.sop, steps=extended)
        match = exact_match(
            request, [alone, *(other for other in self.others if other.runs_alone)], self.where
        )
        comes_back = (
            match is not None
            and match.sop.name == self.sop.name
            and match.parameters == dict(self.values)
        )
        return "" if comes_back else "trip"

    def means_it(self, wording: str) -> bool:
        """Return True when it says what a taught wording says: no table knows that other words mean the same."""
        taught = [each.text for each in self.sop.procedure.wordings] if self.sop.procedure else []
        return any(_content(wording) == _content(each) for each in taught)

    def gives_them_their_places(self, extended: Procedure) -> bool:
        """Return True when each value stands behind a word that it stood behind before."""
        procedure = self.sop.procedure
        if procedure is None:
            return False
        taught, proposed = words_beside(procedure), words_beside(extended)
        return all(proposed[name].before <= taught[name].before for name in proposed)

    def leads_to(self, request: str) -> str:
        """The SOP that the request leads to without this one; "" for none."""
        match = exact_match(request, [each for each in self.others if each.runs_alone], self.where)
        return match.sop.name if match else ""

    def filled(self, wording: str) -> str:
        """The wording as a request with the taught values."""
        procedure = self.sop.procedure
        assert procedure is not None

        def said(slot: re.Match[str]) -> str:
            name, shape = slot[1], slot[2] or ""
            return _as_said(self.values.get(name, ""), procedure.parameters.get(name, {}), shape)

        return SLOT.sub(said, wording)

    def holds_value(self, wording: str) -> bool:
        """Whether a taught value stands in it, or the name of a file, that the taught wordings do not have."""
        procedure = self.sop.procedure
        assert procedure is not None
        plain = SLOT.sub(" ", wording).casefold()
        taught = " ".join(SLOT.sub(" ", each.text) for each in procedure.wordings).casefold()
        for value in map(str, self.values.values()):
            path = Path(value)
            for part in {value, path.name, path.stem} if "/" in value or path.suffix else {value}:
                form = rf"(?<![a-z0-9]){re.escape(part.casefold())}(?![a-z0-9])"
                if (
                    len(part) >= SHORTEST_VALUE
                    and re.search(form, plain)
                    and not re.search(form, taught)
                ):
                    return True
        return False


def _kind(schema: Mapping[str, Any]) -> str:
    """What a parameter's values look like: two of a kind could be taken for one another."""
    is_number = schema["type"] in ("integer", "number")
    return (
        "number"
        if is_number
        else json.dumps([schema["type"], schema.get("format"), schema.get("enum")])
    )


def _slots(procedure: Procedure) -> dict[str, str]:
    """Each parameter with its slot as the taught wordings write it: {text:quoted}."""
    found = {name: f"{{{name}}}" for name in procedure.parameters}
    for wording in procedure.wordings:
        found |= {match[1]: match[0] for match in SLOT.finditer(wording.text) if match[2]}
    return found


def _as_said(value: Any, schema: Mapping[str, Any], shape: str) -> str:
    """A value as an owner would write it: in quotes where it cannot stand without."""
    text = str(value)
    if (
        schema.get("type") != "string"
        or schema.get("format") in ("date", "url")
        or "enum" in schema
    ):
        return text
    is_bare = read(text, schema, shape, Where(Path("/"), Path("/"))) is not None
    quote = "'" if '"' in text else '"'
    return text if is_bare else f"{quote}{text}{quote}"


def _sample(schema: Mapping[str, Any]) -> Any:
    """A value to try a slot with, for what was taught by a text and not by doing it."""
    if "default" in schema or "enum" in schema:
        return schema.get("default", *schema.get("enum", [])[:1])
    by_format = {
        "path": "/srv/sample_7.txt",
        "date": "2024-05-17",
        "url": "https://example.org/sample",
    }
    by_type = {"integer": 17, "number": 17, "boolean": True, "array": [], "string": "sample"}
    return by_format.get(str(schema.get("format")), by_type.get(str(schema["type"])))


def _content(wording: str) -> set[str]:
    """Return the words of a wording that say something."""
    return set(cut(SLOT.sub(" ", wording))) - SMALL


def _core(wording: str) -> str:
    """What makes two wordings nearly the same: small words and signs left out."""
    return _SMALL.sub("", wording.lower())


# texts for people


@dataclass(frozen=True, slots=True)
class _Texts:
    """Takes lines for people, and counts what is not taken."""

    refused: Counter[str]
    keeps: Keeps

    def taken(self, text: Any, most: int, *, is_chinese: bool = False) -> str:
        """The line, or "" when it is not taken; an empty one is no offence."""
        if text == "":
            return ""
        why = self.fault(text, most, is_chinese)
        if why:
            self.refused[why] += 1
        return "" if why else str(text).strip()

    def several(self, texts: Sequence[Any]) -> list[str]:
        """The pitfalls that are taken."""
        found: list[str] = []
        for number, text in enumerate(texts):
            if number >= MOST_PITFALLS:
                self.refused["many"] += 1
            elif line := self.taken(text, MAX_PITFALL_CHARS):
                found.append(line)
        return list(dict.fromkeys(found))

    def fault(self, text: Any, most: int, is_chinese: bool) -> str:
        if (
            not isinstance(text, str)
            or not _is_line(text, most)
            or (is_chinese and not _CHINESE.search(text))
        ):
            return "form"
        if _REACHES.search(text) or scan({"SKILL.md": text.encode()}):
            return "address"
        return "" if self.keeps({"SKILL.md": text}) else "gate"


def _is_line(text: str, most: int) -> bool:
    """One printable line that begins no other part of a Markdown document."""
    return (
        bool(text.strip())
        and len(text) <= most
        and text.isprintable()
        and not re.match(r"\s*(?:#|---|[-*+>]\s)", text)
    )


# the draft with it


def _written(
    draft: Draft,
    wordings: Sequence[str],
    description: str,
    translated: str,
    pitfalls: Sequence[str],
) -> Draft:
    import yaml

    content = replace(draft.content, wordings=list(wordings))
    files = dict(draft.files)
    files["sop.yaml"] = to_yaml({**yaml.safe_load(files["sop.yaml"]), "wordings": content.wordings})
    old = yaml.safe_load(files["SKILL.md"].split("---\n", 2)[1])["description"]
    text = skill_text(draft.name, description or old, content, draft.slots, draft.problems)
    if pitfalls:
        lines = "\n".join(f"- {pitfall}" for pitfall in pitfalls)
        text = text.replace(
            "\n## Known failures\n", f"\n## Pitfalls\n\n{lines}\n\n## Known failures\n", 1
        )
    files["SKILL.md"] = text
    if translated:
        front = yaml.safe_dump(
            {"name": draft.name, "description": translated},
            sort_keys=False,
            allow_unicode=True,
            width=10_000,
        )
        files["SKILL.zh.md"] = f"---\n{front}---\n{text.split('---' + chr(10), 2)[2]}"
    return replace(draft, content=content, files=dict(sorted(files.items())))
