"""The tool that replaces one passage of a file; the passage must stand there exactly once. Seed 002 §3."""

from __future__ import annotations

import itertools
import re

from models.base import ToolResult
from tools.base import ToolContext, ToolError, tool
from tools.files.text_files import diff, failure, keeps_no_secret, read_text, utf8, write_beneath


@tool("read", "write", paths=("path",))
def file_patch(ctx: ToolContext, path: str, old: str, new: str) -> ToolResult:
    """Replace a passage of a text file.

    old: exact, occurs once, no line numbers
    """
    place = ctx.place(path)
    for name, text in (("old", old), ("new", new)):
        utf8(name, text)
    keeps_no_secret(ctx, place, new)
    if old == new:
        raise ToolError("error.files.old-new-same-nothing")
    if not old:
        raise ToolError("error.files.old-empty-add-text")
    found = read_text(place)
    wanted = old if old in found.text else found.adapted(old)
    times = found.text.count(wanted)
    if times == 0:
        raise ToolError("error.files.old-does-occur", path=path, rest=_closest(found.text, old))
    if times > 1:
        lines = ", ".join(map(str, _line_numbers(found.text, wanted)))
        raise ToolError("error.files.old-occurs-times-lines", path=path, count=times, lines=lines)
    changed = found.text.replace(wanted, found.adapted(new), 1)
    try:
        with ctx.recorded(place):
            size = write_beneath(place, found.encoded(changed))
    except OSError as error:
        raise failure(place, error) from error
    line = found.text.count("\n", 0, found.text.index(wanted)) + 1
    return ToolResult(
        "ok", {"path": str(place), "line": line, "bytes": size, "diff": diff(found.text, changed)}
    )


def _line_numbers(text: str, wanted: str) -> list[int]:
    starts = itertools.islice(re.finditer(re.escape(wanted), text), 10)
    return [text.count("\n", 0, found.start()) + 1 for found in starts]


def _closest(text: str, old: str) -> str:
    """The lines that look most like `old`, with numbers, or what kind of difference it is."""
    import difflib

    lines, wanted = text.splitlines(), old.strip().splitlines()
    if not lines:
        return "The file is empty."
    if not wanted:
        return "old is only white space."
    bare = [line.strip() for line in lines]
    longest = max(wanted[:20], key=lambda line: len(line.strip()))
    match = difflib.get_close_matches(longest.strip(), bare[:20_000], 1, 0.5)
    if not match:
        return "No line is like it; read the file first."
    at = max(0, bare.index(match[0]) - wanted.index(longest))
    near = enumerate(lines[at : at + min(len(wanted), 12)], at + 1)
    shown = "\n".join(f"{number}|{line[:200]}" for number, line in near)
    is_same = "".join(old.split()) in "".join(text.split())
    return ("It differs in white space only. " if is_same else "") + f"Closest lines:\n{shown}"
