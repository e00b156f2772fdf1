"""The loop that most people write: the `openai` package and its `create()`.

PYTHONPATH=. python bench/bare_openai.py BASE_URL
"""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

from openai import OpenAI

from bench.bare_http import SYSTEM, TASK, TOOL


def main(base_url: str) -> None:
    client = OpenAI(base_url=base_url, api_key="none")
    messages: list[Any] = [{"role": "system", "content": SYSTEM}, {"role": "user", "content": TASK}]
    tools: list[Any] = [TOOL]
    while True:
        text, call = "", None
        for chunk in client.chat.completions.create(
            model="scripted", messages=messages, tools=tools, stream=True
        ):
            for choice in chunk.choices:
                text += choice.delta.content or ""
                for part in choice.delta.tool_calls or []:
                    if call is None:
                        call = part.model_dump(exclude={"index"})
                    elif part.function:
                        call["function"]["arguments"] += part.function.arguments or ""
        if not call:
            return
        messages.append({"role": "assistant", "content": text, "tool_calls": [call]})
        command = json.loads(call["function"]["arguments"])["command"]
        done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
        messages.append(
            {"role": "tool", "tool_call_id": call["id"], "content": done.stdout.rstrip("\n")}
        )


if __name__ == "__main__":
    main(sys.argv[1])
