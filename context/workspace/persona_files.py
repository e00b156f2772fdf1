"""Personas: how the agent speaks, from `personas/*.md` in the home folder; one is chosen for a
conversation or a run.

Front matter names it (`name`, `description`, `speech_patterns`, `skills`), the body is free text. A
broken one is told with file and line and stops none of the others. Source: seed 001 §2.5.

    SopwithError
    └── PersonaError       2  the owner's: there is no such persona, or it is broken
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from config import Message, SopwithError
from context.prompts import Prompts
from memory.files import Unreadable, read_owner_text

MAX_NAME_CHARS = 64
MAX_PERSONAS = 200
_FIELDS = ("name", "description", "speech_patterns", "skills")
_FRONT_MATTER = re.compile(r"\A---[ \t]*\n(.*?)\n---[ \t]*(?:\n|\Z)(.*)", re.DOTALL)


class PersonaError(SopwithError):
    """A persona is not there, or cannot be used."""

    exit_code = 2


class Persona(NamedTuple):
    """How the agent speaks."""

    name: str
    description: str
    speech_patterns: tuple[str, ...] = ()
    skills: tuple[str, ...] = ()
    body: str = ""


def personas(home: Path) -> list[Persona]:
    """Return all that can be used, by name; `problems` says what is wrong with the others."""
    return sorted(found for found in _all(home) if isinstance(found, Persona))


def problems(home: Path) -> list[PersonaError]:
    """Return why some cannot be used, each with file and line."""
    return [found for found in _all(home) if isinstance(found, PersonaError)]


def persona(home: Path, name: str) -> Persona:
    """Return the one of this name, or of this file name; capitals do not count. Raises
    PersonaError, also for a broken one."""
    wanted, known = name.strip().casefold(), []
    for file, found in _read_all(home):
        if wanted in {file.removesuffix(".md").casefold(), getattr(found, "name", file).casefold()}:
            if isinstance(found, PersonaError):
                raise found
            return found
        if isinstance(found, Persona):
            known.append(found.name)
    if not known:
        raise PersonaError("error.workspace.no-persona", name=name, folder=home / "personas")
    names = sorted(known, key=lambda each: each not in difflib.get_close_matches(name, known, n=1))
    raise PersonaError("error.workspace.persona", name=name, names=", ".join(names))


def prompt(persona: Persona, prompts: Prompts) -> str:
    """Return what a model reads of a persona."""
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
    """Yield each file of the folder by its name, with what it holds or what is wrong with it."""
    try:
        files = sorted(
            path.name
            for path in (home / "personas").iterdir()
            if path.suffix == ".md" and path.name[0] != "."
        )
    except OSError:
        return []
    taken: dict[str, str] = {}
    found: list[tuple[str, Persona | PersonaError]] = []
    for file in files[:MAX_PERSONAS]:
        try:
            one, line = _read(home, f"personas/{file}")
            if other := taken.get(one.name.casefold()):
                raise PersonaError(
                    "error.workspace.same-name", file=file, line=line, name=one.name, other=other
                )
            taken[one.name.casefold()] = file
            found.append((file, one))
        except PersonaError as error:
            found.append((file, error))
    return found


def _read(home: Path, file: str) -> tuple[Persona, int]:
    """Return a persona and the line of its name. Raises PersonaError."""
    try:
        text = read_owner_text(home, file).text
    except Unreadable as error:
        raise PersonaError(str(error)) from error
    except OSError as error:
        raise PersonaError("error.workspace.cannot-read", file=file, error=error) from error
    match = _FRONT_MATTER.match(text)
    if match is None:
        raise PersonaError("error.workspace.no-front", file=file)
    front, lines = _front_matter(match[1], file)

    def wrong(key: str, what: str) -> PersonaError:
        return PersonaError("error.workspace.at", file=file, line=lines.get(key, 1), what=what)

    for key in front:
        if key not in _FIELDS:
            raise wrong(
                str(key),
                Message("error.workspace.no-field", field=f"{key!r}", fields=", ".join(_FIELDS)),
            )
    _check(front, wrong)
    name = front["name"].strip()
    if len(name) > MAX_NAME_CHARS:
        raise wrong("name", Message("error.workspace.long-name", limit=MAX_NAME_CHARS))
    speech, skills = (tuple(" ".join(each.split()) for each in front[key]) for key in _FIELDS[2:])
    found = Persona(name, front["description"].strip(), speech, skills, match[2].strip())
    return found, lines["name"]


def _check(front: dict[str, Any], wrong: Callable[[str, str], PersonaError]) -> None:
    """Check the types of the fields; one text is a list of it too. Raises PersonaError."""
    for key in _FIELDS[:2]:
        value = front.get(key)
        line = value.strip() if isinstance(value, str) else ""
        if not line or not line.isprintable():
            raise wrong(key, Message("error.workspace.no-line", field=key))
    for key in _FIELDS[2:]:
        said = front.get(key) or []
        front[key] = said = [said] if isinstance(said, str) else said
        kinds = set(map(type, said)) if isinstance(said, list) else {None}
        if kinds - {str}:
            raise wrong(key, Message("error.workspace.no-list", field=key))


def _front_matter(text: str, file: str) -> tuple[dict[str, Any], dict[str, int]]:
    """Return what the front matter says, and the line of each key in the file."""
    import yaml

    try:
        root = yaml.compose(text, Loader=yaml.SafeLoader)
        front = yaml.safe_load(text)
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        mark = getattr(error, "problem_mark", None)
        what = getattr(error, "problem", None) or " ".join(str(error).split())
        line = mark.line + 2 if mark else 2
        raise PersonaError("error.workspace.not-yaml", file=file, line=line, what=what) from error
    if not isinstance(front, dict) or not isinstance(root, yaml.MappingNode):
        raise PersonaError("error.workspace.no-front", file=file)
    return front, {key.value: key.start_mark.line + 2 for key, _ in root.value}
