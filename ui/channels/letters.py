"""Write what is said in a channel: results, questions, previews; long ones in pieces."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator

from config import Config
from memory.inbox import Entry
from models.base import Event
from safety.secrets import without
from ui import event_text
from ui.sanitise import one_line
from ui.words import say

MAX_CHARS = 3_900  # of one message; Telegram takes 4,096
MAX_PIECES = 5
MAX_EMOJI_CHARS = 8
MAX_NAME = 40


def ended(config: Config, event: Event) -> str:
    """Return what a run_ended event says to people."""
    text = str(event.get("result") or "").strip()
    if event["status"] == "done":
        text = text or say("channels.done")
    elif event["status"] == "cancelled":
        text = say("channels.stopped")
    else:
        text = event_text.ended(event) or event["status"]
    if event.get("changes"):
        text += f"\n\n{say('notice.undo', run=event['run'])}"
    return without(config, text)


def shown(config: Config, entry: Entry) -> str:
    """Return what the owner reads of an entry of the inbox: the question, or the whole effect."""
    if entry.kind == "question":
        text = "\n".join([entry.text, *(f"- {each}" for each in entry.candidates)])
        return without(config, text)
    lines = [event_text.entry_text(entry), entry.shown]
    for name, value in entry.args.items() if not entry.shown else ():
        text = "\n".join(map(str, value)) if isinstance(value, list) else str(value)
        lines.append(f"{name}:\n{text}" if "\n" in text else f"{name}: {text}")
    return without(config, "\n".join(filter(None, lines)))


def pieces(text: str) -> list[str]:
    """Cut a text into messages, at the ends of lines; what is too long for five ends with a
    dash."""
    found = list(_pieces(text))
    if len(found) <= MAX_PIECES:
        return found
    return [*found[: MAX_PIECES - 1], f"{found[MAX_PIECES - 1][:-1]}…"]


def _pieces(text: str) -> Iterator[str]:
    while True:
        # an emoji counts as two characters, as Telegram counts
        units = text.encode("utf-16-le", "surrogatepass")[: 2 * MAX_CHARS]
        head = units.decode("utf-16-le", "ignore")
        if len(head) == len(text):
            break
        cut = head.rfind("\n", len(head) // 2)
        cut = len(head) if cut < 0 else cut
        yield text[:cut]
        text = text[cut:].lstrip("\n")
    if text.strip():
        yield text


def is_emoji(text: str) -> bool:
    """Return True for a text that is nothing but an emoji: it is meant as a reaction."""
    said = text.strip()
    if not 0 < len(said) <= MAX_EMOJI_CHARS:
        return False
    return all(unicodedata.category(each) in ("So", "Sk", "Mn", "Cf", "Me") for each in said)


def line_of(name: str, text: str) -> str:
    """Return what somebody said as the agent reads it. Nobody speaks for another: further lines are
    set in, and a name has no invisible letters and no colon."""
    plain = unicodedata.normalize("NFKC", name).replace(":", " ")
    seen = "".join(each for each in plain if unicodedata.category(each) != "Cf")
    said = "\n    ".join(text.splitlines())
    return f"{one_line(seen, MAX_NAME).strip() or '?'}: {said}"
