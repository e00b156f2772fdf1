"""Read what a model did in one or several runs as lines of one script, and which values differ
between the runs."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from itertools import takewhile
from typing import Any

from learning.induce.letters import Letters
from learning.induce.places import apart, places
from learning.induce.write import written
from learning.prove.strictness import Line
from learning.trace import Trace
from memory.evidence import Result
from shell import Setting, scan
from text import names

LOOKS = names(
    "file_read recall ask_user update_working_checkpoint start_long_term_update more_tools"
)
Only = Mapping[str, Sequence[int]]
END = "END_OF_PYTHON"
_PATCH = """import re
from pathlib import Path
path, new = Path({path!r}).expanduser(), {new!r}
text = path.read_text("utf-8")
old = {pattern}
assert len(re.findall(old, text)) == 1, f"{{path}} holds it {{len(re.findall(old, text))}} times"
path.write_text(re.sub(old, lambda _: new, text), "utf-8")"""
_WRITE = """from pathlib import Path
path = Path({path!r}).expanduser()
path.parent.mkdir(parents=True, exist_ok=True)
"""
_MODES = {
    "overwrite": 'path.write_text({content!r}, "utf-8")',
    "append": 'path.open("a", encoding="utf-8").write({content!r})',
    "prepend": """old = path.read_text("utf-8") if path.exists() else ""
path.write_text({content!r} + old, "utf-8")""",
}
_LOCAL = names("reads writes takes delete")
_TOKEN = r"[^\s\"',;=]+"
_NAMES = re.compile(r"\w+")
_MOVES = re.compile(r"(?:^|[;&\n])\s*(?:cd|export|set)\s")
LEAST_SHARED = 0.6
# an output that a later call does not repeat by chance: three letters, or two with a sign
_TELLING = re.compile(r"(?!\d\d$|[^\W\d_]{2}$)..+")


def lines_of(trace: Trace) -> list[Line] | None:
    """Return the calls of a run that did something, or whose output its answer tells, as lines;
    None where one of the calls is no script and no change of a file. An output that a later call
    repeats is taken from where it came."""
    calls = [call for call in trace.calls if _is_step(call)]
    if not calls or not _SCRIPTS.keys() >= {call.tool for call in calls}:
        return None
    lines = [_line(call, trace, is_alone=len(calls) == 1) for call in calls]
    doing = {at for at in range(len(calls)) if _does(at, calls, lines, trace)}
    return _linked(lines, doing or {len(calls) - 1}, trace)


def _is_step(call: Result) -> bool:
    return call.tool not in LOOKS and call.status != "refused"


def _linked(lines: list[Line], doing: set[int], trace: Trace) -> list[Line]:
    """Return the lines that do something, behind those whose output they repeat."""
    found: list[Line] = []
    for at, line in enumerate(lines):
        later = {each: lines[each] for each in sorted(doing) if each > at}
        if _is_repeated(line, trace, later.values()):
            name, value = f"found_{len(found) + 1}", line.output.strip()
            found.append(Line(f'{name}=$(\n{line.text}\n)\ntest -n "${name}"\nexport {name}'))
            doing.discard(at)
            for each, text in later.items():
                lines[each] = text._replace(text=written(text.text, {name: [value]}).text)
    return [*found, *(lines[at] for at in sorted(doing))]


def _does(at: int, calls: Sequence[Result], lines: Sequence[Line], trace: Trace) -> bool:
    """Return True for a call that did something for good, or whose output is told."""
    call, line = calls[at], lines[at]
    if line.code == 0 and tells(line.output, trace.answer):
        return True
    is_done = call.call in trace.changed or not _is_local(call)
    return is_done and not _is_tried_again(line, lines[at + 1 :])


def _is_tried_again(line: Line, later: Sequence[Line]) -> bool:
    """Return True for a line that failed where a later one, with most of its words, did not."""
    mine = set(_NAMES.findall(line.text))
    return line.code != 0 and any(
        each.code == 0 and len(mine & set(_NAMES.findall(each.text))) >= LEAST_SHARED * len(mine)
        for each in later
    )


def tells(output: str, answer: str) -> bool:
    """Return True if an answer holds a line of what was printed, or is a part of it."""
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    return any(map(partial(_stands, answer), lines)) or bool(lines and answer.strip() in output)


def _stands(answer: str, line: str) -> bool:
    return re.search(rf"(?<![\w./-]){re.escape(line)}(?![\w/-]|\.\w)", answer) is not None


def _is_local(call: Result) -> bool:
    """Return True for a call whose effects a stage shows: without a change it did nothing."""
    if call.tool != "code_run" or call.args.get("type") == "python":
        return True
    effects = scan(str(call.args.get("script", "")), Setting({}, "/"))
    return {effect.kind for effect in effects} <= _LOCAL


def _is_repeated(line: Line, trace: Trace, later: Iterable[Line]) -> bool:
    """Return True if later lines hold what this one printed, and the request does not."""
    value = line.output.strip()
    if line.code != 0 or value in trace.request or not _TELLING.fullmatch(value):
        return False
    return any(written(each.text, {"found": [value]}).used for each in later)


def _line(call: Result, trace: Trace, *, is_alone: bool) -> Line:
    text = _SCRIPTS[call.tool](call.args, trace.request)
    cwd, env = call.args.get("cwd") or trace.cwd, call.args.get("env") or {}
    head = [f"cd {shlex.quote(str(cwd))}"] if str(cwd) != str(trace.cwd) else []
    head += [f"export {name}={shlex.quote(str(value))}" for name, value in env.items()]
    text = "\n".join([*head, text])
    if not is_alone and _MOVES.search(text):
        text = f"(\n{text}\n)"  # each call began in the run's folder, with the run's variables
    data = call.data if isinstance(call.data, dict) else {}
    code = data.get("exit_code", int(call.status != "ok"))
    return Line(text, 1 if code is None else int(code), str(data.get("output", "")))


def _script(args: Mapping[str, Any], _: str) -> str:
    text = str(args.get("script", "")).strip("\n")
    return _python(text) if args.get("type") == "python" else text


def _python(code: str) -> str:
    return f"python3 - <<'{END}'\n{code}\n{END}"


def _written(args: Mapping[str, Any], _: str) -> str:
    code = _WRITE + _MODES[str(args.get("mode", "overwrite"))]
    return _python(code.format(path=str(args["path"]), content=str(args.get("content", ""))))


def _patched(args: Mapping[str, Any], request: str) -> str:
    path, old, new = (str(args.get(key, "")) for key in ("path", "old", "new"))
    return _python(_PATCH.format(path=path, new=new, pattern=_old(old, new, request)))


def _old(old: str, new: str, request: str) -> str:
    """Return the pattern of a replaced text; a value that nobody named may be any."""
    start, end = _shared(old, new)
    spans = [found.span() for found in re.finditer(_TOKEN, old)]
    within = [span for span in spans if span[0] <= start and len(old) - end <= span[1]]
    if len(within) != 1 or old[slice(*within[0])] in request or not old[: within[0][0]].strip():
        return f"re.escape({old!r})"
    first, last = within[0]
    return f"re.escape({old[:first]!r}) + {_TOKEN!r} + re.escape({old[last:]!r})"


def _removed(args: Mapping[str, Any], _: str) -> str:
    paths = args.get("paths", [])
    named = [paths] if isinstance(paths, str) else paths
    return "rm -r -- " + " ".join(quoted(str(path)) for path in named)


def quoted(path: str) -> str:
    """Return a path as a word of a script."""
    return f"~/{shlex.quote(path[2:])}" if path.startswith("~/") else shlex.quote(path)


_SCRIPTS: Mapping[str, Callable[[Mapping[str, Any], str], str]] = {
    "code_run": _script,
    "file_write": _written,
    "file_patch": _patched,
    "file_trash": _removed,
}


def other_values(
    typed: str, values: Mapping[str, str], other: str, only: Only | None = None
) -> tuple[dict[str, str] | None, str]:
    """Return the values with which another run's lines are these lines, or None and the first line
    that is not. `only`: which places of a value vary, where not all do."""
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
        found += [(name, spots[at]) for at in only.get(name, range(len(spots)))]
    pieces, at, names = [], 0, []
    for name, place in apart(found):
        pieces.append(re.escape(typed[at : place.start]))
        pieces.append(f"(?P={name})" if name in names else f"(?P<{name}>.+?)")
        names.append(name)
        at = place.end
    pieces.append(re.escape(typed[at:]))
    return "".join(pieces), list(dict.fromkeys(names))


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


def _shared(one: str, two: str) -> tuple[int, int]:
    """Return how many letters two texts share at their start, and then at their end."""
    pairs = zip(one, two, strict=False)
    start = len(list(takewhile(lambda pair: pair[0] == pair[1], pairs)))
    behind = zip(one[start:][::-1], two[start:][::-1], strict=False)
    return start, len(list(takewhile(lambda pair: pair[0] == pair[1], behind)))


def _core(mine: str, its: str) -> list[str]:
    """Return what of a word differs, out to the signs around it."""
    start, end = _shared(mine, its)
    start -= _alike(mine[:start][::-1])
    end -= _alike(mine[len(mine) - end :])
    return [mine[start : len(mine) - end]]


def _alike(text: str) -> int:
    """Return how many letters and digits a text begins with."""
    return len(list(takewhile(str.isalnum, text)))
