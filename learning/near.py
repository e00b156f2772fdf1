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

from learning.another import another, tells_where
from learning.concepts import GENERIC_THINGS
from learning.filling import SMALL, filled
from learning.habits import habits
from learning.index import INDEX
from learning.likeness import contrary, left_over, said_in, unsaid
from learning.parts import FILE_OR_FOLDER, Literal, Part, Word
from learning.placing import kind_of
from learning.reading import read
from learning.request import Asked
from learning.sentences import Knowledge, knowledge
from learning.slots import BARE_FILE, Unclear, Where
from learning.spoken_forms import in_active
from memory.sops.store import Sop
from replay.parameters import ParameterError
from replay.procedure import SLOT, Procedure
from text import pattern

MOST = 3  # that the owner is shown
LOOKED_AT = 12  # of those that the ranking found
MAX_CHARS = 400  # of a request
MAX_PASSED_OVER = 2  # words that say something of their own
MOST_SHOWN = 4  # with those that say little, like "rows"
FAR = (
    "external",
    "destructive",
)  # effects of which a word that nobody knows must not be what is to be done
NEEDS = pattern(
    r"(?<!\w)only ((?:need|want)\b)", re.IGNORECASE
)  # who only needs some rows denies nothing
GROUP = pattern(r"\[([^\[\]|]*)[^\[\]]*\]")


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
        return [
            "sops",
            "run",
            self.sop.name,
            *(f"{key}={value}" for key, value in self.parameters.items()),
        ]


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
            part
            for part in read(asked, procedure, known, where)
            if not (isinstance(part, Word) and part.text == ".")
        ]
        found = filled(parts, asked, procedure, known, habits(sop), where)
        values = found.values if found else {}
        parameters = procedure.bind(values, where.cwd) if found else {}
    except (Unclear, ParameterError):
        return None
    if found is None or _is_of_other_kind(procedure, parameters):
        return None
    if contrary(parts, known, values.values(), is_careful=False, is_shown=True) or another(
        parts, known
    ):
        return None
    given = {word for value in values.values() for word in re.findall(r"\w+", str(value).lower())}
    words = _passed_over(parts, known, given)
    counted = [word for word in words if not word.things & GENERIC_THINGS]
    understood = sum(
        isinstance(part, Literal) or part.text in given or _tells(part, known) for part in parts
    )
    says_more = (
        len(counted) > MAX_PASSED_OVER or len(words) > MOST_SHOWN or understood <= len(counted)
    )
    said = _said(procedure, values, where, lang)
    if (
        not said
        or says_more
        or (procedure.effects in FAR and any(_may_be_verb(word, parts) for word in words))
    ):
        return None
    added = min((unsaid(each, said_in(parts, given), known) for each in known.sentences), key=len)
    over = tuple(dict.fromkeys((*(word.text for word in words), *found.moved)))
    return Near(sop, parameters, said, over, tuple(word.text for word in added))


def _passed_over(parts: Sequence[Part], known: Knowledge, given: set[str]) -> list[Word]:
    """The words that are not taken up; where a file begins or ends with something, that too."""
    own = {
        thing
        for sentence in known.sentences
        for piece in sentence.pieces
        for thing in getattr(piece, "things", ())
    }
    labels = own & FILE_OR_FOLDER  # those beside a slot say nothing else
    left = [word for word in left_over(parts, known, given) if not word.things & labels]
    tells = [
        part
        for part in parts
        if isinstance(part, Word) and tells_where(part) and part.text not in known.texts
    ]
    return [*left, *(word for word in tells if word not in left)]


def _may_be_verb(word: Word, parts: Sequence[Part]) -> bool:
    """Whether a word that nobody knows may be what is to be done: the first one, and in Chinese any."""
    is_listed = not all(thing.startswith("w:") for thing in word.things)
    return not is_listed and (word is parts[0] or not word.text.isascii())


def _tells(word: Word, known: Knowledge) -> bool:
    """Whether a word says something, and the SOP's wordings say it too."""
    return not (word.is_free or word.place or word.text in SMALL) and bool(
        word.things & known.things
    )


def _is_of_other_kind(procedure: Procedure, parameters: Mapping[str, Any]) -> bool:
    """Whether a file is given where a folder must be, or a folder where a file must be."""
    for name in procedure.requires.get("folders", ()):
        path = Path(parameters.get(name, "/"))
        if path.is_file() or (not path.exists() and BARE_FILE.fullmatch(path.name)):
            return True
    return any(
        Path(parameters[name]).is_dir()
        for name in procedure.requires.get("files", ())
        if name in parameters
    )


def _said(procedure: Procedure, values: Mapping[str, Any], where: Where, lang: str) -> str:
    """A wording of the procedure with these values in its slots."""
    texts = sorted(
        procedure.wordings,
        key=lambda each: (each.text.isascii() != (lang == "en"), each.text.count("|")),
    )
    found = next((wording.text for wording in texts if {*wording.slots} == {*values}), "")
    plain = GROUP.sub(lambda group: group[1], found)
    home = f"{where.owner_home}/"

    def shown(name: str) -> str:
        text = str(values[name])
        if kind_of(procedure.parameters[name]) == "text":
            return f'"{text}"'
        return f"~/{text.removeprefix(home)}" if text.startswith(home) else text

    return " ".join(SLOT.sub(lambda slot: shown(slot[1]), plain).split())
