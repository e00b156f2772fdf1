"""Define the requests of the page; FastAPI checks them. Imported inside functions only: made of a
library's classes."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

Text = Annotated[str, Field(max_length=1_000_000)]
Line = Annotated[str, Field(max_length=2_000)]


class Shape(BaseModel):
    """Refuse what is not known: a misspelt field would be lost in silence."""

    model_config = ConfigDict(extra="forbid")


class SignIn(Shape):
    token: Line


class Changes(Shape):
    on: bool


class NewToken(Shape):
    name: Annotated[str, Field(max_length=80)] = ""
    changes: bool = False


class Chat(Shape):
    text: Text
    after: Line | None = None
    files: Annotated[list[Line], Field(max_length=20)] = []
    model: Line | None = None
    persona: Line | None = None
    rote: bool = True


class TalkNote(Shape):
    title: Annotated[str, Field(max_length=300)] | None = None
    is_pinned: bool | None = None
    is_hidden: bool | None = None


class Said(Shape):
    text: Text


class Word(Shape):
    """The owner's word on what is asked: one of answer, decision, later."""

    answer: Text | None = None
    decision: Literal["once", "run", "no"] | None = None
    reason: Text = ""
    later: bool = False


Named = Annotated[dict[Annotated[str, Field(pattern=r"^\w{1,64}$")], Text], Field(max_length=50)]
SopName = Annotated[str, Field(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$", max_length=64)]


class Teach(Shape):
    """`values`: what varies, by name; none: as it is found."""

    name: SopName
    values: Named | None = None
    run: Line | None = None
    text: Text | None = None
    upload: Line | None = None
    request: Line = ""
    prove: Named = {}
    new_version: bool = False


class Values(Shape):
    values: Named = {}


class SopChange(Shape):
    """`version`: to take back; `new`: another name."""

    version: Annotated[int, Field(ge=1, le=1_000_000)] | None = None
    new: SopName | None = None


class SopForm(Shape):
    """Edit an SOP: `content` holds the keys of sop.yaml."""

    description: Annotated[str, Field(max_length=1_024)] | None = None
    body: Text | None = None
    content: dict[str, Any] | None = None


class Settled(Shape):
    decision: Literal["answer", "approve", "deny"]
    text: Text = ""


class When(Shape):
    when: Line


class NewJob(When):
    """A task in words, or an SOP with its values."""

    task: Text = ""
    sop: SopName | None = None
    values: Named = {}


class GraphName(Shape):
    """`meant`: the name that it is, "" for none."""

    name: Annotated[str, Field(min_length=1, max_length=400)]
    meant: Annotated[str, Field(max_length=60)]


class Setting(Shape):
    """`key` with dots, as in config.yaml; no value: the default again."""

    key: Annotated[str, Field(pattern=r"^[\w.-]{1,120}$")]
    value: Any = None


class Tested(Shape):
    name: Annotated[str, Field(pattern=r"^([^-].*)?$", max_length=80)] = ""


class Completion(BaseModel):
    """A request of OpenAI's chat completions. Of the rest the route says what is ignored and what
    is refused."""

    model_config = ConfigDict(extra="allow")

    model: Line = "sopwith"
    messages: Annotated[list[dict[str, Any]], Field(min_length=1, max_length=2_000)]
    stream: bool = False
    stream_options: dict[str, Any] | None = None


class AskedResponse(BaseModel):
    """A request of OpenAI's responses."""

    model_config = ConfigDict(extra="allow")

    model: Line = "sopwith"
    input: Text | Annotated[list[dict[str, Any]], Field(min_length=1, max_length=2_000)]
    instructions: Text | None = None
    previous_response_id: Line | None = None
    stream: bool = False
