"""Describe images for a model that takes none: another model looks at them."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import replace
from pathlib import Path

from models.base import Event, Message, Model, Request, last
from models.errors import ModelError

PROMPTS = Path(__file__).parent.parent / "assets" / "prompts"


class Eyes:
    """A model that sees. It looks at each image once."""

    def __init__(self, model: Model, lang: str) -> None:
        self._model = model
        self._question = (PROMPTS / lang / "describe_image.md").read_text("utf-8").strip()
        self._said: dict[str, str] = {}  # path → description
        self._told: dict[int, tuple[Message, Message]] = {}  # by the message with images
        self._cost_usd = 0.0

    def take_cost(self) -> float:
        """Return what looking has cost since the last time, in USD."""
        cost, self._cost_usd = self._cost_usd, 0.0
        return cost

    def describe(self, request: Request) -> Generator[Event, None, Request]:
        """Return the request with words in the place of images. Yields `image_described {turn,
        model, file, text}`."""
        paths = [path for message in request.messages for path in message.get("images", ())]
        for path in dict.fromkeys(paths):
            if path not in self._said:
                self._said[path] = self._look(path, request)
                yield {
                    "type": "image_described",
                    "turn": request.turn,
                    "model": self._model.name,
                    "file": path,
                    "text": self._said[path],
                }
        return replace(request, messages=[self._in_words(each) for each in request.messages])

    def _look(self, path: str, request: Request) -> str:
        asked: Message = {"role": "user", "content": self._question, "images": [path]}
        looking = Request(request.turn, [asked], deadline=request.deadline)
        try:
            reply = last(self._model.reply(looking))
        except ModelError as error:
            return f"({self._model.name}: {str(error).splitlines()[0]})"
        self._cost_usd += reply.usage.cost
        return reply.text.strip()

    def _in_words(self, message: Message) -> Message:
        """Return the same object each time: what was written of it stays."""
        if "images" not in message:
            return message
        if id(message) not in self._told:
            said = "\n".join(
                f"<image path={path!r}>{self._said[path]}</image>" for path in message["images"]
            )
            plain = {key: value for key, value in message.items() if key != "images"}
            plain["content"] = f"{message['content']}\n\n{said}"
            self._told[id(message)] = (message, plain)
        return self._told[id(message)][1]
