"""Derives the schema of a tool from its signature and docstring, and checks the arguments of a call against it.

`python -m tools.schema` writes assets/tools_schema.json and assets/family_schemas.json; at run time these files are read,
nothing is derived. In the docstring the first paragraph describes the tool, a line `name: text` describes an argument.
Source: seed 002 §3.
"""

from __future__ import annotations

import functools
import inspect
import json
import re
import types
import typing
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from tools.base import Between, Tool

Schema = dict[str, Any]
FILE = Path(__file__).parent.parent / "assets" / "tools_schema.json"
FAMILY_FILE = FILE.with_name(
    "family_schemas.json"
)  # of the tools that are offered when they are asked for
_SCALARS: dict[object, str] = {str: "string", int: "integer", float: "number", bool: "boolean"}
# Keywords that `_mismatch` below checks by itself, in microseconds. A schema with any other keyword (they come with MCP
# servers) goes to fastjsonschema too, whose import alone costs 30 ms.
_CHECKED_HERE = {
    *(
        "type",
        "properties",
        "required",
        "additionalProperties",
        "items",
        "enum",
        "minimum",
        "maximum",
    ),
    *("description", "title", "default", "examples"),
}


def schemas(tools: Iterable[Tool]) -> list[Schema]:
    """OpenAI function schemas: of the file for the tools that it knows, else derived (a plug-in, a test)."""
    stored = stored_schemas()
    return [
        stored.get(tool.name) or _of_families().get(tool.name) or derive(tool) for tool in tools
    ]


@functools.cache
def stored_schemas() -> dict[str, Schema]:
    """The schemas of assets/tools_schema.json by tool name."""
    return _by_name(FILE)


@functools.cache
def _of_families() -> dict[str, Schema]:
    return _by_name(FAMILY_FILE)


def _by_name(file: Path) -> dict[str, Schema]:
    listed: list[Schema] = json.loads(file.read_text("utf-8"))
    return {schema["function"]["name"]: schema for schema in listed}


def derive(tool: Tool) -> Schema:
    """The schema that the function's signature and docstring say. Raises TypeError for what no schema can say."""
    description, about = _read_docstring(tool.run)
    hints = typing.get_type_hints(tool.run, include_extras=True)
    properties, required = {}, []
    for parameter in list(inspect.signature(tool.run).parameters.values())[
        1:
    ]:  # the first is the context
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
    origin, inner = typing.get_origin(hint), typing.get_args(hint)
    if hint is Any:
        return {}
    if hint in _SCALARS:
        return {"type": _SCALARS[hint]}
    if origin is typing.Annotated:
        bounds = [extra for extra in inner[1:] if isinstance(extra, Between)]
        limits = {"minimum": bounds[0].low, "maximum": bounds[0].high} if bounds else {}
        return _type_schema(inner[0]) | {
            name: limit for name, limit in limits.items() if limit is not None
        }
    if origin in (typing.Union, types.UnionType):  # only "X | None": the argument may be left out
        (only,) = [part for part in inner if part is not types.NoneType]
        return _type_schema(only)
    if origin is typing.Literal:
        return {"type": "string", "enum": list(inner)}
    if origin is list:
        return {"type": "array", "items": _type_schema(inner[0])}
    if origin is dict and inner[0] is str:
        return {"type": "object", "additionalProperties": _type_schema(inner[1])}
    raise TypeError(f"no schema for an argument of type {hint}")


def check_args(schema: Schema, args: dict[str, Any]) -> str | None:
    """None when `args` fit the function schema, else what is wrong, in a line for the model.

    What is only written in another way is put right in `args` itself: "30" for an integer, "true" for a boolean, 5 for
    a string, one string for a list of them, JSON text for a list or an object, null for an argument left out.
    """
    parameters = {
        "additionalProperties": False,
        **schema["function"]["parameters"],
    }  # ours take nothing else
    required = parameters.get("required", [])
    for name in [name for name, value in args.items() if value is None and name not in required]:
        del args[name]
    return _object_mismatch(parameters, args, "") or _full_mismatch(json.dumps(parameters), args)


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
    """The value, put right where that is safe, and what is wrong with it."""
    kind = schema.get("type")
    if isinstance(kind, str):
        value = _coerced(kind, schema, value)
        if not _is_of(kind, value):
            return value, f"{at}: must be {_A[kind]}, got {_short(value)}"
    if "enum" in schema and value not in schema["enum"]:
        return (
            value,
            f"{at}: must be one of {', '.join(map(str, schema['enum']))}; got {_short(value)}",
        )
    if (
        isinstance(value, (int, float))
        and not isinstance(value, bool)
        and not _is_within(schema, value)
    ):
        return value, f"{at}: must be {_range(schema)}, got {value}"
    if isinstance(value, dict):
        return value, _object_mismatch(schema, value, at)
    if isinstance(value, list) and isinstance(schema.get("items"), dict):
        for index, item in enumerate(value):
            value[index], wrong = _mismatch(schema["items"], item, f"{at}[{index}]")
            if wrong:
                return value, wrong
    return value, None


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
    return isinstance(value, _TYPES.get(kind, (object,))) and (
        not isinstance(value, bool) or kind == "boolean"
    )


def _coerced(kind: str, schema: Schema, value: Any) -> Any:
    if kind == "string":
        return str(value) if isinstance(value, int) and not isinstance(value, bool) else value
    if kind == "integer" and isinstance(value, float) and value.is_integer():
        return int(value)
    if not isinstance(value, str):
        return value
    text = value.strip()
    if kind == "integer" and re.fullmatch(r"[+-]?\d{1,18}", text):
        return int(text)
    if kind == "number" and re.fullmatch(r"[+-]?\d{1,18}(\.\d{1,18})?", text):
        return float(text)
    if kind == "boolean":
        return {"true": True, "false": False}.get(text.lower(), value)
    if kind in ("array", "object"):
        return _from_text(kind, schema, value)
    return value


def _from_text(kind: str, schema: Schema, value: str) -> Any:
    if value.lstrip().startswith("[" if kind == "array" else "{"):
        try:
            parsed = json.loads(value)
        except (ValueError, RecursionError):
            parsed = value
        if _is_of(kind, parsed):
            return parsed
    return (
        [value]
        if kind == "array" and value and schema.get("items", {}).get("type") == "string"
        else value
    )


def _is_within(schema: Schema, value: float) -> bool:
    return not (value < schema.get("minimum", value) or value > schema.get("maximum", value))


def _range(schema: Schema) -> str:
    if "minimum" not in schema:
        return f"at most {schema['maximum']}"
    return (
        f"{schema['minimum']} to {schema['maximum']}"
        if "maximum" in schema
        else f"at least {schema['minimum']}"
    )


def _short(value: Any) -> str:
    if isinstance(value, (list, dict)):  # as deep as anyone likes to send them
        return (
            f"a list of {len(value)}"
            if isinstance(value, list)
            else f"an object with {len(value)} keys"
        )
    text = ascii(value[:60]) if isinstance(value, str) and not value.isprintable() else repr(value)
    return text if len(text) <= 60 else text[:57] + "…"


def _full_mismatch(parameters: str, args: dict[str, Any]) -> str | None:
    validate = _compiled(parameters)
    if validate is None:
        return None
    import fastjsonschema

    try:
        validate(args)
    except fastjsonschema.JsonSchemaValueException as error:
        return str(error.message).removeprefix("data.").replace(" ", ": ", 1)
    return None


@functools.cache
def _compiled(parameters: str) -> Callable[[Any], Any] | None:
    """The check that fastjsonschema makes of a schema (JSON text); None when `_mismatch` says it all."""
    schema = json.loads(parameters)
    if _keywords(schema) <= _CHECKED_HERE:
        return None
    import fastjsonschema

    check: Callable[[Any], Any] = fastjsonschema.compile(schema, use_default=False)
    return check


def _keywords(schema: Any) -> set[str]:
    if not isinstance(schema, dict):
        return set()
    inner = [
        *schema.get("properties", {}).values(),
        schema.get("items"),
        schema.get("additionalProperties"),
    ]
    return set(schema).union(*map(_keywords, inner))


def write() -> None:
    """Writes both files anew."""
    from memory.files import write_atomic

    for file, tools in listed().items():
        write_atomic(
            file, json.dumps([derive(tool) for tool in tools], ensure_ascii=False, indent=2) + "\n"
        )


def listed() -> dict[Path, list[Tool]]:
    """The tools whose schemas each file holds."""
    from tools.families import families
    from tools.registry import all_tools

    of_families = [tool for family in families().values() for tool in family.load().values()]
    return {FILE: list(all_tools().values()), FAMILY_FILE: of_families}


if __name__ == "__main__":
    write()
