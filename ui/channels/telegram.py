"""Telegram: a bot, by long polling. Source: core.telegram.org/bots/api (getUpdates, sendMessage,
callback queries, files)."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from config import Telegram as Settings
from ui.channels.channel import Button, Incoming, Refused, Take, TryLater
from ui.words import tell_error

POLL_SECONDS = 25
PATIENCE_SECONDS = 30.0
PAUSE_SECONDS = 3.0  # after a failure of the network
ANOTHER_SECONDS = 30.0  # while another program asks for the same bot's messages
MAX_FILE_BYTES = 20_000_000  # that the Bot API hands out
MAX_TOAST_CHARS = 190
MEMBERS = ("creator", "administrator", "member", "restricted")
OWNER_KNOWN_SECONDS = 600.0


class Telegram:
    """One bot. The owner's private chat has the owner's own number."""

    name = "telegram"

    def __init__(self, settings: Settings) -> None:
        self.owner = str(settings.owner)
        self._base = settings.base_url.rstrip("/")
        self._token = settings.token
        self._me: dict[str, Any] = {}
        self._groups: dict[str, tuple[float, bool]] = {}
        self._here = threading.local()  # a session of requests is no thing for two threads

    def listen(self, take: Take, position: str, stop: threading.Event) -> None:
        """Ask for messages again and again; an answer counts once it is on the disk."""
        while not stop.is_set():
            try:
                self._me = self._me or self._ask("getMe")
                position = self._listen_once(take, position)
            except TryLater as later:
                stop.wait(later.seconds)
            except Refused as error:
                tell_error(error)
                stop.wait(ANOTHER_SECONDS)

    def _listen_once(self, take: Take, position: str) -> str:
        wanted = ["message", "callback_query"]
        given: dict[str, Any] = {"timeout": POLL_SECONDS, "allowed_updates": wanted}
        if position:
            given["offset"] = int(position)
        updates = self._ask("getUpdates", PATIENCE_SECONDS + POLL_SECONDS, **given)
        if not updates:
            return position
        following = str(max(int(each["update_id"]) for each in updates) + 1)
        take([found for each in updates if (found := self._read(each))], following)
        return following

    def _read(self, update: dict[str, Any]) -> Incoming | None:
        """Return what an update means; None for what is no message, and for those of bots."""
        if press := update.get("callback_query"):
            message, sender, data = press.get("message"), press["from"], press.get("data", "")
            more: dict[str, Any] = {"press": f"{press['id']} {data}", "is_addressed": True}
        else:
            message = update.get("message") or {}
            sender = message.get("from")
            more = self._said(message)
        if not message or not sender or sender.get("is_bot"):
            return None
        is_private = message["chat"].get("type") == "private"
        more["is_addressed"] = more["is_addressed"] or is_private
        return Incoming(
            id=str(update["update_id"]),
            chat=str(message["chat"]["id"]),
            who=str(sender["id"]),
            name=" ".join(filter(None, (sender.get("first_name"), sender.get("last_name")))),
            message=str(message.get("message_id", "")),
            is_private=is_private,
            **more,
        )

    def _said(self, message: dict[str, Any]) -> dict[str, Any]:
        text = str(message.get("text") or message.get("caption") or "")
        is_addressed = self._is_meant(message, text)
        files = tuple(_files(message))
        return {"text": self._without_mention(text), "files": files, "is_addressed": is_addressed}

    def _is_meant(self, message: dict[str, Any], text: str) -> bool:
        replied = (message.get("reply_to_message") or {}).get("from") or {}
        if replied.get("id") == self._me.get("id"):
            return True
        return any(
            self._is_mention(each, text)
            for key in ("entities", "caption_entities")
            for each in message.get(key) or ()
        )

    def _is_mention(self, entity: dict[str, Any], text: str) -> bool:
        if entity.get("type") == "text_mention":
            return bool((entity.get("user") or {}).get("id") == self._me.get("id"))
        if entity.get("type") not in ("mention", "bot_command"):
            return False
        units = text.encode("utf-16-le")  # Telegram counts UTF-16 units
        start, length = 2 * int(entity["offset"]), 2 * int(entity["length"])
        named = units[start : start + length].decode("utf-16-le", "replace")
        return named.lower().endswith(f"@{self._me.get('username', '')}".lower())

    def _without_mention(self, text: str) -> str:
        name = f"@{self._me.get('username', '')}"
        at = text.lower().find(name.lower())
        return text if len(name) == 1 or at < 0 else f"{text[:at]}{text[at + len(name) :]}".strip()

    def send(
        self, key: str, chat: str, text: str, buttons: Sequence[Button], reply_to: str
    ) -> None:
        """Send a message, as a reply where one is meant."""
        given: dict[str, Any] = {"chat_id": int(chat), "text": text}
        if reply_to:
            to = {"message_id": int(reply_to), "allow_sending_without_reply": True}
            given["reply_parameters"] = to
        if buttons:
            row = [{"text": each.label, "callback_data": each.press} for each in buttons]
            given["reply_markup"] = {"inline_keyboard": [row]}
        self._ask("sendMessage", **given)

    def react(self, chat: str, message: str, emoji: str) -> None:
        """Put an emoji on a message."""
        where = {"chat_id": int(chat), "message_id": int(message)}
        self._ask("setMessageReaction", reaction=[{"type": "emoji", "emoji": emoji}], **where)

    def pressed(self, press: Incoming, text: str) -> None:
        """Answer the callback query, and take the keyboard off its message."""
        query = press.press.split(" ")[0]
        self._ask("answerCallbackQuery", callback_query_id=query, text=text[:MAX_TOAST_CHARS])
        self._ask("editMessageReplyMarkup", chat_id=int(press.chat), message_id=int(press.message))

    def fetch(self, file: str, folder: Path, name: str) -> Path:
        """Ask where a file is, and bring it here."""
        import requests

        found = self._ask("getFile", file_id=file)
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        path, size = folder / name, 0
        address = f"{self._base}/file/bot{self._token}/{found['file_path']}"
        try:
            with self._session().get(address, stream=True, timeout=PATIENCE_SECONDS) as answer:
                if answer.status_code != 200:
                    raise Refused("error.telegram.file", status=answer.status_code)
                with path.open("wb") as out:
                    for piece in answer.iter_content(65_536):
                        size += len(piece)
                        if size > MAX_FILE_BYTES:
                            raise Refused("error.telegram.large")
                        out.write(piece)
        except requests.RequestException as error:
            raise _unreachable(error) from None
        return path

    def has_owner(self, chat: str) -> bool:
        """Ask whether the owner is a member; the answer holds for some minutes."""
        known = self._groups.get(chat)
        if known is not None and time.monotonic() - known[0] < OWNER_KNOWN_SECONDS:
            return known[1]
        try:
            member = self._ask("getChatMember", chat_id=int(chat), user_id=int(self.owner))
            is_in = member.get("status") in MEMBERS and member.get("is_member", True)
        except Refused:
            is_in = False
        self._groups[chat] = (time.monotonic(), bool(is_in))
        return bool(is_in)

    def _session(self) -> Any:
        import requests

        if not hasattr(self._here, "session"):
            self._here.session = requests.Session()
        return self._here.session

    def _ask(self, method: str, seconds: float = PATIENCE_SECONDS, **given: Any) -> Any:
        """Call a method of the Bot API. No error names the address: the token stands in it."""
        import requests

        address = f"{self._base}/bot{self._token}/{method}"
        try:
            answer = self._session().post(address, json=given, timeout=(10.0, seconds))
            said = dict(answer.json())
        except (requests.RequestException, ValueError, TypeError) as error:
            raise _unreachable(error) from None
        if said.get("ok"):
            return said.get("result")
        code, why = int(said.get("error_code") or answer.status_code), said.get("description", "")
        if code == 429:
            wait = float((said.get("parameters") or {}).get("retry_after") or PAUSE_SECONDS)
            raise TryLater(wait, "error.telegram.patience")
        if code >= 500 or code == 409:
            pause = ANOTHER_SECONDS if code == 409 else PAUSE_SECONDS
            raise TryLater(pause, "error.telegram.failed", method=method, code=code, said=why)
        raise Refused("error.telegram.refused", method=method, code=code, said=why)


def _files(message: dict[str, Any]) -> list[tuple[str, str]]:
    """Return the files of a message; of a photo its largest size."""
    found = []
    if photos := message.get("photo"):
        largest = max(photos, key=lambda each: int(each.get("width", 0)))
        found.append((str(largest["file_id"]), f"photo-{message.get('message_id')}.jpg"))
    for kind in ("document", "audio", "video", "voice"):
        if file := message.get(kind):
            name = file.get("file_name") or f"{kind}-{message.get('message_id')}"
            found.append((str(file["file_id"]), str(name)))
    return found


def _unreachable(error: Exception) -> TryLater:
    return TryLater(PAUSE_SECONDS, "error.telegram.away", kind=type(error).__name__)
