"""The evidence gate (L0), the one way into facts and MEMORY.md: nothing is kept that no run has
proved, or that must not be.

It opens the run log and checks; a prompt could be talked round. `_WORDING` and `_PROVED` list every
rule with the function that says what it refuses; what a rule reads like is rows
(assets/memory/rules.toml). memory/facts/sop_gate.py does the same for SOPs. The rules are those of
the SOP memory-management, the constitution. Source: seed 002 §2, §3.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from memory.evidence import Pointer
from memory.facts.lines import MAX_TEXT_CHARS, NEGATIVE, Fact, sections
from memory.facts.meta_sop import constitution
from memory.facts.personal import accounts, contacts, mask
from memory.facts.proof import LEAST_COVERAGE, Proof, proof_of
from memory.facts.rules import MAX_QUOTED, Refusal, first, matches, quoted, table, without
from memory.facts.volatile import around, volatile
from memory.wording import TELLING, coverage, same_said, stands_in, values, words
from memory.wording.tokens import Value
from safety.secrets import HIDDEN, Redactor

Redact = Callable[[str], str]
_MAY_BE_MISSING = (NEGATIVE, "LESSONS", "PREFERENCES")
BESIDE = 2  # lines above and below
_TAKEN_OVER = 0.7  # of an order's words that stand in one fetched line
_HOST = re.compile(r"[\w-]+(?:\.[\w-]+)*\.(?:com|org|net|io|dev|cn|de|uk|edu|gov|co|ai|app|local)/")


def check_fact(
    fact: Fact,
    evidence: Sequence[Pointer],
    home: Path,
    known: Iterable[Fact],
    redact: Redact | None = None,
) -> list[Refusal]:
    """Return why a fact may not be kept; nothing when it may. `known` are the facts that are kept
    already.

    Each pointer must lead to a result in the run log; what the fact says must stand in these
    results, in the calls that brought them, or in the owner's own words.
    """
    refusals = check_wording(fact, known, redact)
    if any(each.rule == "secret" for each in refusals):
        return refusals
    is_preference = fact.section == "PREFERENCES"
    proof = proof_of(
        home, evidence, is_preference=is_preference, is_negative=fact.section == NEGATIVE
    )
    if isinstance(proof, list):
        return refusals + _at(f"[{fact.section}]", proof)
    rules = constitution(home)
    found = [each for rule in _PROVED for each in rule(fact, proof)]
    found += [Refusal("forbidden", "", word) for word in rules.forbidden(fact.text)]
    refusals += _at(f"[{fact.section}]", found)
    return [each for each in dict.fromkeys(refusals) if each.rule not in rules.waived]


def check_wording(
    fact: Fact, known: Iterable[Fact] = (), redact: Redact | None = None
) -> list[Refusal]:
    """Return what holds for any fact, also for one that the owner says: its form, no secret,
    nothing temporary, said once."""
    where = f"[{fact.section}]"
    if not _is_one_line(fact.text):
        return [Refusal("form", where, repr(fact.text[:MAX_QUOTED]))]
    if secret := secret_in(fact.text, redact):
        return [Refusal("secret", where, secret)]  # nothing else is said: that would repeat it
    found = [each for rule in _WORDING for each in rule(fact)]
    return _at(where, found + list(_known(fact, known)))


def secret_in(text: str, redact: Redact | None, *, is_fact: bool = True) -> str:
    """Return the text with the value of a credential hidden; "" when there is none in it."""
    hidden = (redact or Redactor({}))(text)
    if hidden != text or HIDDEN in text:
        return quoted(hidden)
    match = next(matches("credential", text), None) if is_fact else None
    return quoted(text.replace(match["value"], HIDDEN)) if match else ""


def _at(where: str, found: Iterable[Refusal]) -> list[Refusal]:
    return [replace(each, where=each.where or where) for each in found]


def _is_one_line(text: str) -> bool:
    is_short = len(text.strip()) > 0 and len(text) <= MAX_TEXT_CHARS
    return is_short and text.isprintable() and "{#" not in text


# Rules for any sentence


def _section(fact: Fact) -> Iterator[Refusal]:
    if fact.section not in sections():
        yield Refusal("form", "", ", ".join(sections()))


def _temporary(fact: Fact) -> Iterator[Refusal]:
    for each in volatile(fact.text, is_fact=True, kept=[Path.home()]):
        yield Refusal("temporary", "", each.said("en"), each.said("zh"))


def _accounts(fact: Fact) -> Iterator[Refusal]:
    yield from (Refusal("personal", "", mask(number)) for number in accounts(fact.text))


def _speaks_to_an_agent(fact: Fact) -> Iterator[Refusal]:
    if said := first("addresses", fact.text):
        yield Refusal("instruction", "", quoted(said))


def _missing(fact: Fact) -> Iterator[Refusal]:
    said = first("missing", fact.text)
    if said and fact.section not in _MAY_BE_MISSING:
        yield Refusal("negative", "", quoted(said))


def _known(fact: Fact, known: Iterable[Fact]) -> Iterator[Refusal]:
    for each in known:
        is_other = each.id != fact.id and not each.retired
        if is_other and same_said(fact.text, each.text):
            yield Refusal("duplicate", "", f"#{each.id} {each.text}")
            return


_WORDING = (_section, _temporary, _accounts, _speaks_to_an_agent, _missing)


# Rules for a sentence that a run is to prove


def _dated(fact: Fact, proof: Proof) -> Iterator[Refusal]:
    days = sorted({day for record in proof.records for day in around(record.day)})
    for each in volatile(fact.text, days):
        if each.kind == "today":
            yield Refusal("temporary", "", each.said("en"), each.said("zh"))


def _contacts(fact: Fact, proof: Proof) -> Iterator[Refusal]:
    """Refuse an address or telephone number that the owner did not say."""
    for said in contacts(fact.text):
        if said not in proof.said:
            yield Refusal("personal", "", mask(said))


def _project(fact: Fact, proof: Proof) -> Iterator[Refusal]:
    """Refuse a relative path, which means something from one folder only, and a path inside a
    project for all others."""
    if said := first("project", fact.text):
        yield Refusal("project", "", quoted(said))
    for value in values(fact.text):
        if _is_of_project(value, [record.cwd for record in proof.records]):
            yield Refusal("project", "", value.text)


def _is_of_project(value: Value, folders: Iterable[Path]) -> bool:
    if value.kind == "relative":
        return _HOST.match(value.text) is None  # github.com/owner/name leads to the same place
    if value.text.startswith(("/", "~/")):
        return _lies_in_project(Path(value.text).expanduser())
    if value.kind != "name" or "." not in value.text:
        return False
    own = (folder for folder in folders if folder != Path.home())
    return any(_is_project(folder) and (folder / value.text).is_file() for folder in own)


def _lies_in_project(path: Path) -> bool:
    """Return True for what lies in a project; where the project itself lies may be known
    everywhere."""
    for folder in path.parents:
        if folder in (Path.home(), Path("/")):
            return False
        if _is_project(folder):
            return True
    return False


def _is_project(folder: Path) -> bool:
    return any((folder / name).exists() for name in table()["project_files"])


def _order(fact: Fact, proof: Proof) -> Iterator[Refusal]:
    """Refuse an order that came with a result, or a fact beside words that speak to an agent; on a
    page, anywhere on it."""
    if coverage(fact.text, proof.said) >= LEAST_COVERAGE:
        return  # the owner said so
    if first("order", fact.text) and _is_taken_over(fact, proof.seen):
        yield Refusal("instruction", "", quoted(fact.text))
        return
    backing = [
        text if text in proof.fetched else _around(fact, text)
        for text in proof.brought
        if coverage(fact.text, text) >= LEAST_COVERAGE
    ]
    if said := first("addresses", "\n".join(backing)):
        yield Refusal("instruction", "", quoted(said))


def _is_taken_over(fact: Fact, seen: str) -> bool:
    """Return True where one line says almost all of a fact."""
    return any(coverage(fact.text, line) >= _TAKEN_OVER for line in seen.splitlines())


def _around(fact: Fact, text: str) -> str:
    """Return the line that says a fact, with those next to it; all of the text where no line says
    it."""
    lines = text.splitlines()
    shares = [coverage(fact.text, line) for line in lines]
    best = max(shares, default=0.0)
    if best < LEAST_COVERAGE:
        return text
    at = shares.index(best)
    return "\n".join(lines[max(0, at - BESIDE) : at + BESIDE + 1])


def _unsaid(fact: Fact, proof: Proof) -> Iterator[Refusal]:
    """Refuse a preference that is not in the owner's words."""
    if fact.section != "PREFERENCES":
        return
    missing = [value.text for value in values(fact.text) if not stands_in(value, proof.said)]
    if missing or coverage(fact.text, proof.said) < LEAST_COVERAGE:
        what = ", ".join(missing) or fact.text
        yield Refusal(
            "unproven", "", f"{what} (not in the owner's words)", f"{what}（主人没有这样说）"
        )


def _unbrought(fact: Fact, proof: Proof) -> Iterator[Refusal]:
    """Yield what the fact says and no run brought."""
    if fact.section == "PREFERENCES":
        return
    found = values(fact.text)
    missing = [value.text for value in found if not proof.supports(value)]
    if missing:
        yield Refusal("unproven", "", ", ".join(missing[:5]))
    elif said := first("defines", fact.text):
        yield Refusal("general", "", quoted(said))
    elif not any(value.kind in TELLING for value in found) and not _is_backed(fact, proof):
        yield Refusal("general", "", quoted(fact.text))


def _is_backed(fact: Fact, proof: Proof) -> bool:
    """Return True if half of a fact's words stand in the proof, or a number of it beside one of its
    words."""
    text = without("missing", fact.text) if fact.section == NEGATIVE else fact.text
    if coverage(text, proof.all) >= LEAST_COVERAGE:
        return True
    numbers = [each for each in values(fact.text) if each.kind == "number" and len(each.text) > 2]
    lines = [line for line in proof.seen.splitlines() if words(text) & words(line)]
    return any(stands_in(number, line) for number in numbers for line in lines)


_PROVED = (_dated, _contacts, _project, _order, _unsaid, _unbrought)
