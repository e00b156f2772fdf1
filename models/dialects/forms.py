"""The body of a call that was written as text, in one of eight forms: JSON, a name and JSON, a
name, three kinds of XML, Gemma's, Python."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Callable, Iterator, Mapping
from itertools import chain
from typing import Any

from models.base import ToolCall
from models.streams import BadArguments, parse_arguments, scrub
from models.streams.typed import list_of, record_of, text_of
from text import pattern

NAME_KEYS = ("name", "function", "tool", "tool_name", "action")
ARGUMENT_KEYS = ("arguments", "parameters", "args", "input", "action_input")
RAW_CHARS = 2_000
Offer = Mapping[str, Mapping[str, Any]]  # name of a tool → the schemas of its parameters

_INVOKE = pattern(
    r"<(?:\S{0,12})invoke name=[\"']([\w.-]+)[\"']\s*>(.*?)(?:</\S{0,12}invoke>|\Z)", re.S
)
_INVOKED = pattern(
    r"<(?:\S{0,12})parameter name=[\"']([\w.-]+)[\"'][^>]*>(.*?)</\S{0,12}parameter>", re.S
)
_NAMED_TAG = r"(?:\s*=\s*| name=)[\"']?([\w.-]+)[\"']?\s*>"
_FUNCTION = pattern(rf"<function{_NAMED_TAG}(.*?)(?:</function>|\Z)", re.S)
_PARAMETER = pattern(
    rf"<parameter{_NAMED_TAG}(.*?)(?:</parameter>|(?=<parameter[ =])|(?=</function>)|\Z)", re.S
)
_GLM = pattern(r"\s*(?:<tool_call>\s*)?([\w.-]+)\s*(?:<\w+>\s*)?(?=<arg_key>)(.*)", re.S)
_GEMMA = pattern(r"call:([\w.-]+)(\{.*\})", re.S)
_QUOTE = pattern(r"<\|\"\|>|<escape>")  # where Gemma's texts begin and end
_KEY = pattern(r"([{,]\s*)([A-Za-z_]\w*)\s*:")
_ARGUMENT = pattern(r"<arg_key>(.*?)</arg_key>\s*<arg_value>(.*?)(?:</arg_value>|\Z)", re.S)
_NAMED = pattern(  # a name, marks or words between, an object
    r"(?:function<｜tool▁sep｜>|functions\.)?(?P<name>[A-Za-z_][\w.-]*)(?::\d+)?"
    r"(?P<between>(?:\s|\[(?:ARGS|CALL_ID)\]\w*?(?=[\[{])|<[|｜][^<>{}]{1,40}[|｜]>|json|code|commentary|`{3}|Action Input:)*)(?=\{)"
)
_CALLED = pattern(r"^\s*\[?\s*[A-Za-z_][\w.]*\(", re.S)
_NEXT = pattern(r"[\s;,]*(?=[{\[])")
_DECODER = json.JSONDecoder(strict=False)


def read(body: str, offer: Offer, *, is_whole: bool, is_cut_off: bool = False) -> list[ToolCall]:
    """Return the calls in a body; one that cannot be read has an error. `is_whole`: its end was
    marked."""
    for form in _FORMS:
        if calls := list(form(body, offer)):
            return calls
    return [_mended(body.strip(), is_whole, is_cut_off)]


def of_json(value: Any) -> list[ToolCall]:
    """Return the calls of a JSON value: an object, or a list of them."""
    nested = list_of(record_of(value).get("tool_calls"))
    entries = nested or (value if isinstance(value, list) else [value])
    return [_call(entry) for entry in entries] or [broken("[]", "the block names no tool")]


def all_decoded(text: str, at: int) -> tuple[list[Any], int]:
    """Return the JSON values that stand at a place one behind the other, and where the last
    ends."""
    values: list[Any] = []
    end = at
    while (start := _NEXT.match(text, end)) and (found := decoded(text, start.end())):
        values.append(found[0])
        end = found[1]
    return values, end


def decoded(text: str, at: int) -> tuple[Any, int] | None:
    """Return the JSON value that stands at a place, and where it ends."""
    try:
        return _DECODER.raw_decode(text, at)
    except (ValueError, RecursionError):
        return None


def broken(written: str, reason: str) -> ToolCall:
    """Return a call that cannot be read; the name is taken from it where it can be seen."""
    name = re.search(
        r"""["'](?:name|function|tool|tool_name)["']\s*:\s*["']([\w.-]{1,64})["']""", written
    )
    return ToolCall("", name[1] if name else "", None, scrub(written[:RAW_CHARS]), reason)


def _json(body: str, offer: Offer) -> Iterator[ToolCall]:
    values, _ = all_decoded(body, 0)
    yield from chain.from_iterable(map(of_json, values))


def _invoked(body: str, offer: Offer) -> Iterator[ToolCall]:
    for name, inside in _INVOKE.findall(body):
        yield _of_words(name, _INVOKED.findall(inside), offer)


def _function(body: str, offer: Offer) -> Iterator[ToolCall]:
    for name, inside in _FUNCTION.findall(body):
        if inside.lstrip().startswith("{"):
            yield _of_arguments(name, inside.strip())
        else:
            yield _of_words(name, _PARAMETER.findall(inside), offer)


def _glm(body: str, offer: Offer) -> Iterator[ToolCall]:
    for part in re.split(r"</tool_call>\s*<tool_call>", body):
        if match := _GLM.match(part):
            yield _of_words(match[1], _ARGUMENT.findall(match[2]), offer)


def _gemma(body: str, offer: Offer) -> Iterator[ToolCall]:
    """`call:name{key:value}`, its texts between tokens instead of quotes."""
    for part in re.split(r"(?=call:\w)", body):
        if match := _GEMMA.search(part):
            texts = _QUOTE.split(match[2])
            pieces = [_KEY.sub(r'\1"\2":', piece) for piece in texts]
            pieces[1::2] = map(json.dumps, texts[1::2])
            yield _of_arguments(match[1], "".join(pieces))


def _only_named(body: str, offer: Offer) -> Iterator[ToolCall]:
    """Yield the call of a tool named alone, without arguments."""
    if body.strip() in offer:
        yield ToolCall("", body.strip(), {})


def _named(body: str, offer: Offer) -> Iterator[ToolCall]:
    at = 0
    while match := _NAMED.search(body, at):
        found = decoded(body, match.end())
        if found is None:
            yield _of_arguments(match["name"], body[match.end() :].strip().rstrip("`"))
            return
        yield _of_arguments(match["name"], found[0])
        at = found[1]


def _python(body: str, offer: Offer) -> Iterator[ToolCall]:
    """`name(a=1)`, a list of them, and Llama's `name.call(a=1)`."""
    if not _CALLED.match(body):
        return
    try:
        tree = ast.parse(body.strip().rstrip("`").strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    for node in tree.elts if isinstance(tree, ast.List | ast.Tuple) else [tree]:
        if isinstance(node, ast.Call):
            yield _of_python(_printed(node), offer)


def _printed(node: ast.Call) -> ast.Call:
    """Return the call whose result is only printed."""
    inner = next(iter(node.args), None)
    is_print = ast.unparse(node.func) == "print"
    return inner if is_print and isinstance(inner, ast.Call) else node


def _of_python(node: ast.Call, offer: Offer) -> ToolCall:
    name = ast.unparse(node.func).removesuffix(".call")
    name = name.removeprefix("default_api.").removeprefix("functions.")
    match node:
        case ast.Call(args=[ast.Dict() as only], keywords=[]):  # all arguments as one object
            return _of_arguments(name, ast.unparse(only))
    keys = list(offer.get(name, {}))
    given = [*zip(keys, node.args, strict=False)]
    given += [(each.arg, each.value) for each in node.keywords if each.arg]
    try:
        return _of_arguments(name, {key: ast.literal_eval(value) for key, value in given})
    except (ValueError, TypeError) as error:
        return broken(ast.unparse(node), f"the arguments should be plain values: {error}")


_FORMS: tuple[Callable[[str, Offer], Iterator[ToolCall]], ...] = (
    _json,
    _invoked,
    _function,
    _glm,
    _gemma,
    _only_named,
    _named,
    _python,
)


def _of_words(name: str, pairs: list[tuple[str, str]], offer: Offer) -> ToolCall:
    """Return a call whose arguments came as text: what is no string by the tool's schema is read as
    JSON."""
    schemas = offer.get(name, {})
    given = {}
    for key, text in pairs:  # one line break stands on each side of a value
        value = text.removeprefix("\n").removesuffix("\n")
        given[key.strip()] = _typed(value, schemas.get(key.strip()))
    return _of_arguments(name, given)


def _typed(text: str, schema: Mapping[str, Any] | None) -> Any:
    is_text = schema is not None and "string" in json.dumps(schema.get("type", schema.get("enum")))
    is_guess = schema is None and text.strip()[:1] not in ("{", "[")
    if is_text or is_guess:
        return text
    found = decoded(text.strip().lower() if text.strip() in ("True", "False") else text.strip(), 0)
    return text if found is None else found[0]


def _of_arguments(name: str, written: Any) -> ToolCall:
    name = scrub(name).removeprefix("functions.")
    try:
        return ToolCall("", name, parse_arguments(written, is_whole=True))
    except BadArguments as error:
        return ToolCall("", name, None, scrub(str(written)[:RAW_CHARS]), str(error))


def _call(entry: Any) -> ToolCall:
    if not isinstance(entry, dict):
        written = json.dumps(entry, ensure_ascii=False)
        return broken(written, "a call should be a JSON object with name and arguments")
    if inner := record_of(entry.get("function")):  # as the OpenAI API nests it
        return _call(inner)
    name = next(filter(None, (text_of(entry.get(key)) for key in NAME_KEYS)), "")
    given = next((key for key in ARGUMENT_KEYS if entry.get(key) is not None), "")
    if given:
        return _of_arguments(name, entry[given])
    if not name and len(entry) == 1:  # {"name of the tool": {its arguments}}
        return _of_arguments(*next(iter(entry.items())))
    own = {*NAME_KEYS, "id", "type"}  # beside them stand the arguments
    return _of_arguments(name, {key: value for key, value in entry.items() if key not in own})


def _mended(written: str, is_whole: bool, is_cut_off: bool) -> ToolCall:
    """Return the call of a body whose JSON is not strict. Without its closing mark, an open end is
    missing, not forgotten."""
    start = re.search(r"[{\[]", written)
    if not start:
        return broken(written, "no JSON object stands in the block")
    try:
        value = parse_arguments(
            written[start.start() :].removesuffix("```").rstrip(), is_whole=is_whole
        )
    except BadArguments as error:
        reason = (
            "the reply was cut off inside this call: it is too long" if is_cut_off else str(error)
        )
        return broken(written, reason.replace("arguments are", "block is"))
    return _call(value)
