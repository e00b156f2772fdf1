"""Small servers that refuse what a family of providers refuses, each rule with its source; for
whole tasks over a socket.

A `Provider` plays three turns in its own protocol: a call, a second call, an answer. Before each it
holds the request against its rules, the most important: what it attached to an earlier reply comes
back as it was.
"""

import itertools
import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from tests.scripted_server import Answer, Recorded, ScriptedServer

Body = dict[str, Any]
Rule = Callable[[Body], Answer | None]
STEPS = ("echo one", "echo two")
ANSWER = "Both are done: one, two."


def refusal(message: str, status: int = 400, **more: Any) -> Answer:
    """Return an error as most send it."""
    return Answer(
        status=status, error={"message": message, "type": "invalid_request_error", **more}
    )


@dataclass(slots=True)
class Family:
    """How a family answers. `attached` goes beside each reply; `sign` goes beside each call."""

    model: str
    wires: tuple[str, ...] = ("chat",)
    rules: Sequence[Rule] = ()
    attached: dict[str, Any] = field(default_factory=dict)
    sign: dict[str, Any] = field(default_factory=dict)
    is_echoed: bool = True  # it refuses a history without what it attached
    streams: bool = True
    written: Callable[[str, dict[str, Any]], str] | None = None  # calls as text
    id_: str = "call_a1b2c3_{turn}"
    failures: dict[int, Answer] = field(default_factory=dict)  # by request, before its turn


class Provider(ScriptedServer):
    """Serves one family."""

    def __init__(self, family: Family) -> None:
        super().__init__([])
        self.family = family
        self.refused: list[str] = []

    def answer(self, request: Recorded) -> Answer:
        """See ScriptedServer."""
        self.requests.append(request)
        wire = next((w for w, path in PATHS.items() if request.path == path), "")
        if wire not in self.family.wires:
            return self._refused(refusal(f"Not Found: {request.path}", 404))
        if planned := self.family.failures.pop(len(self.requests), None):
            return planned
        body = request.body
        for rule in (*RULES[wire], *self.family.rules):
            if found := rule(body):
                return self._refused(found)
        turn = 1 + TURNS[wire](body)
        if turn > 1 and self.family.is_echoed and not self._is_echoed(body):
            return self._refused(refusal(f"what turn {turn - 1} attached is missing or changed"))
        return SAYS[wire](self.family, turn)

    def _is_echoed(self, body: Body) -> bool:
        sent = json.dumps(body, ensure_ascii=False, sort_keys=True)
        values = [*self.family.attached.values(), *self.family.sign.values()]
        return all(json.dumps(v, ensure_ascii=False, sort_keys=True) in sent for v in values)

    def _refused(self, answer: Answer) -> Answer:
        self.refused.append(str((answer.error or {}).get("message")))
        return answer


def _arguments(turn: int) -> dict[str, Any]:
    return {"type": "bash", "script": STEPS[turn - 1]}


def _chat(family: Family, turn: int) -> Answer:
    delta: dict[str, Any] = {"role": "assistant", "content": None, **family.attached}
    if turn > len(STEPS):
        chunks = [_chunk({**delta, "content": ANSWER}), _chunk({}, "stop")]
    elif family.written:
        text = f"I run step {turn}.\n" + family.written("code_run", _arguments(turn))
        pieces = [text[at : at + 7] for at in range(0, len(text), 7)]
        key = next(iter(family.attached), "content")
        chunks = [_chunk({key: piece}) for piece in pieces] + [_chunk({}, "stop")]
    else:
        id_ = family.id_.format(turn=turn)
        call = {"index": 0, "id": id_, "type": "function", **family.sign}
        call["function"] = {"name": "code_run", "arguments": json.dumps(_arguments(turn))}
        chunks = [_chunk(delta), _chunk({"tool_calls": [call]}), _chunk({}, "tool_calls")]
    if family.streams:
        return Answer(chunks=chunks)
    message: dict[str, Any] = {"role": "assistant"}
    for chunk in chunks:
        message |= chunk["choices"][0]["delta"]
    return Answer(raw=json.dumps({"choices": [{"message": message}]}), streams=False)


def _chunk(delta: dict[str, Any], finish: str | None = None) -> dict[str, Any]:
    return {"choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}


def _responses(family: Family, turn: int) -> Answer:
    thought = {"type": "reasoning", "id": f"rs_{turn}", "summary": [], **family.attached}
    if turn > len(STEPS):
        part = {"type": "output_text", "text": ANSWER, "annotations": []}
        said = {"type": "message", "id": "msg_1", "role": "assistant", "content": [part]}
    else:
        said = {"type": "function_call", "id": f"fc_{turn}", "call_id": f"call_{turn}", "name": "code_run", "arguments": json.dumps(_arguments(turn)), "status": "completed"}  # fmt: skip
    items = [thought, {"type": "new_kind_of_item", "id": "x_1", "anything": [1]}, said]
    events: list[dict[str, Any]] = [{"type": "response.created", "response": {"id": "r"}}]
    for place, item in enumerate(items):
        events.append({"type": "response.output_item.done", "output_index": place, "item": item})
    usage = {"input_tokens": 50, "output_tokens": 5}
    whole = {"object": "response", "status": "completed", "output": items, "usage": usage}
    return Answer(chunks=[*events, {"type": "response.completed", "response": whole}], done=False)


def _messages(family: Family, turn: int) -> Answer:
    thought = {"type": "thinking", "thinking": "", "signature": ""}
    said = (
        {"type": "text", "text": ""}
        if turn > len(STEPS)
        else {"type": "tool_use", "id": f"toolu_{turn}", "name": "code_run", "input": {}}
    )
    delta = (
        {"type": "text_delta", "text": ANSWER}
        if turn > len(STEPS)
        else {"type": "input_json_delta", "partial_json": json.dumps(_arguments(turn))}
    )
    signature = {"type": "signature_delta", "signature": family.attached["signature"]}
    events: list[dict[str, Any]] = [
        {"type": "message_start", "message": {"usage": {"input_tokens": 9, "output_tokens": 1}}},
        {"type": "content_block_start", "index": 0, "content_block": thought},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "thinking_delta", "thinking": family.attached["thinking"]}},
        {"type": "content_block_delta", "index": 0, "delta": signature},
        {"type": "content_block_stop", "index": 0},
        {"type": "content_block_start", "index": 1, "content_block": said},
        {"type": "content_block_delta", "index": 1, "delta": delta},
        {"type": "content_block_stop", "index": 1},
        {"type": "message_delta", "delta": {"stop_reason": "end_turn" if turn > len(STEPS) else "tool_use"}, "usage": {"output_tokens": 7}},
        {"type": "message_stop"},
    ]  # fmt: skip
    return Answer(chunks=events, done=False)


def _chat_turns(body: Body) -> int:
    said = [m for m in body["messages"] if m["role"] == "assistant"]
    return sum('"unknown"' not in json.dumps(message) for message in said)


def _responses_turns(body: Body) -> int:
    return sum(item.get("type") == "function_call_output" for item in body["input"])


PATHS = {"chat": "/v1/chat/completions", "responses": "/v1/responses", "messages": "/v1/messages"}
TURNS = {"chat": _chat_turns, "responses": _responses_turns, "messages": _chat_turns}
SAYS = {"chat": _chat, "responses": _responses, "messages": _messages}


def results_follow_calls(body: Body) -> Answer | None:
    """OpenAI: an assistant message with tool_calls must be followed by tool messages that answer
    each of them."""
    open_ids: set[str] = set()
    for message in body["messages"]:
        if open_ids and message["role"] != "tool":
            return refusal(
                "An assistant message with 'tool_calls' must be followed by tool messages"
            )
        if message["role"] == "assistant":
            open_ids = {call["id"] for call in message.get("tool_calls") or []}
        open_ids.discard(message.get("tool_call_id", ""))
    return None


def thoughts_have_what_follows(body: Body) -> Answer | None:
    """OpenAI Responses: a reasoning item without its following item, or a call without its output,
    is refused."""
    if body.get("store") is not False:
        return refusal("store must be false here")
    items = body["input"]
    outputs = {i["call_id"] for i in items if i.get("type") == "function_call_output"}
    for item in items:
        if item.get("type") == "function_call" and item["call_id"] not in outputs:
            return refusal(f"No tool output found for function call {item['call_id']}.")
        if item.get("type") == "reasoning" and not item.get("encrypted_content"):
            return refusal(f"Item with id '{item['id']}' not found.", 404)
    return None


def blocks_in_order(body: Body) -> Answer | None:
    """Anthropic Messages: max_tokens, alternating roles, tool_result right behind tool_use, at most
    four cache marks."""
    if "max_tokens" not in body:
        return refusal("max_tokens: Field required")
    roles = [message["role"] for message in body["messages"]]
    if roles[0] != "user" or any(a == b for a, b in itertools.pairwise(roles)):
        return refusal("messages: roles must alternate between user and assistant")
    if json.dumps(body).count('"cache_control"') > 4:
        return refusal("A maximum of 4 blocks with cache_control may be provided.")
    for before, message in itertools.pairwise(body["messages"]):
        uses = [b["id"] for b in before["content"] if b["type"] == "tool_use"]
        results = [b.get("tool_use_id") for b in message["content"][: len(uses)]]
        if uses and results != uses:
            return refusal("tool_use ids were found without tool_result blocks immediately after")
    return None


RULES: dict[str, tuple[Rule, ...]] = {
    "chat": (results_follow_calls,),
    "responses": (thoughts_have_what_follows,),
    "messages": (blocks_in_order,),
}


def no_null_content(body: Body) -> Answer | None:
    """SambaNova and other pydantic servers: the content of each message is text."""
    places = [n for n, each in enumerate(body["messages"]) if not isinstance(each["content"], str)]
    said = {
        "type": "string_type",
        "loc": ["body", "messages", *places, "content"],
        "msg": "Input should be a valid string",
    }
    return Answer(status=422, raw=json.dumps({"detail": [said]})) if places else None


def without(*fields: str, words: str = "Unsupported parameter: '{}'") -> Rule:
    """Return a server that refuses these fields by name."""

    def rule(body: Body) -> Answer | None:
        found = next((name for name in fields if name in body), None)
        return refusal(words.format(found), param=found) if found else None

    return rule


def no_tools(message: str, status: int = 400) -> Rule:
    """Return a server that takes no tools."""
    return lambda body: refusal(message, status) if "tools" in body else None


def only_known_fields(body: Body) -> Answer | None:
    """Servers on strict schemas refuse any field that they do not know, of the body and of a
    message."""
    extra = set(body) - {"model", "messages", "tools", "stream"}
    if extra:
        return refusal(f"Unrecognized request argument supplied: {min(extra)}")
    known = {"role", "content", "tool_calls", "tool_call_id"}
    for number, message in enumerate(body["messages"]):
        if unknown := set(message) - known:
            name = min(unknown)
            return refusal(f"'messages.{number}' : property '{name}' is unsupported")
    return None


def in_strict_order(body: Body) -> Answer | None:
    """Mistral (code 3230) and Jinja templates: no user message behind a tool's."""
    roles = [message["role"] for message in body["messages"]]
    for before, role in itertools.pairwise(roles):
        if role == "user" and before in ("tool", "user"):
            return refusal(f"Unexpected role 'user' after role '{before}'")
    return None


def without_system(body: Body) -> Answer | None:
    """Chat template of Gemma 2: no role for the system, and roles that alternate."""
    roles = [message["role"] for message in body["messages"]]
    if roles[0] == "system":
        return refusal("System role not supported")
    if any(itertools.starmap(str.__eq__, itertools.pairwise(roles))):
        return refusal("Conversation roles must alternate user/assistant/user/assistant/...")
    return None


def short_ids(body: Body) -> Answer | None:
    """Mistral (code 3280): ids of calls have nine letters and digits."""
    ids = re.findall(r'"tool_call_id": "([^"]*)"', json.dumps(body))
    bad = next((id_ for id_ in ids if not re.fullmatch(r"[a-zA-Z0-9]{9}", id_)), None)
    return (
        refusal(f"Tool call id was {bad} but must be a-z, A-Z, 0-9, with a length of 9.")
        if bad
        else None
    )


def reasoning_is_back(body: Body) -> Answer | None:
    """DeepSeek and Kimi, thinking mode: each assistant message with calls brings its
    reasoning_content."""
    calls = [m for m in body["messages"] if m.get("tool_calls")]
    if all(message.get("reasoning_content", "").strip() for message in calls):
        return None
    return refusal("The `reasoning_content` in the thinking mode must be passed back to the API.")


def signature_is_back(body: Body) -> Answer | None:
    """Gemini 3: the first call of each message brings its thought_signature."""
    calls = [m["tool_calls"][0] for m in body["messages"] if m.get("tool_calls")]
    if all(
        call.get("extra_content", {}).get("google", {}).get("thought_signature") for call in calls
    ):
        return None
    return Answer(status=400, raw=json.dumps([{"error": {"code": 400, "message": "Function call is missing a thought_signature in functionCall parts."}}]))  # fmt: skip


def tools_need_responses(body: Body) -> Answer | None:
    """GPT-5.5 and later: no function tools on chat completions."""
    if "tools" not in body:
        return None
    return refusal("Function tools with reasoning_effort are not supported for gpt-5.5 in /v1/chat/completions. To use function tools, use /v1/responses or set reasoning_effort to 'none'.", param="reasoning_effort")  # fmt: skip


THOUGHT = {"reasoning_content": "I think about it: 想一想 \u2028 é"}
SIGNED = {"signature": "Eo4DCkYICRgCKkBm/+sig==", "thinking": "First the one, then the other."}
HIDDEN = {"encrypted_content": "gAAAAABo-secret-state=="}
DETAILS = {"reasoning_details": [{"type": "reasoning.encrypted", "data": "abc==", "id": "r1", "format": "x", "index": 0}]}  # fmt: skip
GOOGLE = {"extra_content": {"google": {"thought_signature": "AVSoXO4Az+/=="}}}


def _json(name: str, args: dict[str, Any], key: str = "arguments") -> str:
    return json.dumps({"name": name, key: args})


def _xml(name: str, args: dict[str, Any]) -> str:
    inner = "".join(f"<parameter={key}>\n{value}\n</parameter>\n" for key, value in args.items())
    return f"<tool_call>\n<function={name}>\n{inner}</function>\n</tool_call>"


def _glm(name: str, args: dict[str, Any]) -> str:
    pairs = "".join(
        f"<arg_key>{k}</arg_key>\n<arg_value>{v}</arg_value>\n" for k, v in args.items()
    )
    return f"<tool_call>{name}\n{pairs}</tool_call>"


def _invoke(name: str, args: dict[str, Any]) -> str:
    inner = "".join(f'<parameter name="{key}">{value}</parameter>\n' for key, value in args.items())
    return f'<minimax:tool_call>\n<invoke name="{name}">\n{inner}</invoke>\n</minimax:tool_call>'


def _python(name: str, args: dict[str, Any]) -> str:
    return f"{name}({', '.join(f'{key}={value!r}' for key, value in args.items())})"


DIALECTS: dict[str, Callable[[str, dict[str, Any]], str]] = {
    "hermes": lambda n, a: f"<tool_call>\n{_json(n, a)}\n</tool_call>",
    "ours": lambda n, a: f"<tool_use>\n{_json(n, a)}\n</tool_use>",
    "qwen3-coder": _xml,
    "glm": _glm,
    "bare": _json,
    "mistral": lambda n, a: f"[TOOL_CALLS][{_json(n, a)}]",
    "mistral-args": lambda n, a: f"[TOOL_CALLS]{n}[ARGS]{json.dumps(a)}",
    "llama": lambda n, a: f"<|python_tag|>{_json(n, a, 'parameters')}<|eom_id|>",
    "llama-python": lambda n, a: "<|python_tag|>" + _python(f"{n}.call", a),
    "llama-function": lambda n, a: f"<function={n}>{json.dumps(a)}</function>",
    "llama4": lambda n, a: f"[{_python(n, a)}]",
    "deepseek": lambda n, a: f"<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>{n}\n```json\n{json.dumps(a)}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>",
    "deepseek31": lambda n, a: f"<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>{n}<｜tool▁sep｜>{json.dumps(a)}<｜tool▁call▁end｜><｜tool▁calls▁end｜>",
    "kimi": lambda n, a: f"<|tool_calls_section_begin|><|tool_call_begin|>functions.{n}:0<|tool_call_argument_begin|>{json.dumps(a)}<|tool_call_end|><|tool_calls_section_end|>",
    "minimax": _invoke,
    "minimax1": lambda n, a: f"<tool_calls>\n{_json(n, a)}\n</tool_calls>",
    "harmony": lambda n, a: f"<|channel|>commentary to=functions.{n} <|constrain|>json<|message|>{json.dumps(a)}<|call|>",
    "harmony-start": lambda n, a: f"<|channel|>analysis<|message|>I think.<|end|><|start|>assistant<|channel|>commentary to=functions.{n} <|constrain|>json<|message|>{json.dumps(a)}<|call|>",
    "granite": lambda n, a: f"<|tool_call|>[{_json(n, a)}]",
    "command-r": lambda n, a: f"<|START_ACTION|>[{json.dumps({'tool_call_id': '0', 'tool_name': n, 'parameters': a})}]<|END_ACTION|>",
    "nemotron": lambda n, a: f"<TOOLCALL>[{_json(n, a)}]</TOOLCALL>",
    "gemma": lambda n, a: f"```tool_code\n{_python(n, a)}\n```",
    "lfm": lambda n, a: f"<|tool_call_start|>[{_python(n, a)}]<|tool_call_end|>",
    "called": lambda n, a: f"functions.{n}({json.dumps(a)})",
    "react": lambda n, a: f"Action: {n}\nAction Input: {json.dumps(a)}",
}  # fmt: skip

MORE_DIALECTS: dict[str, Callable[[str, dict[str, Any]], str]] = {
    "gemma4": lambda n, a: f"<|tool_call>call:{n}{_braced(a, f'<|{chr(34)}|>')}<tool_call|>",
    "functiongemma": lambda n, a: f"<start_function_call>call:{n}{_braced(a, '<escape>')}<end_function_call>",
    "lm studio": lambda n, a: f"[TOOL_REQUEST]{_json(n, a)}[END_TOOL_REQUEST]",
    "solar": lambda n, a: f"<|tool_calls|>[{_json(n, a)}]",
    "dsml": lambda n, a: _invoke(n, a).replace("minimax:tool_call", "｜DSML｜tool_calls"),
    "function call": lambda n, a: f"<function_call>{_json(n, a)}</function_call>",
    "hunyuan": lambda n, a: "<tool_calls>\n" + _glm(n, a).replace(n, f"{n}<tool_sep>", 1) + "\n</tool_calls>",
    "qwen3-coder, attributes": lambda n, a: _xml(n, a).replace("function=", "function name=").replace("parameter=", "parameter name="),
    "stray token": lambda n, a: f"<tool_call>\n{_json(n, a)}\n</tool_call>[|endofturn|]",
}  # fmt: skip


def _braced(args: dict[str, Any], quote: str) -> str:
    values = {k: f"{quote}{v}{quote}" if isinstance(v, str) else v for k, v in args.items()}
    return "{" + ",".join(f"{key}:{value}" for key, value in values.items()) + "}"


_TOOL_USE_FAILED = Answer(
    status=400,
    error={
        "message": "Failed to call a function. See 'failed_generation' for more details.",
        "type": "invalid_request_error",
        "code": "tool_use_failed",
        "failed_generation": '<function=code_run{"type": "bash", "script": "echo',
    },
)

FAMILIES: dict[str, Family] = {
    "openai chat": Family("gpt-4o"),
    "openai, a new model on chat": Family("gpt-5.5", ("chat", "responses"), (lambda body: tools_need_responses(body) if "messages" in body else None,), HIDDEN),
    "openai, responses alone": Family("gpt-5.4", ("responses",), (), HIDDEN),
    "openai, a name that nobody knows": Family("orion-1", ("chat", "responses"), (lambda body: tools_need_responses(body) if "messages" in body else None,), HIDDEN),
    "o-series": Family("o3-mini", ("chat",), (without("parallel_tool_calls", "temperature", "max_tokens"),)),
    "responses without encrypted thoughts": Family("gpt-4o", ("responses",), (lambda body: refusal("Encrypted content is not supported with this model.") if "include" in body else None,), HIDDEN, is_echoed=False),
    "anthropic": Family("claude-sonnet-4-5", ("messages",), (), SIGNED),
    "anthropic behind a gateway with chat alone": Family("claude-sonnet-4-5", ("chat",)),
    "anthropic by a name that nobody knows": Family("sonata", ("messages",), (), SIGNED),
    "gemini 3": Family("gemini-3-pro-preview", rules=(signature_is_back,), sign=GOOGLE),
    "gemini 2.5": Family("gemini-2.5-flash", attached=GOOGLE, id_=""),
    "deepseek, thinking": Family("deepseek-chat", rules=(reasoning_is_back,), attached=THOUGHT),
    "kimi, thinking": Family("kimi-k2-thinking", rules=(reasoning_is_back,), attached=THOUGHT, id_="functions.code_run:{turn}"),
    "mistral": Family("mistral-large-latest", rules=(in_strict_order, short_ids, without("stream_options", words='{{"detail":[{{"type":"extra_forbidden","loc":["body","{}"]}}]}}')), id_="Xb7Kq90a{turn}"),
    "mistral weights elsewhere": Family("devstral-small", rules=(in_strict_order, short_ids)),
    "openrouter": Family("deepseek/deepseek-v3.2", attached=DETAILS),
    "groq": Family("openai/gpt-oss-120b", attached={"reasoning": "Let me see."}, failures={2: _TOOL_USE_FAILED}),
    "groq refuses thoughts": Family("llama-3.3-70b-versatile", rules=(only_known_fields,), attached={"reasoning": "Hm."}, is_echoed=False),
    "ollama": Family("qwen3:8b", attached={"reasoning": "Hm."}),
    "ollama without tools": Family("gemma3:4b", rules=(no_tools("registry.ollama.ai/library/gemma3:4b does not support tools"),), written=DIALECTS["ours"]),
    "vllm without a parser": Family("some-model", rules=(no_tools('"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set'),), written=DIALECTS["ours"]),
    "llama.cpp without jinja": Family("local", rules=(no_tools("tools param requires --jinja flag", 500), in_strict_order), written=DIALECTS["hermes"]),
    "vllm without a system role": Family("gemma-2-9b-it", rules=(no_tools("tools param requires --jinja flag", 500), without_system), written=DIALECTS["hermes"]),
    "vllm that reads calls as thoughts": Family("qwen3-30b-a3b", attached={"reasoning_content": ""}, written=DIALECTS["hermes"], is_echoed=False),
    "strict schema": Family("strict-1", rules=(only_known_fields,)),
    "plain JSON without a finish reason": Family("plain-1", streams=False),
    "no content beside calls": Family("e5-mini", rules=(no_null_content,)),
    "glm, thinking": Family("glm-4.6", attached=THOUGHT),
    **{f"text: {name}": Family("some-local-model", written=write) for name, write in DIALECTS.items()},
}  # fmt: skip
