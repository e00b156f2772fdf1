"""Looks for what could be silently wrong in a draft: values that were chosen, composed, worked out, or left behind.

Each doubt is a slot or a problem, and keeps the SOP a draft until another run or the owner settles it.
"""

from __future__ import annotations

import ast
import re
from pathlib import Path

from learning import shell_words
from learning.draft import Slot
from learning.kept import Work, scan_or_none, where
from learning.mentions import Mention
from learning.provenance import COMPOSED, Found, Source
from learning.units import Unit, absolute, scalars
from learning.wordings import name_of
from safety.secrets import HIDDEN

_LONG_TEXT = 40
_FACTORS = (
    7,
    12,
    24,
    30,
    52,
    60,
    100,
    365,
    1000,
    1024,
    1440,
    3600,
    86400,
    604800,
    1024**2,
    1024**3,
    10**6,
    10**9,
)


def look_at_findings(work: Work) -> None:
    """Lists what provenance could not decide, of the calls that stay."""
    for number, why in work.found.unread:
        if number in work.kept and _mentions_in_script(work, number):
            work.problem(
                f"call {number + 1}: its script is not read ({why}), so its values stay as they were"
            )
    for each in work.found.found:
        if each.unit.call in work.kept and each.unit.where not in work.agreed:
            _doubt(work, each)
    for number in work.kept:
        if any(HIDDEN in str(text) for _, text in scalars(work.trace.calls[number].args)):
            work.problem(
                f"call {number + 1} holds a secret that is not kept; an SOP gets it from the environment"
            )
    _look_for_numbers(work)


def _doubt(work: Work, each: Found) -> None:
    if each.candidates:
        name = name_of(each.source.mention, [each.unit]) if each.source.mention else "value"
        offered = tuple(_candidate(source) for source in each.candidates)
        work.slots.append(Slot(name, each.text, where(work, each.unit), offered, each.why))
    elif each.source.origin == "reasoned":
        work.problem(f"{where(work, each.unit)}: {each.why}, and nothing says how it was chosen")
    elif each.source.origin == "environment":
        if each.source.name in ("user", "host") or (
            each.source.operation and not each.unit.language
        ):
            work.problem(
                f"{where(work, each.unit)}: {each.text!r} is the {each.source.name} here, and cannot be asked for in this place"
            )
        _stands_beside(work, each)
    elif each.source.origin == "constant":
        if is_composed(work, each.unit):
            work.problem(
                f"{where(work, each.unit)}: this text stands in no request and no result; another run may need another one"
            )
        _stands_beside(work, each)


def _stands_beside(work: Work, each: Found) -> None:
    """A path beside one of the request (its parent is the same) may have been made of it: is it there, or always here?"""
    if not each.unit.language and each.unit.argument[-1] not in ("path", "paths"):
        return
    text = each.unit.text
    if not re.match(r"[~/.]|[\w-]+/", text) or "\0" in text or "\n" in text:
        return
    path = absolute(text, each.unit.folder, work.around.owner_home)
    for mention in work.found.mentions:
        if mention.kind == "path" and mention.is_hard and _is_made_of(path, Path(mention.value)):
            work.problem(
                f"{where(work, each.unit)}: {text!r} may be made of the name {mention.text!r}"
            )
        beside = Path(mention.value).parent if mention.kind == "path" and mention.is_hard else None
        if (
            beside is None
            or beside in (work.around.owner_home, work.trace.cwd, Path("/"))
            or len(beside.parts) < 3
        ):
            continue
        if path == beside or beside in path.parents:
            work.problem(
                f"{where(work, each.unit)}: {text!r} stands beside {mention.text!r}; whether it moves with it is not known"
            )


def _is_made_of(path: Path, named: Path) -> bool:
    """a-2026.csv beside a.txt: the same stem, with something behind it."""
    return path != named and bool(named.stem) and re.split(r"[-_.]", path.name)[0] == named.stem


def _look_for_numbers(work: Work) -> None:
    """86400 for "1 day": a number that is one of the request, times or plus something, was worked out from it."""
    asked = {
        int(m.value)
        for m in work.found.mentions
        if m.kind == "integer" and m.is_hard and abs(int(m.value)) > 1
    }
    for each in work.found.of("constant"):
        if (
            each.unit.call not in work.kept
            or each.unit.where in work.agreed
            or each.unit.place == "fixed"
        ):
            continue
        for digits in re.findall(r"(?<![\w.])\d{2,12}(?![\w.])", each.unit.text):
            number = int(digits)
            if any(
                (n >= 10 and abs(number - n) == 1) or number in {n * k for k in _FACTORS}
                for n in asked
            ):
                work.problem(
                    f"{where(work, each.unit)}: {digits} may be worked out from a number of the request"
                )


def _mentions_in_script(work: Work, number: int) -> bool:
    text = str(work.trace.calls[number].args.get("script", ""))
    return any(
        form in text
        for mention in work.found.mentions
        if mention.is_hard
        for form in forms(mention)
    )


def _candidate(source: Source) -> str:
    if source.mention is not None:
        return f"{source.mention.text!r} of the request"
    return (
        f"result of call {source.call + 1} ({source.extractor})"
        if source.origin == "earlier"
        else source.origin
    )


def is_composed(work: Work, unit: Unit) -> bool:
    """A text that a model wrote out of its head; what an owner typed is meant as it is."""
    if work.trace.taught is not None:
        return False
    is_text = (not unit.language and unit.argument[-1] in COMPOSED) or unit.place == "document"
    return is_text and (
        len(unit.text) >= _LONG_TEXT or unit.argument[-1] in ("content", "new", "old")
    )


def forms(mention: Mention) -> set[str]:
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
    least = 2 if mention.kind in ("integer", "number") else 3
    return {form for form in found if len(form.encode()) >= least}


def look_for_leftovers(work: Work) -> None:
    """A value of the request that still stands in a step would be the old one in every replay."""
    for mention in work.found.mentions:
        if not mention.is_hard and id(mention) not in work.names:
            continue
        for step in (*work.content.plan, *work.content.commit):
            for path, text in scalars(step.args):
                is_python = step.args.get("type") == "python"
                scanned = scan_or_none(str(text)) if path == ("script",) and not is_python else None
                after = (
                    _texts_in(str(text))
                    if is_python and path == ("script",)
                    else _without_names(str(text))
                )
                if any(shell_words.left_over(scanned, after, form) for form in forms(mention)):
                    if mention.kind in ("word",) or _agreed_everywhere(work, mention):
                        continue
                    work.problem(
                        f"{mention.text!r} of the request still stands in {step.tool} {' '.join(str(text).split())[:120]!r}: it would be the same every time"
                    )


def _agreed_everywhere(work: Work, mention: Mention) -> bool:
    """Another run, with another value, has the same text there."""
    left = [
        unit
        for unit in work.found.units
        if unit.call in work.kept and any(form in unit.text for form in forms(mention))
    ]
    used = {each.unit.where for each in work.found.of("request") if each.source.mention is mention}
    others = [unit for unit in left if unit.where not in used]
    return bool(others) and all(unit.where in work.agreed for unit in others)


def _texts_in(script: str) -> str:
    """The constants of a Python script, without the names of values: `rows = []` is not the file rows.json."""
    try:
        nodes = list(ast.walk(ast.parse(re.sub(r"os\.environ\[\"\w+\"\]", '""', script))))
    except (SyntaxError, ValueError, RecursionError):
        return _without_names(script)
    return "\n".join(str(node.value) for node in nodes if isinstance(node, ast.Constant))


def _without_names(text: str) -> str:
    """The text without its variables and templates: `$report` is not the word report."""
    return re.sub(r"\$\{?[A-Za-z_]\w*|\{\{[^{}]*\}\}|os\.environ\[\"\w+\"\]", " ", text)
