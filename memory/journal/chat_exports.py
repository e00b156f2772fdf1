"""Conversations as others write them: exports of ChatGPT and Claude, a list of {role, content}.

Each gives turns in the form of the contract's JSONL, as dicts; memory/journal/imports.py checks
them and takes them in. Sources: the conversations.json of ChatGPT and of Claude, the chat messages
of OpenAI's API.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any, TypeAlias

from memory.journal.store import text_hash

Said: TypeAlias = dict[str, Any]
_ROLES = {"user": "owner", "human": "owner", "assistant": "agent"}
MAX_ATTACHED_CHARS = 1_500  # of a file that was given with a message
_HIDDEN = "is_visually_hidden_from_conversation"
_SHOWN = ("text", "multimodal_text", "code")
_MARKS = re.compile(r"\s?(?:\ue200.*?\ue201|【\d+(?::\d+)?†[^】]*】)")  # where an answer cites


def messages(talk: list[Any], name: str, written: datetime) -> Iterator[Said]:
    """Yield messages with roles: what owner and agent said. They seldom say when: then it is when
    the file was written."""
    for number, message in enumerate(map(_dict, talk), 1):
        role, words = str(message.get("role")), "".join(_texts(message.get("content")))
        if role in _ROLES and words.strip():
            times = (message.get(key) for key in ("at", "created_at", "timestamp"))
            at = next(filter(None, times), str(written))
            id = message.get("id") or "m" + text_hash(f"{name} {number} {role} {words}")[:16]
            yield {"id": id, "at": at, "who": _ROLES[role], "text": words}


def chatgpt(talk: Mapping[str, Any]) -> Iterator[Said]:
    """Yield what both said to each other on the branch that the conversation ended on.

    What the model said to its tools, and they to it, is left out; a message without a time has that
    of the one before.
    """
    last = talk.get("create_time")
    for message in (_dict(_dict(node).get("message")) for node in _branch(talk)):
        if not message or _dict(message.get("metadata")).get(_HIDDEN):
            continue
        last = message.get("create_time") or last
        content = _dict(message.get("content"))
        role, text = _dict(message.get("author")).get("role"), _chatgpt_text(content)
        if text and message.get("recipient", "all") in ("all", None):
            yield from _turn(message.get("id"), last, role, text, "chatgpt", talk.get("title"))


def _branch(talk: Mapping[str, Any]) -> list[Any]:
    """Return the nodes from the first to the one that the talk ended on, linked by `parent`; all
    where it names none."""
    nodes, key = dict(talk["mapping"]), talk.get("current_node")
    branch: list[Any] = []
    left = dict(nodes)
    while isinstance(key, str) and isinstance(left.get(key), dict):
        branch.append(left.pop(key))
        key = branch[-1].get("parent")
    return branch[::-1] or list(nodes.values())


def _chatgpt_text(content: Mapping[str, Any]) -> str:
    if content.get("content_type") not in _SHOWN:
        return ""
    parts = content.get("parts")
    words = _texts(parts if isinstance(parts, list) else content.get("text"))
    return _MARKS.sub("", "\n".join(words)).strip()


def claude(talk: Mapping[str, Any]) -> Iterator[Said]:
    """Yield what both said, and the beginning of what the owner attached."""
    for message in map(_dict, talk["chat_messages"]):
        blocks = message.get("content")
        texts = [each for each in _dicts(blocks) if each.get("type") == "text"]
        words = _texts(texts if blocks and isinstance(blocks, list) else message.get("text"))
        for each in _dicts(message.get("attachments")):
            if held := "".join(_texts(each.get("extracted_content"))):
                words.append(f"[{each.get('file_name')}] {held[:MAX_ATTACHED_CHARS]}")
        if text := "\n".join(words).strip():
            at = message.get("created_at") or talk.get("created_at")
            said = (message.get("uuid"), at, message.get("sender"), text)
            yield from _turn(*said, "claude", talk.get("name"))


def _turn(id: Any, at: Any, role: Any, text: str, source: str, title: Any) -> Iterator[Said]:
    tags = [source, *([title[:80]] if isinstance(title, str) and title else [])]
    if who := _ROLES.get(str(role)):
        yield {"id": id, "at": at, "who": who, "text": text, "tags": tags}


def _texts(content: Any) -> list[str]:
    """Return the texts of what may come in parts: texts, or objects with a text."""
    parts = content if isinstance(content, list) else [content]
    words = (part.get("text") if isinstance(part, dict) else part for part in parts)
    return [word for word in words if isinstance(word, str) and word]


def _dict(said: Any) -> Mapping[str, Any]:
    return said if isinstance(said, dict) else {}


def _dicts(said: Any) -> list[Mapping[str, Any]]:
    return [each for each in said if isinstance(each, dict)] if isinstance(said, list) else []
