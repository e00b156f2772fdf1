"""Personas: how the agent speaks, from `personas/*.md` in the home folder; one is chosen for a conversation or a run.

Front matter names it (`name`, `description`, `speech_patterns`, `skills`), the body is free text. A broken one is told with
file and line and stops none of the others. Source: seed 001 §2.5.

    SopwithError
    └── PersonaError       2  the owner's: there is no such persona, or it is broken
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from config import SopwithError
from context.prompts import Prompts
from memory.owner_files import Unreadable, read_owner_text

MAX_NAME_CHARS = 64
MAX_PERSONAS = 200
_FIELDS = ("name", "description", "speech_patterns", "skills")
_FRONT_MATTER = re.compile(r"\A---[ \t]*\n(.*?)\n---[ \t]*(?:\n|\Z)(.*)", re.DOTALL)
_SAID = {
    "none": ('there is no persona "{name}"; there are: {known}', "没有人格“{name}”；现有：{known}"),
    "empty": ('there is no persona "{name}"; make one: {folder}/NAME.md', "没有人格“{name}”；可新建：{folder}/名字.md"),
    "twice": ('{file}:{line}: the name "{name}" is also that of {other}', "{file}:{line}：名字“{name}”与 {other} 重复"),
    "front": (
        "{file}:1: the front matter is missing: name and description between two lines of ---",
        "{file}:1：缺少头部：name 和 description 写在两行 --- 之间",
    ),
    "yaml": ("{file}:{line}: the front matter is not YAML: {what}", "{file}:{line}：头部不是 YAML：{what}"),
    "field": ("{file}:{line}: {what}", "{file}:{line}：{what}"),
    "unreadable": ("{what}", "{what}"),
}


class PersonaError(SopwithError):
    """A persona is not there, or cannot be used."""

    exit_code = 2

    def __init__(self, key: str, **values: object) -> None:
        self.key, self.values = key, values
        super().__init__(self.said("en"))

    def said(self, lang: str) -> str:
        """One line in the language."""
        values = {
            name: value[lang == "zh"] if isinstance(value, tuple) else value for name, value in self.values.items()
        }
        return _SAID[self.key][lang == "zh"].format(**values)


class Persona(NamedTuple):
    """How the agent speaks."""

    name: str
    description: str
    speech_patterns: tuple[str, ...] = ()
    skills: tuple[str, ...] = ()
    body: str = ""


def personas(home: Path) -> list[Persona]:
    """All that can be used, by name; `problems` says what is wrong with the others."""
    return sorted(found for found in _all(home) if isinstance(found, Persona))


def problems(home: Path) -> list[PersonaError]:
    """Why some cannot be used, each with file and line."""
    return [found for found in _all(home) if isinstance(found, PersonaError)]


def persona(home: Path, name: str) -> Persona:
    """The one of this name, or of this file name; capitals do not count. Raises PersonaError, also for a broken one."""
    wanted, known = name.strip().casefold(), []
    for file, found in _read_all(home):
        if wanted in {file.removesuffix(".md").casefold(), getattr(found, "name", file).casefold()}:
            if isinstance(found, PersonaError):
                raise found
            return found
        if isinstance(found, Persona):
            known.append(found.name)
    if not known:
        raise PersonaError("empty", name=name, folder=home / "personas")
    near = difflib.get_close_matches(name, known, n=1)
    raise PersonaError(
        "none", name=name, known=", ".join([*near, *(each for each in sorted(known) if each not in near)])
    )


def prompt(persona: Persona, prompts: Prompts) -> str:
    """What a model reads of a persona."""
    parts = [prompts.text("persona", name=persona.name, description=persona.description)]
    if persona.speech_patterns:
        parts.append(prompts.text("persona_speech", patterns=_list(persona.speech_patterns)))
    if persona.skills:
        parts.append(prompts.text("persona_skills", skills=_list(persona.skills)))
    if persona.body:
        parts.append(persona.body)
    return "\n\n".join(parts)


def _list(lines: tuple[str, ...]) -> str:
    return "\n".join(f"- {line}" for line in lines)


def _all(home: Path) -> Iterator[Persona | PersonaError]:
    return (found for _, found in _read_all(home))


def _read_all(home: Path) -> list[tuple[str, Persona | PersonaError]]:
    """Each file of the folder by its name, with what it holds or what is wrong with it."""
    try:
        files = sorted(
            path.name for path in (home / "personas").iterdir() if path.suffix == ".md" and path.name[0] != "."
        )
    except OSError:
        return []
    taken: dict[str, str] = {}
    found: list[tuple[str, Persona | PersonaError]] = []
    for file in files[:MAX_PERSONAS]:
        try:
            one, line = _read(home, f"personas/{file}")
            if other := taken.get(one.name.casefold()):
                raise PersonaError("twice", file=f"personas/{file}", line=line, name=one.name, other=other)
            taken[one.name.casefold()] = file
            found.append((file, one))
        except PersonaError as error:
            found.append((file, error))
    return found


def _read(home: Path, file: str) -> tuple[Persona, int]:
    """A persona and the line of its name. Raises PersonaError."""
    try:
        text = read_owner_text(home, file).text
    except Unreadable as error:
        raise PersonaError("unreadable", what=(error.said("en"), error.said("zh"))) from error
    except OSError as error:
        raise PersonaError("unreadable", what=f"{file}: {error.strerror or error}") from error
    match = _FRONT_MATTER.match(text)
    if match is None:
        raise PersonaError("front", file=file)
    front, lines = _front_matter(match[1], file)
    for key in front:
        if key not in _FIELDS:
            raise _fault(file, lines.get(str(key), 2), f"unknown key {key!r}; known: {', '.join(_FIELDS)}", f"未知的键 {key!r}；可用：{', '.join(_FIELDS)}")  # fmt: skip
    name, description = _text(front, "name", file, lines), _text(front, "description", file, lines)
    if len(name) > MAX_NAME_CHARS:
        raise _fault(file, lines["name"], f"name is longer than {MAX_NAME_CHARS} characters", f"name 超过 {MAX_NAME_CHARS} 个字符")  # fmt: skip
    speech, skills = _texts(front, "speech_patterns", file, lines), _texts(front, "skills", file, lines)
    return Persona(name, description, speech, skills, match[2].strip()), lines["name"]


def _front_matter(text: str, file: str) -> tuple[dict[str, Any], dict[str, int]]:
    """What the front matter says, and the line of each key in the file."""
    import yaml

    try:
        root = yaml.compose(text, Loader=yaml.SafeLoader)
        front = yaml.safe_load(text)
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        mark = getattr(error, "problem_mark", None)
        what = getattr(error, "problem", None) or " ".join(str(error).split())
        raise PersonaError("yaml", file=file, line=mark.line + 2 if mark else 2, what=what) from error
    if not isinstance(front, dict) or not isinstance(root, yaml.MappingNode):
        raise PersonaError("front", file=file)
    return front, {key.value: key.start_mark.line + 2 for key, _ in root.value}


def _text(front: dict[str, Any], key: str, file: str, lines: dict[str, int]) -> str:
    value = front.get(key)
    if not isinstance(value, str) or not value.strip() or not value.strip().isprintable():
        raise _fault(file, lines.get(key, 1), f"{key} must be a line of text", f"{key} 必须是一行文字")
    return value.strip()


def _texts(front: dict[str, Any], key: str, file: str, lines: dict[str, int]) -> tuple[str, ...]:
    value = front.get(key)
    said = [value] if isinstance(value, str) else value or []
    if not isinstance(said, list) or not all(isinstance(each, str) and each.strip() for each in said):
        raise _fault(file, lines.get(key, 1), f"{key} must be a list of texts", f"{key} 必须是文字列表")
    return tuple(" ".join(each.split()) for each in said)


def _fault(file: str, line: int, english: str, chinese: str) -> PersonaError:
    return PersonaError("field", file=file, line=line, what=(english, chinese))
