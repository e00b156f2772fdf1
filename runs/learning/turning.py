"""Turn an SOP of the older form, whose steps are only shell, into one script that runs in a
stage."""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from learning.cases import read_cases
from learning.induce.from_runs import quoted
from learning.prove import Ground
from learning.prove.strictness import HEADS, Line, strict
from memory.sops import Sop
from replay.parameters import ParameterError
from replay.procedure import Procedure, Step
from replay.template import TEMPLATE
from runs.learning.lesson import Lesson


def turned(sop: Sop, ground: Ground) -> Lesson | None:
    """Return the lesson that an SOP is in the new form, tried with the values of its cases; None
    where its steps do more than shell, or no case can be tried today. Raises StageError."""
    procedure = sop.procedure
    if procedure is None or not _is_shell(procedure):
        return None
    lesson = Lesson(sop.name, ground)
    lesson.lines = [Line(_as_line(step)) for step in procedure.steps if step.tool]
    lesson.declared = {name: dict(schema) for name, schema in procedure.parameters.items()}
    lesson.safe_script = strict(lesson.lines, HEADS[0])
    lesson.request = next((each.text for each in procedure.wordings), "")
    for case in read_cases(sop.folder):
        lesson.ground = replace(ground, cwd=Path(case.cwd or ground.cwd))
        _try(lesson, case.parameters)
    return lesson if lesson.cases else None


def _try(lesson: Lesson, values: Mapping[str, Any]) -> None:
    """Take what the lesson does with these values, where it can take them and ends well."""
    with suppress(ParameterError):
        found = lesson.try_values(values)
        if found.seen.code == 0:
            lesson.accept(found)


def _is_shell(procedure: Procedure) -> bool:
    """Return True if each step is a script of bash that takes nothing from another step but the
    files."""
    if procedure.script or procedure.requires.get("env"):
        return False
    steps = [step for step in procedure.steps if step.tool and not step.id.startswith("check")]
    return bool(steps) and not steps[0].is_staged and all(map(_is_plain, procedure.steps))


def _is_plain(step: Step) -> bool:
    args = {"type": "bash", "cwd": "", **step.args}
    has_way = any((step.when, step.unless, step.done, step.stop))
    if step.tool != "code_run" or has_way or not isinstance(args.get("script"), str):
        return False
    is_bash = args["type"] == "bash" and args.keys() == {"type", "cwd", "script"}
    return is_bash and not TEMPLATE.search(f"{args['script']}\n{args['cwd']}")


def _as_line(step: Step) -> str:
    """Return a step as lines; in a folder of its own it is a shell of its own."""
    script = str(step.args["script"]).strip("\n")
    if "cwd" in step.args:
        return f"(\ncd {quoted(str(step.args['cwd']))}\n{script}\n)"
    sets = re.search(r"(?:^|[;&\n])\s*(?:cd|export|set)\s", script)
    return f"(\n{script}\n)" if sets else script
