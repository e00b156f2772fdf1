"""Let a model write the script of an SOP where a value was worked out and steps cannot say how;
code decides.

The model is told the requests, the calls and their results. Its script is checked before anything
is stored: it parses, and, driven with what the calls of each run answered, asks for the same
changes and comes to the same answer. What is wrong is told once more.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from learning.calls import Call, Run, described, kind_of, spans
from learning.draft import Draft, write_draft
from learning.folder import load
from learning.judged.retracing import retrace
from learning.trace import Trace
from replay.procedure import ProcedureError

NAME = "scripts/run.py"
TRIES = 2
MAX_SHOWN_CHARS = 1_500  # of one result
WriteScript = Callable[[str, Sequence[str]], str | None]  # brief, what was wrong → source


def with_script(draft: Draft, traces: Sequence[Trace], write: WriteScript) -> Draft:
    """Return the draft with a script for its steps, where a model writes one that holds."""
    runs = [Run.read(trace) for trace in traces]
    values = _shared_values(draft, runs)
    told, wrong = _brief(draft, runs, values), list[str]()
    for _ in range(TRIES):
        source = write(told, wrong)
        if source is None:
            return draft
        made = _written(draft, values, source)
        wrong = faults(made, runs, values)
        if not wrong:
            return made
    return replace(draft, notes=[*draft.notes, f"a model's script was not taken: {wrong[0]}"])


def _shared_values(draft: Draft, runs: Sequence[Run]) -> list[dict[str, Any]]:
    """Return the values of each run that have a counterpart in all others."""
    pairs = zip(runs, draft.taught, strict=True)
    values = [_all_values(run, taught.values) for run, taught in pairs]
    names = [name for name in values[0] if all(name in each for each in values)]
    return [{name: each[name] for name in names} for each in values]


def faults(made: Draft, runs: Sequence[Run], values: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return what is wrong with a script, a line each. It is run only when it reads well."""
    try:
        procedure = load(made.files)
    except ProcedureError as error:
        return [str(error)]
    whys = [retrace(procedure, run, each) for run, each in zip(runs, values, strict=True)]
    return [f"with the values of run {n}: {why}" for n, why in enumerate(whys, 1) if why]


def _written(draft: Draft, values: Sequence[Mapping[str, Any]], source: str) -> Draft:
    content = draft.content
    kinds = {name: {"type": kind_of(value)} for name, value in values[0].items()}
    parameters = {name: content.parameters.get(name, kinds[name]) for name in kinds}
    made = replace(
        content, parameters=parameters, plan=[], commit=[], script=NAME, result="", checks=[]
    )
    made.wordings = [f"{draft.name.replace('-', ' ')} {' '.join(f'{{{n}}}' for n in parameters)}"]
    taught = [replace(t, values=dict(v)) for t, v in zip(draft.taught, values, strict=True)]
    notes = [*draft.notes, "scripts/run.py was written by a model, and does what the runs did"]
    about = described(draft.taught[0].trace.request, values[0])
    return write_draft(
        draft.name, made, taught, description=about, problems=[], notes=notes, script=source
    )


def _all_values(run: Run, known: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of a request, also those that no call holds."""
    from text.values import values_in

    found = dict(known)
    said = [span for value in known.values() for span in spans(run.request, str(value), True)]
    for number, each in enumerate(values_in(run.request), 1):
        is_known = any(start <= each.start < end for start, end in said)
        if not is_known:
            text = each.text[1:-1] if each.is_quoted else each.text
            found[f"value_{number}"] = int(text) if re.fullmatch(r"\d{1,9}", text) else text
    return found


def _brief(draft: Draft, runs: Sequence[Run], values: Sequence[Mapping[str, Any]]) -> str:
    """Return what a model must know to write the script: one JSON object."""
    said = {
        "runs": [
            {
                "request": run.request,
                "parameters": dict(each),
                "calls": [_call(call) for call in (*run.plan, *run.writes, *run.after)],
                "answer": _cut(run.trace.answer),
            }
            for run, each in zip(runs, values, strict=True)
        ],
        "what stands in the way": draft.problems,
    }
    return json.dumps(said, ensure_ascii=False, indent=1)


def _call(call: Call) -> dict[str, Any]:
    does = "reads" if call.reads else "changes"
    result = _cut(json.dumps(call.value, ensure_ascii=False, default=str))
    return {"tool": call.tool, "args": call.args, "does": does, "result": result}


def _cut(text: str) -> str:
    return text if len(text) <= MAX_SHOWN_CHARS else f"{text[:MAX_SHOWN_CHARS]} …"


def source_in(reply: str) -> str:
    """Return the Python of a reply: its block of code, or all of it."""
    blocks = re.findall(r"```(?:python|py)?[ \t]*\n(.*?)```", reply, re.DOTALL)
    return f"{(max(blocks, key=len) if blocks else reply).strip()}\n"
