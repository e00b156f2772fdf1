"""Skills from elsewhere on the screen: `sops import PATH|ZIP`, what was found in them, and
letting one in."""

from __future__ import annotations

import sys
from argparse import Namespace
from collections.abc import Sequence
from pathlib import Path

from config import Config
from learning.imports import Finding, Skill, find_skills, findings_of, release, store
from memory.sops import Sop, SopError
from memory.sops.changing import SopChanges
from runs.assemble import SEEDS
from ui.command import JSON, Argument, Option, command
from ui.lists import print_json
from ui.sanitise import one_line
from ui.sops import sops
from ui.terminal import agrees
from ui.words import say, words_of

MAX_SHOWN = 20  # findings of one skill; how many more there are is said


@command("sops import", Argument("source"), Option("--yes"), JSON)
def import_(args: Namespace, config: Config) -> int:
    """`sops import`: 0 when all skills came in, 1 when one did not, or the owner said no."""
    skills = find_skills(args.source, Path.cwd())
    if not args.json:
        for skill in skills:
            _show(skill)
        if not args.yes and not _agreed(sum(not skill.problem for skill in skills)):
            print(say("import.nothing"))
            return 1
    results = [_store(skill, args.source, config) for skill in skills]
    if args.json:
        pairs = zip(skills, results, strict=True)
        print_json({"imported": [_as_json(skill, *result) for skill, result in pairs]})
    else:
        _show_results(skills, results)
    return int(any(problem for _, problem in results))


def _show_results(skills: Sequence[Skill], results: Sequence[tuple[str, str]]) -> None:
    for skill, (name, problem) in zip(skills, results, strict=True):
        if problem and not skill.problem:
            _show_refused(skill, problem)
        elif not problem and name != skill.name:
            print(say("import.beside", name=skill.name, beside=name))
    names = [name for name, problem in results if not problem]
    if names:
        print(say("import.done", n=len(names), names=" ".join(names), first=names[0]))


def _show_refused(skill: Skill, problem: str) -> None:
    name = one_line(skill.name, 80)
    print(say("import.refused", name=name, problem=one_line(problem)), file=sys.stderr)


def _store(skill: Skill, source: str, config: Config) -> tuple[str, str]:
    """Return the name under which a skill came in, and why it did not; that is empty when it
    did."""
    if skill.problem:
        return skill.name, words_of(skill.problem)
    known = {sop.name: sop for sop in sops.store(config).all()}
    try:
        return store(skill, source, SopChanges(config.home, SEEDS), known).name, ""
    except SopError as error:
        return skill.name, words_of(error)


def _agreed(count: int) -> bool:
    is_asked = count > 0 and sys.stdin.isatty()
    return not is_asked or agrees(say("import.question", n=count))


def _show(skill: Skill) -> None:
    if skill.problem:
        _show_refused(skill, skill.problem)
        return
    said = one_line(skill.description, 200)
    print(say("import.found", name=skill.name, n=len(skill.files), description=said))
    show_findings(skill.findings)


def show_findings(findings: tuple[Finding, ...]) -> None:
    """Print a line for each thing to look at: file, line, what it is, and the line itself."""
    for finding in findings[:MAX_SHOWN]:
        place = f"{one_line(finding.file, 100)}:{finding.line}"
        print(f"  ⚠ {place} · {say(f'finding.{finding.rule}')} · {one_line(finding.text, 160)}")
    if more := len(findings) - MAX_SHOWN:
        print(say("import.more", n=more)) if more > 0 else None


def _as_json(skill: Skill, name: str, problem: str) -> dict[str, object]:
    return {
        "name": name,
        "place": skill.place,
        "description": skill.description,
        "imported": not problem,
        "problem": problem or None,
        "findings": [
            {"rule": each.rule, "file": each.file, "line": each.line, "text": each.text}
            for each in skill.findings
        ],
    }


def let_in(sop: Sop, config: Config) -> int:
    """`sops enable NAME` of one that is in quarantine: shows once more what the scan finds, and
    makes it a draft."""
    show_findings(tuple(findings_of(sop)))
    release(sop, SopChanges(config.home, SEEDS), say("sops.enable_reason"))
    print(say("import.let_in_steps" if sop.procedure else "import.let_in", name=sop.name))
    return 0
