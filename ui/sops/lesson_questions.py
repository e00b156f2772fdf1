"""Ask the questions of a lesson: each has a default and says what each answer does."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Mapping, Sequence
from typing import Protocol

from learning.induce import Candidate
from learning.wording import slotted
from memory.sops.store import Sop
from ui.sanitise import clean, one_line
from ui.sops.sops import parameters
from ui.sops.teach_questions import change_values, show_values
from ui.terminal import read_next
from ui.words import say

_YES = {"y", "yes", "ok", "是", "好", "要"}
_NO = {"n", "no", "不", "否", "不是", "不要"}


class LessonQuestions(Protocol):
    """Whoever decides."""

    is_attended: bool

    def may_replace(self, existing: Sop) -> bool:
        """True when a new version of an SOP that is there is meant."""
        ...

    def request(self, name: str) -> str:
        """How the owner will ask for it; "" when nobody says."""
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

    def request(self, name: str) -> str:
        print(f"\n{say('lesson.request', example=name.replace('-', ' '))}")
        return clean(read_next(say("teach.request_prompt"))).strip()

    def request_again(self, missing: Sequence[str]) -> str:
        print("  " + say("teach.unsaid", values=", ".join(missing)))
        return clean(read_next(say("teach.request_prompt"))).strip()

    def vary(self, found: Sequence[Candidate]) -> Mapping[str, str]:
        listed = [list(each) for each in found]
        while True:
            show_values(listed)
            said = read_next(say("teach.values_prompt")).strip()
            if not said:
                return {str(each[0]): str(each[1]) for each in listed if each[2]}
            if problem := change_values(listed, said):
                print(f"  {problem}")

    def another_set(self, was: Mapping[str, str]) -> dict[str, str] | None:
        print(f"\n{say('lesson.another_set')}")
        given: dict[str, str] = {}
        for name, before in was.items():
            prompt = say("teach.value_prompt", name=name, before=one_line(before, 60))
            if text := read_next(prompt).strip():
                given[name] = text
        return given or None

    def yes(self, question: str) -> bool:
        return read_next(question).strip().lower() not in _NO


class Absent(LessonQuestions):
    """Nobody is asked: what the command line does not say is taken as it was found."""

    is_attended = False

    def __init__(self, args: Namespace) -> None:
        self._values = {key: str(value) for key, value in parameters(args.values or []).items()}
        proofs = parameters(args.prove) if args.prove else {}
        self._sets = [{key: str(value) for key, value in proofs.items()}] if proofs else []
        self._may_replace = bool(args.new_version)
        self._request = args.request or ""

    def may_replace(self, existing: Sop) -> bool:
        return self._may_replace

    def request(self, name: str) -> str:
        text = self._request
        for key, value in self._values.items():
            text = text.replace(f"{{{key}}}", value)
        return text

    def request_again(self, missing: Sequence[str]) -> str:
        return ""

    def vary(self, found: Sequence[Candidate]) -> Mapping[str, str]:
        return dict(self._values) or {each.name: each.text for each in found if each.varies}

    def another_set(self, was: Mapping[str, str]) -> dict[str, str] | None:
        return self._sets.pop(0) if self._sets else None

    def yes(self, question: str) -> bool:
        return True
