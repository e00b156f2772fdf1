"""Ask the questions of `teach`: at a terminal one by one, in a pipe answered by the options of the command."""

from __future__ import annotations

import re
from argparse import Namespace
from collections.abc import Mapping
from typing import Any, Protocol

from learning.draft import Draft
from memory.sops.store import Sop
from replay.procedure import Procedure
from runs.learning import Lesson, unsaid
from ui.sanitise import clean, one_line
from ui.sops import as_word, parameters
from ui.terminal import read_next
from ui.words import say

_YES = {"y", "yes", "ok", "是", "好", "要"}
_LATER = {"", "later", "以后", "稍后"}
_NAME = re.compile(r"[a-z][a-z0-9_]{0,39}")


class Questions(Protocol):
    """Whoever decides. KeyboardInterrupt and EOFError mean: stop, and store nothing."""

    def may_replace(self, existing: Sop) -> bool:
        """Return True if a new version of an SOP that exists is meant."""
        ...

    def may_leave_out(self, cases: list[str]) -> bool:
        """Return True if cases of the version before, which do not fit, may go."""
        ...

    def may_be_second(self, twin: Sop) -> bool:
        """Return True if an SOP is meant that does what another one does already."""
        ...

    def may_be_less(self, existing: Sop, status: str) -> bool:
        """Return True if a version that is not proven may take the place of one that is."""
        ...

    def values(self, found: Mapping[str, str]) -> Mapping[str, str]:
        """Say which values vary: name → value."""
        ...

    def request(self, lesson: Lesson, values: Mapping[str, str]) -> str:
        """How the owner will ask for it, with the values in it; nothing when nobody says."""
        ...

    def check(self, draft: Draft) -> str:
        """A command that proves what was changed; nothing when there is none."""
        ...

    def another_set(self, procedure: Procedure, was: Mapping[str, Any]) -> dict[str, str] | None:
        """Values to prove it on, other than those that it was proven on; None: later."""
        ...


class FromOptions:
    """Nobody is asked: what the command line does not say is taken as it was found."""

    def __init__(self, args: Namespace) -> None:
        self._values = None if args.values is None else parameters(args.values)
        sets = [args.values if args.from_file else None, args.prove]
        self._sets = [parameters(each) for each in sets if each]
        self._check = args.check or ""
        self._request, self._is_new_version = args.request or "", bool(args.new_version)

    def may_replace(self, existing: Sop) -> bool:
        """Only with --new-version."""
        return self._is_new_version

    def may_leave_out(self, cases: list[str]) -> bool:
        """No: an owner has to see that."""
        return False

    def may_be_second(self, twin: Sop) -> bool:
        """No."""
        return False

    def may_be_less(self, existing: Sop, status: str) -> bool:
        """No."""
        return False

    def values(self, found: Mapping[str, str]) -> Mapping[str, str]:
        """Return those of --values, else all that were found."""
        return found if self._values is None else self._values

    def request(self, lesson: Lesson, values: Mapping[str, str]) -> str:
        """Return that of --request."""
        return _with_values(self._request, values)

    def check(self, draft: Draft) -> str:
        """Return that of --check, once."""
        check, self._check = self._check, ""
        return check

    def another_set(self, procedure: Procedure, was: Mapping[str, Any]) -> dict[str, str] | None:
        """Return those of --values for a text, then those of --prove."""
        return self._sets.pop(0) if self._sets else None


class AtTerminal:
    """Asks whoever sits at the terminal."""

    def may_replace(self, existing: Sop) -> bool:
        """Asks; no is the default."""
        key = "teach.replace_seed" if existing.is_seed else "teach.replace"
        return _yes(say(key, name=existing.name, version=existing.version, status=existing.status))

    def may_leave_out(self, cases: list[str]) -> bool:
        """Asks; no is the default."""
        return _yes(say("teach.leave_out", cases=", ".join(cases)))

    def may_be_second(self, twin: Sop) -> bool:
        """Asks; no is the default."""
        return _yes(say("teach.second", name=twin.name, status=twin.status))

    def may_be_less(self, existing: Sop, status: str) -> bool:
        """Asks; no is the default."""
        return _yes(
            say("teach.replace_proven", name=existing.name, was=existing.status, status=status)
        )

    def values(self, found: Mapping[str, str]) -> Mapping[str, str]:
        """Shows what may vary until the owner is content."""
        listed: list[list[Any]] = [[name, text, True] for name, text in found.items()]
        return chosen(listed, may_drop=False)

    def request(self, lesson: Lesson, values: Mapping[str, str]) -> str:
        """Asks until the sentence names every value, or nothing is said."""
        example = " ".join(
            [lesson.name.replace("-", " "), *(f"{name} {text}" for name, text in values.items())]
        )
        key = (
            "teach.request_plain"
            if not values
            else "teach.request"
            if lesson.trace
            else "teach.request_slots"
        )
        print(say(key, example=example))
        while said := read_next(say("teach.request_prompt")).strip():
            request = _with_values(said, values)
            missing = _unsaid(lesson, request, values)
            if not missing:
                return request
            print("  " + say("teach.unsaid", values=", ".join(missing)))
        return ""

    def check(self, draft: Draft) -> str:
        """Asks; nothing is the default."""
        names = " ".join(f"${name}" for name in draft.content.parameters)
        print(say("teach.check", names=names or "–"))
        return read_next(say("teach.check_prompt")).strip()

    def another_set(self, procedure: Procedure, was: Mapping[str, Any]) -> dict[str, str] | None:
        """Asks for one value after the other."""
        print(say("teach.another_set" if was else "teach.first_set"))
        given: dict[str, str] = {}
        for name, schema in procedure.parameters.items():
            before = as_word(was[name]) if name in was else str(schema.get("default", ""))
            key = "teach.value_prompt" if before else "teach.new_value_prompt"
            text = read_next(say(key, name=name, before=one_line(before, 60))).strip()
            if text.lower() in _LATER and (text or name in procedure.required):
                return None
            if text:
                given[name] = text
        return given


def chosen(listed: list[list[Any]], *, may_drop: bool) -> dict[str, str]:
    """Show values that may vary, each with name, text and whether it varies, until the owner is content."""
    while True:
        _show_values(listed, may_drop=may_drop)
        said = read_next(say("teach.values_prompt")).strip()
        if not said:
            return {str(each[0]): str(each[1]) for each in listed if each[2]}
        if problem := _change(listed, said, may_drop=may_drop):
            print(f"  {problem}")


def _show_values(listed: list[list[Any]], *, may_drop: bool) -> None:
    if not listed:
        print(f"\n{say('teach.no_values')}")
        return
    print(f"\n{say('teach.values')}")
    width = min(60, max(len(text) for _, text, _ in listed))
    for number, (name, text, varies) in enumerate(listed, 1):
        meaning = f"→ {name}" if varies else say("teach.fixed")
        print(f"  {number}  {one_line(text, 80).ljust(width)}  {meaning}")
    print("  " + say("teach.values_how" if may_drop else "teach.values_how_named"))


def _change(listed: list[list[Any]], said: str, *, may_drop: bool) -> str:
    """Do what the owner says: `2` in or out, `2 age` another name, `name=value` one more. Return what is wrong."""
    if added := re.fullmatch(r"(\w+)\s*=\s*(.+)", said):
        return _add(listed, added[1], added[2])
    changed = re.fullmatch(r"(\d+)(?:\s+(\S+))?", said)
    if changed is None or not 1 <= int(changed[1]) <= len(listed):
        return say("teach.not_understood", text=one_line(said, 60))
    value, name = listed[int(changed[1]) - 1], changed[2]
    if name is None:
        if not may_drop:
            return say("teach.in_request", text=one_line(value[1], 60))
        value[2] = not value[2]
        return ""
    if not _is_free(name, [each for each in listed if each is not value]):
        return say("teach.bad_value_name", name=one_line(name, 60))
    value[0], value[2] = name, True
    return ""


def _add(listed: list[list[Any]], name: str, text: str) -> str:
    if not _is_free(name, listed):
        return say("teach.bad_value_name", name=name)
    listed.append([name, text, True])
    return ""


def _is_free(name: str, listed: list[list[Any]]) -> bool:
    return bool(_NAME.fullmatch(name)) and all(each[0] != name for each in listed)


def _with_values(said: str, values: Mapping[str, str]) -> str:
    """Return what was said, with {names} filled in: values and slots are both understood."""
    return re.sub(r"\{(\w+)\}", lambda match: values.get(match[1], match[0]), clean(said))


def _unsaid(lesson: Lesson, request: str, values: Mapping[str, str]) -> list[str]:
    """The values that a request leaves out."""
    if lesson.trace is None:
        return [slot for slot in values.values() if slot not in request]
    return [values[name] for name in unsaid(lesson, request, values)]


def _yes(question: str) -> bool:
    return read_next(question).strip().lower() in _YES
