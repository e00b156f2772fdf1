"""Read the texts that a model reads beside its task: one Markdown file each, in English and in
Chinese."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Literal, NamedTuple

from context.tokens import estimate
from text import pattern

FOLDER = Path(__file__).parent.parent / "assets" / "prompts"
PLACEHOLDER = pattern(r"\{([a-z][a-z_]*)\}")


class Prompts(NamedTuple):
    """The prompts of one language, each read from assets/prompts/LANG/NAME.md when it is first
    asked for."""

    lang: Literal["en", "zh"]
    folder: Path = FOLDER

    def text(self, name: str, /, **values: object) -> str:
        """Return the prompt `name` with each `{placeholder}` replaced by its value, once: braces in
        values stay as they are.

        Raises KeyError when the prompt needs a value that is not given; values that it does not use
        are ignored.
        """
        return PLACEHOLDER.sub(
            lambda match: str(values[match[1]]), _template(self.folder / self.lang / f"{name}.md")
        )


@cache
def _template(path: Path) -> str:
    return path.read_text(encoding="utf-8").strip()


def fit(text: str, max_tokens: int, prompts: Prompts, *, keeps_end: bool = False) -> str:
    """Return the text, or as many of its lines as fit, and a line that says how many were left
    out."""
    if estimate(text) <= max_tokens:
        return text
    lines = text.splitlines()
    ordered = lines[::-1] if keeps_end else lines
    kept: list[str] = []
    room = max_tokens - estimate(prompts.text("left_out", count=len(lines)))
    for line in ordered:
        room -= estimate(line) + 1
        if room < 0:
            break
        kept.append(line)
    said = prompts.text("left_out", count=len(lines) - len(kept))
    return "\n".join([said, *kept[::-1]] if keeps_end else [*kept, said])
