"""A webhook: messages come in by HTTP on 127.0.0.1 and go out by HTTP, both signed. Any program is
a channel so.

In:   POST / {"id", "chat", "from", "name", "text", "private": true, "addressed": true, "press"}
Out:  POST url {"id", "chat", "text", "buttons": [{"label", "press"}], "reply_to"}, {"id", "chat",
      "react"}
Both carry `X-Sopwith-Signature: sha256=HEX`, the HMAC of the body. What comes twice with the same
id counts once; what goes
out twice, after a failure, has the same id.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import sqlite3
import threading
from collections.abc import Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from config import Webhook as Settings
from ui.channels.channel import Button, Incoming, Refused, Take, TryLater
from ui.words import tell_error

HEADER = "X-Sopwith-Signature"
MAX_BODY_BYTES = 1_000_000
PATIENCE_SECONDS = 20.0
PAUSE_SECONDS = 3.0


class Webhook:
    """One program that talks."""

    name = "webhook"

    def __init__(self, settings: Settings) -> None:
        self.owner = settings.owner
        self._settings, self._secret = settings, settings.secret.encode()

    def listen(self, take: Take, position: str, stop: threading.Event) -> None:
        """Take messages in until `stop` is set. 202: it is on the disk."""
        channel = self

        class Answering(BaseHTTPRequestHandler):
            timeout = PATIENCE_SECONDS

            def do_POST(self) -> None:
                size = self.headers.get("Content-Length") or ""
                is_fit = size.isdecimal() and int(size) <= MAX_BODY_BYTES
                body = self.rfile.read(int(size)) if is_fit else b""
                status = channel._taken(body, self.headers.get(HEADER) or "", take)
                self.send_response(status)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, format: str, *args: object) -> None:
                """Stay silent."""

        try:
            server = ThreadingHTTPServer(("127.0.0.1", self._settings.port), Answering)
        except OSError as error:
            tell_error(Refused("error.webhook.port", port=self._settings.port, problem=error))
            return
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, args=(0.1,), daemon=True).start()
        stop.wait()
        server.shutdown()
        server.server_close()

    def _taken(self, body: bytes, signature: str, take: Take) -> int:
        """Return the HTTP status for a body and its signature."""
        if not body or not hmac.compare_digest(self._sign(body).encode(), signature.encode()):
            return 401
        try:
            message = _read(json.loads(body))
        except (ValueError, KeyError, TypeError, RecursionError):
            return 400
        try:
            take([message], "")
        except sqlite3.Error as error:  # a full disk: who gets no 202 sends it again
            tell_error(error)
            return 503
        return 202

    def send(
        self, key: str, chat: str, text: str, buttons: Sequence[Button], reply_to: str
    ) -> None:
        """Post a message."""
        shown = [each._asdict() for each in buttons]
        self._post({"id": key, "chat": chat, "text": text, "buttons": shown, "reply_to": reply_to})

    def react(self, chat: str, message: str, emoji: str) -> None:
        """Post a reaction."""
        self._post({"id": f"{message}:{emoji}", "chat": chat, "react": emoji, "reply_to": message})

    def pressed(self, press: Incoming, text: str) -> None:
        """Post what came of a press."""
        self.send(f"{press.id}:pressed", press.chat, text, (), press.message)

    def fetch(self, file: str, folder: Path, name: str) -> Path:
        """Refuse: no files come this way."""
        raise Refused("error.webhook.files")

    def has_owner(self, chat: str) -> bool:
        """Return False: whoever holds the secret speaks for the group."""
        return True

    def _sign(self, body: bytes) -> str:
        return f"sha256={hmac.new(self._secret, body, hashlib.sha256).hexdigest()}"

    def _post(self, said: dict[str, Any]) -> None:
        import requests

        body = json.dumps(said, ensure_ascii=False).encode()
        headers = {"Content-Type": "application/json", HEADER: self._sign(body)}
        try:
            answer = requests.post(
                self._settings.url, body, headers=headers, timeout=PATIENCE_SECONDS
            )
        except requests.RequestException as error:
            raise TryLater(PAUSE_SECONDS, "error.webhook.away", kind=type(error).__name__) from None
        if answer.status_code == 429 or answer.status_code >= 500:
            wait = answer.headers.get("Retry-After", "")
            raise TryLater(
                float(wait) if wait.isdecimal() else PAUSE_SECONDS,
                "error.webhook.status",
                status=answer.status_code,
            )
        if answer.status_code >= 400:
            raise Refused("error.webhook.status", status=answer.status_code)


def _read(said: dict[str, Any]) -> Incoming:
    """Return the message of a body. Raises KeyError, TypeError, ValueError."""
    press = str(said.get("press") or "")
    if not press and not str(said["text"]).strip():
        raise ValueError("empty")
    return Incoming(
        id=str(said["id"]),
        chat=str(said["chat"]),
        who=str(said["from"]),
        name=str(said.get("name") or said["from"]),
        text=str(said.get("text") or ""),
        message=str(said.get("message") or said["id"]),
        is_private=bool(said.get("private", True)),
        is_addressed=bool(said.get("private", True) or said.get("addressed")),
        press=f"{said['id']} {press}" if press else "",
    )
