"""How well we understand what providers really sent: recorded exchanges, read by us and by the
official packages.

    python bench/wires.py [--data ../shared/data/wire] [--json]

Each recorded reply is read twice, by models/wires and by `openai` or `anthropic`: text, calls,
finish, usage. A reply in JSON is read as JSON and, for the JSON shapes that have one, counted once.
Then, for each two exchanges of one conversation, how we would send the first reply back, held
against what the recorded client sent (rows `echo`): every thought, signature and id that the client
sent back is in ours. Without the data it says so and ends with 0.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from bench.places import Figure  # noqa: E402 - behind the path
from models.base import ToolCall  # noqa: E402 - behind the path
from models.endpoint.failure import in_stream, of_status  # noqa: E402 - behind the path
from models.streams import NotAnAnswer, chunks  # noqa: E402 - behind the path
from models.wires import WIRES, Answer, Manners  # noqa: E402 - behind the path

Said = dict[str, Any]  # text, calls, finish, usage


def rows(folder: Path) -> Iterator[dict[str, Any]]:
    """Yield every recorded exchange."""
    for file in sorted(folder.glob("*.jsonl")):
        for line in file.read_text("utf-8").splitlines():
            yield json.loads(line)


def answered(row: dict[str, Any]) -> Answer:
    """Return the reply as our wires read it."""
    answer = WIRES[row["wire"]](Manners(wire=row["wire"]), "bench").answer()
    body = row["sse"] if "sse" in row else json.dumps(row.get("json"))
    for chunk in chunks([body.encode("utf-8", "surrogatepass")]):
        if chunk is None:
            answer.end()
        elif (failure := in_stream(chunk)) is not None:
            raise failure
        else:
            answer.add(chunk)
    return answer


def ours(row: dict[str, Any]) -> Said:
    """Return what we understood."""
    answer = answered(row)
    tokens = answer.tokens(0)
    calls = [(call.name, call.args) for call in answer.calls()]
    usage = (tokens.input, tokens.cached, tokens.output)
    return {"text": answer.text, "calls": calls, "finish": answer.finish, "usage": usage}


def theirs(row: dict[str, Any]) -> Said:
    """Return what the official package understood, in our words."""
    return {"chat": _chat, "responses": _responses, "messages": _messages}[row["wire"]](row)


def _chat(row: dict[str, Any]) -> Said:
    from openai.types.chat import ChatCompletion

    if "sse" in row:
        return _chat_stream(row["sse"])
    said = ChatCompletion.model_validate(_filled(row["json"]))
    choice = said.choices[0]
    calls = [
        (call.function.name, json.loads(call.function.arguments or "{}"))
        for call in choice.message.tool_calls or []
        if call.type == "function"
    ]
    usage, cached = said.usage, 0
    if usage and usage.prompt_tokens_details:
        cached = usage.prompt_tokens_details.cached_tokens or 0
    finish = {"length": "length", "content_filter": "filter"}.get(choice.finish_reason, "stop")
    counted = (usage.prompt_tokens, cached, usage.completion_tokens) if usage else None
    text = choice.message.content or choice.message.refusal or ""
    text = re.sub(r"\A\s*<think>.*?(</think>\s*|\Z)", "", text, flags=re.S)  # we show no thoughts
    return {"text": text, "calls": calls, "finish": finish, "usage": counted}


def _chat_stream(sse: str) -> Said:
    """Return the chunks as the package types them, put together by their index."""
    from openai.types.chat import ChatCompletionChunk

    text, finish, usage = "", "", None
    calls: dict[int, list[str]] = {}
    for event in _events(sse):
        chunk = ChatCompletionChunk.construct(**event)
        usage = chunk.usage or usage
        for choice in chunk.choices[:1]:
            finish = choice.finish_reason or finish
            text += choice.delta.content or ""
            for delta in choice.delta.tool_calls or []:
                call = calls.setdefault(delta.index, ["", ""])
                if delta.function:
                    call[0] += delta.function.name or ""
                    call[1] += delta.function.arguments or ""
    cached = 0
    if usage and usage.prompt_tokens_details:
        cached = usage.prompt_tokens_details.cached_tokens or 0
    return {
        "text": text,
        "calls": [(name, json.loads(written or "{}")) for name, written in calls.values()],
        "finish": {"length": "length", "content_filter": "filter"}.get(finish, "stop"),
        "usage": (usage.prompt_tokens, cached, usage.completion_tokens) if usage else None,
    }


def _responses(row: dict[str, Any]) -> Said:
    from openai.types.responses import Response

    given: dict[str, Any] = row.get("json") or {}
    if "sse" in row:
        last = [e for e in _events(row["sse"]) if "response" in e][-1]
        given = last["response"]
        done = [e["item"] for e in _events(row["sse"]) if e["type"] == "response.output_item.done"]
        given = {**given, "output": given.get("output") or done}
    said = Response.model_construct(**given)
    items = [_Item(item) for item in said.output]
    text = "".join(
        part["text"]
        for item in items
        if item["type"] == "message"
        for part in item["content"]
        if part["type"] == "output_text"
    )
    calls = [(i["name"], json.loads(i["arguments"])) for i in items if i["type"] == "function_call"]
    reason = str((given.get("incomplete_details") or {}).get("reason"))
    finish = {"max_output_tokens": "length", "content_filter": "filter"}.get(reason, "stop")
    usage: dict[str, Any] = given.get("usage") or {}
    cached = (usage.get("input_tokens_details") or {}).get("cached_tokens") or 0
    counted = (usage["input_tokens"], cached, usage["output_tokens"]) if usage else None
    return {"text": text, "calls": calls, "finish": finish, "usage": counted}


def _messages(row: dict[str, Any]) -> Said:
    import httpx2
    from anthropic._models import construct_type_unchecked as construct
    from anthropic.lib.streaming._beta_messages import accumulate_event
    from anthropic.types.beta import BetaMessage, BetaRawMessageStreamEvent

    build: Any = construct
    if "sse" in row:
        said: Any = None
        pieces: dict[int, bytes] = {}
        for event in _events(row["sse"]):
            if event["type"] == "ping":
                continue
            typed: Any = build(value=event, type_=BetaRawMessageStreamEvent)
            said = accumulate_event(
                event=typed,
                current_snapshot=said,
                request_headers=httpx2.Headers(),
                json_bufs=pieces,
            )
    else:
        said = build(value=row["json"], type_=BetaMessage)
    text = "".join(block.text for block in said.content if block.type == "text")
    calls = [(block.name, block.input) for block in said.content if block.type == "tool_use"]
    finish = {
        "max_tokens": "length",
        "model_context_window_exceeded": "length",
        "refusal": "filter",
    }.get(said.stop_reason, "stop")
    usage = said.usage
    read, stored = usage.cache_read_input_tokens or 0, usage.cache_creation_input_tokens or 0
    counted = (usage.input_tokens + read + stored, read, usage.output_tokens)
    return {"text": text, "calls": calls, "finish": finish, "usage": counted}


class _Item(dict[str, Any]):
    """An item of a response, whichever type the package made of it."""

    def __init__(self, item: Any) -> None:
        super().__init__(item if isinstance(item, dict) else item.model_dump())


def _filled(given: dict[str, Any]) -> dict[str, Any]:
    """Return a completion with the fields that some servers leave out, so that the package's types
    take it."""
    found = {"id": "", "created": 0, "model": "", "object": "chat.completion", **given}
    found["object"] = "chat.completion"
    choices = []
    for choice in given["choices"]:
        message = {"role": "assistant", **choice["message"]}
        message = {
            key: message[key]
            for key in ("role", "content", "tool_calls", "refusal")
            if key in message
        }
        if isinstance(message.get("content"), list):
            message["content"] = "".join(
                p.get("text") or "" for p in message["content"] if p.get("type") == "text"
            )
        for call in message.get("tool_calls") or []:
            call.setdefault("type", "function")
        choices.append(
            {"index": 0, "message": message, "finish_reason": choice.get("finish_reason") or "stop"}
        )
    found["choices"] = choices
    found.pop("service_tier", None)
    return found


def _events(sse: str) -> list[dict[str, Any]]:
    lines = [line[5:].strip() for line in sse.splitlines() if line.startswith("data:")]
    return [json.loads(line) for line in lines if line and line != "[DONE]"]


def differences(row: dict[str, Any]) -> list[str]:
    """Return the parts of a reply that we understood otherwise."""
    mine, other = ours(row), theirs(row)
    if other["usage"] is None:
        mine.pop("usage")
    return [key for key in mine if mine[key] != other[key]]


SENT_BACK = (
    *("signature", "data", "thinking", "encrypted_content", "reasoning_content", "reasoning"),
    *("thought_signature", "reasoning_details"),
)


def attached(value: Any, key: str = "") -> Iterator[str]:
    """Yield the texts in what a provider attaches."""
    if isinstance(value, dict):
        for name, below in value.items():
            yield from attached(below, name)
    elif isinstance(value, list):
        for below in value:
            yield from attached(below, key)
    elif isinstance(value, str) and key in SENT_BACK and value:
        yield value


def echoes(all_rows: list[dict[str, Any]]) -> Iterator[tuple[dict[str, Any], bool]]:
    """Yield each first reply that a recorded client sent back, and whether ours would hold all that
    it sent back of it."""
    before: dict[str, dict[str, Any]] = {}
    for row in all_rows:
        last = before.get(row.get("cassette", ""))
        before[row.get("cassette", "")] = row
        if last is None or "echo" not in row["kinds"] or last["status"] != 200:
            continue
        given = json.dumps(last.get("json") or last.get("sse"), ensure_ascii=False)
        sent = [
            text
            for text in attached(row["request"])
            if json.dumps(text, ensure_ascii=False)[1:-1] in given
        ]
        try:
            answer = answered(last)
        except NotAnAnswer:  # a line of it is no JSON: the recording was changed
            continue
        calls = answer.calls()
        settled = [ToolCall(call.id, call.name, call.args) for call in calls]
        items = answer.items(answer.text, settled, is_native=True)
        back = set(attached(items))
        yield row, all(text in back for text in sent)


def compared(folder: Path) -> tuple[Counter[str], Counter[str], list[tuple[str, str, list[str]]]]:
    """Return how many exchanges are read right, how many there are, and the others, by wire and
    provider."""
    all_rows = list(rows(folder))
    right, total = Counter[str](), Counter[str]()
    wrong: list[tuple[str, str, list[str]]] = []
    for row in all_rows:
        name = f"{row['wire']} {row['provider']}"
        if row["status"] != 200:
            name = f"{row['wire']} errors"
            body = json.dumps(row.get("json")).encode()
            total[name] += 1
            right[name] += bool(of_status(row["status"], row["headers"], body).reason)
            continue
        total[name] += 1
        try:
            differs = differences(row)
        except (NotAnAnswer, ValueError, KeyError, TypeError, AttributeError, IndexError) as error:
            differs = [f"{type(error).__name__}: {str(error)[:200]}"]
        right[name] += not differs
        wrong += [(row["id"], name, differs)] if differs else []
    for row, is_right in echoes(all_rows):
        name = f"{row['wire']} echo"
        total[name] += 1
        right[name] += is_right
        wrong += [] if is_right else [(row["id"], name, ["not sent back"])]
    return right, total, wrong


def by_wire(right: Counter[str], total: Counter[str]) -> Iterator[tuple[str, int, int]]:
    """Yield each wire with the replies that are read right, and all of them."""
    for wire in WIRES:
        names = [n for n in total if n.startswith(wire) and not n.endswith(("errors", "echo"))]
        yield wire, sum(right[n] for n in names), sum(total[n] for n in names)


def score(data: Path) -> list[Figure]:
    """Return how many recorded replies are read as the official packages read them."""
    right, total, _ = compared(data / "wire")
    return [Figure(f"wires, {wire}", got, of=all_) for wire, got, all_ in by_wire(right, total)]


def main() -> int:
    """Print a table by wire and provider."""
    options = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    options.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data" / "wire")
    options.add_argument("--json", action="store_true")
    args = options.parse_args()
    if not args.data.is_dir():
        print(f"no recorded exchanges at {args.data}: give --data DIR")
        return 0
    right, total, wrong = compared(args.data)
    if args.json:
        print(json.dumps({"right": right, "total": total, "wrong": wrong}, ensure_ascii=False))
        return 0
    for name in sorted(total):
        print(f"{name:28} {right[name]:4} of {total[name]:4}")
    for wire, got, all_ in by_wire(right, total):
        print(f"{wire:28} {got:4} of {all_:4}  {100 * got / max(all_, 1):.1f} %")
    for id_, name, differs in wrong:
        print(f"  {id_} {name}: {', '.join(differs)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
