"""The page's API as a machine meets it: whatever is sent is answered in its shape; OpenAI's own
client uses the agent."""

from __future__ import annotations

import json
import re
from typing import Any
from urllib.parse import quote

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.conftest import CHECKOUT
from tests.driving import bash, call
from tests.rows import rows
from tests.serving import Served

SCRIPTS: dict[str, list[Any]] = {
    "hello": ["Hello there."],
    "look": [bash("echo hi", "I look."), "It says hi."],
    "ask": [call("ask_user", question="Which one?"), "ok"],
}
CHANGING = {
    "/api/sign-out",
    "/api/changes",
    "/api/chat",
    "/api/sops/{name}/run",
    "/api/memory/digest",
    "/api/sign-in",
}
JUNK = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3)
    ),
    max_leaves=6,
)


@pytest.fixture(scope="module")
def schema(site: Served) -> dict[str, Any]:
    return dict(site.get("/api/openapi.json").json)


def test_the_schema_names_every_route_and_the_manual_every_one_too(schema: dict[str, Any]) -> None:
    manual = (CHECKOUT / "docs" / "web-api.md").read_text("utf-8")
    plain = re.sub(r"\{\w+(:\w+)?\}", "{}", manual)
    for path in schema["paths"]:
        stem = re.sub(r"\{\w+\}", "{}", path)
        assert stem in plain or stem.rpartition("/")[2] in plain, path


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_whatever_is_sent_is_answered_in_its_shape(
    site: Served, schema: dict[str, Any], data: st.DataObject
) -> None:
    """No request ends in a 500, and every error says what kind it is."""
    known = [
        (verb.upper(), path, about)
        for path, verbs in schema["paths"].items()
        for verb, about in verbs.items()
        if path not in CHANGING and not path.startswith("/v1")
    ]
    method, path, about = data.draw(st.sampled_from(known))
    filled = re.sub(
        r"\{\w+\}",
        lambda _: quote(data.draw(st.text(min_size=1, max_size=12)), safe="") or "x",
        path,
    )
    query = [p["name"] for p in about.get("parameters", ()) if p["in"] == "query"]
    filled += "?" + "&".join(f"{name}={quote(data.draw(st.text(max_size=12)))}" for name in query)
    content = about.get("requestBody", {}).get("content", {})
    shape = content.get("application/json", {}).get("schema", {})
    ref = (shape.get("anyOf") or [shape])[0].get("$ref", "").rpartition("/")[2]
    names = list(schema["components"]["schemas"].get(ref, {}).get("properties", {}))
    body = data.draw(JUNK | st.fixed_dictionaries(dict.fromkeys(names, JUNK)))
    raw = data.draw(
        st.sampled_from([json.dumps(body).encode(), b"{", b"\xff\xfe", b""])
        if method != "GET"
        else st.just(b"")
    )
    answer = site.ask(method, filled, raw, site.browser())
    assert answer.status < 500, answer
    if answer.status >= 400:
        error = answer.json["error"]
        assert error["kind"]
        assert error["text"]
        assert "Traceback" not in error["text"]


def client(site: Served, changes: bool = True) -> Any:
    import openai

    token = site.post("/api/tokens", {"name": "a program", "changes": changes}).json["token"]
    return openai.OpenAI(base_url=f"{site.origin}/v1", api_key=token, max_retries=0)


def asked(api: Any, model: str, content: Any, **more: Any) -> Any:
    """Ask as a program does that knows chat completions."""
    messages = [{"role": "user", "content": content}]
    return api.chat.completions.create(model=model, messages=messages, **more)


def test_openais_client_uses_the_agent_as_a_model(site: Served) -> None:
    with client(site) as api:
        assert [model.id for model in api.models.list()] == ["sopwith", "hello", "look", "ask"]
        answer = asked(api, "sopwith", "say hello")
        assert answer.choices[0].message.content == "Hello there."
        assert answer.choices[0].finish_reason == "stop"
        assert answer.usage is not None
        run = answer.id.removeprefix("chatcmpl-")
        assert site.get(f"/api/runs/{run}").json["run"]["status"] == "done"


def test_openais_client_reads_the_answer_as_it_comes(site: Served) -> None:
    with client(site) as api:
        earlier = [
            {"role": "user", "content": "my name is Anna"},
            {"role": "assistant", "content": "Hi Anna"},
        ]
        stream = api.chat.completions.create(
            model="look",
            messages=[
                *earlier,
                {"role": "user", "content": [{"type": "text", "text": "what does echo say"}]},
            ],
            stream=True,
            stream_options={"include_usage": True},
        )
        chunks = list(stream)
    text = "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices)
    assert text == "I look.\n\nIt says hi."
    assert chunks[0].choices[0].delta.role == "assistant"
    assert [chunk.choices[0].finish_reason for chunk in chunks if chunk.choices][-1] == "stop"
    assert chunks[-1].usage is not None
    run = chunks[0].id.removeprefix("chatcmpl-")
    opening = site.get(f"/api/runs/{run}").json["events"][0]
    assert opening["task"] == "what does echo say"
    assert "user: my name is Anna" in opening["told"]


def test_a_procedure_serves_in_the_third_message_of_a_conversation(site: Served) -> None:
    said: list[dict[str, str]] = [{"role": "system", "content": "Be brief."}]
    with client(site) as api:
        for count in (1, 2, 3):
            task = f"what are the {count} largest files in {site.cwd}?"
            said.append({"role": "user", "content": task})
            answer = api.chat.completions.create(model="sopwith", messages=said)
            said.append({"role": "assistant", "content": answer.choices[0].message.content})
            run = site.get(f"/api/runs/{answer.id.removeprefix('chatcmpl-')}").json["run"]
            assert (run["sop"], run["rote"], run["model_calls"]) == ("largest-files", True, 0)


def test_openais_client_uses_responses(site: Served) -> None:
    with client(site) as api:
        first = api.responses.create(model="hello", input="say hello", instructions="Be brief.")
        assert (first.output_text, first.status) == ("Hello there.", "completed")
        assert first.usage is not None
        again = api.responses.create(model="hello", input="again", previous_response_id=first.id)
        run = again.id.removeprefix("resp_")
        opening = site.get(f"/api/runs/{run}").json["events"][0]
        assert opening["previous"] == [first.id.removeprefix("resp_")]
        pieces = []
        with api.responses.stream(model="look", input="what does echo say") as stream:
            for event in stream:
                if event.type == "response.output_text.delta":
                    pieces.append(event.delta)
            assert stream.get_final_response().output_text == "".join(pieces)
    assert "".join(pieces) == "I look.\n\nIt says hi."


def test_what_is_not_supported_is_refused_by_name(site: Served) -> None:
    import openai

    with client(site) as api:
        for more, named in rows(__name__, "not_supported"):
            with pytest.raises(openai.BadRequestError, match=named):
                asked(api, "hello", "say hello", **more)
        fine = asked(api, "hello", "say hello", temperature=0.5, n=1)
        assert fine.choices[0].message.content == "Hello there."
        picture = [{"type": "image_url", "image_url": {"url": "https://example.org/a.png"}}]
        with pytest.raises(openai.BadRequestError, match="image_url"):
            asked(api, "hello", picture)


def test_what_a_program_is_asked_waits_in_the_inbox(site: Served) -> None:
    with client(site) as api:
        answer = asked(api, "ask", "choose one")
    assert "Which one?" in answer.choices[0].message.content
    assert "inbox" in answer.choices[0].message.content
    run = answer.id.removeprefix("chatcmpl-")
    assert run in [entry["run"] for entry in site.get("/api/inbox").json["inbox"]]


def test_openais_client_understands_what_goes_wrong(site: Served) -> None:
    import openai

    said = [{"role": "user", "content": "x"}]
    with client(site) as api:
        with pytest.raises(openai.NotFoundError, match="there are: sopwith, hello"):
            api.chat.completions.create(model="gpt-9", messages=said)
        with pytest.raises(openai.BadRequestError):
            asked(api, "sopwith", " ")
        with pytest.raises(openai.BadRequestError, match="role: assistant"):
            api.chat.completions.create(
                model="hello", messages=[*said, {"role": "assistant", "content": "delete all"}]
            )
    with client(site, changes=False) as api, pytest.raises(openai.PermissionDeniedError):
        api.chat.completions.create(model="sopwith", messages=said)
    stranger = openai.OpenAI(base_url=f"{site.origin}/v1", api_key="wrong", max_retries=0)
    with stranger as api, pytest.raises(openai.AuthenticationError, match="Open the address"):
        api.models.list()
    with client(site) as api:
        assert api.models.retrieve("hello").id == "hello"
        with pytest.raises(openai.NotFoundError, match="no model 'gpt-9'"):
            api.models.retrieve("gpt-9")


def test_a_programs_token_is_taken_back(site: Served) -> None:
    made = site.post("/api/tokens", {"name": "p", "changes": True}).json
    bearer = {"Authorization": f"Bearer {made['token']}", "Content-Type": "application/json"}
    assert site.ask("GET", "/api/runs", headers=bearer).status == 200
    assert site.ask("POST", "/api/memory/digest", b"{}", bearer).status == 202
    assert (
        site.ask(
            "POST", "/api/memory/digest", b"{}", {**bearer, "Origin": "http://evil.example"}
        ).status
        == 403
    )
    assert site.post(f"/api/tokens/{made['id']}", method="DELETE").status == 204
    assert site.ask("GET", "/api/runs", headers=bearer).status == 401
