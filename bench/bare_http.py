"""The least that a loop can be: http.client, a list of messages, a shell.

python bench/bare_http.py BASE_URL
"""

from __future__ import annotations

import http.client
import json
import subprocess
import sys
from typing import Any
from urllib.parse import urlsplit

SYSTEM = "You do the user's task with the shell, one command a turn. When it is done, answer without a call."
TASK = "Count the parts of the archive one by one, and say how many there are."
TOOL = {
    "type": "function",
    "function": {
        "name": "shell",
        "description": "Runs a command in bash and returns what it prints.",
        "parameters": {
            "type": "object",
            "properties": {"command": {"type": "string"}},
            "required": ["command"],
        },
    },
}


def main(base_url: str) -> None:
    url = urlsplit(base_url)
    connection = http.client.HTTPConnection(str(url.hostname), url.port)
    messages: list[dict[str, Any]] = [
        {"role": "system", "content": SYSTEM},
        {"role": "user", "content": TASK},
    ]
    while True:
        body = {"model": "scripted", "messages": messages, "tools": [TOOL], "stream": True}
        connection.request("POST", f"{url.path}/chat/completions", json.dumps(body))
        text, call = _read(connection.getresponse())
        if not call:
            return
        messages.append({"role": "assistant", "content": text, "tool_calls": [call]})
        command = json.loads(call["function"]["arguments"])["command"]
        done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
        messages.append(
            {"role": "tool", "tool_call_id": call["id"], "content": done.stdout.rstrip("\n")}
        )


def _read(response: http.client.HTTPResponse) -> tuple[str, dict[str, Any] | None]:
    text, call = "", None
    for line in response:
        if not line.startswith(b"data: {"):
            continue
        for choice in json.loads(line[6:])["choices"]:
            delta = choice["delta"]
            text += delta.get("content") or ""
            for part in delta.get("tool_calls") or []:
                if call is None:
                    call = part
                else:
                    call["function"]["arguments"] += part["function"]["arguments"]
    return text, call


if __name__ == "__main__":
    main(sys.argv[1])
