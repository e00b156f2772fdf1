"""Makes the draft of an SOP from what happened: one run, a recording, or several runs of the same task.

Kept are the calls that the result depends on; values of the request become parameters, results become saved values, what
came from the environment is asked of it again, everything else stays. Where a value came from is decided by
learning/provenance.py; a script is rewritten only when the rewriting is proven (learning/shell_words.py,
learning/python_words.py). What cannot be decided is listed in the draft and never guessed. No model is needed; what a
model could add comes in as `write_script`. Source: seed 002 §2; shared figures "By rote".
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import pairwise
from pathlib import Path
from typing import Any

from learning import python_words, shell_words
from learning.draft import Content, Draft, DraftStep, LearningError, Slot, Taught, check_name, write_draft
from learning.mentions import Mention
from learning.provenance import Found, Provenance, Source, Surroundings, Unit, absolute, as_text, provenance, scalars
from learning.reach import Reach, reach_of, written_operands
from learning.trace import Observed, Trace
from learning.wordings import fitted, name_of, plain_result, result_text, schema_of, unique, wordings_of
from models.procedure import Procedure
from safety.shell import NotUnderstood
from tools.output import clean

WriteScript = Callable[[Draft, str], str | None]
_COMPOSED = ("content", "new", "old", "text", "body", "message")  # arguments that a model may have written itself
_LONG_TEXT = 40
_BUILT_IN = frozenset(["cd", "echo", "printf", "test", "[", "export", "set", "read", "exit", "true", "false", "pwd", "local", "declare", ":", "for", "type", "command", "umask", "wait", "eval", "source", "."])  # fmt: skip


@dataclass(slots=True)
class _Work:
    """One trace on its way to a draft."""

    trace: Trace
    around: Surroundings
    found: Provenance
    reaches: list[Reach]
    agreed: set[tuple[Any, ...]] = field(default_factory=set)  # units that another run has the same
    names: dict[int, str] = field(default_factory=dict)  # id of a mention → parameter
    content: Content = field(default_factory=Content)
    slots: list[Slot] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    kept: list[int] = field(default_factory=list)
    saved: dict[tuple[int, str], str] = field(default_factory=dict)  # (call, extractor) → saved value
    step_of: dict[int, DraftStep] = field(default_factory=dict)
    answers: list[int] = field(default_factory=list)  # calls whose output is in the answer

    def problem(self, text: str) -> None:
        if text not in self.problems:
            self.problems.append(text)


def crystallise(
    traces: Trace | Sequence[Trace],
    name: str,
    *,
    values: Mapping[str, Any] | None = None,
    lang: str = "en",
    owner_home: Path | None = None,
    agent_home: Path = Path("/nonexistent"),
    write_script: WriteScript | None = None,
) -> Draft:
    """The draft that the traces teach. `values`: what the owner confirmed as parameters, name → value in the first trace.

    Raises LearningError when nothing can be learned from a trace.
    """
    check_name(name)
    named = (
        None
        if values is None
        else {key: as_text(value) for key, value in values.items() if isinstance(value, str | int | float)}
    )
    every = [traces] if isinstance(traces, Trace) else list(traces)
    if not every:
        raise LearningError("there is no run to learn from.")
    works = [
        _begin(trace, named if n == 0 else None, owner_home or Path.home(), agent_home) for n, trace in enumerate(every)
    ]
    for other in works[1:]:
        _compare_units(works[0], other)
    for work in works:
        _build(work, name, lang)
    first = works[0]
    for other in works[1:]:
        _compare_steps(first, other)
    if first.trace.taught is not None and values is None:
        first.slots += guesses(first.trace, first.around.owner_home)
    draft = write_draft(
        name,
        first.content,
        [_taught(work) for work in works],
        description=_description(first, name),
        slots=first.slots,
        problems=first.problems,
        notes=first.notes,
    )
    if write_script and draft.problems and (script := write_script(draft, brief(first))):
        draft.files["scripts/run.py"] = script
        draft.notes.append("scripts/run.py was written by a model; nothing has proven it yet")
    return draft


def refuse(trace: Trace) -> None:
    """Raises LearningError when nothing may be learned from a run."""
    if not any(call.tool not in ("ask_user", "update_working_checkpoint") for call in trace.calls):
        raise LearningError(f"run {trace.run} made no calls: there is nothing in it that could be done by rote.")
    if trace.status != "done":
        raise LearningError(f"run {trace.run} ended as {trace.status}: only a run that is done can teach.")
    if trace.by_rote:
        raise LearningError(f"run {trace.run} was done by rote: it teaches nothing that {trace.sop} does not know.")


def guesses(trace: Trace, owner_home: Path) -> list[Slot]:
    """What of a recording may vary: its paths, numbers, dates and texts, with names to offer."""
    found: dict[str, Slot] = {}
    taken: set[str] = set()
    work = _begin(trace, None, owner_home, Path("/nonexistent"))
    for unit in work.found.units:
        text = re.sub(r"^[+-](?=\d+$)", "", unit.text)
        mention = fitted(text, unit)
        if (
            unit.place == "fixed"
            or mention is None
            or text in found
            or unit.text.startswith("-")
            and not text.isdigit()
        ):
            continue
        name = unique(name_of(mention, [unit]), taken)
        found[text] = Slot(name, text, _where(work, unit), (name, "constant"), "may vary")
    return list(found.values())


def recorded(trace: Trace, commands: Iterable[Any]) -> Trace:
    """A recording with only the commands that count (learning/demonstration.py), as scripts that stand alone.

    A command that needs variables or settings of earlier ones gets those in front of it.
    """
    listed = list(commands)
    by_turn = {command.turn: command for command in listed}
    needed = {turn for command in listed if command.kept for turn in command.needs}
    calls = []
    for call in trace.calls:
        command = by_turn.get(call.turn)
        if command is None or not command.kept or command.turn in needed:
            continue
        script = "\n".join([*(by_turn[turn].script for turn in command.needs), command.script])
        args: dict[str, Any] = {"type": "bash", "script": script}
        if command.cwd and Path(command.cwd) != trace.cwd:
            args["cwd"] = command.cwd
        calls.append(replace(call, args=args))
    return replace(trace, calls=tuple(calls))


def same_procedure(draft: Draft, existing: Procedure) -> str:
    """ "same", "variant" or "other": whether a draft does what an SOP does that exists.

    "same": the same tools and scripts, whatever the parameters are called. "variant": the same tools and head verbs.
    """
    ours = [(step.tool, step.args) for step in (*draft.content.plan, *draft.content.commit)]
    theirs = [(step.tool, dict(step.args)) for step in existing.steps if step.tool and not step.id.startswith("check")]
    names = [list(draft.content.parameters), list(existing.parameters)]
    shapes = [
        [_shape(tool, args, own) for tool, args in steps] for steps, own in zip((ours, theirs), names, strict=True)
    ]
    if shapes[0] == shapes[1]:
        return "same"
    verbs = [[_verbs(tool, args) for tool, args in steps] for steps in (ours, theirs)]
    return "variant" if verbs[0] == verbs[1] else "other"


def brief(work: _Work) -> str:
    """What a model must know to write the script that the steps could not become."""
    lines = [
        f"Request: {work.trace.request}",
        "",
        "What stands in the way:",
        *(f"- {each}" for each in work.problems),
        "",
        "Calls:",
    ]
    lines += [f"{number + 1}. {call.tool} {call.args}" for number, call in enumerate(work.trace.calls)]
    lines += ["", "Where the values came from:", *(f"- {entry}" for entry in _origins(work))]
    return "\n".join(lines)


# Beginning: what is there


def _begin(trace: Trace, values: Mapping[str, str] | None, owner_home: Path, agent_home: Path) -> _Work:
    refuse(trace)
    today = datetime.fromisoformat(trace.at.replace("Z", "+00:00")).astimezone().date().isoformat()
    around = Surroundings(trace.cwd, owner_home, today, os.environ.get("USER", ""), os.uname().nodename)
    trace = replace(trace, calls=tuple(_normal(call, trace, owner_home) for call in trace.calls))
    found = provenance(trace, around, values)
    reaches = [reach_of(call, trace.cwd, owner_home, agent_home) for call in trace.calls]
    work = _Work(trace, around, found, reaches)
    _keep(work)
    return work


def _normal(call: Observed, trace: Trace, owner_home: Path) -> Observed:
    """`cd X && …` becomes the call's folder; a folder that is the run's own is none."""
    args = dict(call.args)
    script = args.get("script")
    if call.tool == "code_run" and args.get("type") == "bash" and isinstance(script, str):
        start = re.match(r"\s*cd\s+(?!-)", script)
        if start and (moved := _without_cd(script)):
            folder, args["script"] = moved
            args["cwd"] = folder if not args.get("cwd") or folder[0] in "/~" else f"{args['cwd']}/{folder}"
    if args.get("cwd") and absolute(str(args["cwd"]), trace.cwd, owner_home) == trace.cwd:
        del args["cwd"]
    return replace(call, args=args)


def _without_cd(script: str) -> tuple[str, str] | None:
    try:
        words = shell_words.scan(script).words
    except NotUnderstood:
        return None
    if len(words) < 3 or words[0].text != "cd" or words[2].command == words[1].command:
        return None
    target, rest = words[1], script[words[1].end :].lstrip(" \t")
    separator = re.match(r"(&&|;|\n)\s*", rest)
    if (
        not separator
        or not target.is_known
        or target.has_glob
        or any(word.text in ("cd", "pushd") for word in words[2:])
    ):
        return None
    text = (
        target.text
        if (target.pieces and target.pieces[0].kind == "home") or not target.text.startswith("~")
        else "./" + target.text
    )
    return (text, rest[separator.end() :]) if text else None


# Keeping: what the result depends on


def _keep(work: _Work) -> None:
    """Decides which calls stay, from the last to the first; says why the others do not."""
    calls = work.trace.calls
    ok = [n for n, call in enumerate(calls) if _succeeded(call)]
    changes = [n for n in ok if work.reaches[n] != "reads"]
    work.answers = _answering(work, ok)
    wanted = set(changes) | set(work.answers)
    if not wanted and ok:
        wanted = {ok[-1]}
    for n in range(len(calls) - 1, -1, -1):
        if n in wanted:
            wanted |= _sources(work, n)
    work.kept = [
        n for n in sorted(wanted) if n in ok and calls[n].tool not in ("ask_user", "update_working_checkpoint")
    ]
    for n, call in enumerate(calls):
        if n not in work.kept:
            _note_dropped(work, n, call, ok)
    if not work.kept:
        raise LearningError(f"run {work.trace.run}: none of its calls succeeded, so there is nothing to learn.")


def _sources(work: _Work, number: int) -> set[int]:
    found = {each.source.call for each in work.found.of("earlier") if each.unit.call == number}
    return found | {source.call for units, source in work.found.lists if units[0].call == number}


def _succeeded(call: Observed) -> bool:
    return call.status == "ok"


def _answering(work: _Work, ok: list[int]) -> list[int]:
    """The reading calls whose whole output stands in the answer."""
    answer = work.trace.answer
    if work.trace.taught is not None or not answer:
        return []
    found = []
    for n in ok:
        text = _output(work.trace.calls[n])
        if (
            work.reaches[n] == "reads"
            and text
            and len(text) <= 4_000
            and all(_stands_in(line, answer) for line in text.splitlines())
        ):
            found.append(n)
    return found[-1:]


def _stands_in(text: str, answer: str) -> bool:
    text = text.strip()
    return not text or re.search(rf"(?<![\w.]){re.escape(text)}(?![\w]|[.,]\d)", answer) is not None


def _output(call: Observed) -> str:
    if isinstance(call.data, dict):
        return "" if call.data.get("file") else str(call.data.get("output", "")).strip("\n")
    return call.data if isinstance(call.data, str) else ""


def _note_dropped(work: _Work, number: int, call: Observed, ok: list[int]) -> None:
    what = f"call {number + 1} ({call.tool}{': ' + _short(call) if _short(call) else ''})"
    if number in ok:
        work.notes.append(f"{what} left out: it only looked, and no later step uses what it showed")
    elif work.reaches[number] == "reads":
        work.notes.append(f"{what} left out: it failed")
    elif any(_redid(call, work.trace.calls[later]) for later in ok if later > number):
        work.notes.append(f"{what} left out: it failed and was done again")
    else:
        work.notes.append(f"{what} left out: it failed")
        work.problem(f"{what} failed and was not done again; it may have changed something that the rest relies on")


def _redid(failed: Observed, later: Observed) -> bool:
    if failed.tool != later.tool:
        return False
    return _verbs(failed.tool, failed.args)[:2] == _verbs(later.tool, later.args)[:2]


def _verbs(tool: str, args: Mapping[str, Any]) -> tuple[str, ...]:
    script = args.get("script")
    if tool != "code_run" or not isinstance(script, str) or args.get("type") == "python":
        return (tool, str(args.get("type", "")))
    try:
        words = shell_words.scan(script).words
    except NotUnderstood:
        return (tool, script)
    return (
        tool,
        *(word.text for word in words if word.is_first or (word.place == "fixed" and not word.text.startswith("-"))),
    )


def _short(call: Observed) -> str:
    text = str(call.args.get("script") or call.args.get("path") or "")
    text = " ".join(text.split())
    return text if len(text) <= 60 else f"{text[:57]}…"


# Several runs


def _compare_units(first: _Work, other: _Work) -> None:
    """What both runs have the same is a constant that two runs agree on."""
    if [_verbs(w.trace.calls[n].tool, w.trace.calls[n].args) for w in (first,) for n in first.kept] != [
        _verbs(other.trace.calls[n].tool, other.trace.calls[n].args) for n in other.kept
    ]:
        first.problem("the runs do not have the same steps (branches): what decides between them is not known")
        return
    places = {n: k for k, n in enumerate(first.kept)}, {n: k for k, n in enumerate(other.kept)}
    ours = {(places[0][u.call], u.argument, u.number): u for u in first.found.units if u.call in places[0]}
    theirs = {(places[1][u.call], u.argument, u.number): u for u in other.found.units if u.call in places[1]}
    for key in ours.keys() & theirs.keys():
        if ours[key].text == theirs[key].text:
            first.agreed.add(ours[key].where)
            other.agreed.add(theirs[key].where)
    values = [{m.value for m in work.found.mentions if m.is_hard} for work in (first, other)]
    for work, mine, yours in ((first, ours, theirs), (other, theirs, ours)):
        _decide_short(work, mine, yours, values[0] & values[1])


def _decide_short(work: _Work, mine: Mapping[Any, Unit], yours: Mapping[Any, Unit], shared: set[str]) -> None:
    """A value of the request that the other run, with another request, has too is a constant; a short one that it has
    not is the value."""
    keys = {unit.where: key for key, unit in mine.items()}
    for number, each in enumerate(work.found.found):
        key, mention = keys.get(each.unit.where), each.source.mention
        if key is None or key not in yours or mention is None or not mention.is_hard or mention.value in shared:
            continue
        if mine[key].text == yours[key].text:
            work.found.found[number] = replace(each, candidates=(), source=Source("constant"), why="another run has it")
        elif each.candidates and each.candidates[-1].origin == "constant":
            work.found.found[number] = replace(each, candidates=(), why="another run has another value")


def _compare_steps(first: _Work, other: _Work) -> None:
    same = [[step.as_yaml() for step in (*work.content.plan, *work.content.commit)] for work in (first, other)]
    if same[0] == same[1]:
        return
    if len(same[0]) != len(same[1]):
        first.problem("the runs do not have the same steps (branches): what decides between them is not known")
        return
    for number, (one, two) in enumerate(zip(*same, strict=True), 1):
        if one != two:
            first.problem(
                f"step {number} differs between the runs, and nothing in the requests explains it: {one['args']} / {two['args']}"[
                    :300
                ]
            )


# Building the steps


def _build(work: _Work, name: str, lang: str) -> None:
    _check_findings(work)
    _name_parameters(work)
    for number in work.kept:
        _step(work, number)
    _folder_of_run(work)
    _split(work)
    _leftovers(work)
    _requirements(work)
    work.content.effects = _effects(work)
    _say(work, name, lang)
    work.content.checks = _checks(work)
    if work.content.commit and not work.content.checks:
        work.problem("nothing proves that it worked: it changes something and has no check")


def _check_findings(work: _Work) -> None:
    kept = set(work.kept)
    for number, why in work.found.unread:
        if number in kept:
            work.problem(
                f"call {number + 1}: its script is not read ({why}), so its values stay as they were"
            ) if _mentions_in_script(work, number) else None
    for each in work.found.ambiguous:
        if each.unit.call in kept and each.unit.where not in work.agreed:
            offered = tuple(_candidate(source) for source in each.candidates)
            work.slots.append(
                Slot(
                    name_of(each.source.mention, [each.unit]) if each.source.mention else "value",
                    each.text,
                    _where(work, each.unit),
                    offered,
                    each.why,
                )
            )
    for each in work.found.of("reasoned"):
        if each.unit.call in kept and each.unit.where not in work.agreed:
            work.problem(f"{_where(work, each.unit)}: {each.why}, and nothing says how it was chosen")
    for each in work.found.of("constant"):
        if each.unit.call in kept and each.unit.where not in work.agreed and _is_composed(work, each.unit):
            work.problem(
                f"{_where(work, each.unit)}: this text stands in no request and no result; another run may need another one"
            )
    for each in work.found.of("environment"):
        if each.unit.call in kept and (
            each.source.name in ("user", "host") or (each.source.operation and not each.unit.language)
        ):
            work.problem(
                f"{_where(work, each.unit)}: {each.text!r} is the {each.source.name} here, and cannot be asked for in this place"
            )


def _mentions_in_script(work: _Work, number: int) -> bool:
    text = str(work.trace.calls[number].args.get("script", ""))
    return any(form in text for mention in work.found.mentions if mention.is_hard for form in _forms(mention))


def _candidate(source: Source) -> str:
    if source.mention is not None:
        return f"{source.mention.text!r} of the request"
    return f"result of call {source.call + 1} ({source.extractor})" if source.origin == "earlier" else source.origin


def _is_composed(work: _Work, unit: Unit) -> bool:
    """A text that a model wrote out of its head; what an owner typed is meant as it is."""
    if work.trace.taught is not None:
        return False
    is_text = (not unit.language and unit.argument[-1] in _COMPOSED) or unit.place == "document"
    return is_text and (len(unit.text) >= _LONG_TEXT or unit.argument[-1] in ("content", "new", "old"))


def _name_parameters(work: _Work) -> None:
    """Each mention that a kept argument uses becomes a parameter with a name, a type and what its places allow."""
    by_mention: dict[int, list[Found]] = {}
    for each in work.found.of("request"):
        if each.unit.call in work.kept and each.source.mention is not None:
            by_mention.setdefault(id(each.source.mention), []).append(each)
    taken = _names_in_scripts(work)
    same: dict[tuple[str, str], str] = {}
    for mention in work.found.mentions:
        uses = by_mention.get(id(mention), [])
        if not uses and not _is_run_folder(work, mention):
            continue
        twin = same.get((mention.kind, mention.value))
        name = twin or mention.name or unique(name_of(mention, [each.unit for each in uses]), taken)
        taken.add(name)
        same[mention.kind, mention.value] = work.names[id(mention)] = name
        schema, why = schema_of(mention, uses)
        if why:
            work.problem(why)
        work.content.parameters.setdefault(name, schema)
    for mention in work.found.unused:
        if id(mention) not in work.names and not (mention.start < 0 and mention.name in work.content.parameters):
            work.problem(
                f"the request says {mention.text!r}, and no step uses it: something was worked out from it, or it is missing"
            )


def _names_in_scripts(work: _Work) -> set[str]:
    found = set()
    for number in work.kept:
        script = work.trace.calls[number].args.get("script")
        if isinstance(script, str):
            found |= set(re.findall(r"\b[a-z_][a-z0-9_]*\b", script)) & (
                shell_words.variables_of(script) | set(re.findall(r"\$\{?([a-z_]\w*)", script))
            )
    return found


def _is_run_folder(work: _Work, mention: Mention) -> bool:
    """True when the request names the folder that the run worked in: its relative paths start there."""
    return mention.kind == "path" and Path(mention.value) == work.trace.cwd and work.trace.cwd != work.around.owner_home


def _folder_of_run(work: _Work) -> None:
    for mention in work.found.mentions:
        if id(mention) in work.names and _is_run_folder(work, mention):
            for step in work.step_of.values():
                if step.tool == "code_run" and "cwd" not in step.args:
                    step.args["cwd"] = f"{{{{{work.names[id(mention)]}}}}}"
                elif step.tool != "code_run" and _has_relative_path(step):
                    work.problem(f"{step.tool}: its path starts in the folder of the run, which the request names")


def _has_relative_path(step: DraftStep) -> bool:
    return any(
        key in ("path", "paths") and not re.match(r"[/~{]", str(value)) for (key, *_), value in scalars(step.args)
    )


def _step(work: _Work, number: int) -> None:
    call = work.trace.calls[number]
    if moved := _trashed(work, number, call):
        work.step_of[number] = moved
        return
    step = DraftStep(call.tool, {}, calls=(number,))
    lists = {units[0].argument[:1]: source for units, source in work.found.lists if units[0].call == number}
    for key, value in call.args.items():
        if (key,) in lists and key != "script":
            step.args[key] = f"{{{{{_save(work, lists[key,], 'items')}}}}}"
        elif key == "script" and call.tool == "code_run":
            step.args[key] = _script(work, number, str(value), str(call.args.get("type")))
        else:
            step.args[key] = _filled(work, number, (key,), value)
    if ("script",) in lists:
        work.problem(
            f"call {number + 1}: a list of names that an earlier call printed stands in a command; it needs a script"
        )
    if call.tool == "code_run":
        code = call.data.get("exit_code", 0) if isinstance(call.data, dict) else 0
        step.expect = {"exit_code": code}
    else:
        step.expect = {"status": "ok"}
    work.step_of[number] = step


def _script(work: _Work, number: int, script: str, kind: str) -> str:
    """The script with values as environment variables. What cannot be proven stays as it was, and is a problem."""
    own = [
        each
        for each in work.found.found
        if each.unit.call == number and each.unit.argument == ("script",) and not each.candidates
    ]
    values: dict[str, str] = {}
    uses = []
    for each in own:
        name = _variable(work, each)
        if not name:
            continue
        uses.append((each, name))
        values[name] = _old_value(work, each)
    if not uses:
        return script
    try:
        if kind == "python":
            constants = python_words.scan(script)
            after = python_words.rewrite(
                script,
                constants,
                [python_words.PyUse(e.unit.number, e.start, e.end, n, e.source.operation) for e, n in uses],
            )
            is_proven = all(e.source.operation for e, _ in uses) or _python_proven(script, after, uses, work)
        else:
            scanned = shell_words.scan(script)
            after = shell_words.rewrite(
                scanned, [shell_words.Use(e.unit.number, e.start, e.end, n, e.source.operation) for e, n in uses]
            )
            is_proven = _shell_proven(script, scanned, uses, work)
    except NotUnderstood as error:
        work.problem(f"call {number + 1}: its script cannot take values ({error})")
        return script
    if not is_proven:
        work.problem(f"call {number + 1}: its script cannot be proven to mean the same with values put in")
        return script
    return after


def _shell_proven(script: str, scanned: shell_words.Script, uses: list[tuple[Found, str]], work: _Work) -> bool:
    """Each use by a variable of its own, so that the other reader can put the very text back that stood there."""
    numbered = [(each, f"{'HOME' if name == 'HOME' else f'sopwith_use_{n}'}") for n, (each, name) in enumerate(uses)]
    after = shell_words.rewrite(scanned, [shell_words.Use(e.unit.number, e.start, e.end, name) for e, name in numbered])
    home = str(work.around.owner_home)
    values = {
        name: (home + each.text[1:] if each.text.startswith("~") and each.unit.is_home_known else each.text)
        for each, name in numbered
    }
    return shell_words.same_meaning(script, after, values | {"HOME": home}, home)


def _python_proven(script: str, after: str, uses: list[tuple[Found, str]], work: _Work) -> bool:
    numbered = [(each, f"sopwith_use_{n}") for n, (each, _) in enumerate(uses)]
    constants = python_words.scan(script)
    trial = python_words.rewrite(
        script, constants, [python_words.PyUse(e.unit.number, e.start, e.end, name) for e, name in numbered]
    )
    return python_words.same_meaning(script, trial, {name: each.text for each, name in numbered})


def _variable(work: _Work, each: Found) -> str:
    source = each.source
    if source.origin == "request" and source.mention is not None:
        return work.names.get(id(source.mention), "")
    if source.origin == "earlier":
        return _save(work, source, name_of(None, [each.unit]))
    if source.origin == "environment" and source.name in ("cwd", "today", "home"):
        return "HOME" if source.name == "home" else source.name
    return ""


def _old_value(work: _Work, each: Found) -> str:
    mention = each.source.mention
    return mention.value if mention is not None and mention.kind == "path" else each.text


def _filled(work: _Work, number: int, path: tuple[str | int, ...], value: Any) -> Any:
    """An argument with templates in the places of values."""
    if isinstance(value, Mapping):
        return {key: _filled(work, number, (*path, str(key)), inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_filled(work, number, (*path, n), inner) for n, inner in enumerate(value)]
    own = [
        each
        for each in work.found.found
        if each.unit.call == number and each.unit.argument == path and not each.candidates
    ]
    text, used = value, False
    for each in sorted(own, key=lambda found: found.start, reverse=True):
        name = _variable(work, each)
        if not name:
            continue
        if each.source.operation:
            work.problem(f"{_where(work, each.unit)}: {each.text!r} is made of {name}, and a template cannot make it")
            continue
        new = "~" if name == "HOME" else f"{{{{{name}}}}}"
        text, used = (new if each.is_whole else str(text)[: each.start] + new + str(text)[each.end :]), True
    if isinstance(value, str) and "{{" in value:
        work.problem(f"call {number + 1}: its argument {path[0]} holds {{{{, which a step would take for a value")
    return text if used else value


def _save(work: _Work, source: Source, wish: str) -> str:
    """The name under which a step saves what a later one needs; it is made when first asked for."""
    key = source.call, source.extractor
    if key in work.saved:
        return work.saved[key]
    field_name = source.extractor.rpartition(".")[2] if "." in source.extractor else wish
    taken = {*work.content.parameters, *work.saved.values(), *_names_in_scripts(work)}
    name = work.saved[key] = unique(re.sub(r"[^a-z0-9_]", "_", field_name.lower()) or "value", taken)
    step = work.step_of.get(source.call)
    if step is None:
        work.problem(f"call {source.call + 1}: its result is needed, and it is no step")
        return name
    step.save[name] = source.extractor
    if source.extractor == "output":  # one line was read, so one line it must be
        lines = step.save.setdefault(unique(f"{name}_lines", taken | {name}), "lines")
        counted = next(key for key, value in step.save.items() if value == lines)
        step.expect = {**step.expect, "min_count": {counted: 1}, "max_count": {counted: 1}}
    return name


# rm becomes the trash; find -delete becomes a list and the trash


def _trashed(work: _Work, number: int, call: Observed) -> DraftStep | None:
    script = call.args.get("script")
    if call.tool != "code_run" or call.args.get("type") != "bash" or not isinstance(script, str):
        return None
    try:
        scanned = shell_words.scan(script)
    except NotUnderstood:
        return None
    verbs = [word for word in scanned.words if word.is_first]
    if len(verbs) != 1 or any(word.sets or word.redirect for word in scanned.words):
        return None
    if verbs[0].text == "rm":
        return _removed(work, number, call, scanned)
    return _found_and_deleted(work, number, call, scanned) if verbs[0].text == "find" else None


def _removed(work: _Work, number: int, call: Observed, scanned: shell_words.Script) -> DraftStep | None:
    """`rm FILES` as file_trash."""
    source = next((source for units, source in work.found.lists if units[0].call == number), None)
    if source is not None:
        name = _save(work, source, "files")
        return DraftStep("file_trash", {"paths": f"{{{{{name}}}}}"}, {"status": "ok"}, when=name, calls=(number,))
    operands = [
        (n, word) for n, word in enumerate(scanned.words) if not word.is_first and not word.text.startswith("-")
    ]
    if any(not word.is_known or word.has_glob for _, word in operands) or not operands or call.args.get("cwd"):
        return None
    paths = []
    for n, word in operands:
        text, own = (
            word.text,
            [each for each in work.found.found if each.unit.where == (number, ("script",), n) and not each.candidates],
        )
        if not (word.pieces and word.pieces[0].kind == "home") and text.startswith("~"):
            text = f"./{text}"
        for each in sorted(own, key=lambda found: found.start, reverse=True):
            name = _variable(work, each)
            if name and each.source.operation:
                return None
            if name:
                text = text[: each.start] + ("~" if name == "HOME" else f"{{{{{name}}}}}") + text[each.end :]
        paths.append(text)
    return DraftStep("file_trash", {"paths": paths}, {"status": "ok"}, calls=(number,))


_DELETES = re.compile(r"\s-delete\s*;?\s*$|\s-exec\s+rm\s+(?:-[fv]+\s+)*(?:--\s+)?(['\"]?)\{\}\1\s*(?:\\;|';'|\+)\s*$")


def _found_and_deleted(work: _Work, number: int, call: Observed, scanned: shell_words.Script) -> DraftStep | None:
    """`find … -type f … -delete` as a list, and file_trash of what is listed."""
    script = str(call.args["script"]).rstrip()
    ending = _DELETES.search(script)
    if not ending or not re.search(r"-type f\b", script) or call.args.get("cwd"):
        return None
    listing = _script(work, number, f"{script[: ending.start()]} -print", "bash")
    name = unique("files", {*work.content.parameters, *work.saved.values(), *_names_in_scripts(work)})
    work.saved[number, "lines"] = name
    first = DraftStep(
        "code_run", {"type": "bash", "script": listing}, {"exit_code": 0}, {name: "lines"}, calls=(number,)
    )
    work.step_of[-1 - number] = first
    return DraftStep("file_trash", {"paths": f"{{{{{name}}}}}"}, {"status": "ok"}, when=name, calls=(number,))


def _no_line_breaks(steps: list[DraftStep]) -> list[DraftStep]:
    """Before a list of found files is deleted: none of their names may hold a line break, or it would be two names."""
    found = []
    listed = {step.when for step in steps if step.tool == "file_trash" and step.when}
    for step in steps:
        script = str(step.args.get("script", "")).strip()
        if listed & step.save.keys() and re.match(r"find\s", script) and not re.search(r"[|;&\n]", script):
            tests = re.sub(r"\s-print0?$", "", script)
            guard = f"""test -z "$({tests} -path $'*\\n*' -print)\""""
            found.append(DraftStep(step.tool, {**step.args, "script": guard}, {"exit_code": 0}))
        found.append(step)
    return found


def _split(work: _Work) -> None:
    """What reads before the first change is the plan; the order stays."""
    for number in work.kept:
        step, before = work.step_of[number], work.step_of.get(-1 - number)
        if before is not None:
            (work.content.commit if work.content.commit else work.content.plan).append(before)
        changes = work.reaches[number] != "reads" or bool(work.content.commit)
        (work.content.commit if changes else work.content.plan).append(step)
    steps = _no_line_breaks([*work.content.plan, *work.content.commit])
    first = work.content.commit[0] if work.content.commit else None
    at = next((n for n, step in enumerate(steps) if step is first), len(steps))
    work.content.plan, work.content.commit = steps[:at], steps[at:]


def _forms(mention: Mention) -> set[str]:
    """The ways in which a value, or a part of it, may still stand somewhere."""
    found = {mention.value, mention.text}
    if mention.kind == "path":
        last = Path(mention.value)
        found = {
            mention.value,
            mention.text,
            last.name,
            last.stem if last.suffix and len(last.stem) >= 3 else last.name,
        }
    if mention.kind == "date":
        year, month, day = mention.value.split("-")
        found |= {
            f"{year}{month}{day}",
            f"{year}-{month}",
            f"{year}/{month}/{day}",
            f"{day}.{month}.{year}",
            f"{month}/{day}/{year}",
        }
    return {form for form in found if len(form.encode()) >= 3}


def _leftovers(work: _Work) -> None:
    """A value of the request that still stands in a step would be the old one in every replay."""
    for mention in work.found.mentions:
        if not mention.is_hard and id(mention) not in work.names:
            continue
        for step in (*work.content.plan, *work.content.commit):
            for path, text in scalars(step.args):
                is_python = step.args.get("type") == "python"
                scanned = _scanned(str(text)) if path == ("script",) and not is_python else None
                if any(shell_words.left_over(scanned, _without_names(str(text)), form) for form in _forms(mention)):
                    if mention.kind in ("word",) or _agreed_everywhere(work, mention):
                        continue
                    work.problem(
                        f"{mention.text!r} of the request still stands in {step.tool} {' '.join(str(text).split())[:120]!r}: it would be the same every time"
                    )


def _agreed_everywhere(work: _Work, mention: Mention) -> bool:
    """Another run, with another value, has the same text there."""
    left = [
        unit
        for unit in work.found.units
        if unit.call in work.kept and any(form in unit.text for form in _forms(mention))
    ]
    used = {each.unit.where for each in work.found.of("request") if each.source.mention is mention}
    return bool(left) and all(unit.where in work.agreed for unit in left if unit.where not in used)


def _without_names(text: str) -> str:
    """The text without its variables and templates: `$report` is not the word report."""
    return re.sub(r"\$\{?[A-Za-z_]\w*|\{\{[^{}]*\}\}|os\.environ\[\"\w+\"\]", " ", text)


def _scanned(script: str) -> shell_words.Script | None:
    try:
        return shell_words.scan(script)
    except NotUnderstood:
        return None


# What it needs, what it does, what proves it


def _requirements(work: _Work) -> None:
    commands: dict[str, None] = {}
    for step in (*work.content.plan, *work.content.commit):
        script = step.args.get("script")
        if step.args.get("type") == "bash" and isinstance(script, str) and (scanned := _scanned(script)):
            defined = set(re.findall(r"([\w-]+)\s*\(\)", script))
            for word in scanned.words:
                if word.place == "fixed" and word.text == word.verb and re.fullmatch(r"[\w.+-]+", word.text):
                    commands[word.text] = None
            commands = {name: None for name in commands if name not in _BUILT_IN | defined}
    if commands:
        work.content.requires["commands"] = list(commands)
    written = _written_places(work)
    for kind, is_there in (("folders", Path.is_dir), ("files", lambda path: _is_older(path, work.trace.at))):
        names = [
            work.names[id(mention)]
            for mention in work.found.mentions
            if id(mention) in work.names and mention.kind == "path" and _exists(is_there, mention.value) and not _is_written(work, mention, written)
        ]  # fmt: skip
        if names:
            work.content.requires[kind] = list(dict.fromkeys(names))
    if any(step.args.get("type") == "bash" for step in (*work.content.plan, *work.content.commit)):
        work.content.requires["platform"] = ["linux", "darwin"]


def _is_older(path: Path, at: str) -> bool:
    """A file that was there before the run: one that the run made is not asked for."""
    return path.is_file() and path.stat().st_mtime < datetime.fromisoformat(at.replace("Z", "+00:00")).timestamp()


def _exists(is_there: Callable[[Path], bool], path: str) -> bool:
    try:
        return is_there(Path(path))
    except (OSError, ValueError):
        return False


def _is_written(work: _Work, mention: Mention, written: set[tuple[Any, ...]]) -> bool:
    uses = [each for each in work.found.of("request") if each.source.mention is mention]
    return any(each.unit.where in written and each.is_whole for each in uses)


def _written_places(work: _Work) -> set[tuple[Any, ...]]:
    """The words that name what a command writes to, and the paths of file_write."""
    found: set[tuple[Any, ...]] = set()
    for number in work.kept:
        call = work.trace.calls[number]
        if call.tool == "file_write":
            found.add((number, ("path",), 0))
        scanned = _scanned(str(call.args.get("script", ""))) if call.args.get("type") == "bash" else None
        if scanned is None:
            continue
        for n, word in enumerate(scanned.words):
            if word.redirect and ">" in word.redirect:
                found.add((number, ("script",), n))
        for command in {word.command for word in scanned.words}:
            own = [
                n
                for n, word in enumerate(scanned.words)
                if word.command == command and not word.sets and not word.redirect
            ]
            operands = [n for n in own[1:] if not scanned.words[n].text.startswith("-")]
            if own:
                found |= {(number, ("script",), n) for n in written_operands(scanned.words[own[0]].text, operands)}
    return found


def _effects(work: _Work) -> str:
    reaches = {work.reaches[number] for number in work.kept} | (
        {"destructive"} if any(s.tool == "file_trash" for s in work.content.commit) else set()
    )
    for effect in ("destructive", "external", "local"):
        if effect in reaches:
            return effect
    return "none"


def _checks(work: _Work) -> list[dict[str, str]]:
    """What can be proven afterwards: what was deleted is gone, what was made is there, the list is empty."""
    found: list[dict[str, str]] = []
    for step in work.content.commit:
        if step.tool == "file_trash":
            found += _gone(work, step)
        elif step.tool == "file_write":
            found += _there(str(step.args.get("path", "")))
        elif step.tool == "code_run" and step.args.get("type") == "bash" and isinstance(step.args.get("script"), str):
            found += _made(step)
        elif step.tool == "code_run" and isinstance(step.args.get("script"), str):
            found += _python_made(step)
    return [check for n, check in enumerate(found) if check not in found[:n]][:6]


def _gone(work: _Work, step: DraftStep) -> list[dict[str, str]]:
    if isinstance(step.args["paths"], list):
        return [{"command": f"test ! -e {_quoted(path)} && test ! -L {_quoted(path)}"} for path in step.args["paths"]]
    name = step.when
    for other in (*work.content.plan, *work.content.commit):
        if name in other.save and "cwd" not in other.args:
            listing = str(other.args.get("script", ""))
            if re.match(r"\s*find\s", listing) and not re.search(r"[|;&\n]", listing):
                return [{"command": f'test -z "$({listing})"'}]
    return []


def _there(path: str) -> list[dict[str, str]]:
    return [{"command": f"test -f {_quoted(path)}"}]


def _quoted(template: str) -> str:
    """A path with {{name}} as a word for the shell."""
    parts = re.split(r"\{\{\s*(\w+)\s*\}\}", template)
    if template.startswith("~"):
        parts[0] = "$HOME" + parts[0][1:]
    text = "".join(
        re.sub(r'(["`\\]|\$(?!HOME\b))', r"\\\1", part) if n % 2 == 0 else f"${{{part}}}"
        for n, part in enumerate(parts)
    )
    return f'"{text}"'


def _made(step: DraftStep) -> list[dict[str, str]]:
    """The files that a command makes by its nature are there."""
    script = str(step.args["script"])
    scanned = _scanned(script)
    if scanned is None or not re.match(r"[^{]*$|\{\{\w+\}\}$", str(step.args.get("cwd", ""))):
        return []
    found, before = [], f"cd {_quoted(str(step.args['cwd']))} && " if "cwd" in step.args else ""
    for command in dict.fromkeys(word.command for word in scanned.words):
        words = [word for word in scanned.words if word.command == command and not word.sets and not word.redirect]
        outs = [word for word in scanned.words if word.command == command and word.redirect in (">", ">>", ">|", "&>")]
        plain = [word for word in words[1:] if not word.text.startswith("-")]
        targets = [*outs]
        if words:
            targets += _targets(words[0].text, words, plain)
            found += [{"command": before + check} for check in _git_checks(script, words, plain)]
        for word in targets:
            source = script[word.start : word.end]
            if not word.has_glob and source not in ("/dev/null", '"/dev/null"') and "$(" not in source:
                found.append({"command": f"{before}test -e {source}"})
    return [check for check in found if "{{" not in check["command"]] if before.count("{{") == 0 else [
        {"command": re.sub(r"\{\{(\w+)\}\}", r"$\1", check["command"])} for check in found
    ]  # fmt: skip


def _targets(
    verb: str, words: list[shell_words.ShellWord], plain: list[shell_words.ShellWord]
) -> list[shell_words.ShellWord]:
    if verb in ("cp", "mv", "ln", "install") and len(plain) >= 2 and not any(word.text in ("-t",) for word in words):
        return plain[-1:]
    if verb in ("mkdir", "touch"):
        return plain
    if verb in ("tar", "zip"):
        archives = [
            word for word in plain if re.search(r"\.(tar|tgz|tbz2|txz|zip)$|\.tar\.\w+$", word.text) or word is plain[0]
        ]
        return archives[:1]
    if verb == "gzip" and len(plain) == 1:
        return []
    chosen = [
        b for a, b in pairwise(words) if a.text in ("-o", "--output") and verb in ("sort", "gcc", "pandoc", "curl")
    ]
    return chosen


def _git_checks(script: str, words: list[shell_words.ShellWord], plain: list[shell_words.ShellWord]) -> list[str]:
    if words[0].text != "git" or not plain:
        return []
    options = {word.text for word in words}
    if plain[0].text == "commit":
        return ["git diff --cached --quiet"]
    kind = (
        "tags"
        if plain[0].text == "tag"
        else "heads"
        if plain[0].text == "branch"
        or (plain[0].text, *options & {"-b", "-c"}) in (("checkout", "-b"), ("switch", "-c"))
        else ""
    )
    operands = [word for word in plain[1:] if word.text not in ("HEAD",)]
    if kind and operands and not options & {"-d", "-D", "--delete", "-m", "-a"}:
        name = script[operands[0].start : operands[0].end]
        return [f"git rev-parse -q --verify refs/{kind}/{name} > /dev/null"]
    return ["test -d .git"] if plain[0].text == "init" and len(plain) == 1 else []


def _python_made(step: DraftStep) -> list[dict[str, str]]:
    """The files that a script opens for writing by a parameter."""
    found = []
    for name in re.findall(
        r"(?:open|Path)\(\s*os\.environ\[\"(\w+)\"\]\s*(?:,\s*(?:mode\s*=\s*)?['\"][wax]|\)\s*\.write_)",
        str(step.args["script"]),
    ):
        found.append({"command": f'test -f "${name}"'})
    return found


def _say(work: _Work, name: str, lang: str) -> None:
    """Wordings and the text of the result."""
    names = {id(mention): work.names[id(mention)] for mention in work.found.mentions if id(mention) in work.names}
    if work.trace.taught is None:
        work.content.wordings = wordings_of(work.trace.request, work.found.mentions, names, work.content.parameters)
    else:
        work.content.wordings = plain_wordings(name, work.content.parameters, lang)
    work.content.result = _result(work, names, lang)


def plain_wordings(name: str, parameters: Mapping[str, Any], lang: str) -> list[str]:
    """How to ask for an SOP that nobody has asked for in words yet."""
    words, listed = name.replace("-", " "), list(parameters)
    if not listed:
        return [words, f"run {words}"]
    english = f"{words} with " + " and ".join(f"{each.replace('_', ' ')} {{{each}}}" for each in listed)
    return [english, f"用 {'、'.join(f'{{{each}}}' for each in listed)} 做 {words}"] if lang == "zh" else [english]


def _result(work: _Work, names: dict[int, str], lang: str) -> str | dict[str, str]:
    if work.content.commit and not work.answers:
        counted = next((step.when for step in work.content.commit if step.tool == "file_trash" and step.when), "")
        return plain_result(work.content, counted)
    last = work.answers[-1] if work.answers else work.kept[-1]
    step = work.step_of[last]
    output = _save_output(work, last, step)
    if work.trace.taught is None and not work.answers:
        work.problem(
            "the answer does not hold what the last step printed: it was worked out from it, which needs a script"
        )
    sentence = result_text(work.trace, _output(work.trace.calls[last]), output, work.found.mentions, names)
    return sentence or f"{{{{{output}}}}}"


def _save_output(work: _Work, number: int, step: DraftStep) -> str:
    if name := next((key for key, extractor in step.save.items() if extractor == "output"), ""):
        return name
    name = unique("answer", {*work.content.parameters, *work.saved.values(), *_names_in_scripts(work)})
    step.save[name] = "output"
    return name


# What is told


def _taught(work: _Work) -> Taught:
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


def _origins(work: _Work) -> list[dict[str, Any]]:
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


def _where(work: _Work, unit: Unit) -> str:
    call = work.trace.calls[unit.call]
    return f"call {unit.call + 1}, {call.tool}: {_short(call) or '.'.join(map(str, unit.argument))}"


def _description(work: _Work, name: str) -> str:
    if work.trace.taught is not None:
        verbs = [
            word
            for number in work.kept
            for word in _verbs(work.trace.calls[number].tool, work.trace.calls[number].args)[1:2]
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
            rf"(?<=\$)\{{?{name}\b\}}?|(?<=\{{\{{){name}(?=\}}\}})|(?<=environ\[\"){name}(?=\"\])", f"#{number}", text
        )
    return tool, text


__all__ = ["Draft", "LearningError", "crystallise", "guesses", "recorded", "refuse", "same_procedure"]
