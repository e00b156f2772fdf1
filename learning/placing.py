"""Whether a value of a request may go into a parameter: by its type, what it counts, and what stands around it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from learning.concepts import ALIKE, BEHIND, meaning
from learning.parts import FILE_OR_FOLDER, Context, Literal
from learning.sentences import Knowledge
from learning.slots import Where, says_which, value_of
from replay.procedure import Procedure


def literal_is(literal: Literal, value: Any, schema: Mapping[str, Any], where: Where) -> bool:
    """True when a value of a request is this value of a parameter. Raises Unclear."""
    found = value_of(literal.slot, schema, "", where)
    return found is not None and (found == value or str(found) == str(value))


KINDS: Mapping[
    str, tuple[str, ...]
] = {  # what a value looks like → the types of parameters that it may be for
    "quoted": ("text", "path", "enum"),
    "url": ("url",),
    "email": ("text",),
    "path": ("path",),
    "file": ("path", "text"),
    "glob": ("text",),
    "date": ("date",),
    "code": ("text",),
    "number": ("number", "text"),
    "enum": ("enum",),
    "name": ("text", "enum"),
    "bare": ("text",),
}


def fitting(
    literal: Literal,
    around: Context,
    name: str,
    known: Knowledge,
    procedure: Procedure,
    where: Where,
) -> Any:
    """What the literal is as this parameter; None when its type, its place or its unit is another."""
    schema = procedure.parameters[name]
    wanted = kind_of(schema)
    if wanted not in KINDS[literal.kind] or (
        literal.kind in ("file", "number")
        and wanted == "text"
        and _has_own(literal.kind, procedure)
    ):
        return None
    if literal.kind == "bare" and says_which(literal.slot.plain, schema):
        return None
    contexts = known.contexts.get(name, ())
    is_exact = any((c.before, c.behind) == (around.before, around.behind) for c in contexts)
    if (literal.exact_context or (literal.kind == "number" and wanted == "text")) and not (
        is_exact or any(c.before == around.before for c in contexts if around.before)
    ):
        return None
    if not any(_stands_alike(around, context, literal, name, procedure) for context in contexts):
        return None
    return value_of(literal.slot, schema, known.shapes.get(name, ""), where)


def kind_of(schema: Mapping[str, Any]) -> str:
    if "enum" in schema:
        return "enum"
    if schema["type"] in ("integer", "number"):
        return "number"
    return str(schema.get("format") or ("text" if schema["type"] == "string" else schema["type"]))


def _has_own(kind: str, procedure: Procedure) -> bool:
    """True when the SOP has a parameter of the type that a literal of this kind looks like."""
    own = {"file": "path", "number": "number"}[kind]
    return any(kind_of(schema) == own for schema in procedure.parameters.values())


def _stands_alike(
    around: Context, context: Context, literal: Literal, name: str, procedure: Procedure
) -> bool:
    """True when the value stands in the request as the slot stands in a wording."""
    if (
        literal.kind == "number"
        and around.unit != context.unit
        and not (around.unit & context.unit)
    ):
        return False
    own = (
        context.labels
        or {thing for part in name.split("_") for thing in meaning(part)} & FILE_OR_FOLDER
    )
    if around.labels & FILE_OR_FOLDER and own & FILE_OR_FOLDER and not around.labels & own:
        return False
    if around.place == context.place:
        return _same_preposition(around, context, literal)
    wanted = kind_of(procedure.parameters[name])
    if (
        around.behind in BEHIND and context.behind and context.place in ("thing", "start")
    ):  # a.csv 里有多少行
        return wanted == "path"
    if context.is_put and around.place == "start":  # 把 a 改名为 b, a 改名为 b
        return True
    is_only_one = sum(kind_of(schema) == wanted for schema in procedure.parameters.values()) == 1
    return (
        is_only_one
        and around.place in ("thing", "start")
        and context.place in ("thing", "start", "value", "in")
    )


def _same_preposition(around: Context, context: Context, literal: Literal) -> bool:
    """ "in 5 minutes" is not "at 5 minutes"; "of a.csv" is "in a.csv"."""
    if around.place == "to":
        return (
            "as" not in (around.preposition, context.preposition)
            or around.preposition == context.preposition
        )
    alike = next((words for kinds, words in ALIKE if literal.kind in kinds), frozenset[str]())
    words = {around.preposition, context.preposition} - {""}
    return len(words) < 2 or words <= alike or around.place not in ("in", "with", "from")
