"""Names and types of parameters, the wordings that ask for an SOP, and the text of its result. No model is needed."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from learning.draft import Content
from learning.mentions import Mention, given, is_ending
from learning.provenance import Found
from learning.slots import BEHIND_DOT, ENDINGS
from learning.trace import Trace
from learning.units import Unit
from replay.procedure import BUILT_IN, NAME, UNSAFE_NAME

_FLAG_NAMES = {"mtime": "days", "atime": "days", "ctime": "days", "mmin": "minutes", "n": "count", "m": "message", "o": "output", "b": "branch", "d": "delimiter", "maxdepth": "depth", "iname": "pattern", "name": "pattern", "head": "count", "tail": "count", "grep": "text", "egrep": "text", "f": "", "k": "column", "c": "", "e": "", "script": "", "path": "", "type": "", "text": "text", "first": "count"}  # fmt: skip
_NEAR_NAMES = {"days": "days", "day": "days", "天": "days", "hours": "hours", "hour": "hours", "小时": "hours", "minutes": "minutes", "minute": "minutes", "分钟": "minutes", "weeks": "weeks", "lines": "count", "line": "line", "行": "count", "rows": "count", "files": "count", "个": "count", "top": "count", "first": "count", "last": "count", "branch": "branch", "tag": "tag", "message": "message", "word": "word", "replace": "old", "by": "new", "column": "column", "列": "column", "version": "version", "mb": "megabytes", "gb": "gigabytes", "kb": "kilobytes", "pages": "pages", "words": "count", "largest": "count", "above": "limit", "over": "limit", "below": "limit", "than": "limit", "名": "count", "条": "count"}  # fmt: skip
_KIND_NAMES = {"path": "file", "integer": "number", "number": "number", "date": "date", "url": "url", "glob": "pattern", "text": "text", "word": "word"}  # fmt: skip
_FUNCTIONS = {"open", "replace", "print", "write", "join", "int", "str", "len", "split", "float", "dictreader", "load", "loads", "list", "sorted", "sum", "first", "compile", "search", "sub", "count", "urlopen", "request", "get", "post", "read", "path", "run", "system", "exit", "format", "strip", "glob", "iterdir"}  # fmt: skip
_REGEX_SIGNS = r"\\.\[\]*^$+?(){}|"
_REPORT_WORDS = (
    "a an and are as at been by did done down for from had has have here i in into is it its me my of on or out that the their there these this those to total up was were which with you your"
    " file files folder line lines made moved copied created wrote written saved renamed deleted removed added found result now all contains contain containing matches match matching number count"
)
_PLAIN_WORDS = frozenset(_REPORT_WORDS.split())
_SYNONYMS = (("list", "show", "show me"), ("delete", "remove"), ("create", "make"), ("search for", "look for"), ("列出", "显示"), ("删除", "删掉"), ("统计", "数一下"), ("创建", "新建"))  # fmt: skip


def name_of(mention: Mention | None, units: Sequence[Unit]) -> str:
    """A name for a value: from the word next to it in the request, the flag or field next to it, or its kind."""
    if mention is not None and mention.name:
        return mention.name
    if mention is not None and mention.kind == "path":
        return _path_name(mention, units)
    near = mention.near if mention is not None else ()
    candidates = [_NEAR_NAMES[word] for word in near[:3] if word in _NEAR_NAMES]
    hints = [_FLAG_NAMES.get(hint, hint) for unit in units for hint in unit.hints]
    hints = [
        hint
        for hint in hints
        if _is_name(hint)
        and len(hint) > 1
        and hint not in _FUNCTIONS
        and not any(hint == unit.verb for unit in units)
    ]
    if mention is not None and mention.kind in ("date", "url", "glob"):
        candidates = [_KIND_NAMES[mention.kind]]
    elif mention is not None and mention.kind in ("text", "word"):
        before = [_NEAR_NAMES[word] for word in (mention.before,) if word in _NEAR_NAMES]
        candidates = before or [hint for hint in hints if len(hint) <= 12][:1]
    kind = _KIND_NAMES[mention.kind] if mention is not None else "value"
    return next((each for each in [*candidates, *hints[:1]] if _is_name(each)), kind)


def _path_name(mention: Mention, units: Sequence[Unit]) -> str:
    hints = {hint for unit in units for hint in unit.hints}
    path = Path(mention.value)
    is_folder = not path.suffix or "cwd" in hints or _is_folder(path)
    if "output" in hints or mention.before in ("to", "into", "到", "至", "为"):
        return "target"
    return "folder" if is_folder else "file"


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except (OSError, ValueError):
        return False


def _is_name(text: str) -> bool:
    return (
        bool(NAME.fullmatch(text))
        and not UNSAFE_NAME.fullmatch(text)
        and text not in BUILT_IN
        and len(text) <= 24
    )


def unique(name: str, taken: set[str]) -> str:
    """The name, or with a number behind it when it is taken or no parameter may have it."""
    base = name if _is_name(name) else f"{name}_value" if _is_name(f"{name}_value") else "value"
    found, number = base, 2
    while found in taken:
        found, number = (
            f"{base}{number}" if not base[-1].isdigit() else f"{base}_{number}",
            number + 1,
        )
    return found


def fitted(text: str, unit: Unit) -> Mention | None:
    """The mention that a literal of a recording would be, when it looks like a value that may vary."""
    if not text or "\0" in text or len(text) > 200:
        return None
    mention = given({"value": text}, unit.folder, Path("/"))[0]
    near: tuple[str, ...] = tuple(unit.hints)
    if mention.kind == "text" and not (
        " " in text or unit.place in ("regex", "glob", "document") or not text.isascii()
    ):
        return None
    if text in (".", "..", "-", "/", "{}", ";", "+"):
        return None
    return Mention(-1, -1, text, mention.value, mention.kind, near)


def schema_of(mention: Mention, uses: Sequence[Found]) -> tuple[dict[str, Any], str]:
    """The JSON schema of a parameter: its type, and of texts only what their places take literally; or a problem."""
    if mention.kind in ("integer", "number"):
        schema: dict[str, Any] = {"type": mention.kind}
        return (schema if mention.value.startswith("-") else schema | {"minimum": 0}), ""
    schema = {"type": "string"}
    if mention.kind in ("path", "date", "url"):
        schema["format"] = mention.kind
    else:
        schema |= {"minLength": 1}
    if mention.kind == "date":
        return schema, ""
    patterns = [_restriction(each, mention) for each in uses]
    patterns = [
        *_ending_patterns(mention, uses),
        *dict.fromkeys(pattern for pattern in patterns if pattern),
    ]
    text = mention.value if mention.kind == "path" else mention.text
    for pattern in patterns:
        if not re.search(pattern, text) or not re.search(pattern, mention.text):
            return (
                schema,
                f"{mention.text!r} holds characters that mean something where it stands; another value could mean something else",
            )
    if patterns:
        schema["pattern"] = (
            patterns[0] if len(patterns) == 1 else "".join(f"(?={each})" for each in patterns)
        )
    return schema, ""


def _ending_patterns(mention: Mention, uses: Sequence[Found]) -> list[str]:
    """What was an ending with its dot stays one: `pptx` would also be the end of other names. And `.pptx` in the place
    of `pptx` would be two dots."""
    if is_ending(mention.text):
        return [r"^\.\w[\w.-]*$"]
    is_behind_dot = any(re.search(r"\*\.$", each.unit.text[: each.start]) for each in uses)
    return [BEHIND_DOT] if is_behind_dot else []


def _restriction(each: Found, mention: Mention) -> str:
    """A regular expression for the values that this place takes as they are; "" for all."""
    place, is_path = each.unit.place, mention.kind == "path"
    slash = "/~" if is_path else ""
    around = each.unit.text[: each.start], each.unit.text[each.end :]
    if (
        each.unit.language == "bash"
        and re.search(r"\0\.?$", around[0])
        and around[1].startswith("\0")
    ):
        return r"^[^*?\[\]\\{}'\"]+$"  # "${file%.txt}" takes a pattern
    if place == "code":
        return rf"^[\w {slash}.-]*$" if is_path else r"^[\w ]*\w$"
    if place == "regex":
        return (
            rf"^[^{_REGEX_SIGNS}{'' if is_path else '/'}-][^{_REGEX_SIGNS}]*$"
            if not is_path
            else r"^[\w /~-]*$"
        )
    if place == "glob":
        return "" if mention.kind == "glob" else r"^[^*?\[\]\\{}]+$"
    if place == "format":
        return r"^[^%\\-][^%\\]*$"
    if is_path or not each.unit.language:
        return ""
    if each.unit.language == "python":
        return "" if each.is_whole else r"^[^\\'\"%{};]+$"
    return r"^[^-]" if each.start == 0 and place in ("operand", "argument") else ""


# Wordings


def wordings_of(
    request: str,
    mentions: Sequence[Mention],
    names: Mapping[int, str],
    parameters: Mapping[str, Mapping[str, Any]],
) -> list[str]:
    """The request with typed slots, and other ways to say the same."""
    text = " ".join(_with_slots(request, mentions, names, parameters).split())
    text = re.sub(
        r"^(?:please|pls|can you|could you|请|帮我|请帮我)\s*", "", text, flags=re.IGNORECASE
    ).rstrip(" .!?。！？")
    first = text[:1].lower() + text[1:] if text[1:2].islower() or text[1:2] == " " else text
    found = [first]
    for words in _SYNONYMS:
        for word in words:
            if re.match(rf"{word}(?=\W|$)" if word.isascii() else word, first):
                found += [other + first[len(word) :] for other in words if other != word]
                break
    behind = re.fullmatch(r"(.+\S) (in|under) (\{[a-z0-9_:]+\})", first)
    if behind:
        found.append(f"{behind[2]} {behind[3]}, {behind[1]}")
    return found[:5]


def keep_endings(
    wording: str, mentions: Mapping[str, Mention], parameters: Mapping[str, dict[str, Any]]
) -> bool:
    """Keep the endings of files where they differ: "convert {file} to {target}" is another task for other ones. Their
    parameters take no others; False where all are alike."""
    endings = {
        name: Path(mention.value).suffix[1:].lower()
        for name, mention in mentions.items()
        if parameters.get(name, {}).get("format") == "path"
        and Path(mention.value).suffix[1:].lower() in ENDINGS
    }
    if len(set(endings.values())) < 2:
        return False
    for name, ending in endings.items():
        patterns = [
            *([parameters[name]["pattern"]] if "pattern" in parameters[name] else []),
            f"^.*(?i:\\.{ending})$",
        ]
        parameters[name]["pattern"] = (
            patterns[0] if len(patterns) == 1 else "".join(f"(?={each})" for each in patterns)
        )
    return True


def _with_slots(
    text: str,
    mentions: Sequence[Mention],
    names: Mapping[int, str],
    parameters: Mapping[str, Mapping[str, Any]],
) -> str:
    seen: set[str] = set()
    spans = []
    for mention in mentions:
        if id(mention) in names and mention.start >= 0 and names[id(mention)] not in seen:
            seen.add(names[id(mention)])
            spans.append(
                (
                    mention.start,
                    mention.end,
                    f"{{{names[id(mention)]}{_shape(mention, parameters[names[id(mention)]], text[mention.end :])}}}",
                )
            )
    for start, end, slot in sorted(spans, reverse=True):
        text = text[:start] + slot + text[end:]
    return text


def _shape(mention: Mention, schema: Mapping[str, Any], behind: str) -> str:
    """How a slot has to be filled. A text of several words takes all that is left where it was the last thing said; anywhere
    else nobody knows where it ends, so it wants quotes."""
    if mention.kind == "glob":
        return ":glob"
    if mention.kind == "text" and " " in mention.text and not mention.is_quoted:
        return ":quoted" if behind.strip(" .!?。！？") else ":rest"
    return (
        ":quoted"
        if mention.is_quoted and "format" not in schema and schema["type"] == "string"
        else ""
    )


# The result


def plain_result(content: Content, counted: str) -> dict[str, str]:
    """What a finished change says, without a word that only the first run could know."""
    values = ", ".join(f"{name.replace('_', ' ')} {{{{{name}}}}}" for name in content.parameters)
    if counted:
        return {
            "en": f"Moved {{{{{counted} | count file files}}}} to the trash"
            + (f" ({values})." if values else "."),
            "zh": f"已把 {{{{{counted} | count}}}} 个文件移到回收站"
            + (f"（{values}）。" if values else "。"),
        }
    return {
        "en": "Done" + (f": {values}." if values else "."),
        "zh": "已完成" + (f"：{values}。" if values else "。"),
    }


def result_text(
    trace: Trace, output: str, name: str, mentions: Sequence[Mention], names: Mapping[int, str]
) -> str:
    """The answer as a template, when all it says is the output, the parameters, and words of the request; else "".

    A word that neither the request nor a plain report holds could be true of the first run alone.
    """
    answer = trace.answer.strip()
    if not output or answer.count(output) != 1 or "{{" in answer or len(answer) > 400 + len(output):
        return ""
    before, behind = answer.split(output)
    rest = []
    for part in (before, behind):
        for mention in sorted(mentions, key=lambda each: -len(each.text)):
            if id(mention) in names and mention.is_hard:
                for form in (mention.value, mention.text):
                    part = re.sub(
                        rf"(?<![\w./-]){re.escape(form)}(?![\w/])",
                        f"{{{{{names[id(mention)]}}}}}",
                        part,
                    )
        rest.append(part)
    plain = re.sub(r"\{\{\w+\}\}", " ", " ".join(rest))
    asked = {word[:4] for word in re.findall(r"[a-z]+", trace.request.lower())}
    words = re.findall(r"[^\W\d_]+", plain.lower())
    if re.search(r"\d|[\"'/~]", plain) or any(
        word not in _PLAIN_WORDS and (not word.isascii() or word[:4] not in asked) for word in words
    ):
        return ""
    return f"{rest[0]}{{{{{name}}}}}{rest[1]}"
