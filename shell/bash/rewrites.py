"""Says a script that the grammar does not take in words that it does take; what it does stays the same.

Here-documents become here-strings, `2>&1 <<< x` becomes `<<< x 2>&1`, `for x do` becomes `for x; do`, `!(a|b)` becomes `*`.
"""

from __future__ import annotations

import re

_QUOTED = r"'[^']*(?:'|\Z)|\"(?:[^\"\\]|\\.)*(?:\"|\Z)|\\."
MAX_CHARS = 8_000
_SWAPPED = re.compile(
    rf"({_QUOTED})|((?:\d?>&\d|\d?>>?[ \t]*[\w./~$-]+)(?:[ \t]+\d?>&\d)?)[ \t]+(<<<[ \t]*(?:'[^']*'|\"(?:[^\"\\]|\\.)*\"|[\w./$-]+))",
    re.DOTALL,
)
# `ls !(*.txt)`, not `if !(grep …)`: of what is behind a word, and holds no blank.
_EXTGLOB = re.compile(
    rf"({_QUOTED})|(?<=[\w\"'/.*-] )(?<!if )(?<!while )(?<!until )(?<!then )(?<!do )(?<!else )[!@?*+]\([^()\s]{{0,200}}\)",
    re.DOTALL,
)
_FOR = re.compile(rf"({_QUOTED})|\bfor[ \t]+(\w+)[ \t]+do\b", re.DOTALL)
_STARTS = re.compile(rf"<<<|(<<-?)[ \t]*(?:'(\w+)'|\"(\w+)\"|\\(\w+)|(\w+))|{_QUOTED}|(?:^|\s)#.*")


def rewritten(script: str) -> str | None:
    """The same script in other words; None when there is nothing to say otherwise."""
    if len(script) > MAX_CHARS:
        return None
    text = _FOR.sub(lambda found: found[1] or f"for {found[2]}; do", _with_strings(script))
    text = _EXTGLOB.sub(lambda found: found[1] or "*", text)
    text = _SWAPPED.sub(lambda found: found[1] or f"{found[3]} {found[2]}", text)
    return text if text != script else None


def _with_strings(script: str) -> str:
    """Here-documents as here-strings, but for those whose quotes stand in a substitution."""
    lines, done, at = script.split("\n"), list[str](), 0
    while at < len(lines):
        line, at = lines[at], at + 1
        pieces, end = list[str](), 0
        for found in _STARTS.finditer(line):
            if not found[1]:
                continue
            plain = next((name for name in found.groups()[1:4] if name), "")
            document = _document(lines, at, plain or found[5], found[1] == "<<-")
            if document is None:
                return script
            body, at = document
            if not plain and re.search(r"\$\(|`", body) and re.search(r"[\"']", body):
                return script
            pieces += [line[end : found.start()], "<<< ", _quoted(body) if plain else _filled(body)]
            end = found.end()
        done.append("".join(pieces) + line[end:])
    return "\n".join(done)


def _document(lines: list[str], at: int, name: str, is_stripped: bool) -> tuple[str, int] | None:
    """The text up to the line that is `name`, and the number of the line behind that."""
    for number in range(at, len(lines)):
        if (lines[number].lstrip("\t") if is_stripped else lines[number]) == name:
            return "\n".join(lines[at:number]), number + 1
    return None


def _quoted(body: str) -> str:
    return "'" + body.replace("'", "'\\''") + "'"


def _filled(body: str) -> str:
    body = re.sub(r"\\(?![$`\\\n])", r"\\\\", body)
    return '"' + body.replace('"', '\\"') + '"'
