"""`teach NAME … --look`: show what would be learned from a run or a text, as JSON; nothing is
stored or changed."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from config import Config, SopwithError
from learning.calls import induce
from learning.draft import Content, Draft
from learning.folder import check_text
from learning.prove import Seen
from runs.assemble import Agent
from runs.learning import teach
from runs.learning.alone import same_script
from runs.learning.lesson import Lesson
from runs.learning.lesson_files import content_of
from sandbox.undo import StageError
from ui.lists import print_json
from ui.sops.teaching.lesson import lesson_of
from ui.sops.teaching.questions import FromOptions
from ui.words import say, words_of

MAX_OUTPUT_CHARS = 4_000
MAX_PATHS = 200
Json = dict[str, Any]


def look(args: Namespace, config: Config) -> int:
    """Print what a lesson holds, what varies in it, and what it does with its own and with other
    values."""
    agent = Agent(config)
    lesson = lesson_of(args, config)
    found = _of_lesson(agent, lesson, FromOptions(args)) if lesson else _of_steps(agent, args)
    existing = agent.sops.get(args.sop)
    found["existing"] = (
        {"version": existing.version, "status": existing.status} if existing else None
    )
    return print_json(agent.parts.redactor().redact(found))


def _of_lesson(agent: Agent, lesson: Lesson, questions: FromOptions) -> Json:
    """Return what a script would be learned as."""
    found: Json = {"kind": "script", "candidates": [], "refused": {}, "own": None, "problem": ""}
    try:
        if not lesson.declared:
            lesson.settle()
            found |= _varying(lesson, questions)
            found["own"] = None if found["problem"] else _own(lesson)
        found["others"] = list(_others(lesson, questions))
    except StageError as error:
        found |= {"problem": words_of(error), "others": []}
    twin = same_script(lesson, agent.sops.all())
    asked = lesson.suggested or (content_of(lesson).get("wordings") or [lesson.name])[0]
    return found | {
        "request": lesson.request,
        "wording": asked,
        "typed": lesson.typed or lesson.script,
        "script": lesson.script,
        "parameters": _schema(lesson.parameters, lesson.required),
        "left_out": [words_of(each) for each in [*lesson.notes, *lesson.problems]],
        "status": lesson.status(),
        "twin": twin.name if twin else "",
    }


def _varying(lesson: Lesson, questions: FromOptions) -> Json:
    """Return what may vary, after the lesson has taken what was chosen; what cannot is left out of
    it."""
    lesson.request = questions.request(lesson.name, {})
    candidates = lesson.candidates()
    refused = lesson.take(questions.vary([[*each] for each in candidates]))
    differs = lesson.disagreeing()
    return {
        "candidates": [each._asdict() for each in candidates],
        "values": lesson.values,
        "refused": {name: why or say("lesson.not_there") for name, why in refused.items()},
        "problem": say("lesson.disagree", line=differs) if differs else "",
    }


def _own(lesson: Lesson) -> Json:
    """Return what it does with the values of the lesson; `why` says what that does not prove."""
    why = lesson.prove_own() if lesson.is_settled else say("lesson.not_again")
    if why and lesson.is_done_before:
        why = say("lesson.done_before")
    seen = lesson.cases[0].seen if lesson.cases else lesson.baseline
    return {"values": lesson.values, "why": why, **_seen(seen)}


def _others(lesson: Lesson, questions: FromOptions) -> Iterator[Json]:
    """Yield what it does with each other set of values."""
    while (given := questions.another_set(lesson.values, "")) is not None:
        if given == lesson.values:
            continue
        try:
            case = lesson.try_values({**lesson.values, **given})
        except SopwithError as error:
            yield {"values": given, "why": str(error), **_seen(None)}
            continue
        if case.seen.code == 0:
            lesson.accept(case)
        fails = case.seen.output.strip().rpartition("\n")[2]
        why = say("lesson.fails", code=case.seen.code, why=fails) if case.seen.code else ""
        yield {"values": given, "why": why, **_seen(case.seen)}


def _seen(seen: Seen | None) -> Json:
    touched = seen.touched if seen else []
    return {
        "changes": [each._asdict() for each in touched[:MAX_PATHS]],
        "more": max(0, len(touched) - MAX_PATHS),
        "output": seen.output[:MAX_OUTPUT_CHARS] if seen else "",
    }


def _of_steps(agent: Agent, args: Namespace) -> Json:
    """Return what calls of tools would be learned as. They are tried when they are stored."""
    draft, values = _draft(agent, args)
    status, why = teach.earned(draft)
    twin = teach.twin_of(agent, draft)
    content = draft.content
    return {
        "kind": "steps",
        "request": args.request or "",
        "wording": (content.wordings or [draft.name])[0],
        "candidates": [
            {"name": name, "text": text, "varies": True} for name, text in values.items()
        ],
        "values": values,
        "refused": {},
        "steps": list(_steps(content)),
        "parameters": content.as_yaml().get("parameters") or _schema({}, []),
        "left_out": [words_of(each) for each in draft.problems],
        "own": None,
        "others": [],
        "problem": "" if status != "draft" else words_of(why),
        "status": status,
        "twin": twin.name if twin else "",
    }


def _steps(content: Content) -> Iterator[Json]:
    for part in ("plan", "commit"):
        for step in getattr(content, part):
            yield {"part": part, "tool": step.tool, "args": dict(step.args)}
    for check in content.checks:
        yield {"part": "check", "tool": check_text(check), "args": {}}


def _draft(agent: Agent, args: Namespace) -> tuple[Draft, dict[str, str]]:
    """Return the draft of a lesson and its values by name; no model is asked."""
    if not args.from_run:
        lesson = teach.lesson_from_file(args.sop, Path(args.from_file).expanduser().absolute())
        return teach.draft_of(agent, lesson), {}
    lesson = teach.lesson_from_run(agent, args.sop, *args.from_run)
    known = teach.values_that_vary(lesson)
    listed = [[name, text, True] for name, text in known.items()]
    values = FromOptions(args).vary(listed)
    return induce(lesson.traces, lesson.name, wanted=values), values


def _schema(properties: Mapping[str, Any], required: list[str]) -> Json:
    return {"type": "object", "properties": dict(properties), "required": required}
