"""Makes the draft of an SOP from what happened: one run, a recording, or several runs of the same task.

Kept are the calls that the result depends on; values of the request become parameters, results become saved values, what
came from the environment is asked of it again, everything else stays. Where a value came from is decided by
learning/provenance.py; a script is rewritten only when the rewriting is proven (learning/shell_words.py,
learning/python_words.py). What cannot be decided is listed in the draft and never guessed. No model is needed; where a
value was looked up or worked out, a model may write a script (learning/script_writing.py). Source: seed 002 §2.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from learning import script_writing
from learning.doubts import look_at_findings, look_for_leftovers
from learning.draft import Draft, DraftStep, LearningError, Taught, check_name, write_draft
from learning.kept import Work, begin, output_of, refuse, stands_in, verbs_of
from learning.proofs import checks, effects, requirements
from learning.provenance import Source, agree, fields_shown
from learning.script_writing import WriteScript
from learning.steps import build_step, folder_of_run, name_parameters, names_in_scripts, save, split
from learning.trace import Trace
from learning.units import MIN_BYTES, Unit, as_text
from learning.wordings import (
    keep_endings,
    plain_result,
    result_text,
    unique,
    wordings_of,
)
from replay.procedure import Procedure
from tools.scripts import clean

NO_CHECK = "nothing proves that it worked: it changes something and has no check"


def crystallise(
    traces: Trace | Sequence[Trace],
    name: str,
    *,
    values: Mapping[str, Any] | None = None,
    lang: str = "en",
    owner_home: Path | None = None,
    agent_home: Path = Path("/nonexistent"),
    write_script: WriteScript | None = None,
    earlier: Sequence[tuple[Trace, Mapping[str, Any]]] = (),
) -> Draft:
    """The draft that the traces teach. `values`: what the owner confirmed as parameters, name → value in the first trace.
    `earlier`: what the SOP of this name was taught from before, and the values; a script must do that, too.

    Raises LearningError when nothing can be learned from a trace.
    """
    check_name(name)
    named = (
        None
        if values is None
        else {
            key: as_text(value)
            for key, value in values.items()
            if isinstance(value, str | int | float)
        }
    )
    every = [traces] if isinstance(traces, Trace) else list(traces)
    if not every:
        raise LearningError("there is no run to learn from.")
    works = [
        begin(trace, named if n == 0 else None, owner_home or Path.home(), agent_home)
        for n, trace in enumerate(every)
    ]
    for other in works[1:]:
        _compare_units(works[0], other)
    _find_told(works)
    for work in works:
        _build(work, name, lang)
    first = works[0]
    for other in works[1:]:
        _compare_steps(first, other)
    _keep_shared(works)
    draft = write_draft(
        name,
        first.content,
        [_taught(work) for work in works],
        description=_description(first, name),
        slots=first.slots,
        problems=first.problems,
        notes=first.notes,
    )
    if write_script and len(works) == 1 and script_writing.needs_script(first):
        before = [
            each for trace, known in earlier for each in _as_before(first, trace, known, agent_home)
        ]
        return _with_script(draft, first, lang, write_script, before)
    return draft


def _as_before(
    first: Work, trace: Trace, known: Mapping[str, Any], agent_home: Path
) -> Iterator[tuple[Work, Mapping[str, Any]]]:
    """An earlier teaching with its values; nothing where no more is to be learned from it."""
    try:
        named = {
            name: as_text(value)
            for name, value in known.items()
            if isinstance(value, str | int | float)
        }
        work = begin(trace, named, first.around.owner_home, agent_home)
    except LearningError:
        return
    yield work, known


def _with_script(
    draft: Draft,
    work: Work,
    lang: str,
    write: WriteScript,
    before: Sequence[tuple[Work, Mapping[str, Any]]],
) -> Draft:
    """The draft with a script in place of its steps, where a model writes one that stands all checks."""
    parameters = dict(work.content.parameters)
    script_writing.take_all_values(work)
    taught = _taught(work)
    told, wrong = script_writing.brief(work, taught.values, taught.provenance), list[str]()
    for _ in range(script_writing.TRIES):
        if (source := write(told, wrong)) is None:
            work.content.parameters = parameters
            return draft
        wrong = script_writing.faults(source, work, taught.values)
        same = [each for each in before if set(each[1]) == set(taught.values)]
        for other, values in same if not wrong else ():
            wrong += [
                f"run {other.trace.run}: {fault}"
                for fault in script_writing.faults(source, other, values)
            ]
        if not wrong:
            break
    else:
        work.content.parameters = parameters
        draft.notes.append(f"a script was written, and dropped: {wrong[0]}")
        return draft
    content = work.content
    content.plan, content.commit, content.result, content.script = [], [], "", script_writing.NAME
    content.checks = [
        check for check in content.checks if _needs_no_steps(check["command"], content.parameters)
    ]
    _ask_for(work, draft.name, lang)
    changes = any(work.reaches[number] != "reads" for number in work.kept)
    open_problems = [each for each in work.problems if each.startswith(script_writing.UNSOLVED)]
    if changes and not content.checks and not open_problems:
        open_problems.append(NO_CHECK)
    return write_draft(
        draft.name,
        content,
        [taught],
        description=_description(work, draft.name),
        slots=[],
        problems=open_problems,
        notes=[*draft.notes, "scripts/run.py was written by a model, and does what the run did"],
        script=source,
    )


def _needs_no_steps(command: str, parameters: Mapping[str, Any]) -> bool:
    """True when a check uses nothing that steps would have saved."""
    return set(re.findall(r"\$\{?([a-z]\w*)", command)) <= {*parameters, "today", "cwd"}


def same_procedure(draft: Draft, existing: Procedure) -> str:
    """ "same", "variant" or "other": whether a draft does what an SOP does that exists.

    "same": the same tools and scripts, whatever the parameters are called. "variant": the same tools and head verbs.
    """
    if draft.content.script or existing.script:
        source = existing.script.source if existing.script else ""
        return "same" if draft.files.get(draft.content.script) == source else "other"
    ours = [(step.tool, step.args) for step in (*draft.content.plan, *draft.content.commit)]
    theirs = [
        (step.tool, dict(step.args))
        for step in existing.steps
        if step.tool and not step.id.startswith("check")
    ]
    names = [list(draft.content.parameters), list(existing.parameters)]
    shapes = [
        [_shape(tool, args, own) for tool, args in steps]
        for steps, own in zip((ours, theirs), names, strict=True)
    ]
    if shapes[0] == shapes[1]:
        return "same"
    verbs = [[verbs_of(tool, args) for tool, args in steps] for steps in (ours, theirs)]
    return "variant" if verbs[0] == verbs[1] else "other"


# Several runs


def _compare_units(first: Work, other: Work) -> None:
    """What both runs have the same is a constant that two runs agree on."""
    if [
        verbs_of(w.trace.calls[n].tool, w.trace.calls[n].args) for w in (first,) for n in first.kept
    ] != [verbs_of(other.trace.calls[n].tool, other.trace.calls[n].args) for n in other.kept]:
        first.problem(
            "the runs do not have the same steps (branches): what decides between them is not known"
        )
        return
    places = {n: k for k, n in enumerate(first.kept)}, {n: k for k, n in enumerate(other.kept)}
    ours = {
        (places[0][u.call], u.argument, u.number): u
        for u in first.found.units
        if u.call in places[0]
    }
    theirs = {
        (places[1][u.call], u.argument, u.number): u
        for u in other.found.units
        if u.call in places[1]
    }
    for key in ours.keys() & theirs.keys():
        if ours[key].text == theirs[key].text:
            first.agreed.add(ours[key].where)
            other.agreed.add(theirs[key].where)
    values = [{m.value for m in work.found.mentions if m.is_hard} for work in (first, other)]
    for work, mine, yours in ((first, ours, theirs), (other, theirs, ours)):
        _decide_short(work, mine, yours, values[0] & values[1])


def _decide_short(
    work: Work, mine: Mapping[Any, Unit], yours: Mapping[Any, Unit], shared: set[str]
) -> None:
    """A value of the request that the other run, with another request, has too is a constant; a short one that it has
    not is the value."""
    keys = {unit.where: key for key, unit in mine.items()}
    for number, each in enumerate(work.found.found):
        key, mention = keys.get(each.unit.where), each.source.mention
        if (
            key is None
            or key not in yours
            or mention is None
            or not mention.is_hard
            or mention.value in shared
        ):
            continue
        if mine[key].text == yours[key].text:
            work.found.found[number] = replace(
                each, candidates=(), source=Source("constant"), why="another run has it"
            )
        elif each.candidates and each.candidates[-1].origin == "constant":
            work.found.found[number] = replace(
                each, candidates=(), why="another run has another value"
            )


def _compare_steps(first: Work, other: Work) -> None:
    same = [
        [step.as_yaml() for step in (*work.content.plan, *work.content.commit)]
        for work in (first, other)
    ]
    if same[0] == same[1]:
        return
    if len(same[0]) != len(same[1]):
        first.problem(
            "the runs do not have the same steps (branches): what decides between them is not known"
        )
        return
    for number, (one, two) in enumerate(zip(*same, strict=True), 1):
        if one != two:
            first.problem(
                f"step {number} differs between the runs, and nothing in the requests explains it: {one['args']} / {two['args']}"[
                    :300
                ]
            )


def _find_told(works: Sequence[Work]) -> None:
    """Of a result in fields, the one that the answer gives: there is no other, or all runs agree on it."""
    told = [_told_of(work) for work in works]
    common = [source for source in told[0] if all(source in other for other in told)]
    for work, own in zip(works, told, strict=True):
        for extractor in common if len(common) == 1 else ():
            value, source = own[extractor]
            words = re.findall(r"[a-z]+|[\u4e00-\u9fff]", work.trace.request.lower())
            is_said = agree((extractor.rpartition(".")[2].lower(),), words)
            if len(works) > 1 or len(value.encode()) >= MIN_BYTES or is_said:
                work.told[source.call] = source


def _told_of(work: Work) -> dict[str, tuple[str, Source]]:
    """The fields of the last result whose value stands in the answer, by extractor."""
    if (
        work.answers
        or work.trace.taught is not None
        or any(work.reaches[n] != "reads" for n in work.kept)
    ):
        return {}
    asked = {text for mention in work.found.mentions for text in (mention.value, mention.text)}
    shown = fields_shown(work.trace, work.around, work.found.mentions, work.kept[-1])
    return {
        source.extractor: (value, source)
        for value, source in shown
        if value not in asked and stands_in(value, work.trace.answer)
    }


def _keep_shared(works: Sequence[Work]) -> None:
    """A value that all runs were asked with, and that is no place, is the only one that is known to work."""
    first, *others = [_taught(work).values for work in works]
    for name, schema in works[0].content.parameters.items() if others else ():
        value = first.get(name)
        if schema.get("format") != "path" and all(
            name in other and other[name] == value for other in others
        ):
            schema["enum"] = [value]


# Building the steps


def _build(work: Work, name: str, lang: str) -> None:
    look_at_findings(work)
    name_parameters(work)
    for number in work.kept:
        build_step(work, number)
    folder_of_run(work)
    split(work)
    look_for_leftovers(work)
    requirements(work)
    work.content.effects = effects(work)
    _say(work, name, lang)
    work.content.checks = checks(work)
    if (
        work.content.commit
        and not work.content.checks
        and not any("fields" in s.expect for s in work.content.commit)
    ):
        work.problem(NO_CHECK)


def _say(work: Work, name: str, lang: str) -> None:
    """Wordings and the text of the result."""
    work.content.result = _result(work, _ask_for(work, name, lang), lang)


def _ask_for(work: Work, name: str, lang: str) -> dict[int, str]:
    """The wordings; returns the names of the mentions in them."""
    names = {
        id(mention): work.names[id(mention)]
        for mention in work.found.mentions
        if id(mention) in work.names
    }
    if work.trace.taught is None:
        work.content.wordings = wordings_of(
            work.trace.request, work.found.mentions, names, work.content.parameters
        )
        by_name = {
            names[id(mention)]: mention for mention in work.found.mentions if id(mention) in names
        }
        keep_endings(work.content.wordings[0], by_name, work.content.parameters)
    else:
        work.content.wordings = plain_wordings(name, work.content.parameters, lang)
    return names


def plain_wordings(name: str, parameters: Mapping[str, Any], lang: str) -> list[str]:
    """How to ask for an SOP that nobody has asked for in words yet."""
    words, listed = name.replace("-", " "), list(parameters)
    if not listed:
        return [words, f"run {words}"]
    english = f"{words} with " + " and ".join(
        f"{each.replace('_', ' ')} {{{each}}}" for each in listed
    )
    return (
        [english, f"用 {'、'.join(f'{{{each}}}' for each in listed)} 做 {words}"]
        if lang == "zh"
        else [english]
    )


def _result(work: Work, names: dict[int, str], lang: str) -> str | dict[str, str]:
    if work.content.commit and not work.answers:
        counted = next(
            (step.when for step in work.content.commit if step.tool == "file_trash" and step.when),
            "",
        )
        return plain_result(work.content, counted)
    last = work.answers[-1] if work.answers else work.kept[-1]
    step = work.step_of[last]
    if last in work.told:
        return f"{{{{{save(work, work.told[last], 'answer')}}}}}"
    output = _save_output(work, last, step)
    if work.trace.taught is None and not work.answers:
        work.problem(
            "the answer does not hold what the last step printed: it was worked out from it, which needs a script"
        )
    sentence = result_text(
        work.trace, output_of(work.trace.calls[last]), output, work.found.mentions, names
    )
    return sentence or f"{{{{{output}}}}}"


def _save_output(work: Work, number: int, step: DraftStep) -> str:
    if name := next((key for key, extractor in step.save.items() if extractor == "output"), ""):
        return name
    name = unique(
        "answer", {*work.content.parameters, *work.saved.values(), *names_in_scripts(work)}
    )
    step.save[name] = "output"
    return name


# What is told


def _taught(work: Work) -> Taught:
    values: dict[str, Any] = {}
    for mention in work.found.mentions:
        if id(mention) in work.names:
            name = work.names[id(mention)]
            kind = work.content.parameters.get(name, {}).get("type")
            values[name] = (
                int(mention.value)
                if kind == "integer"
                else float(mention.value)
                if kind == "number"
                else mention.value
                if mention.kind in ("path", "date")
                else mention.text
            )
    return Taught(work.trace, values, _origins(work), clean(work.trace.answer))


def _origins(work: Work) -> list[dict[str, Any]]:
    found = []
    for each in work.found.found:
        if each.unit.call not in work.kept:
            continue
        entry: dict[str, Any] = {
            "turn": work.trace.calls[each.unit.call].turn,
            "argument": ".".join(map(str, each.unit.argument)),
            "value": each.text[:200],
            "from": "ambiguous" if each.candidates else each.source.origin,
        }
        if each.source.mention is not None and id(each.source.mention) in work.names:
            entry["parameter"] = work.names[id(each.source.mention)]
        if each.source.origin in ("earlier", "reasoned") and each.source.call >= 0:
            entry["turn_of"] = work.trace.calls[each.source.call].turn
        if each.source.origin == "constant":
            entry["seen"] = "in every run" if each.unit.where in work.agreed else "once"
        found.append(entry)
    return found


def _description(work: Work, name: str) -> str:
    if work.trace.taught is not None:
        verbs = [
            word
            for number in work.kept
            for word in verbs_of(work.trace.calls[number].tool, work.trace.calls[number].args)[1:2]
        ]
        return f"{name.replace('-', ' ').capitalize()}: {', '.join(dict.fromkeys(verbs))}, as the owner did it once."
    text = work.trace.request
    for mention in sorted(work.found.mentions, key=lambda each: each.start, reverse=True):
        if id(mention) in work.names and mention.start >= 0:
            text = f"{text[: mention.start]}{work.names[id(mention)].upper()}{text[mention.end :]}"
    return text


def _shape(tool: str, args: Mapping[str, Any], names: list[str]) -> tuple[str, str]:
    text = repr(sorted((key, value) for key, value in args.items()))
    for number, name in enumerate(names):
        text = re.sub(
            rf"(?<=\$)\{{?{name}\b\}}?|(?<=\{{\{{){name}(?=\}}\}})|(?<=environ\[\"){name}(?=\"\])",
            f"#{number}",
            text,
        )
    return tool, text


__all__ = [
    "Draft",
    "LearningError",
    "crystallise",
    "refuse",
    "same_procedure",
]
