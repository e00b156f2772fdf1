"""Say what the owner should look at in a skill from elsewhere before enabling it: rules over its
files, with file and line.

A finding is no proof and its absence none either: the gate and the sandbox hold whatever a skill
says. It reads text alone and never decodes, runs or follows anything. The rules:
assets/imports/findings.tsv. Source: docs/learning.md.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from text import names

RULES = Path(__file__).resolve().parents[2] / "assets" / "imports" / "findings.tsv"
MAX_LINE_CHARS = 2_000  # a longer line is a finding itself; its beginning and its end are looked at
MAX_LINES, MAX_CHARS = 50_000, 2_000_000  # of a skill; that there is more is a finding itself
MAX_FINDINGS = 200
SHOWN_CHARS = 160
SCRIPTS = names(
    ".sh .bash .zsh .fish .py .pyw .js .mjs .cjs .ts .rb .pl .php .ps1 .bat .cmd .lua .go .rs "
    ".yaml .yml"
)
PROGRAMS = (
    *(b"\x7fELF", b"MZ", b"\0asm"),
    *(b"\xcf\xfa\xed\xfe", b"\xca\xfe\xba\xbe", b"\xfe\xed\xfa\xcf"),
)
SHEBANG = re.compile(r"#!\s*/(?:usr/)?bin/(?:env\s+)?[\w.-]+(?:\s.*)?$")
INVISIBLE = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufeff\uffa0"
    "\U0001d173-\U0001d17a\U000e0000-\U000e0fff\U000e0100-\U000e01ef]"
)
JOINERS = "\u200c\u200d\ufe0e\ufe0f"  # of emoji and some scripts


class Finding(NamedTuple):
    """One thing to look at: its rule, file and line (from 1), and the line itself, cut."""

    rule: str
    file: str
    line: int
    text: str


class _Rule(NamedTuple):
    where: str
    name: str
    form: re.Pattern[str]


@cache
def _rules() -> tuple[_Rule, ...]:
    lines = [line for line in RULES.read_text("utf-8").splitlines() if line[:1] != "#"]
    rows = [line.split("\t") for line in lines]
    names = {name: form for kind, name, form in rows if kind == "name"}
    found = []
    for where, rule, form in (row for row in rows if row[0] != "name"):
        whole = re.sub(r"<([A-Z]+)>", lambda name: names[name[1]], form)
        found.append(_Rule(where, rule, re.compile(whole, re.IGNORECASE)))
    return tuple(found)


def scan(files: Mapping[str, bytes]) -> list[Finding]:
    """Return at most MAX_FINDINGS things to look at in these files, SKILL.md first."""
    found: list[Finding] = []
    lines = chars = 0
    for path in sorted(files, key=lambda path: (path != "SKILL.md", not _is_script(path), path)):
        data = files[path]
        lines, chars = lines + data.count(b"\n"), chars + (0 if _is_binary(data) else len(data))
        if lines > MAX_LINES or chars > MAX_CHARS:
            more = f"more than {MAX_LINES} lines or {MAX_CHARS} characters"
            return [*found, Finding("unscanned", path, 0, more)]
        found += _file(path, data)
        if len(found) >= MAX_FINDINGS:
            return found[:MAX_FINDINGS]
    return found


def _file(path: str, data: bytes) -> Iterator[Finding]:
    if INVISIBLE.search(path):
        yield Finding("hidden-text", path, 0, _shown(path))
    if data.startswith(PROGRAMS):
        yield Finding("program", path, 0, "a compiled program")
    elif not _is_binary(data):
        yield from _text(path, data.decode("utf-8", "replace"))
    elif _is_code(path) or path == "SKILL.md":
        yield Finding("hidden-text", path, 1, "holds NUL bytes")


def _text(path: str, text: str) -> Iterator[Finding]:
    is_script = _is_script(path) or text.startswith("#!")
    rules = [rule for rule in _rules() if is_script or rule.where == "everywhere"]
    for number, line in _joined(text):
        yield from _line(path, number, line, rules)
    if PurePosixPath(path).suffix.lower() in (".md", ".html", ""):
        for comment in re.finditer(r"<!--.*?(?:-->|\Z)", text, re.DOTALL):
            number = text.count("\n", 0, comment.start()) + 1
            yield Finding("hidden-text", path, number, _shown(comment[0].removesuffix("-->")))


def _is_script(path: str) -> bool:
    return path.startswith("scripts/") or _is_code(path)


def _is_code(path: str) -> bool:
    return PurePosixPath(path).suffix.lower() in SCRIPTS


def _is_binary(data: bytes) -> bool:
    return data.startswith(PROGRAMS) or b"\0" in data[:8000]


def _joined(text: str) -> Iterator[tuple[int, str]]:
    """Yield the lines by number; lines that a backslash joins are one."""
    parts: list[str] = []
    first = length = 0
    for number, line in enumerate(text.splitlines(), 1):
        first = first if parts else number
        parts.append(line.strip() if parts else line)
        length += len(line)
        if line.endswith("\\") and length < MAX_LINE_CHARS:
            parts[-1] = parts[-1].rstrip("\\").rstrip()
            continue
        yield first, " ".join(parts)
        parts, length = [], 0
    if parts:
        yield first, " ".join(parts)


def _line(path: str, number: int, line: str, rules: Sequence[_Rule]) -> Iterator[Finding]:
    if not all(_joins(line, found.start()) for found in INVISIBLE.finditer(line)):
        yield Finding("hidden-text", path, number, _shown(line))
    if len(line) > MAX_LINE_CHARS:
        yield Finding("blob", path, number, _shown(line))
        line = f"{line[: MAX_LINE_CHARS // 2]} {line[-MAX_LINE_CHARS // 2 :]}"
    seen = INVISIBLE.sub("", line)
    plain = " ".join(unicodedata.normalize("NFKC", seen).split())[:MAX_LINE_CHARS]
    if number == 1 and SHEBANG.match(plain):
        return
    told = dict.fromkeys(rule.name for rule in rules if rule.form.search(plain))
    for name in told:
        yield Finding(name, path, number, _shown(line))


def _joins(line: str, at: int) -> bool:
    """Return True for what cannot be seen and joins emoji or letters that need it."""
    if at == 0 and line[0] == "\ufeff":
        return True
    beside = line[at - 1 : at] + line[at + 1 : at + 2]
    is_between = len(beside) == 2 and not any(other.isascii() for other in beside)
    return line[at] in JOINERS and is_between


def _shown(line: str) -> str:
    """Return the line with what cannot be seen written out."""
    text = INVISIBLE.sub(lambda char: f"<U+{ord(char[0]):04X}>", line[: SHOWN_CHARS * 2])
    text = " ".join(text.split())
    return text if len(text) <= SHOWN_CHARS else f"{text[: SHOWN_CHARS - 1]}…"
