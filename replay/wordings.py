"""Read the wordings of an SOP: sentences with slots, by which it is asked for without a model."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from text import pattern

SLOT = pattern(r"\{([^{}:]*)(?::([^{}]*))?\}")  # {folder}, {pattern:glob}
LITERAL = pattern(
    r"(?<![^\W\d_])(?<![^\W\d_]-)\d|[\"'“”「」`~/\\{}]"
)  # what only a slot may take from a request
SLOT_SHAPES = ("", "quoted", "glob", "new", "rest", "colon", "words")
TO_THE_END = ("rest", "colon")  # slots that take all that is left of a request
_TOKEN = pattern(r"\{[^{}]*\}|\[[^\[\]]*\]|[^\W\d_]+")  # a slot, a group, a word
_SMALL_WORDS = ("the", "a", "an", "my", "is")
_APOSTROPHE = pattern(r"(?<=\w)['’](?=\w)")


class Wording(NamedTuple):
    """A typed way to ask for this SOP. Each request of this wording holds one word of each of
    `anchors`, lower-case."""

    text: str
    slots: tuple[str, ...]
    anchors: tuple[tuple[str, ...], ...]


class BadWording(ValueError):
    """A wording that cannot be meant."""


def read_wording(text: Any, parameters: Mapping[str, Any], required: Sequence[str]) -> Wording:
    """Return a wording for these parameters. Raises BadWording."""
    if not isinstance(text, str):
        raise BadWording("must be a sentence in quotes")
    slots = tuple(_slots(text, parameters))
    if left_out := sorted(set(required) - set(slots)):
        raise BadWording(f"leaves out {{{left_out[0]}}}, which is required")
    if len(set(slots)) < len(slots):
        raise BadWording("names a parameter twice")
    enums = filter(None, (parameters[name].get("enum", ()) for name in slots))
    anchors = _anchors(text.lower(), [tuple(map(_squeezed, enum)) for enum in enums])
    if not anchors and not any("pattern" in parameters[name] for name in slots):
        raise BadWording("has no word of its own: all of it is {slots} and [groups|]")
    return Wording(text, slots, anchors)


def _squeezed(choice: object) -> str:
    return "".join(str(choice).lower().split())


def _slots(text: str, parameters: Mapping[str, Any]) -> Iterator[str]:
    for name, shape in SLOT.findall(text):
        if name not in parameters or shape not in SLOT_SHAPES:
            raise BadWording(f"there is no parameter {{{name}{shape and ':' + shape}}}")
        if shape in TO_THE_END and not text.endswith("}"):
            raise BadWording(f"{{{name}:{shape}}} must be the end of it")
        yield name


def _anchors(text: str, chosen: Sequence[tuple[str, ...]]) -> tuple[tuple[str, ...], ...]:
    """Return the fixed words, the choices of each group that must be there, and those of slots; the
    one that tells most first."""
    if LITERAL.search(_APOSTROPHE.sub("", SLOT.sub(" ", text))):
        raise BadWording("holds a number, a path, a quote or a stray brace outside a {slot}")
    anchors = [*chosen]
    for token in _TOKEN.findall(text):
        if token[0] == "[":
            choices = tuple(map(_longest_word, token[1:-1].split("|")))
            anchors += [choices] if all(choices) else []
        elif token[0] != "{" and token not in _SMALL_WORDS:
            anchors.append((token,))
    return tuple(sorted(anchors, key=lambda words: (len(words), -len(words[0]))))


@lru_cache(maxsize=4096)  # an SOP's wordings mostly have the same groups
def _longest_word(text: str) -> str:
    found = _TOKEN.findall(text)
    words = [word for word in found if word[0] != "{" and word not in _SMALL_WORDS]
    return max(words, key=len, default="")
