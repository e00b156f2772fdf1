"""Make typed lines one script that stops where a line fails that did not fail before."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

HEADS = ("set -e -o pipefail", "set -e", "")


class Line(NamedTuple):
    """A command line as it was typed, the exit code that it had, what it printed."""

    text: str
    code: int = 0
    output: str = ""


Lines = Sequence[Line]


def strict(lines: Lines, head: str = HEADS[0]) -> str:
    """Return lines as one script. `head` says how strict it is: what it does not stop at, each line's own end still is."""
    return "\n".join(filter(None, [head, *(_checked(line, head) for line in lines)]))


def _checked(line: Line, head: str) -> str:
    """Return a line that fails where it did not; one that failed may do so again, with the same exit code: `diff` ends
    with 1 where files differ, and with 2 where one is missing."""
    if line.code != 0:
        may_fail = f"(e=$?; test $e = 0 || test $e = {line.code} || exit $e) || exit"
        return f"set +e\n{line.text}\n{may_fail}\n{head or ':'}"
    is_told = bool(head) and not re.search(r"&&|\|\|", line.text)
    return line.text if is_told else f"{line.text}\n(exit $?) || exit"
