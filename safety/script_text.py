"""What the text of a script tells without its commands: fork bombs, endless loops; and what can be said of one that is too long or torn."""

from __future__ import annotations

import itertools
import re
import shlex
from typing import TYPE_CHECKING

from safety import catastrophes
from safety.shell import Command, Part, Word, read
from safety.tables import names
from text import pattern

if TYPE_CHECKING:
    from safety.commands import Look


_BOMB = pattern(
    r"(?<![\w:.])([\w:.]{1,40})\s{0,9}\(\)\s{0,9}[{(]\s{0,9}\1\s{0,9}[|&]\s{0,9}\1\s{0,9}&?\s{0,9};?\s{0,9}[})]"
    r"|while\s{1,9}(true|:)[^\n]{0,20}do[^\n]{0,20}\$0\s{0,9}&"
)
_DOCUMENT = pattern(
    r"(<<-?[ \t]{0,9}(['\"]?)(\w{1,40})\2[^\n]*\n)(?:.*?\n)??[ \t]*\3(?=\n|$)", re.DOTALL
)
_QUOTED = pattern(r"'[^']*'|\"(?:[^\"\\]|\\.)*\"", re.DOTALL)
_DRIVE = pattern(
    r"(?im)\s[\"']?[a-z]:[\\/]?(windows|users|program files)?[\\/]?\*?[\"']?(?=[\s;&|]|$)"
)
_DRIVE_ERASERS = names("remove-item ri del erase rd rmdir deltree format")
# In what is too long to be looked at as a whole: what could be the target of a catastrophe, by its looks.
_WORST_TARGET = pattern(
    r"/(?<![\w/.~-]/)(?:bin|boot|dev|etc|home|lib\w*|opt|proc|root|sbin|srv|sys|usr|var|Users|System|Library)?/?['\"]?(?:/?\*)?['\"]?(?=[\s;&|)'\"`]|$)"
    r"|~(?<![\w/.~-]~)/?['\"]?\*?(?=[\s;&|)'\"`]|$)|\$\{?HOME\b|/dev/(?:sd|hd|vd|xvd|nvme|mmcblk|disk|mapper|dm-|md)"
    r"|/etc/(?:passwd|shadow|sudoers|fstab)|/proc/sys|/boot/|\.sopwith|-preserve-root|-1\b|:\\|zpool\s|lvremove\s|vgremove\s|diskutil\s|base64|xxd"
)
_WORST_NAME = pattern(
    r"\b(rm|dd|mkfs|mke2fs|wipefs|shred|blkdiscard|chmod|chown|find|mv|cp|tee|kill|rsync|del|format|remove-item|base64)\b"
)
_SEPARATORS = pattern(r"[;&|\n]+")
MAX_PIECES = 40
_LOOKED_AT = 4_000  # characters of a longer script


def told(look: Look, text: str) -> None:
    """What is told by the text of a script, whether it can be read or not."""
    if "<<" in text and len(text) < 20_000:
        text = _DOCUMENT.sub(r"\1", text)  # whoever is given it looks at it
    bombs = _BOMB.finditer(text) if "()" in text or "$0" in text else iter(())
    for bomb in itertools.islice(bombs, 20):
        start, end = max(text.rfind("\n", 0, bomb.start()), bomb.start() - 500), bomb.end() + 500
        if _BOMB.search(_QUOTED.sub("", text[start + 1 : end])):
            look.add("catastrophic", "a fork bomb", "")
            break
    if "done" in text:
        catastrophes.endless(look, _QUOTED.sub("", text))
    drives = _DRIVE.finditer(text) if ":" in text else iter(())
    for drive in itertools.islice(drives, 20):
        line = text[max(text.rfind("\n", 0, drive.start()), drive.start() - 500) + 1 : drive.end()]
        found = read(line)
        words = (
            re.findall(r"[\w-]+", line)
            if found.problem
            else [each.words[0].literal or "" for each in found.commands if each.words]
        )
        if any(word.lower() in _DRIVE_ERASERS for word in words):
            look.add("catastrophic", "deletes or formats a whole drive", "")
            break


def worst(look: Look, text: str) -> None:
    """What must be refused in a script that cannot be looked at as a whole: by the places that it names."""
    pieces: dict[str, None] = {}
    for found in itertools.islice(_WORST_TARGET.finditer(text), 2_000):
        before, behind = (
            text[max(found.start() - 200, 0) : found.start()],
            text[found.end() : found.end() + 200],
        )
        start = [mark.end() for mark in _SEPARATORS.finditer(before)][-2:-1]
        stops = [mark.start() for mark in _SEPARATORS.finditer(behind)][:3]
        piece = (
            before[start[0] if start else 0 :] + found[0] + behind[: stops[-1] if stops else None]
        )
        pieces[piece] = None
    for piece in sorted(pieces, key=lambda each: not _WORST_NAME.search(each))[:MAX_PIECES]:
        inner = look.inner()
        inner.depth, inner.budget = max(inner.depth, 1), [20]
        look.findings += [
            each for each in inner.script(piece) if each.risk in ("catastrophic", "agent")
        ]


def in_pieces(look: Look, text: str) -> None:
    """What cannot be read as a whole is read in pieces, for the sake of what must be refused."""
    for line in re.split(r"[;&|\n()]+", text[:4000])[:60]:
        try:
            words = shlex.split(line)
        except ValueError:
            continue
        if words:
            look.command(Command([Word([Part("text", word)]) for word in words]))


def ends(text: str) -> str:
    """The first and the last commands of a long script."""
    end = max(text.rfind(mark, 0, _LOOKED_AT) for mark in "\n;")
    starts = [
        at for at in (text.find(mark, len(text) - _LOOKED_AT // 2) for mark in "\n;") if at >= 0
    ]
    return text[: end + 1] + "\n" + (text[min(starts) + 1 :] if starts else "")
