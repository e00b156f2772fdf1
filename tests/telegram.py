"""A server that behaves as Telegram's Bot API is documented to, for tests: updates by offset,
messages, buttons, files, 429."""

import itertools
import json
import re
import threading
import time
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Any, Self

from tests.site import Asked, Page, site

TOKEN = "123456:AAE-test_token-for-a-bot"
BOT = {"id": 123456, "is_bot": True, "first_name": "Sop", "username": "SopBot"}
OWNER, STRANGER, FRIEND = 1001, 2002, 3003
GROUP = -100777


@dataclass
class BotApi:
    """The server. `said` are the messages that the bot sent; `flood` refuses each so many-th call
    with 429."""

    said: list[dict[str, Any]] = field(default_factory=list)
    calls: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    members: set[tuple[int, int]] = field(default_factory=lambda: {(GROUP, OWNER)})
    files: dict[str, bytes] = field(default_factory=dict)
    repeats: int = 1  # how often an update is handed out before its offset counts
    flood: int = 0

    def __post_init__(self) -> None:
        self._updates: list[dict[str, Any]] = []
        self._handed: dict[int, int] = {}
        self._numbers = itertools.count(1)
        self._some = threading.Condition()
        self._asked = itertools.count(1)

    def __enter__(self) -> Self:
        self._opened = ExitStack()
        self.address = (
            f"http://127.0.0.1:{self._opened.enter_context(site(self._page, 'HTTP/1.1'))}"
        )
        return self

    def __exit__(self, *_: object) -> None:
        self._opened.close()

    def _page(self, asked: Asked) -> Page:
        if asked.method == "POST":
            status, said = self.answer(asked.path, json.loads(asked.body or b"{}"))
            return Page(json.dumps(said), "application/json", status)
        name = asked.path.rpartition("/")[2]
        if not asked.path.startswith(f"/file/bot{TOKEN}/") or name not in self.files:
            return Page(
                json.dumps({"ok": False, "error_code": 404, "description": "Not Found"}), status=404
            )
        return Page(self.files[name], "application/octet-stream")

    def settings(self) -> str:
        """Return the lines of config.yaml."""
        return f"channels: {{telegram: {{token: '{TOKEN}', owner: {OWNER}, base_url: '{self.address}'}}}}"  # fmt: skip

    # Acts of people

    def write(self, text: str, who: int = OWNER, chat: int | None = None, **more: Any) -> int:
        """Somebody writes a message; gives its number."""
        number = next(self._numbers)
        place = chat if chat is not None else who
        kind = "private" if place > 0 else "supergroup"
        sender = {"id": who, "is_bot": False, "first_name": f"Person{who}"}
        message = {
            "message_id": number,
            "from": sender,
            "chat": {"id": place, "type": kind},
            "date": int(time.time()),
            "text": text,
            **more,
        }
        at = text.find("@SopBot")
        if at >= 0:
            message["entities"] = [{"type": "mention", "offset": at, "length": 7}]
        self._put({"message": message})
        return number

    def press(self, label: str, who: int = OWNER) -> None:
        """Somebody presses the newest button of this label."""
        for message in reversed(self.said):
            for row in (message.get("reply_markup") or {}).get("inline_keyboard", ()):
                for button in row:
                    if label in button["text"]:
                        self._press(message, button["callback_data"], who)
                        return
        raise AssertionError(f"there is no button {label}")

    def _press(self, message: dict[str, Any], data: str, who: int) -> None:
        shown = {"message_id": message["message_id"], "chat": {"id": message["chat_id"], "type": "private"}, "from": BOT}  # fmt: skip
        sender = {"id": who, "is_bot": False, "first_name": "Presser"}
        query = {"id": f"q{time.monotonic_ns()}", "from": sender, "message": shown, "data": data}
        self._put({"callback_query": query})

    def _put(self, update: dict[str, Any]) -> None:
        with self._some:
            number = len(self._updates) + 500
            self._updates.append({"update_id": number, **update})
            self._some.notify_all()

    # Calls of the bot

    def answer(self, path: str, given: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        """Return the status and the body for a call."""
        _, bot, method = path.split("/")
        if bot != f"bot{TOKEN}":
            return 401, {"ok": False, "error_code": 401, "description": "Unauthorized"}
        if method != "getUpdates" and self.flood and next(self._asked) % self.flood == 0:
            return 429, {"ok": False, "error_code": 429, "description": "Too Many Requests: retry after 1", "parameters": {"retry_after": 1}}  # fmt: skip
        self.calls.append((method, given))
        snake = re.sub("[A-Z]", lambda letter: f"_{letter[0].lower()}", method)
        found = getattr(self, f"_{snake}", None)
        if found is None:
            return 404, {"ok": False, "error_code": 404, "description": "Not Found"}
        return 200, {"ok": True, "result": found(given)}

    def _get_me(self, given: dict[str, Any]) -> Any:
        return BOT

    def _get_updates(self, given: dict[str, Any]) -> Any:
        offset, end = given.get("offset", 0), time.monotonic() + min(given.get("timeout", 0), 5)
        with self._some:
            while time.monotonic() < end:
                found = [each for each in self._updates if self._is_due(each, offset)]
                if found:
                    for each in found:
                        number = each["update_id"]
                        self._handed[number] = self._handed.get(number, 0) + 1
                    return found[:100]
                self._some.wait(0.2)
        return []

    def _is_due(self, update: dict[str, Any], offset: int) -> bool:
        number = update["update_id"]
        is_again = 0 < self._handed.get(number, 0) < self.repeats
        return bool(number >= offset or is_again)

    def _send_message(self, given: dict[str, Any]) -> Any:
        number = next(self._numbers)
        self.said.append({"message_id": number, **given})
        return {"message_id": number, "chat": {"id": given["chat_id"]}}

    def _set_message_reaction(self, given: dict[str, Any]) -> Any:
        return True

    def _answer_callback_query(self, given: dict[str, Any]) -> Any:
        return True

    def _edit_message_reply_markup(self, given: dict[str, Any]) -> Any:
        return True

    def _get_chat_member(self, given: dict[str, Any]) -> Any:
        is_in = (given["chat_id"], given["user_id"]) in self.members
        return {"status": "member" if is_in else "left", "user": {"id": given["user_id"]}}

    def _get_file(self, given: dict[str, Any]) -> Any:
        return {"file_id": given["file_id"], "file_path": f"documents/{given['file_id']}"}

    # For the test to look at

    def texts(self, chat: int = OWNER) -> list[str]:
        """Return what the bot said in a chat."""
        return [each["text"] for each in self.said if each["chat_id"] == chat]

    def of(self, method: str) -> list[dict[str, Any]]:
        """Return what was given with the calls of a method."""
        return [given for each, given in self.calls if each == method]
