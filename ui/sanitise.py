"""Foreign text made safe to print: what a model or a tool says must not move the cursor, set the
title or hide itself."""

from __future__ import annotations

import re

from text import pattern

# Whole sequences first, so that no "[2J" is left behind: OSC, DCS and friends up to their end; CSI;
# two-character ones.
_SEQUENCE = pattern(
    "(?:\x1b[\\]PX^_]|[\x90\x98\x9d\x9e\x9f])[^\x07\x1b\x9c\n]*(?:\x07|\x1b\\\\|\x9c)?"
    "|(?:\x1b\\[|\x9b)[0-?]*[ -/]*[@-~]?"
    "|\x1b[ -/]*[0-~]?"
)
_CONTROL = pattern("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029]")
_DECEPTIVE = pattern("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufff9-\ufffb]")
# Characters that are not seen, or look like a blank and are none. The selector of coloured emoji is
# left alone.
_HIDDEN = pattern(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00a0\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2000-\u200f\u2028-\u202f\u205f-\u206f"
    "\u3164\ufe00-\ufe0e\ufeff\uffa0\ufff9-\ufffb\ud800-\udfff\U000e0000-\U000e0fff]"
)


def clean(text: str) -> str:
    """Return the text without terminal control; characters that reorder or break what is shown
    become a visible `�`."""
    text = text.replace("\r\n", "\n")
    if _CONTROL.search(text):
        text = _CONTROL.sub("", _SEQUENCE.sub("", text.replace("\r", "\n")))
    return _DECEPTIVE.sub("\ufffd", text)


def visible(text: str) -> str:
    """Return the text with everything in it to be seen, for who must decide about it: ESC is `␛`,
    an invisible letter `<U+200B>`."""
    return _HIDDEN.sub(_name_of, text.replace("\r\n", "\n"))


def _name_of(found: re.Match[str]) -> str:
    code = ord(found[0])
    return chr(0x2400 + code) if code < 0x20 else f"<U+{code:04X}>"


def one_line(text: str, limit: int = 2000) -> str:
    """Return the text on one line: runs of white space become one blank, and it is cut to `limit`
    characters."""
    line = " ".join(clean(text[: limit * 2]).split())
    return line if len(line) <= limit else line[: limit - 1] + "…"


def last_line(text: str) -> str:
    """Return what a progress line shows last: the last line that is not empty, a carriage return
    counting as a line end."""
    lines = clean(text[-2000:]).rstrip().splitlines()
    return lines[-1].strip() if lines else ""
