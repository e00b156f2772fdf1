"""Derives the schema of a tool from its signature and docstring, and checks the arguments of a call
against it.

`python -m tools.registry` writes assets/tools_schema.json and assets/family_schemas.json; at run
time these files are read, nothing is derived. In the docstring the first paragraph describes the
tool, a line `name: text` describes an argument. Source: seed 002 §3.
"""

from __future__ import annotations

import functools
import inspect
import json
import re
import types
import typing
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

from tools.base import Between, Tool

Schema = dict[str, Any]
FILE = Path(__file__).parent.parent / "assets" / "tools_schema.json"
# of the tools that are offered when they are asked for
FAMILY_FILE = FILE.with_name("family_schemas.json")
_SCALARS: dict[object, str] = {str: "string", int: "integer", float: "number", bool: "boolean"}


def schemas(tools: Iterable[Tool]) -> list[Schema]:
    """OpenAI function schemas: of the file for the tools that it knows, else derived (a plug-in, a
    test)."""
    stored = stored_schemas()
    return [
        stored.get(tool.name) or _of_families().get(tool.name) or derive(tool) for tool in tools
    ]


@functools.cache
def stored_schemas() -> dict[str, Schema]:
    """Return the schemas of assets/tools_schema.json by tool name."""
    return _by_name(FILE)


@functools.cache
def _of_families() -> dict[str, Schema]:
    return _by_name(FAMILY_FILE)


def _by_name(file: Path) -> dict[str, Schema]:
    listed: list[Schema] = json.loads(file.read_text("utf-8"))
    return {schema["function"]["name"]: schema for schema in listed}


def derive(tool: Tool) -> Schema:
    """Return the schema that the function's signature and docstring say. Raises TypeError for what
    no schema can say."""
    description, about = _read_docstring(tool.run)
    hints = typing.get_type_hints(tool.run, include_extras=True)
    properties, required = {}, []
    # the first is the context
    for parameter in list(inspect.signature(tool.run).parameters.values())[1:]:
        properties[parameter.name] = _type_schema(hints[parameter.name])
        if parameter.default is inspect.Parameter.empty:
            required.append(parameter.name)
        elif parameter.default is not None:
            properties[parameter.name]["default"] = parameter.default
        if parameter.name in about:
            properties[parameter.name]["description"] = about.pop(parameter.name)
    if about:
        raise TypeError(
            f"{tool.name}: the docstring describes arguments that it does not have: {', '.join(about)}"
        )
    parameters: Schema = {"type": "object", "properties": properties, "required": required}
    return {
        "type": "function",
        "function": {"name": tool.name, "description": description, "parameters": parameters},
    }


def _read_docstring(function: Callable[..., Any]) -> tuple[str, dict[str, str]]:
    first, _, rest = (inspect.getdoc(function) or "").partition("\n\n")
    return " ".join(first.split()), dict(re.findall(r"^(\w+): (.+)$", rest, re.MULTILINE))


def _type_schema(hint: Any) -> Schema:
    if hint is Any:
        return {}
    if hint in _SCALARS:
        return {"type": _SCALARS[hint]}
    made = _MADE.get(typing.get_origin(hint))
    if made is None:
        raise TypeError(f"no schema for an argument of type {hint}")
    return made(typing.get_args(hint))


def _annotated(inner: tuple[Any, ...]) -> Schema:
    found = _type_schema(inner[0])
    for bounds in (extra for extra in inner[1:] if isinstance(extra, Between)):
        limits = {"minimum": bounds.low, "maximum": bounds.high}
        found |= {name: limit for name, limit in limits.items() if limit is not None}
    return found


def _optional(inner: tuple[Any, ...]) -> Schema:
    """Return the schema of `X | None`: the argument may be left out."""
    (only,) = [part for part in inner if part is not types.NoneType]
    return _type_schema(only)


_MADE: dict[Any, Callable[[tuple[Any, ...]], Schema]] = {
    typing.Annotated: _annotated,
    typing.Union: _optional,
    types.UnionType: _optional,
    typing.Literal: lambda inner: {"type": "string", "enum": list(inner)},
    list: lambda inner: {"type": "array", "items": _type_schema(inner[0])},
    dict: lambda inner: {"type": "object", "additionalProperties": _type_schema(inner[1])},
}


def check_args(schema: Schema, args: dict[str, Any]) -> str | None:
    """None when `args` fit the function schema, else what is wrong, in a line for the model.

    What is only written in another way is put right in `args` itself: "30" for an integer, "true"
    for a boolean, 5 for a string, one string for a list of them, JSON text for a list or an object,
    null for an argument left out.
    """
    # ours take nothing else
    parameters = {"additionalProperties": False, **schema["function"]["parameters"]}
    required = parameters.get("required", [])
    for name in [name for name, value in args.items() if value is None and name not in required]:
        del args[name]
    return _object_mismatch(parameters, args, "")


def _object_mismatch(schema: Schema, value: dict[str, Any], where: str) -> str | None:
    properties: Schema = schema.get("properties", {})
    others = schema.get("additionalProperties", True)
    missing = [name for name in schema.get("required", []) if name not in value]
    for name in list(value):
        at = f"{where}.{name}" if where else name
        inner = properties.get(name, others)
        if inner is False:
            return _unknown(at, name, properties, missing)
        if isinstance(inner, dict):
            value[name], wrong = _mismatch(inner, value[name], at)
            if wrong:
                return wrong
    if missing:
        return f"{'.'.join(filter(None, [where, missing[0]]))}: is missing; needed are {', '.join(schema['required'])}"
    return None


def _unknown(at: str, name: str, properties: Schema, missing: list[str]) -> str:
    import difflib

    near = difflib.get_close_matches(name, properties, 1, 0.5) or missing[:1]
    hint = f"did you mean {near[0]}? " if near else ""
    return f"{at}: no such argument; {hint}Known: {', '.join(properties)}"


def _mismatch(schema: Schema, value: Any, at: str) -> tuple[Any, str | None]:
    """Return the value, put right where that is safe, and what is wrong with it."""
    kind = schema.get("type")
    if isinstance(kind, str):
        value = _coerced(kind, schema, value)
        if not _is_of(kind, value):
            return value, f"{at}: must be {_A[kind]}, got {_short(value)}"
    if value not in schema.get("enum", [value]):
        known = ", ".join(map(str, schema["enum"]))
        return value, f"{at}: must be one of {known}; got {_short(value)}"
    if type(value) in (int, float):
        nearest = min(max(value, schema.get("minimum", value)), schema.get("maximum", value))
        return value, f"{at}: must be {_range(schema)}, got {value}" if nearest != value else None
    if isinstance(value, dict):
        return value, _object_mismatch(schema, value, at)
    return value, _list_mismatch(schema, value, at) if isinstance(value, list) else None


def _list_mismatch(schema: Schema, value: list[Any], at: str) -> str | None:
    inner = schema.get("items")
    for index, item in enumerate(value) if isinstance(inner, dict) else ():
        value[index], wrong = _mismatch(inner or {}, item, f"{at}[{index}]")
        if wrong:
            return wrong
    return None


_A = {
    "string": "text",
    "integer": "an integer",
    "number": "a number",
    "boolean": "true or false",
    "array": "a list",
    "object": "an object",
    "null": "null",
}
_TYPES: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "array": (list,),
    "object": (dict,),
    "null": (type(None),),
}


def _is_of(kind: str, value: Any) -> bool:
    if isinstance(value, bool):
        return kind == "boolean" or kind not in _TYPES
    return isinstance(value, _TYPES.get(kind, (object,)))


def _coerced(kind: str, schema: Schema, value: Any) -> Any:
    """Return a value that is only written in another way as what it must be."""
    if kind == "string":
        return str(value) if type(value) is int else value
    if not isinstance(value, str):
        is_whole = kind == "integer" and isinstance(value, float) and value.is_integer()
        return int(value) if is_whole else value
    if kind in ("array", "object"):
        return _from_text(kind, schema, value)
    if kind == "boolean":
        return {"true": True, "false": False}.get(value.strip().lower(), value)
    made, shape = _NUMBERS.get(kind, (str, ".*"))
    return made(value) if re.fullmatch(shape, value.strip()) else value


_NUMBERS: dict[str, tuple[Callable[[str], Any], str]] = {
    "integer": (int, r"[+-]?\d{1,18}"),
    "number": (float, r"[+-]?\d{1,18}(\.\d{1,18})?"),
}


def _from_text(kind: str, schema: Schema, value: str) -> Any:
    """Return a list or an object that was written as JSON; one text is a list of it."""
    if value.lstrip().startswith("[" if kind == "array" else "{"):
        with suppress(ValueError, RecursionError):
            parsed = json.loads(value)
            return parsed if _is_of(kind, parsed) else value
    takes_texts = kind == "array" and schema.get("items", {}).get("type") == "string"
    return [value] if takes_texts and value else value


def _range(schema: Schema) -> str:
    low, high = schema.get("minimum"), schema.get("maximum")
    if low is None:
        return f"at most {high}"
    return f"at least {low}" if high is None else f"{low} to {high}"


def _short(value: Any) -> str:
    """Return a value as it is told; a list or an object may be as deep as anyone likes to send
    them."""
    if isinstance(value, list):
        return f"a list of {len(value)}"
    if isinstance(value, dict):
        return f"an object with {len(value)} keys"
    is_odd = isinstance(value, str) and not value.isprintable()
    text = ascii(value[:60]) if is_odd else repr(value)
    return text if len(text) <= 60 else text[:57] + "…"
