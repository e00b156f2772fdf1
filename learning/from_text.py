"""Makes the draft of an SOP from written instructions: a Markdown how-to, a shell script, or steps as YAML.

Nothing is proven by a text, so such a draft has no evidence until a replay. What cannot be understood is listed with its
line and never guessed. Values that vary are `$1`, variables at the top of a script, <PLACEHOLDERS>, {braces} and
variables that nobody sets. Source: seed 001 §2.3; `teach NAME --from-file FILE`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from learning import shell_words
from learning.crystallise import plain_wordings
from learning.draft import (
    Content,
    Draft,
    DraftStep,
    LearningError,
    check_name,
    load,
    skill_text,
    to_yaml,
    write_draft,
)
from learning.mentions import given
from learning.reach import Reach, goes_out, reach_of
from learning.wordings import plain_result, unique
from memory.runlog.evidence import Result
from replay.procedure import BUILT_IN, ProcedureError
from shell.bash import NotUnderstood
from shell.catalogue import entry

MAX_CHARS = 200_000
_SHELL_LANGUAGES = {"bash", "sh", "shell", "zsh", "console", "shell-session", "terminal"}
_PYTHON_LANGUAGES = {"python", "py", "python3"}
_ITEM = re.compile(r"\s*(?:\d+[.)、]|[-*+])\s+(.*)")
_NUMBERED = re.compile(r"\s*\d+[.)、]\s+")
_PLACEHOLDER = re.compile(
    r"<([A-Za-z][A-Za-z0-9_ -]{0,30})>|(?<![\$\w}])\{([a-z][a-z0-9_]{0,30})\}|\[([A-Z][A-Z0-9_]{1,30})\]"
)
_ENVIRONMENT = frozenset(
    ["HOME", "PATH", "USER", "PWD", "SHELL", "LANG", "TMPDIR", "HOSTNAME", "OLDPWD", "RANDOM", "SECONDS", "EDITOR", "TERM", "UID", "IFS", "REPLY", "LOGNAME", "BASH", "PPID", "EUID"]
)  # fmt: skip
_TYPES: tuple[tuple[str, dict[str, Any]], ...] = (
    (r"(.*_)?(folder|dir|directory|path|file|filename|target|source|src|dest|destination|output|input|log|repo|archive)(_path|_dir|_file)?\d?", {"type": "string", "format": "path"}),
    (r"(.*_)?(days?|count|number|num|n|limit|port|hours?|minutes?|weeks?|lines?|size|depth|max|min|top|keep|age|pages?|width|height)\d?", {"type": "integer", "minimum": 0}),
    (r"(.*_)?date\d?", {"type": "string", "format": "date"}),
    (r"(.*_)?url\d?", {"type": "string", "format": "url"}),
)  # fmt: skip
_RANK: dict[Reach, int] = {"reads": 0, "local": 1, "external": 2, "destructive": 3}


@dataclass(slots=True)
class _Text:
    """A text on its way to a draft."""

    content: Content = field(default_factory=Content)
    problems: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    title: str = ""
    reach: Reach = "reads"

    def parameter(self, wish: str, example: str = "") -> str:
        """The parameter that a placeholder stands for, by its name; made when first met."""
        name = unique(re.sub(r"[^a-z0-9]+", "_", wish.lower()).strip("_") or "value", set())
        if name not in self.content.parameters:
            self.content.parameters[name] = _schema(name, example)
        return name


def from_text(text: str, name: str, *, file: str = "", lang: str = "en") -> Draft:
    """The draft that a text describes; `file` is its name, which tells the kind. Raises LearningError."""
    check_name(name)
    if len(text) > MAX_CHARS:
        raise LearningError(
            f"{file or 'the text'} is longer than {MAX_CHARS:,} characters; nobody does that by rote."
        )
    if "\0" in text or not text.strip():
        raise LearningError(f"{file or 'the text'} is {'no text' if text.strip() else 'empty'}.")
    text = text.replace("\r\n", "\n").removeprefix("\ufeff")
    kind = kind_of(text, file)
    if kind == "yaml":
        return _yaml(text, name, lang, file)
    work = _Text()
    if kind == "shell":
        _shell_script(work, text)
    else:
        _markdown(work, text)
    if not (work.content.plan or work.content.commit):
        listed = "\n".join(work.problems[:5])
        raise LearningError(
            f"no step of {file or 'the text'} could be understood."
            + (f"\n{listed}" if listed else "")
        )
    return _finished(work, name, lang)


def kind_of(text: str, file: str) -> str:
    """shell, yaml or markdown, by the name of the file, else by how the text begins."""
    suffix = Path(file).suffix.lower()
    by_suffix = {".sh": "shell", ".bash": "shell", ".yaml": "yaml", ".yml": "yaml", ".md": "markdown", ".txt": "markdown", ".markdown": "markdown"}  # fmt: skip
    if suffix in by_suffix:
        return by_suffix[suffix]
    if re.match(r"#!.*\b(ba|z|da|k)?sh\b", text):
        return "shell"
    return "yaml" if re.search(r"^(plan|commit|steps):", text, re.MULTILINE) else "markdown"


def _finished(work: _Text, name: str, lang: str) -> Draft:
    content = work.content
    content.effects = "none" if work.reach == "reads" else work.reach
    scripts = [str(step.args.get("script", "")) for step in (*content.plan, *content.commit)]
    if commands := list(dict.fromkeys(word for script in scripts for word in _commands(script))):
        content.requires["commands"] = commands
    for key, said in (
        ("files", "file|filename|log|input"),
        ("folders", "folder|dir|directory|repo"),
    ):
        named = [each for each in content.parameters if re.fullmatch(rf"(.*_)?({said})\d?", each)]
        if (
            content.effects == "none" and named
        ):  # of a pipe only the last command says that something is missing
            content.requires[key] = named
    content.wordings = [*_title_wording(work), *plain_wordings(name, content.parameters, lang)]
    work.problems.sort(
        key=lambda each: int(found[1]) if (found := re.match(r"line (\d+)", each)) else 0
    )
    last = (content.commit or content.plan)[-1]
    if content.commit:
        content.result = plain_result(content, "")
        if not content.checks:
            work.problems.append(
                "nothing proves that it worked: it changes something and has no check"
            )
    else:
        saved = unique("answer", set(content.parameters))
        last.save[saved] = "output"
        content.result = f"{{{{{saved}}}}}"
    return write_draft(
        name, content, [], description=work.title or name.replace("-", " "), slots=[], problems=work.problems, notes=work.notes
    )  # fmt: skip


def _title_wording(work: _Text) -> list[str]:
    title = re.sub(_PLACEHOLDER, lambda m: f"{{{_known(work, m)}}}", work.title)
    return [title[:1].lower() + title[1:]] if "{" in title else []


def _known(work: _Text, match: re.Match[str]) -> str:
    return work.parameter(next(filter(None, match.groups())))


# A shell script


def _shell_script(work: _Text, text: str) -> None:
    """The script is one step: its lines share variables. What varies is set at its top from the parameters."""
    lines, kept, before = text.split("\n"), list[str](), True
    positions, taken = _usage(text), dict[int, str]()
    for number, line in enumerate(lines, 1):
        bare = line.strip()
        if bare.startswith("#"):
            _comment(work, bare, number)
        elif before and (found := _top_assignment(work, bare, taken)):
            kept.append(found)
            continue
        elif bare and not re.match(r"set\s+-", bare):
            before = False
        if not (number == 1 and bare.startswith("#!")):
            kept.append(line)
        _unfit(work, bare, number)
    script = "\n".join(kept).strip("\n") + "\n"
    script = _positional(work, script, positions, taken) + script
    _add(work, _with_unset(work, script), "bash")


def _usage(text: str) -> dict[int, str]:
    """The names of the arguments, where the script says how it is called: `usage: copy.sh SOURCE TARGET`."""
    said = re.search(r"(?:usage|用法)[:：]\s*\S+\s+([\w<>\[\] -]+)", text, re.IGNORECASE)
    return dict(enumerate(re.findall(r"[\w-]+", said[1]), 1)) if said else {}


def _comment(work: _Text, line: str, number: int) -> None:
    said = line.lstrip("#! ").strip()
    if not said or line.startswith("#!"):
        return
    work.notes.append(f"line {number}: {said}")
    work.title = work.title or said.rstrip(".")


def _top_assignment(work: _Text, line: str, taken: dict[int, str]) -> str:
    """`DAYS=30` and `FOLDER="$1"` at the top take their value from a parameter; "" for any other line."""
    match = re.fullmatch(r"(?:readonly\s+|export\s+)?([A-Za-z_]\w*)=(.*?)\s*(?:#.*)?", line)
    if not match:
        return ""
    variable, value = match[1], match[2]
    if argument := re.fullmatch(r"[\"']?\$(?:\{(\d)(?::?[-?]([^}]*))?\}|(\d))[\"']?", value):
        example = argument[2] if argument[2] and "-" in value else ""
    elif re.fullmatch(r"\"[^\"$`\\]*\"|'[^']*'|[\w./~:,@%+-]+|\"?\$HOME(/[\w./ -]*)?\"?", value):
        example = value.strip("\"'").replace("$HOME", "~")
    else:
        return ""
    name = work.parameter(variable, example or "")
    if argument:
        taken[int(argument[1] or argument[3])] = name
    if example:
        _default(work, name, example)
    return f'{variable}="${name}"' if variable != name else ": "


def _default(work: _Text, name: str, example: str) -> None:
    schema = work.content.parameters[name]
    value: Any = (
        int(example)
        if schema["type"] == "integer" and re.fullmatch(r"\d{1,9}", example)
        else example
    )
    if schema["type"] == "string" or isinstance(value, int):
        schema["default"] = value


def _positional(
    work: _Text, script: str, positions: Mapping[int, str], taken: Mapping[int, str]
) -> str:
    """`$1` where it is used: the script gets its arguments from the parameters. `taken` stand at its top already."""
    plain = _SINGLE_QUOTED.sub(
        lambda match: "" if match[0][0] == "'" else match[0], script
    )  # awk '{print $1}'
    used = {int(a or b) for a, b in re.findall(r"\$(?:(\d)|\{(\d)[}:#%/-])", plain)} - {0}
    if not used and not (taken and "$#" in plain):
        return ""
    numbers = range(1, max(used | taken.keys()) + 1)
    names = [taken.get(n) or work.parameter(positions.get(n, f"argument{n}")) for n in numbers]
    return "set -- " + " ".join(f'"${name}"' for name in names) + "\n"


_SINGLE_QUOTED = re.compile(r"\\.|\"(?:[^\"\\]|\\.)*\"|'[^']*'|(?<!\S)#[^\n]*", re.DOTALL)
_UNFIT = (
    (
        r"\$[@*]|\$#(?!\"?\s*-(?:lt|le|ne|eq|gt|ge)\b)|\bshift\b|\bgetopts\b",
        "takes any number of arguments; an SOP has named parameters",
    ),
    (r"^\s*(read|select)\b(?!.*<)", "asks while it runs; an SOP has its values from the start"),
    (r"\bsudo\b|\bpasswd\b|\bsu\b\s", "asks for a password"),
    (r"^\s*(vim?|nano|less|more|top|htop|ssh)\b", "needs a terminal"),
)


def _unfit(work: _Text, line: str, number: int) -> None:
    for pattern, why in _UNFIT:
        if re.search(pattern, line) and not line.startswith("#"):
            work.problems.append(f"line {number}: {line[:80]!r} {why}")


# Markdown


def _markdown(work: _Text, text: str) -> None:
    """Fenced blocks in a language we run, and inline commands in list items, in their order."""
    lines = text.split("\n")
    at, item, item_line, item_done = 0, "", 0, True
    body_start = 0
    if lines[0].strip() == "---" and "---" in [line.strip() for line in lines[1:]]:
        body_start = 1 + [line.strip() for line in lines[1:]].index("---") + 1
    at = body_start
    while at < len(lines):
        line = lines[at]
        if fence := re.match(r"\s*(```+|~~~+)\s*([\w+-]*)", line):
            end = next(
                (
                    n
                    for n in range(at + 1, len(lines))
                    if lines[n].strip().startswith(fence[1]) and not lines[n].strip().strip("`~")
                ),
                None,
            )
            if end is None:
                work.problems.append(f"line {at + 1}: a block of code has no end")
                return
            _block(work, lines[at + 1 : end], fence[2].lower(), at + 1)
            belongs = (
                fence[0][:1].isspace()
                or item.rstrip().endswith((":", "："))
                or lines[at - 1].strip() == item
            )
            item_done, at = item_done or belongs, end + 1
            continue
        if heading := re.match(r"#+\s+(.*)", line):
            work.title = work.title or _plain(heading[1])
        elif found := _ITEM.match(line):
            _not_understood(work, item, item_line, item_done)
            item, item_line, item_done = found[1], at + 1, not _NUMBERED.match(line)
            item_done = _inline(work, found[1], at + 1) or item_done
        elif line.strip() and not work.title:
            work.title = _plain(line)
        at += 1
    _not_understood(work, item, item_line, item_done)


def _not_understood(work: _Text, item: str, line: int, is_done: bool) -> None:
    if item and not is_done:
        work.problems.append(f"line {line}: no command in {_plain(item)[:80]!r}")


def _plain(text: str) -> str:
    return re.sub(r"[*`]", "", text).strip().rstrip(".。:：")


def _block(work: _Text, lines: list[str], language: str, number: int) -> None:
    indent = min((len(line) - len(line.lstrip()) for line in lines if line.strip()), default=0)
    lines = [line[indent:] for line in lines]
    if language in _PYTHON_LANGUAGES:
        _add(work, _python_placeholders(work, "\n".join(lines) + "\n", number), "python")
    elif language in _SHELL_LANGUAGES or (not language and _looks_like_commands(lines)):
        if any(
            re.match(r"[$%>]\s", line) for line in lines
        ):  # a session: what stands behind no prompt was printed
            lines = [re.sub(r"^[$%>]\s+", "", line) for line in lines if re.match(r"[$%>]\s", line)]
        for offset, line in enumerate(lines):
            _unfit(work, line.strip(), number + 1 + offset)
        _shell_block(work, "\n".join(lines).strip("\n"), number)
    else:
        work.problems.append(f"line {number}: a block of {language or 'text'} is no step")


def _looks_like_commands(lines: list[str]) -> bool:
    words = [
        line.lstrip("$ ").split()[0]
        for line in lines
        if line.strip() and not line.lstrip().startswith("#")
    ]
    return bool(words) and all(_is_command(word) for word in words)


def _is_command(word: str) -> bool:
    from learning.reach import _READING

    return (
        word in _READING
        or entry(word) is not None
        or word in ("python3", "python", "git", "make", "cd")
    )


def _inline(work: _Text, item: str, number: int) -> bool:
    """The commands between backticks in a list item; False when there is none."""
    found = [
        code
        for code in re.findall(r"(?<!`)`([^`\n]+)`(?!`)", item)
        if " " in code.strip() or _is_command(code.strip())
    ]
    commands = [code for code in found if _is_command(code.strip().split()[0])]
    for code in commands:
        _unfit(work, code, number)
        _shell_block(work, code.strip(), number)
    return bool(commands)


def _shell_block(work: _Text, script: str, number: int) -> None:
    """A block with its placeholders as variables, in the right quotes."""
    marks: dict[str, str] = {}

    def mark(match: re.Match[str]) -> str:
        token = f"SOPWITH{len(marks)}MARK"
        marks[token] = _known(work, match)
        return token

    marked = _PLACEHOLDER.sub(mark, script)
    if marks:
        try:
            scanned = shell_words.scan(marked)
            uses = [
                shell_words.Use(n, match.start(), match.end(), marks[match[0]])
                for n, word in enumerate(scanned.words)
                for match in re.finditer(r"SOPWITH\d+MARK", word.text)
            ]
            script = shell_words.rewrite(scanned, uses)
        except NotUnderstood as error:
            work.problems.append(f"line {number}: its placeholders cannot be filled in ({error})")
            return
        if "SOPWITH" in script:
            work.problems.append(
                f"line {number}: a placeholder stands where no value can be put in"
            )
            return
    script = _positional(work, script, {}, {}) + script
    _add(work, _with_unset(work, script.strip("\n")), "bash")


def _with_unset(work: _Text, script: str) -> str:
    """Variables that nobody sets come from parameters of their name; what stands in single quotes is for awk and the like."""
    own = shell_words.variables_of(script)
    plain = _SINGLE_QUOTED.sub(lambda match: "" if match[0][0] in "'\\#" else match[0], script)
    asked = dict.fromkeys(
        a or b
        for a, b in re.findall(
            r"\$(?:([A-Za-z][A-Za-z0-9_]*)|\{([A-Za-z][A-Za-z0-9_]*)[}:])", plain
        )
    )
    taken = {*own, *_ENVIRONMENT, *BUILT_IN, *work.content.parameters}
    names = {name: work.parameter(name) for name in asked if name not in taken}
    return (
        "".join(
            f'{name}="${parameter}"\n' for name, parameter in names.items() if name != parameter
        )
        + script
    )


def _python_placeholders(work: _Text, code: str, number: int) -> str:
    from learning import python_words

    try:
        constants = python_words.scan(code)
    except NotUnderstood as error:
        work.problems.append(f"line {number}: {error}")
        return code
    uses = [
        python_words.PyUse(n, match.start(), match.end(), work.parameter(match[1]))
        for n, constant in enumerate(constants)
        if isinstance(constant.value, str)
        for match in re.finditer(r"<([A-Za-z][A-Za-z0-9_ -]{0,30})>", constant.value)
    ]
    return python_words.rewrite(code, constants, uses)


# Steps


def _add(work: _Text, script: str, kind: str, tool: str = "code_run") -> None:
    step = DraftStep(tool, {"type": kind, "script": script}, {"exit_code": 0})
    tried = DraftStep(
        tool, {"type": kind, "script": _with_samples(work, script) if kind == "bash" else script}
    )
    nowhere = Path(
        "/nonexistent"
    )  # whoever wrote the text has named the hosts: to ask them is to read
    reach = reach_of(_as_result(tried), nowhere / "cwd", nowhere, nowhere / "agent", request=script)
    work.reach = max(work.reach, reach, key=lambda each: _RANK[each])
    changes = reach != "reads" or bool(work.content.commit)
    (work.content.commit if changes else work.content.plan).append(step)


def _with_samples(work: _Text, script: str) -> str:
    """The script with a word for each parameter that stands in double quotes: what it does with a value there is seen."""
    names = "|".join(
        name for name in work.content.parameters if not re.search(rf"(?m)^\s*{name}=", script)
    )
    variable = re.compile(rf"\$(?:({names})\b|\{{({names})\}})") if names else None
    quoted = re.compile(r"\"(?:[^\"\\`$]|\\.|\$\w+|\$\{\w+\})*\"")
    return quoted.sub(lambda text: variable.sub("sample", text[0]), script) if variable else script


def _as_result(step: DraftStep) -> Result:
    return Result(0, "", step.tool, step.args, "ok", None, "")


def _commands(script: str) -> Iterator[str]:
    from learning.proofs import BUILT_IN

    try:
        words = shell_words.scan(script).words
    except NotUnderstood:
        return
    own = set(re.findall(r"([\w-]+)\s*\(\)", script))
    for word in words:
        is_name = (
            word.place == "fixed"
            and word.text == word.verb
            and re.fullmatch(r"[\w.+-]+", word.text)
        )
        if is_name and word.text not in BUILT_IN | own:
            yield word.text


def _schema(name: str, example: str) -> dict[str, Any]:
    for pattern, schema in _TYPES:
        if re.fullmatch(pattern, name):
            return dict(schema)
    if example:
        mention = given({name: example}, Path("/"), Path("/"))[0]
        if mention.kind in ("integer", "number"):
            return {"type": mention.kind}
        if mention.kind in ("path", "date", "url"):
            return {"type": "string", "format": mention.kind}
    return {"type": "string", "minLength": 1, "pattern": "^[^-]"}


# YAML


def _yaml(text: str, name: str, lang: str, file: str) -> Draft:
    import yaml

    try:
        raw = yaml.safe_load(text)
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise LearningError(
            f"{file or 'the text'} is not YAML: {' '.join(str(error).split())[:200]}"
        ) from error
    if isinstance(raw, dict) and ("plan" in raw or "commit" in raw):
        return _whole(text, raw, name, file)
    steps = raw.get("steps") if isinstance(raw, dict) else raw
    if not isinstance(steps, list):
        raise LearningError(
            f"{file or 'the text'} has no steps: give plan and commit, or a list of steps."
        )
    work = _Text(title=str(raw.get("description", "")) if isinstance(raw, dict) else "")
    if isinstance(raw, dict) and isinstance(raw.get("parameters"), dict):
        properties = raw["parameters"].get("properties", raw["parameters"])
        work.content.parameters = {
            key: dict(value) if isinstance(value, dict) else _schema(key, str(value))
            for key, value in properties.items()
        }
    for number, step in enumerate(steps, 1):
        _listed(work, step, number)
    if not (work.content.plan or work.content.commit):
        raise LearningError("no step could be understood.\n" + "\n".join(work.problems[:5]))
    return _finished(work, name, lang)


def _listed(work: _Text, step: Any, number: int) -> None:
    script = (
        step
        if isinstance(step, str)
        else step.get("run") or step.get("command")
        if isinstance(step, dict)
        else None
    )
    if isinstance(script, str):
        _shell_block(work, script.strip("\n"), number)
    elif (
        isinstance(step, dict)
        and isinstance(step.get("tool"), str)
        and isinstance(step.get("args", {}), dict)
    ):
        found = DraftStep(
            step["tool"],
            step.get("args", {}),
            step.get("expect") or {},
            step.get("save") or {},
            str(step.get("when", "")),
        )
        call, named = (
            _as_result(found),
            json.dumps(found.args),
        )  # whom the author names may be asked
        reach = reach_of(
            call, Path("/nonexistent/cwd"), Path("/nonexistent"), Path("/nonexistent/agent"), named
        )
        work.reach = max(
            work.reach, "external" if goes_out(call) else reach, key=lambda each: _RANK[each]
        )
        (
            work.content.commit if reach != "reads" or work.content.commit else work.content.plan
        ).append(found)
    else:
        work.problems.append(
            f"step {number}: neither a command nor a tool with args: {str(step)[:80]!r}"
        )


def _whole(text: str, raw: dict[str, Any], name: str, file: str) -> Draft:
    """A whole sop.yaml is taken as it is written. Raises LearningError with the line that is wrong."""
    files = {"sop.yaml": text}
    try:
        procedure = load(files)
    except ProcedureError as error:
        raise LearningError(str(error).replace("sop.yaml", file or "the text", 1)) from error
    content = Content(
        parameters={key: dict(value) for key, value in procedure.parameters.items()},
        wordings=[wording.text for wording in procedure.wordings],
        requires={key: list(value) for key, value in procedure.requires.items()},
        effects=procedure.effects,
        plan=[_step(step) for step in raw.get("plan") or [] if "tool" in step],
        commit=[_step(step) for step in raw.get("commit") or [] if "tool" in step],
        result=dict(procedure.result),
        checks=list(raw.get("checks") or []),
    )
    problems = (
        []
        if content.checks or not content.commit
        else ["nothing proves that it worked: it changes something and has no check"]
    )
    files["SKILL.md"] = skill_text(name, name.replace("-", " "), content, (), problems)
    return Draft(name, dict(sorted(files.items())), [], problems, [], content, [])


def _step(raw: Mapping[str, Any]) -> DraftStep:
    return DraftStep(
        raw["tool"],
        dict(raw.get("args") or {}),
        dict(raw.get("expect") or {}),
        dict(raw.get("save") or {}),
        str(raw.get("when", "")),
    )


__all__ = ["from_text", "kind_of", "to_yaml"]
