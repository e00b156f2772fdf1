"""Learn from a run of scripts that has ended, when nobody is asked: what its request names varies,
and its own values prove it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from config import Config, SopwithError
from learning.draft import Draft
from learning.induce.from_runs import lines_of, other_values, tells
from learning.prove import Ground
from learning.trace import Trace
from memory.sops import Sop
from replay.procedure import Procedure
from runs.learning.lesson import Lesson
from runs.learning.lesson_files import files_of, kept_lesson
from runs.workshop import Workshop
from sandbox.undo import StageError


def ground_of(config: Config, cwd: Path) -> Ground:
    """Return where the scripts of an agent's SOPs are tried."""
    roots = [Path(root).expanduser() for root in config.safety.roots]
    return Ground.of(roots, config.home, cwd)


def learned_alone(agent: Workshop, trace: Trace, name: str) -> tuple[Lesson, str] | None:
    """Return what a run of scripts teaches, and what stands in the way of more; None for a run that
    did more. Raises SopwithError."""
    lesson = _induced(trace, name, ground_of(agent.config, trace.cwd))
    if lesson is None:
        return None
    return lesson, _proven(lesson)


def _induced(trace: Trace, name: str, ground: Ground) -> Lesson | None:
    lesson = Lesson.of_runs(name, ground, [trace])
    if lesson is None:
        return None
    try:
        lesson.settle()
    except StageError as error:
        lesson.notes.append(str(error))
    found = [each for each in lesson.candidates() if each.varies]
    lesson.take({each.name: each.text for each in found})
    lesson.follows = lesson.doubts()
    return lesson


def _proven(lesson: Lesson) -> str:
    """Try it with its own values; return why that proves nothing."""
    try:
        why = lesson.prove_own()
    except SopwithError as error:
        return str(error)
    seen = lesson.cases[0].seen if lesson.cases else None
    is_answer = seen and not seen.touched and seen.output.strip()
    if seen and is_answer and not tells(seen.output, lesson.traces[0].answer):
        lesson.cases.clear()
        return "the answer does not hold what was printed: it was worked out from it"
    return why


def repaired(trace: Trace, sop: Sop, values: Mapping[str, Any], ground: Ground) -> Draft | None:
    """Return the draft of an SOP of a stage, of a run that a model finished; None for a run that
    did more than scripts."""
    by_model = tuple(call for call in trace.calls if not call.call.startswith("rote"))
    lesson = Lesson.of_runs(sop.name, ground, [replace(trace, calls=by_model)])
    if lesson is None:
        return None
    lesson.settle()
    lesson.take({name: str(value) for name, value in values.items()})
    lesson.follows = lesson.doubts()
    why = lesson.prove_own()
    return Draft(sop.name, files_of(lesson), problems=[why] if why else [])


def same_script(lesson: Lesson, sops: Sequence[Sop]) -> Sop | None:
    """Return the SOP of another name that runs the same script already, whatever its parameters are
    called."""
    mine = _shape(lesson.script, list(lesson.values))
    for sop in sops:
        is_used = sop.name != lesson.name and sop.status not in ("archived", "suspended")
        if is_used and sop.procedure and _shape_of(sop.procedure) == mine:
            return sop
    return None


def _shape_of(procedure: Procedure) -> str:
    if not procedure.steps or not procedure.steps[0].is_staged:
        return ""
    return _shape(str(procedure.steps[0].args["script"]), list(procedure.parameters))


def _shape(script: str, names: Sequence[str]) -> str:
    for number, name in enumerate(names):
        script = re.sub(rf"\b{re.escape(name)}(?=\b|_)", f"#{number}", script)
    return script.strip("\n")


def values_of(sop: Sop, trace: Trace, ground: Ground) -> dict[str, str] | None:
    """Return the values with which a run did what an SOP does; None where it did something else."""
    kept, lines = kept_lesson(sop.name, sop.folder, ground), lines_of(trace)
    if kept is None or not lines or not kept.values:
        return None
    typed, own = kept.whole or kept.typed, "\n".join(line.text for line in lines)
    return other_values(typed, kept.values, own, kept.places)[0]
