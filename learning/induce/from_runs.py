"""Read what a model did in one or several runs as lines of one script, and which values differ between the runs."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from learning.induce.letters import Letters
from learning.induce.places import Place, apart, places, several
from learning.prove.strictness import Line
from learning.trace import Trace
from memory.evidence import Result
from text import names

LOOKS = names(
    "file_read recall ask_user update_working_checkpoint start_long_term_update more_tools"
)
Only = Mapping[str, Sequence[int]]
END = "END_OF_PYTHON"
_PATCH = """from pathlib import Path
path, old, new = Path({path!r}).expanduser(), {old!r}, {new!r}
text = path.read_text("utf-8")
assert text.count(old) == 1, f"{{path}} holds it {{text.count(old)}} times"
path.write_text(text.replace(old, new), "utf-8")"""
_WRITE = """from pathlib import Path
path = Path({path!r}).expanduser()
path.parent.mkdir(parents=True, exist_ok=True)
path.write_text({content!r}, "utf-8")"""


def lines_of(trace: Trace) -> list[Line] | None:
    """Return the calls of a run as lines; None where one of them is no script and no change of a file."""
    calls = [call for call in trace.calls if call.tool not in LOOKS and call.status != "refused"]
    if not calls or any(call.tool not in _SCRIPTS for call in calls):
        return None
    return [_line(call, trace, is_alone=len(calls) == 1) for call in calls]


def _line(call: Result, trace: Trace, *, is_alone: bool) -> Line:
    text = _SCRIPTS[call.tool](call.args)
    cwd = call.args.get("cwd")
    head = [f"cd {shlex.quote(str(cwd))}"] if cwd and str(cwd) != str(trace.cwd) else []
    env = call.args.get("env") or {}
    head += [f"export {name}={shlex.quote(str(value))}" for name, value in env.items()]
    text = "\n".join([*head, text])
    moves = bool(head) or re.search(r"(?:^|[;&\n])\s*(?:cd|export|set)\s", text) is not None
    if moves and not is_alone:
        text = f"(\n{text}\n)"  # each call began in the run's folder, with the run's variables
    data = call.data if isinstance(call.data, dict) else {}
    code = data.get("exit_code") if "exit_code" in data else int(call.status != "ok")
    return Line(text, 1 if code is None else int(code), str(data.get("output", "")))


def _script(args: Mapping[str, Any]) -> str:
    text = str(args.get("script", "")).strip("\n")
    return _python(text) if args.get("type") == "python" else text


def _python(code: str) -> str:
    return f"python3 - <<'{END}'\n{code}\n{END}"


def _written(args: Mapping[str, Any]) -> str:
    return _python(_WRITE.format(path=str(args["path"]), content=str(args.get("content", ""))))


def _patched(args: Mapping[str, Any]) -> str:
    named = {key: str(args.get(key, "")) for key in ("path", "old", "new")}
    return _python(_PATCH.format(**named))


def _removed(args: Mapping[str, Any]) -> str:
    paths = args.get("paths", [])
    named = [paths] if isinstance(paths, str) else paths
    return "rm -r -- " + " ".join(quoted(str(path)) for path in named)


def quoted(path: str) -> str:
    """Return a path as a word of a script."""
    return f"~/{shlex.quote(path[2:])}" if path.startswith("~/") else shlex.quote(path)


_SCRIPTS: Mapping[str, Callable[[Mapping[str, Any]], str]] = {
    "code_run": _script,
    "file_write": _written,
    "file_patch": _patched,
    "file_trash": _removed,
}


def other_values(
    typed: str, values: Mapping[str, str], other: str, only: Only | None = None
) -> tuple[dict[str, str] | None, str]:
    """Return the values with which another run's lines are these lines, or None and the first line that is not. `only`: which
    places of a value vary, where not all do."""
    pattern, names = _pattern(typed, values, only or {})
    found = re.fullmatch(pattern, other, re.DOTALL)
    if found:
        return {name: found[name] for name in names}, ""
    pairs = zip(typed.splitlines(), other.splitlines(), strict=False)
    for mine, its in pairs:
        if not re.fullmatch(_pattern(mine, values, {})[0], its):
            return None, its
    return None, (other.splitlines() or [""])[-1]


def _pattern(typed: str, values: Mapping[str, str], only: Only) -> tuple[str, list[str]]:
    letters = Letters(typed)
    found = []
    for name, text in values.items():
        spots = places(letters, text)
        chosen = only.get(name, range(len(spots)))
        found += [(name, spots[at]) for at in chosen]
    return _as_pattern(typed, apart(found))


def _as_pattern(typed: str, found: Sequence[tuple[str, Place]]) -> tuple[str, list[str]]:
    pieces, at, names = [], 0, []
    for name, place in found:
        pieces.append(re.escape(typed[at : place.start]))
        pieces.append(f"(?P={name})" if name in names else f"(?P<{name}>.+?)")
        names.append(name)
        at = place.end
    pieces.append(re.escape(typed[at:]))
    return "".join(pieces), list(dict.fromkeys(names))


def differing_places(typed: str, values: Mapping[str, str], others: Sequence[str]) -> Only:
    """Return which places of a short number are others in the other runs, by the value's name."""
    letters = Letters(typed)
    spots = {name: several(typed, text) for name, text in values.items()}
    found = [
        (f"{name}__{at}" if spots[name] else name, place)
        for name, text in values.items()
        for at, place in enumerate(places(letters, text))
    ]
    pattern, _ = _as_pattern(typed, apart(found))
    matches = [re.fullmatch(pattern, other, re.DOTALL) for other in others]
    return {
        name: other
        for name, each in spots.items()
        if (other := _other_at(name, values[name], len(each), matches))
    }


def _other_at(
    name: str, text: str, count: int, matches: Sequence[re.Match[str] | None]
) -> list[int]:
    found = [match.groupdict() for match in matches if match]
    return [
        at for at in range(count) if any(each.get(f"{name}__{at}", text) != text for each in found)
    ]


def differing(typed: str, others: Sequence[str]) -> list[str]:
    """Return the words of these lines that are others in the other runs."""
    from difflib import SequenceMatcher

    mine = _words(typed)
    found: dict[str, None] = {}
    for other in others:
        its = _words(other)
        for kind, start, end, begin, stop in SequenceMatcher(
            None, mine, its, autojunk=False
        ).get_opcodes():
            if kind == "replace":
                found |= dict.fromkeys(_core("".join(mine[start:end]), "".join(its[begin:stop])))
    return [text for text in found if text.strip()]


def _words(text: str) -> list[str]:
    return re.findall(r"[~\w./@+%-]+|\s+|.", text)


def _core(mine: str, its: str) -> list[str]:
    """Return what of a word differs, out to the signs around it."""
    start = 0
    while start < min(len(mine), len(its)) and mine[start] == its[start]:
        start += 1
    end = 0
    while end < min(len(mine), len(its)) - start and mine[-1 - end] == its[-1 - end]:
        end += 1
    while start > 0 and mine[start - 1].isalnum():
        start -= 1
    while end > 0 and mine[len(mine) - end].isalnum():
        end -= 1
    return [mine[start : len(mine) - end]]
