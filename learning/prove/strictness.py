"""Make typed lines one script that stops where a line fails that did not fail before."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from shell import words
from text import names

HEADS = ("set -e -o pipefail", "set -e", "")


class Line(NamedTuple):
    """A command line as it was typed, the exit code that it had, what it printed."""

    text: str
    code: int = 0
    output: str = ""


Lines = Sequence[Line]
ONE_IS_AN_ANSWER = names(
    "grep egrep fgrep zgrep rg diff cmp"
)  # exit code 1: none found, or one differs


def strict(lines: Lines, head: str = HEADS[0], *, is_question: bool = False) -> str:
    """Return lines as one script. `head` says how strict it is: what it does not stop at, each
    line's own end still is. `is_question`: it changes nothing, and what the last line prints is the
    answer."""
    if is_question and lines and _may_find_none(lines[-1].text):
        lines = [*lines[:-1], lines[-1]._replace(code=1)]
    return "\n".join(filter(None, [head, *(_checked(line, head) for line in lines)]))


def _may_find_none(line: str) -> bool:
    is_one = not re.search(r"&&|\|\||[;\n]", line)  # of several the exit code may be that of a test
    return is_one and _last_command(line)[0] in ONE_IS_AN_ANSWER


def counts(lines: Lines) -> bool:
    """Return True for lines that end in counting: none is a count too, where a sum of none is a
    fault."""
    name, *arguments = _last_command(lines[-1].text) if lines else [""]
    is_told = "-c" in arguments or "--count" in arguments
    return name == "wc" or (name in ONE_IS_AN_ANSWER and is_told)


def _last_command(script: str) -> list[str]:
    """Return the words of the command that a script ends with, its name without a folder."""
    found = list(words(script))
    last = max((word.command for word in found if word.role == "command"), default=-1)
    texts = [word.value or word.text for word in found if word.command == last]
    return [texts[0].rpartition("/")[2], *texts[1:]] if texts else [""]


def _checked(line: Line, head: str) -> str:
    """Return a line that fails where it did not; one that failed may do so again, with the same
    exit code: `diff` ends with 1 where files differ, and with 2 where one is missing."""
    if line.code != 0:
        may_fail = f"(e=$?; test $e = 0 || test $e = {line.code} || exit $e) || exit"
        return f"set +e\n{line.text}\n{may_fail}\n{head or ':'}"
    is_told = bool(head) and not re.search(r"&&|\|\|", line.text)
    return line.text if is_told else f"{line.text}\n(exit $?) || exit"
