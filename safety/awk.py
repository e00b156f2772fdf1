"""What a program of awk starts and where it writes: by its pipes, its redirections and `system`."""

from __future__ import annotations

import re
from typing import NamedTuple

from text import pattern

# Strings, comments and regular expressions: what stands in them is no code. A slash behind a value divides.
_INERT = pattern(
    r'"((?:[^"\\\n]|\\.)*)"|#[^\n]*|(?:(?<=[({;,!~&|?:}\n=])|(?<=[({;,!~&|?:}\n=] )|^)/(?:[^/\\\n]|\\.)*/',
    re.DOTALL,
)
_SYSTEM = pattern(r'\bsystem\s{0,9}\(\s{0,9}(?:"(\d+)"\s{0,9}\))?')
_PIPE = pattern(r"(?<!\|)\|&?(?!\|)\s{0,9}(getline\b)?")
_PIPED_TO = pattern(r'"(\d+)"\s{0,9}(?=[;}\n)]|$)')
_PIPED_FROM = pattern(r'(?:^|[;{}(\n&|])\s{0,9}"(\d+)"\s{0,9}$')
_PRINTED = pattern(r"\bprintf?\b(?:\((?:[^()]|\([^()]*\))*\)|[^;}\n|>()])*>>?\s{0,9}([^;}\n]*)")


class Effects(NamedTuple):
    """`commands` and `files` as they stand in the program; `is_hidden`: there are commands that are only known when it
    runs; `is_unplaced`: such files."""

    commands: list[str]
    files: list[str]
    is_hidden: bool
    is_unplaced: bool


def effects(program: str) -> Effects:
    """What the program does besides printing."""
    strings: list[str] = []

    def kept(found: re.Match[str]) -> str:
        if found[1] is None:
            return "" if found[0].startswith("#") else "R"
        strings.append(re.sub(r"\\(.)", r"\1", found[1]))
        return f'"{len(strings) - 1}"'

    code = _INERT.sub(kept, program.strip())
    started = [found[1] for found in _SYSTEM.finditer(code)]
    for pipe in _PIPE.finditer(code):
        if pipe[1]:
            found = _PIPED_FROM.search(code[max(pipe.start() - 200, 0) : pipe.start()])
        elif found := _PIPED_TO.match(code, pipe.end()):
            strings[int(found[1])] = (
                f"cat | {strings[int(found[1])]}"  # it reads what awk prints, which nobody knows
            )
        started.append(found[1] if found else None)
    written = [re.fullmatch(r'"(\d+)"\s*', found[1]) for found in _PRINTED.finditer(code)]
    files = [strings[int(found[1])] for found in written if found]
    return Effects(
        [strings[int(number)] for number in started if number is not None],
        files,
        None in started or "@load" in code or any(text.startswith("/inet") for text in strings),
        None in written,
    )
