"""Turns the kept calls of a run into steps: parameters with names, values put in provably, the trash instead of rm.

A script is rewritten only when the rewriting is proven to mean the same (learning/shell_words.py, python_words.py);
else it stays as it was, and that is a problem of the draft.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from learning import python_words, shell_words
from learning.draft import DraftStep
from learning.kept import Work, output_of, where
from learning.mentions import Mention
from learning.provenance import Found, Source
from learning.units import MIN_BYTES, as_text, scalars
from learning.wordings import name_of, schema_of, unique
from memory.runlog.evidence import Result
from shell.bash import NotUnderstood

_STATES = {"status", "state", "ok", "success", "result", "error"}
_DELETES = re.compile(
    r"\s-delete\s*;?\s*$|\s-exec\s+rm\s+(?:-[fv]+\s+)*(?:--\s+)?(['\"]?)\{\}\1\s*(?:\\;|';'|\+)\s*$"
)


def name_parameters(work: Work) -> None:
    """Each mention that a kept argument uses becomes a parameter with a name, a type and what its places allow."""
    by_mention: dict[int, list[Found]] = {}
    for each in work.found.of("request"):
        if each.unit.call in work.kept and each.source.mention is not None:
            by_mention.setdefault(id(each.source.mention), []).append(each)
    picks = {id(each.source.by) for each in work.found.of("earlier") if each.unit.call in work.kept}
    picks |= {id(source.by) for source in work.told.values()}
    taken = names_in_scripts(work)
    same: dict[tuple[str, str], str] = {}
    for mention in work.found.mentions:
        uses = by_mention.get(id(mention), [])
        if not uses and id(mention) not in picks and not _is_run_folder(work, mention):
            continue
        twin = same.get((mention.kind, mention.value))
        name = twin or mention.name or unique(name_of(mention, [each.unit for each in uses]), taken)
        taken.add(name)
        same[mention.kind, mention.value] = work.names[id(mention)] = name
        schema, why = schema_of(mention, uses)
        schema |= _as_data(schema, uses)
        if why:
            work.problem(why)
        work.content.parameters.setdefault(name, schema)
    for mention in work.found.unused:
        if id(mention) not in work.names and not (
            mention.start < 0 and mention.name in work.content.parameters
        ):
            work.problem(
                f"the request says {mention.text!r}, and no step uses it: something was worked out from it, or it is missing"
            )


def _as_data(schema: Mapping[str, Any], uses: list[Found]) -> dict[str, Any]:
    """Inside JSON, or inside an address, a value must not end the text or the part that it stands in."""
    patterns = [schema["pattern"]] if "pattern" in schema else []
    for each in uses:
        before = each.unit.text[: each.start]
        if re.match(r"\s*[{\[]\s*[\"{\[]", each.unit.text) and before.count('"') % 2:
            patterns.append(r'^[^"\\\x00-\x1f]*$')
        elif re.match(r"https?://[^/]+/", before):
            patterns.append(
                r"^[\w.~:@%/-]*$" if schema.get("format") == "path" else r"^[\w.~:@%-]*$"
            )
    unique_patterns = list(dict.fromkeys(patterns))
    if not unique_patterns:
        return {}
    return {
        "pattern": unique_patterns[0]
        if len(unique_patterns) == 1
        else "".join(f"(?={p})" for p in unique_patterns)
    }


def names_in_scripts(work: Work) -> set[str]:
    found = set()
    for number in work.kept:
        script = work.trace.calls[number].args.get("script")
        if isinstance(script, str):
            found |= set(re.findall(r"\b[a-z_][a-z0-9_]*\b", script)) & (
                shell_words.variables_of(script) | set(re.findall(r"\$\{?([a-z_]\w*)", script))
            )
    return found


def _is_run_folder(work: Work, mention: Mention) -> bool:
    """True when the request names the folder that the run worked in: its relative paths start there."""
    return (
        mention.kind == "path"
        and Path(mention.value) == work.trace.cwd
        and work.trace.cwd != work.around.owner_home
    )


def folder_in_request(work: Work) -> str:
    """The folder of the run as a template, when the request names it; else ""."""
    named = (m for m in work.found.mentions if id(m) in work.names and _is_run_folder(work, m))
    return next((f"{{{{{work.names[id(mention)]}}}}}" for mention in named), "")


def folder_of_run(work: Work) -> None:
    for mention in work.found.mentions:
        if id(mention) in work.names and _is_run_folder(work, mention):
            for step in work.step_of.values():
                if step.tool == "code_run" and "cwd" not in step.args:
                    step.args["cwd"] = f"{{{{{work.names[id(mention)]}}}}}"
                elif step.tool != "code_run" and _has_relative_path(step):
                    work.problem(
                        f"{step.tool}: its path starts in the folder of the run, which the request names"
                    )


def _has_relative_path(step: DraftStep) -> bool:
    return any(
        key in ("path", "paths") and not re.match(r"[/~{]", str(value))
        for (key, *_), value in scalars(step.args)
    )


def build_step(work: Work, number: int) -> None:
    call = work.trace.calls[number]
    if moved := _trashed(work, number, call):
        work.step_of[number] = moved
        return
    step = DraftStep(call.tool, {}, calls=(number,))
    lists = {
        units[0].argument[:1]: source
        for units, source in work.found.lists
        if units[0].call == number
    }
    for key, value in call.args.items():
        if (key,) in lists and key != "script":
            step.args[key] = f"{{{{{save(work, lists[key,], 'items')}}}}}"
        elif key == "script" and call.tool == "code_run":
            step.args[key] = script_with_values(
                work, number, str(value), str(call.args.get("type"))
            )
        else:
            step.args[key] = filled(work, number, (key,), value)
    if ("script",) in lists:
        work.problem(
            f"call {number + 1}: a list of names that an earlier call printed stands in a command; it needs a script"
        )
    if call.tool == "code_run":
        code = call.data.get("exit_code", 0) if isinstance(call.data, dict) else 0
        step.expect = {"exit_code": code}
    else:
        step.expect = {"status": "ok"}
    if work.reaches[number] == "external" and (fields := _told_back(work, number)):
        step.expect["fields"] = fields
    work.step_of[number] = step


def _told_back(work: Work, number: int) -> dict[str, Any]:
    """What another program answers about what it was told: the values again, and in which state that is now."""
    output, fields = output_of(work.trace.calls[number]), dict[str, Any]()
    try:
        answer = json.loads(output)
    except (ValueError, RecursionError):
        return {}
    if not isinstance(answer, Mapping):
        return {}
    own = [each for each in work.found.found if each.unit.call == number and not each.candidates]
    for path, value in scalars(answer):
        key, text = ".".join(map(str, path)), as_text(value)
        if not all(re.fullmatch(r"[A-Za-z0-9_]+", str(part)) for part in path):
            continue
        said = [each for each in own if each.text == text and len(text.encode()) >= MIN_BYTES]
        name = next(
            (
                name
                for each in said
                if not each.source.operation and (name := _variable(work, each))
            ),
            "",
        )
        if name:
            fields[key] = f"{{{{{name}}}}}"
        elif str(path[-1]).lower() in _STATES and isinstance(value, str) and value.isalpha():
            fields[key] = value
    return fields if any("{{" in str(value) for value in fields.values()) else {}


def script_with_values(work: Work, number: int, script: str, kind: str) -> str:
    """The script with values as environment variables. What cannot be proven stays as it was, and is a problem."""
    own = [
        each
        for each in work.found.found
        if each.unit.call == number and each.unit.argument == ("script",) and not each.candidates
    ]
    uses = []
    for each in own:
        name = _variable(work, each)
        if not name:
            continue
        uses.append((each, name))
    if not uses:
        return script
    try:
        if kind == "python":
            constants = python_words.scan(script)
            after = python_words.rewrite(
                script,
                constants,
                [
                    python_words.PyUse(e.unit.number, e.start, e.end, n, e.source.operation)
                    for e, n in uses
                ],
            )
            is_proven = all(e.source.operation for e, _ in uses) or _python_proven(
                script, after, uses, work
            )
        else:
            scanned = shell_words.scan(script)
            after = shell_words.rewrite(
                scanned,
                [
                    shell_words.Use(e.unit.number, e.start, e.end, n, e.source.operation)
                    for e, n in uses
                ],
            )
            is_proven = _shell_proven(script, scanned, uses, work)
    except NotUnderstood as error:
        work.problem(f"call {number + 1}: its script cannot take values ({error})")
        return script
    if not is_proven:
        work.problem(
            f"call {number + 1}: its script cannot be proven to mean the same with values put in"
        )
        return script
    return after


def _shell_proven(
    script: str, scanned: shell_words.Script, uses: list[tuple[Found, str]], work: Work
) -> bool:
    """Each use by a variable of its own, so that the other reader can put the very text back that stood there."""
    numbered = [
        (each, f"{'HOME' if name == 'HOME' else f'sopwith_use_{n}'}")
        for n, (each, name) in enumerate(uses)
    ]
    after = shell_words.rewrite(
        scanned, [shell_words.Use(e.unit.number, e.start, e.end, name) for e, name in numbered]
    )
    home = str(work.around.owner_home)
    values = {
        name: (
            home + each.text[1:]
            if each.text.startswith("~") and each.unit.is_home_known
            else each.text
        )
        for each, name in numbered
    }
    return shell_words.same_meaning(script, after, values | {"HOME": home}, home)


def _python_proven(script: str, after: str, uses: list[tuple[Found, str]], work: Work) -> bool:
    numbered = [(each, f"sopwith_use_{n}") for n, (each, _) in enumerate(uses)]
    constants = python_words.scan(script)
    trial = python_words.rewrite(
        script,
        constants,
        [python_words.PyUse(e.unit.number, e.start, e.end, name) for e, name in numbered],
    )
    return python_words.same_meaning(script, trial, {name: each.text for each, name in numbered})


def _variable(work: Work, each: Found) -> str:
    source = each.source
    if source.origin == "request" and source.mention is not None:
        return work.names.get(id(source.mention), "")
    if source.origin == "earlier":
        return save(work, source, name_of(None, [each.unit]))
    if source.origin == "environment" and source.name in ("cwd", "today", "home"):
        return "HOME" if source.name == "home" else source.name
    return ""


def filled(work: Work, number: int, path: tuple[str | int, ...], value: Any) -> Any:
    """An argument with templates in the places of values."""
    if isinstance(value, Mapping):
        return {key: filled(work, number, (*path, str(key)), inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [filled(work, number, (*path, n), inner) for n, inner in enumerate(value)]
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
            work.problem(
                f"{where(work, each.unit)}: {each.text!r} is made of {name}, and a template cannot make it"
            )
            continue
        new = "~" if name == "HOME" else f"{{{{{name}}}}}"
        text, used = (
            (new if each.is_whole else str(text)[: each.start] + new + str(text)[each.end :]),
            True,
        )
    if isinstance(value, str) and "{{" in value:
        work.problem(
            f"call {number + 1}: its argument {path[0]} holds {{{{, which a step would take for a value"
        )
    return text if used else value


def save(work: Work, source: Source, wish: str) -> str:
    """The name under which a step saves what a later one needs; it is made when first asked for."""
    extractor = source.extractor
    if source.by is not None:
        extractor = extractor.replace("{}", work.names[id(source.by)])
    key = source.call, extractor
    if key in work.saved:
        return work.saved[key]
    field_name = extractor.rpartition(".")[2] if "." in extractor else wish
    taken = {*work.content.parameters, *work.saved.values(), *names_in_scripts(work)}
    name = work.saved[key] = unique(
        re.sub(r"[^a-z0-9_]", "_", field_name.lower()) or "value", taken
    )
    step = work.step_of.get(source.call)
    if step is None:
        work.problem(f"call {source.call + 1}: its result is needed, and it is no step")
        return name
    step.save[name] = extractor
    if (
        extractor == "output" and len(output_of(work.trace.calls[source.call]).splitlines()) == 1
    ):  # one line was read, so one line it must be
        lines = step.save.setdefault(unique(f"{name}_lines", taken | {name}), "lines")
        counted = next(key for key, value in step.save.items() if value == lines)
        step.expect = {**step.expect, "min_count": {counted: 1}, "max_count": {counted: 1}}
    return name


def _trashed(work: Work, number: int, call: Result) -> DraftStep | None:
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


def _removed(
    work: Work, number: int, call: Result, scanned: shell_words.Script
) -> DraftStep | None:
    """`rm FILES` as file_trash."""
    source = next((source for units, source in work.found.lists if units[0].call == number), None)
    if source is not None:
        name = save(work, source, "files")
        return DraftStep(
            "file_trash", {"paths": f"{{{{{name}}}}}"}, {"status": "ok"}, when=name, calls=(number,)
        )
    operands = [
        (n, word)
        for n, word in enumerate(scanned.words)
        if not word.is_first and not word.text.startswith("-")
    ]
    if (
        any(not word.is_known or word.has_glob for _, word in operands)
        or not operands
        or call.args.get("cwd")
    ):
        return None
    paths = []
    for n, word in operands:
        text, own = (
            word.text,
            [
                each
                for each in work.found.found
                if each.unit.where == (number, ("script",), n) and not each.candidates
            ],
        )
        if not (word.pieces and word.pieces[0].kind == "home") and text.startswith("~"):
            text = f"./{text}"
        for each in sorted(own, key=lambda found: found.start, reverse=True):
            name = _variable(work, each)
            if name and each.source.operation:
                return None
            if name:
                text = (
                    text[: each.start]
                    + ("~" if name == "HOME" else f"{{{{{name}}}}}")
                    + text[each.end :]
                )
        paths.append(text)
    return DraftStep("file_trash", {"paths": paths}, {"status": "ok"}, calls=(number,))


def _found_and_deleted(
    work: Work, number: int, call: Result, scanned: shell_words.Script
) -> DraftStep | None:
    """`find … -type f … -delete` as a list, and file_trash of what is listed."""
    script = str(call.args["script"]).rstrip()
    ending = _DELETES.search(script)
    if not ending or not re.search(r"-type f\b", script) or call.args.get("cwd"):
        return None
    listing = script_with_values(work, number, f"{script[: ending.start()]} -print", "bash")
    name = unique(
        "files", {*work.content.parameters, *work.saved.values(), *names_in_scripts(work)}
    )
    work.saved[number, "lines"] = name
    first = DraftStep(
        "code_run",
        {"type": "bash", "script": listing},
        {"exit_code": 0},
        {name: "lines"},
        calls=(number,),
    )
    work.step_of[-1 - number] = first
    return DraftStep(
        "file_trash", {"paths": f"{{{{{name}}}}}"}, {"status": "ok"}, when=name, calls=(number,)
    )


def _no_line_breaks(steps: list[DraftStep]) -> list[DraftStep]:
    """Before a list of found files is deleted: none of their names may hold a line break, or it would be two names."""
    found = []
    listed = {step.when for step in steps if step.tool == "file_trash" and step.when}
    for step in steps:
        script = str(step.args.get("script", "")).strip()
        if (
            listed & step.save.keys()
            and re.match(r"find\s", script)
            and not re.search(r"[|;&\n]", script)
        ):
            tests = re.sub(r"\s-print0?$", "", script)
            guard = f"""test -z "$({tests} -path $'*\\n*' -print)\""""
            found.append(DraftStep(step.tool, {**step.args, "script": guard}, {"exit_code": 0}))
        found.append(step)
    return found


def split(work: Work) -> None:
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
