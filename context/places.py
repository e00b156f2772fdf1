"""Hide the places of the owner from the model of a shared session: the names of users and projects
stand in paths.

The run log keeps them; they are replaced on the way to the endpoint, in everything that is sent:
prompts, results, errors.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from models.base import Event, Model, Reply, Request, window_of


class Places:
    """Replaces paths, and what begins with them, in a text: `names` is path → what is said
    instead."""

    def __init__(self, names: Mapping[Path, str]) -> None:
        found = {
            str(path): name for given, name in names.items() for path in (given, given.resolve())
        }
        found = {
            path: name
            for path, name in found.items()
            if path.count("/") > 1 or path == str(Path.home())
        }
        found.pop("/", None)
        longest_first = sorted(found, key=len, reverse=True)
        self._names = found
        self._pattern = re.compile(
            "|".join(f"{re.escape(path)}(?![\\w-])" for path in longest_first) or r"(?!)"
        )

    def hide(self, data: Any) -> Any:
        """Return the same text, message or list without the paths; keys stay, and the files of
        images."""
        if isinstance(data, str):
            return self._pattern.sub(lambda found: self._names[found[0]], data)
        if isinstance(data, dict):
            return {
                key: value if key == "images" else self.hide(value) for key, value in data.items()
            }
        if isinstance(data, list):
            return [self.hide(each) for each in data]
        return data


class Placeless(NamedTuple):
    """A model that reads requests without the owner's places: fills in `Model`."""

    model: Model
    places: Places

    @property
    def name(self) -> str:
        """Return the name of the model."""
        return self.model.name

    @property
    def window(self) -> int:
        """Return how many tokens it reads; 0: not known."""
        return window_of(self.model)

    def reply(self, request: Request) -> Generator[Event, None, Reply]:
        """Ask with the places hidden; the history itself stays as it is."""
        hide = self.places.hide
        sent = replace(request, messages=hide(request.messages), tail=hide(request.tail))
        return (yield from self.model.reply(sent))
