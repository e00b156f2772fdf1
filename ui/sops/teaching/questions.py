"""Ask the questions of `teach`: at a terminal one by one, in a pipe answered by the options of the
command.

A "later" or a stop leaves the lesson as far as it came.
"""

from __future__ import annotations

import re
from argparse import Namespace
from collections.abc import Mapping, Sequence
from typing import Any

from learning.wording import slotted
from memory.sops import Sop
from ui.sanitise import clean, one_line
from ui.sops import NO, parameters
from ui.terminal import read_next
from ui.words import say

_YES = {"y", "yes", "ok", "是", "好", "要"}
_ENTER = {"", *_YES}
_LATER = {"later", "以后", "稍后"}
_NAME = re.compile(r"[a-z][a-z0-9_]{0,39}")
Listed = list[list[Any]]  # values that may vary: name, text, whether it varies


class FromOptions:
    """Nobody is asked: what the command line does not say is taken as it was found."""

    is_attended = False

    def __init__(self, args: Namespace) -> None:
        self._values = parameters(args.values or [])
        self._has_chosen = args.values is not None  # `--values` alone: nothing varies
        sets = [args.values if args.from_file else None, args.prove]
        self._sets = [parameters(each) for each in sets if each]
        self.named: Sequence[str] = [name for each in self._sets for name in each]
        self._request, self._is_new_version = args.request or "", bool(args.new_version)

    def may_replace(self, existing: Sop) -> bool:
        """Return True when a new version of an SOP that exists is meant: with --new-version."""
        return self._is_new_version

    def may(self, key: str, **values: object) -> bool:
        """Return False: an owner has to allow what `key` asks."""
        return False

    def yes(self, question: str) -> bool:
        """Return True, the default."""
        return True

    def vary(self, listed: Listed) -> dict[str, str]:
        """Return the values that vary: those of --values, else all that were found to."""
        if self._has_chosen:
            return dict(self._values)
        return {name: text for name, text, varies in listed if varies}

    def places(self, value: str, shown: Sequence[str], chosen: Sequence[int]) -> list[int]:
        """Return in which of these places a value varies: the usual ones."""
        return list(chosen)

    def request(self, name: str, slots: Mapping[str, str]) -> str:
        """Return how the owner will ask for it; "" when nobody says."""
        text = self._request
        for key, value in ({} if slots else self._values).items():
            text = text.replace(f"{{{key}}}", value)
        return text

    def request_again(self, missing: Sequence[str]) -> str:
        """Return "": there is one --request."""
        return ""

    def another_set(
        self, was: Mapping[str, str], asked: str, at_hand: Mapping[str, str] | None = None
    ) -> dict[str, str] | None:
        """Return values to prove it on, other than those before; None: later. `at_hand`: when none
        is said."""
        return self._sets.pop(0) if self._sets else None


class AtTerminal(FromOptions):
    """Asks whoever sits at the terminal. KeyboardInterrupt and EOFError mean: stop."""

    is_attended = True

    def __init__(self) -> None:
        self.named = ()

    def may_replace(self, existing: Sop) -> bool:
        """Ask; no is the default."""
        key = "teach.replace_seed" if existing.is_seed else "teach.replace"
        return self.may(key, name=existing.name, version=existing.version, status=existing.status)

    def may(self, key: str, **values: object) -> bool:
        """Ask; no is the default."""
        return read_next(say(key, **values)).strip().lower() in _YES

    def yes(self, question: str) -> bool:
        """Ask; yes is the default."""
        return read_next(question).strip().lower() not in NO

    def vary(self, listed: Listed) -> dict[str, str]:
        """Show what may vary until the owner is content."""
        while True:
            _show_values(listed)
            said = read_next(say("teach.values_prompt")).strip()
            if said.lower() in _ENTER:
                return {str(name): str(text) for name, text, varies in listed if varies}
            if problem := _change(listed, said):
                print(f"  {problem}")

    def places(self, value: str, shown: Sequence[str], chosen: Sequence[int]) -> list[int]:
        """Ask by numbers; Enter, and what is no number of a place, keep the usual ones."""
        print(f"\n{say('lesson.places', value=value)}")
        for number, text in enumerate(shown, 1):
            print(f"  {number}) {one_line(text, 100)}")
        usual = " ".join(str(each + 1) for each in chosen)
        print("  " + say("lesson.places_how", usual=usual))
        said = read_next(say("lesson.places_prompt")).replace(",", " ").split()
        known = [str(number) for number in range(1, len(shown) + 1)]
        is_said = bool(said) and set(said) <= set(known)
        return [known.index(each) for each in dict.fromkeys(said)] if is_said else list(chosen)

    def request(self, name: str, slots: Mapping[str, str]) -> str:
        """Ask for a sentence, in which the slots stand where there are no values yet."""
        named = (f"{key} {slot}" for key, slot in slots.items())
        example = " ".join([name.replace("-", " "), *named])
        print(f"\n{say('teach.request_slots' if slots else 'lesson.request', example=example)}")
        said = clean(read_next(say("teach.request_prompt"))).strip()
        return "" if said.lower() in _ENTER | NO else said

    def request_again(self, missing: Sequence[str]) -> str:
        """Ask once more: the first answer left out values."""
        print("  " + say("teach.unsaid", values=", ".join(missing)))
        return clean(read_next(say("teach.request_prompt"))).strip()

    def another_set(
        self, was: Mapping[str, str], asked: str, at_hand: Mapping[str, str] | None = None
    ) -> dict[str, str] | None:
        """Ask for one value after the other; Enter keeps the one before, Enter alone takes those at
        hand."""
        print(f"\n{asked}")
        given: dict[str, str] = {}
        for name, before in was.items():
            prompt = "teach.value_prompt" if before else "teach.new_value_prompt"
            text = read_next(say(prompt, name=name, before=one_line(before, 60))).strip()
            if text.lower() in _LATER and not given:
                return None
            is_yes = text.lower() in _YES and before.lower() not in _YES | NO
            if text and not is_yes:
                given[name] = text
        return given or dict(at_hand or {}) or None


Questions = FromOptions


def questions_of(args: Namespace, *, is_attended: bool) -> Questions:
    """Return whoever answers."""
    return AtTerminal() if is_attended else FromOptions(args)


def unsaid(request: str, values: Mapping[str, str]) -> list[str]:
    """Return the values that a request leaves out."""
    return slotted(request, values)[1] if request else []


def _show_values(listed: Listed) -> None:
    if not listed:
        print(f"\n{say('teach.no_values')}")
        return
    print(f"\n{say('teach.values')}")
    width = min(60, max(len(text) for _, text, _ in listed))
    for number, (name, text, varies) in enumerate(listed, 1):
        meaning = f"→ {name}" if varies else say("teach.fixed")
        print(f"  {number}  {one_line(text, 80).ljust(width)}  {meaning}")
    print("  " + say("teach.values_how"))


def _change(listed: Listed, said: str) -> str:
    """Do what the owner says: `2` in or out, `2 age` another name, `name=value` one more. Return
    what is wrong."""
    if added := re.fullmatch(r"(\w+)\s*=\s*(.+)", said):
        return _add(listed, added[1], added[2])
    if named := [each for each in listed if said in (each[1], each[1].rpartition("/")[2])]:
        named[0][2] = True
        return ""
    changed = re.fullmatch(r"(\d+)(?:\s+(\S+))?", said)
    if changed is None or not 1 <= int(changed[1]) <= len(listed):
        return say("teach.not_understood", text=one_line(said, 60))
    value, name = listed[int(changed[1]) - 1], changed[2]
    if name is None:
        value[2] = not value[2]
        return ""
    return _rename(listed, value, name)


def _add(listed: Listed, name: str, text: str) -> str:
    new = ["", text, True]
    same = next((each for each in listed if each[1] == text), new)
    problem = _rename(listed, same, name)
    listed += [new] if same is new and not problem else []
    return problem


def _rename(listed: Listed, value: list[Any], name: str) -> str:
    """Let a value vary under a name, which no other value has. Return what is wrong."""
    same = next((each for each in listed if each is not value and each[0] == name), None)
    if same and not same[2]:
        same[0], same = value[0] or f"{name}2", None  # what stays the same needs no name
    if same or not _NAME.fullmatch(name):
        return say("teach.bad_value_name", name=one_line(name, 60))
    value[0], value[2] = name, True
    return ""
