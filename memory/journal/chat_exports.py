"""Conversations as others write them: exports of ChatGPT and Claude, a list of {role, content}.

Each gives turns in the form of the contract's JSONL, as dicts; memory/journal/imports.py checks them and takes them in.
Sources: the conversations.json of ChatGPT and of Claude, the chat messages of OpenAI's API.
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
_MARKS = re.compile(r"\s?(?:\ue200.*?\ue201|【\d+(?::\d+)?†[^】]*】)")  # where an answer cites


def messages(talk: list[Any], name: str, written: datetime) -> Iterator[Said]:
    """Messages with roles: what owner and agent said. They seldom say when: then it is when the file was written."""
    for number, message in enumerate(talk, 1):
        said = message if isinstance(message, dict) else {}
        role, words = said.get("role"), _flat(said.get("content"))
        if role in _ROLES and words.strip():
            at = next(
                (said[key] for key in ("at", "created_at", "timestamp") if said.get(key)),
                written,
            )
            id = said.get("id") or "m" + text_hash(f"{name} {number} {role} {words}")[:16]
            yield {
                "id": id,
                "at": str(at) if isinstance(at, datetime) else at,
                "who": _ROLES[role],
                "text": words,
            }


def _flat(content: Any) -> str:
    """A text that may come in parts: texts, or objects with a text."""
    parts = content if isinstance(content, list) else [content]
    words = [part.get("text") if isinstance(part, dict) else part for part in parts]
    return "".join(word for word in words if isinstance(word, str))


def chatgpt(talk: Mapping[str, Any]) -> Iterator[Said]:
    """Yield what both said to each other on the branch that the conversation ended on: a node for
    each message, linked by `parent`. What the model said to its tools, and they to it, is left
    out; a message without a time has that of the one before."""
    nodes, last = talk["mapping"], talk.get("create_time")
    key, branch, seen = talk.get("current_node"), [], set()
    while (
        isinstance(key, str) and key in nodes and key not in seen and isinstance(nodes[key], dict)
    ):
        seen.add(key)
        branch.append(nodes[key])
        key = nodes[key].get("parent")
    for node in reversed(branch) if branch else nodes.values():
        message = node.get("message") if isinstance(node, dict) else None
        if not isinstance(message, dict) or _dict(message, "metadata").get(
            "is_visually_hidden_from_conversation"
        ):
            continue
        last = message.get("create_time") or last
        role, text = _dict(message, "author").get("role"), _chatgpt_text(_dict(message, "content"))
        if role in _ROLES and text and message.get("recipient", "all") in ("all", None):
            yield _with_tags(message.get("id"), last, role, text, "chatgpt", talk.get("title"))


def _chatgpt_text(content: Mapping[str, Any]) -> str:
    if content.get("content_type") not in ("text", "multimodal_text", "code"):
        return ""
    parts = content["parts"] if isinstance(content.get("parts"), list) else [content.get("text")]
    words = [part.get("text") if isinstance(part, dict) else part for part in parts]
    return _MARKS.sub(
        "", "\n".join(word for word in words if isinstance(word, str) and word)
    ).strip()


def claude(talk: Mapping[str, Any]) -> Iterator[Said]:
    """Yield what both said, and the beginning of what the owner attached."""
    for message in talk["chat_messages"]:
        if not isinstance(message, dict):
            continue
        blocks = message["content"] if isinstance(message.get("content"), list) else []
        words = [
            each.get("text")
            for each in blocks
            if isinstance(each, dict) and each.get("type") == "text"
        ]
        words = words if blocks else [message.get("text")]
        files = message["attachments"] if isinstance(message.get("attachments"), list) else []
        attached = [
            (each.get("file_name"), each.get("extracted_content"))
            for each in files
            if isinstance(each, dict)
        ]
        words += [
            f"[{name}] {held[:MAX_ATTACHED_CHARS]}"
            for name, held in attached
            if isinstance(held, str) and held
        ]
        text = "\n".join(word for word in words if isinstance(word, str)).strip()
        if message.get("sender") in _ROLES and text:
            at = message.get("created_at") or talk.get("created_at")
            yield _with_tags(
                message.get("uuid"), at, message["sender"], text, "claude", talk.get("name")
            )


def _with_tags(id: Any, at: Any, role: str, text: str, source: str, title: Any) -> Said:
    tags = [source, *([title[:80]] if isinstance(title, str) and title else [])]
    return {"id": id, "at": at, "who": _ROLES[role], "text": text, "tags": tags}


def _dict(said: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    found = said.get(key)
    return found if isinstance(found, dict) else {}
