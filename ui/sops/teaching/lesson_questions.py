"""Ask the questions of a lesson: each has a default and says what each answer does."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Mapping, Sequence
from typing import Protocol

from learning.induce import Candidate
from learning.wording import slotted
from memory.sops.store import Sop
from ui.sanitise import clean, one_line
from ui.sops import NO, parameters
from ui.sops.teaching.teach_questions import chosen
from ui.terminal import read_next
from ui.words import say

_YES = {"y", "yes", "ok", "是", "好", "要"}
_ALL = {"all", "全部", "都要"}


class LessonQuestions(Protocol):
    """Whoever decides."""

    is_attended: bool
    named: Sequence[str] = ()  # the parameters that were named before anybody was asked

    def may_replace(self, existing: Sop) -> bool:
        """True when a new version of an SOP that is there is meant."""
        ...

    def may_be_second(self, twin: Sop) -> bool:
        """True when an SOP is meant that does what another one does already."""
        ...

    def request(self, name: str, slots: Mapping[str, str]) -> str:
        """How the owner will ask for it; "" when nobody says. `slots` are to be in it where there are no values yet."""
        ...

    def request_again(self, missing: Sequence[str]) -> str:
        """The same, when the first answer left out values."""
        ...

    def vary(self, found: Sequence[Candidate]) -> Mapping[str, str]:
        """Return which values vary: name → value."""
        ...

    def another_set(self, was: Mapping[str, str]) -> dict[str, str] | None:
        """Other values to try; None: later."""
        ...

    def yes(self, question: str) -> bool:
        """A yes or a no; yes is the default."""
        ...

    def unsaid(self, request: str, values: Mapping[str, str]) -> list[str]:
        """The values that a request leaves out."""
        return slotted(request, values)[1] if request else []


class AtTerminal(LessonQuestions):
    """Asks whoever sits at the terminal."""

    is_attended = True

    def may_replace(self, existing: Sop) -> bool:
        key = "teach.replace_seed" if existing.is_seed else "teach.replace"
        said = read_next(
            say(key, name=existing.name, version=existing.version, status=existing.status)
        )
        return said.strip().lower() in _YES

    def may_be_second(self, twin: Sop) -> bool:
        question = say("teach.second", name=twin.name, status=twin.status)
        return read_next(question).strip().lower() in _YES

    def request(self, name: str, slots: Mapping[str, str]) -> str:
        named = (f"{key} {slot}" for key, slot in slots.items())
        example = " ".join([name.replace("-", " "), *named])
        key = "teach.request_slots" if slots else "lesson.request"
        print(f"\n{say(key, example=example)}")
        return clean(read_next(say("teach.request_prompt"))).strip()

    def request_again(self, missing: Sequence[str]) -> str:
        print("  " + say("teach.unsaid", values=", ".join(missing)))
        return clean(read_next(say("teach.request_prompt"))).strip()

    def vary(self, found: Sequence[Candidate]) -> Mapping[str, str]:
        return chosen([list(each) for each in found], may_drop=True)

    def another_set(self, was: Mapping[str, str]) -> dict[str, str] | None:
        print(f"\n{say('lesson.another_set')}")
        given: dict[str, str] = {}
        for name, before in was.items():
            key = "teach.value_prompt" if before else "teach.new_value_prompt"
            prompt = say(key, name=name, before=one_line(before, 60))
            if text := read_next(prompt).strip():
                given[name] = text
        return given or None

    def yes(self, question: str) -> bool:
        return read_next(question).strip().lower() not in NO


class Absent(LessonQuestions):
    """Nobody is asked: what the command line does not say is taken as it was found."""

    is_attended = False

    def __init__(self, args: Namespace) -> None:
        self._values = {key: str(value) for key, value in parameters(args.values or []).items()}
        self._has_chosen = args.values is not None  # `--values` alone: nothing varies
        given = [args.values if args.from_file else None, args.prove]
        self._sets = [parameters(each) for each in given if each]
        self.named = [name for each in self._sets for name in each]
        self._may_replace = bool(args.new_version)
        self._request = args.request or ""

    def may_replace(self, existing: Sop) -> bool:
        return self._may_replace

    def may_be_second(self, twin: Sop) -> bool:
        return False

    def request(self, name: str, slots: Mapping[str, str]) -> str:
        text = self._request
        if slots:
            return text
        for key, value in self._values.items():
            text = text.replace(f"{{{key}}}", value)
        return text

    def request_again(self, missing: Sequence[str]) -> str:
        return ""

    def vary(self, found: Sequence[Candidate]) -> Mapping[str, str]:
        if self._has_chosen:
            return dict(self._values)
        return {each.name: each.text for each in found if each.varies}

    def another_set(self, was: Mapping[str, str]) -> dict[str, str] | None:
        return self._sets.pop(0) if self._sets else None

    def yes(self, question: str) -> bool:
        return True
