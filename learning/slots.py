"""What a typed slot of a wording may stand for: a path, a number, a date, an address, a quoted text or one bare word.

Each reader takes the text of a slot and gives the parameter's value, or None when the text is not of its type: then the
wording does not match. A reader never guesses: what could mean two things raises `Unclear`, and the request is declined.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from learning.route import Where
from text import pattern

QUOTES = {'"': '"', "'": "'", "`": "`", "「": "」", "『": "』", "《": "》"}
BARE_PATH = pattern(r"(?:~|\.{0,2}/|\.{1,2}$|[\w.-]+/)[^\s\"'`,;:|&<>*?$!()\[\]{}\\「」『』《》]*")
BARE_FILE = pattern(  # a name with an ending that files have
    r"[\w-]+(?:\.[\w-]+)*\.(?:csv|tsv|json|jsonl|xml|ya?ml|toml|ini|cfg|conf|env|txt|text|md|rst|log|html?|css|js|ts|jsx|tsx|py|rb|rs|go|c|h|cc|"
    r"cpp|hpp|java|kt|swift|sh|bash|zsh|sql|db|sqlite3?|pdf|docx?|xlsx?|pptx?|odt|ods|odp|rtf|tex|epub|png|jpe?g|gif|webp|svg|bmp|tiff?|heic|ico|"
    r"mp3|wav|flac|ogg|m4a|mp4|mkv|mov|avi|webm|zip|tar|gz|tgz|bz2|xz|7z|rar|iso|bak|old|tmp|lock|patch|diff|ics|vcf|eml|parquet|ipynb)",
    re.IGNORECASE,
)
BARE_WORD = pattern(r"[^\s\"'`,;:?!<>|&/\\~()\[\]{}「」『』《》]+")
CODE_WORD = pattern(
    r"(?=.*(?:[0-9_]|[A-Z]{2}(?![a-z])))[A-Za-z0-9_.-]+"
)  # TODO, invoice_7: meant as written
GLOB = pattern(
    r"[^\s\"'`,;:<>|&/\\~()「」『』《》]*(?:[*?]|\.[A-Za-z][A-Za-z0-9]{0,7}$)[^\s\"'`,;:<>|&/\\~()「」『』《》]*"
)
DATE = pattern(r"(\d{4})(?:-(\d{1,2})-|/(\d{1,2})/|年(\d{1,2})月)(\d{1,2})日?")
NOT_A_NAME = pattern(
    r"(?:not?|none|nothing|never|without|named|called|except|but|and|or|the|an?|my|all|any|some|every|each|it|this|that|these|those|them|"
    r"which|what|who|with|in|on|at|of|by|from|to|for|under|inside|older|newer|than|like|as|is|are|was|were|be)"
    r"|[不非没无除未别勿莫].*|.*[和或与及但].*"
)

UNITS = {
    "zero": 0,
    "one": 1,
    "two": 2,
    "three": 3,
    "four": 4,
    "five": 5,
    "six": 6,
    "seven": 7,
    "eight": 8,
    "nine": 9,
    "ten": 10,
    "eleven": 11,
    "twelve": 12,
    "thirteen": 13,
    "fourteen": 14,
    "fifteen": 15,
    "sixteen": 16,
    "seventeen": 17,
    "eighteen": 18,
    "nineteen": 19,
}
TENS = {
    "twenty": 20,
    "thirty": 30,
    "forty": 40,
    "fifty": 50,
    "sixty": 60,
    "seventy": 70,
    "eighty": 80,
    "ninety": 90,
}
DIGITS = {
    "零": 0,
    "〇": 0,
    "一": 1,
    "二": 2,
    "两": 2,
    "三": 3,
    "四": 4,
    "五": 5,
    "六": 6,
    "七": 7,
    "八": 8,
    "九": 9,
}

PLACES = {  # what people call a folder → its name in user-dirs.dirs, and on disk
    "DOWNLOAD": ("Downloads", "下载"),
    "DESKTOP": ("Desktop", "桌面"),
    "DOCUMENTS": ("Documents", "文档", "文稿"),
    "PICTURES": ("Pictures", "图片"),
    "MUSIC": ("Music", "音乐"),
    "VIDEOS": ("Videos", "Movies", "视频"),
}
PLACE_WORDS = {
    **dict.fromkeys(("downloads", "download folder", "download directory", "下载"), "DOWNLOAD"),
    **dict.fromkeys(("desktop", "桌面"), "DESKTOP"),
    **dict.fromkeys(("documents", "document folder", "文档", "文稿"), "DOCUMENTS"),
    **dict.fromkeys(("pictures", "picture folder", "图片"), "PICTURES"),
    **dict.fromkeys(("music", "音乐"), "MUSIC"),
    **dict.fromkeys(("videos", "movies", "视频", "影片"), "VIDEOS"),
    **dict.fromkeys(("home", "主目录", "家目录", "主文件夹", "用户目录"), "HOME"),
    **dict.fromkeys(
        ("here", "this folder", "this directory", "current folder", "current directory"), "HERE"
    ),
    **dict.fromkeys(("working directory", "current working directory"), "HERE"),
    **dict.fromkeys(
        (
            "这里",
            "当前目录",
            "当前文件夹",
            "这个目录",
            "这个文件夹",
            "本目录",
            "此目录",
            "此文件夹",
        ),
        "HERE",
    ),
}
FOLDER_WORD = pattern(r"\s*(?:folder|directory|dir|文件夹|目录|夹)$")


_ENDINGS = """
csv tsv json jsonl xml yaml yml toml ini cfg txt md rst html htm css js ts jsx tsx py rb rs java kt sh sql db
sqlite pdf doc docx xls xlsx ppt pptx odt ods odp rtf tex epub png jpg jpeg gif webp svg bmp tif tiff heic ico
mp3 wav flac ogg m4a mp4 mkv mov avi webm zip gz tgz bz2 xz 7z rar iso bak tmp ics vcf eml parquet ipynb
"""
BEHIND_DOT = r"^\w[\w.-]*$"  # the pattern of a parameter that stands behind a dot, as in *.pdf
ENDINGS = frozenset(
    _ENDINGS.split()
)  # no words among them: "all old files" are not those that end with .old


class Unclear(Exception):
    """The text may mean two things that are both there."""


class Slot(NamedTuple):
    """The text of a slot: as the owner wrote it, the same with full-width characters made plain (equally long), and
    what stands right behind it up to the next space: it may belong to it; and what stands before it that no wording looks at: spaces, "the"."""

    written: str
    plain: str
    behind: str = ""
    before: str = ""


def value_of(slot: Slot, schema: Mapping[str, Any], shape: str, where: Where) -> Any:
    """The value that the text stands for, or None when it is not of the type, format or shape that is asked for.

    Raises Unclear.
    """
    if "enum" in schema:
        return _one_of(slot.plain, schema["enum"])
    if schema.get("format") == "path":
        return _path(slot, where)
    if schema.get("format") == "date":
        return _date(slot.plain)
    if schema.get("format") == "url":
        return slot.plain if re.fullmatch(r"https?://[^\s\"'<>「」,]+", slot.plain) else None
    if schema["type"] in ("integer", "number"):
        return _number(slot.plain.lower(), schema["type"])
    found = _string(slot, shape) if schema["type"] == "string" else None
    return None if found is None else as_ending(found, schema)


def as_ending(text: str, schema: Mapping[str, Any]) -> str:
    """The text; with a dot before it where only an ending with a dot is taken, and it is the ending of files: rtf, .rtf."""
    pattern = schema.get("pattern")
    is_ending = pattern is not None and text.lower() in ENDINGS and not re.search(pattern, text)
    return f".{text}" if is_ending and re.search(str(pattern), f".{text}") else text


def unquoted(slot: Slot) -> str | None:
    """What stands between the quotes; None when the text is not one quoted text."""
    plain = slot.plain
    if len(plain) < 3 or QUOTES.get(plain[0]) != plain[-1] or plain[-1] in plain[1:-1]:
        return None
    return slot.written[1:-1]


def _one_of(text: str, values: list[Any]) -> Any:
    return next((value for value in values if str(value).lower() == text.lower()), None)


def _string(slot: Slot, shape: str) -> str | None:
    if (text := unquoted(slot)) is not None:
        return text
    if shape in ("rest", "colon"):
        return _rest(slot, shape)
    if (
        slot.plain != slot.written
    ):  # full-width characters and no quotes: unclear which ones are meant
        return None
    pattern = {"quoted": CODE_WORD, "glob": GLOB}.get(shape, BARE_WORD)
    if not pattern.fullmatch(slot.written) or NOT_A_NAME.fullmatch(slot.written.lower()):
        return None
    return slot.written


def _rest(slot: Slot, shape: str) -> str | None:
    """What is left of a request, as it was written: behind a colon, or ("rest") behind a space, so that in Chinese too it
    is no part of the word before it."""
    has_colon = slot.plain.startswith(":")
    if "\n" in slot.written or not (has_colon or (shape == "rest" and slot.before[:1].isspace())):
        return None
    return (slot.written[1:] if has_colon else f"{slot.before}{slot.written}").strip(" ,，") or None


def _number(text: str, kind: str) -> int | float | None:
    if re.fullmatch(r"\d{1,9}|\d{1,3}(,\d{3}){1,2}", text, re.ASCII):
        return int(text.replace(",", ""))
    if kind == "number" and re.fullmatch(r"\d{1,9}\.\d{1,6}", text, re.ASCII):
        return float(text)
    return _english_number(text) if text.isascii() else _chinese_number(text)


def _english_number(text: str) -> int | None:
    if text in ("hundred", "one hundred", "a hundred"):
        return 100
    tens, _, unit = text.replace(" ", "-").partition("-")
    if tens in TENS and (not unit or 0 < UNITS.get(unit, 0) < 10):
        return TENS[tens] + UNITS.get(unit, 0)
    return UNITS.get(text)


def _chinese_number(text: str) -> int | None:
    """一 to 九百九十九, as people write it."""
    match = re.fullmatch(
        r"(?:([一二两三四五六七八九])?百)?(零)?(?:([一二三四五六七八九])?(十))?([一二两三四五六七八九])?",
        text,
    )
    if text in ("零", "〇"):
        return 0
    if not match or not text:
        return None
    hundreds, zero, tens, ten, unit = match.groups()
    if "百" in text and unit and not ten and not zero:  # 一百二 is 120 to some
        return None
    if zero and ("百" not in text or ten or not unit):
        return None
    total = 100 * DIGITS.get(hundreds or "一", 1) if "百" in text else 0
    if ten:
        total += 10 * DIGITS.get(tens or "一", 1)
    return total + DIGITS.get(unit or "零", 0)


def _date(text: str) -> str | None:
    if not (match := DATE.fullmatch(text)):
        return None
    year, *months, day = match.groups()
    try:
        return date(int(year), int(next(filter(None, months))), int(day)).isoformat()
    except ValueError:
        return None


def _path(slot: Slot, where: Where) -> str | None:
    if (text := unquoted(slot)) is not None:
        return (
            str(_absolute(text, where) if _known_home(text) else _home_or_name(text, where))
            if "\0" not in text
            else None
        )
    if (place := _place(slot.plain.lower(), where)) is not None:
        return place
    if not (BARE_FILE.fullmatch(slot.plain) or BARE_PATH.fullmatch(slot.plain)) or not _known_home(
        slot.plain
    ):
        return None
    is_named = BARE_FILE.fullmatch(slot.plain.rpartition("/")[2]) is not None
    path = _absolute(slot.plain, where)
    if (
        slot.plain != slot.written
    ):  # ～ and ／ may be meant plain, ： in a name may not: the disk decides
        as_written = _absolute(slot.plain[0] + slot.written[1:], where)
        if _exists(path) == _exists(as_written) and path != as_written:
            raise Unclear(slot.written)
        path = as_written if _exists(as_written) else path
    if any(
        _exists(Path(f"{path}{slot.behind[:length]}"))
        for length in range(1, min(len(slot.behind), 16) + 1)
    ):
        if _exists(path):  # "~/notes." with folders notes and "notes.": which one is meant?
            raise Unclear(slot.written)
        return None
    is_glued = bool(slot.behind) and not slot.plain[-1].isascii() and not slot.behind[0].isascii()
    is_bare_relative = slot.plain[0] not in "~/." and not is_named
    return str(path) if not (is_glued or is_bare_relative) or _exists(path) else None


def _known_home(text: str) -> bool:
    return not text.startswith("~") or text == "~" or text.startswith("~/")


def _home_or_name(text: str, where: Where) -> Path:
    """Of a quoted "~word": the home of the user of that name, else what is called so here. Raises Unclear for both."""
    name = where.cwd / text
    try:
        home = Path(text).expanduser()
    except RuntimeError:  # there is no such user
        return name
    if _exists(name):
        raise Unclear(text)
    return home


def _absolute(text: str, where: Where) -> Path:
    return where.owner_home / text[1:].lstrip("/") if text.startswith("~") else where.cwd / text


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except (OSError, ValueError):
        return False


def _place(text: str, where: Where) -> str | None:
    """The folder that a well-known name means; None when it is none. Raises Unclear when the working folder has one
    of that name."""
    name = " ".join(text.removeprefix("我的").split())
    key = PLACE_WORDS.get(name) or PLACE_WORDS.get(FOLDER_WORD.sub("", name))
    if key is None or key in ("HERE", "HOME"):
        return {"HERE": str(where.cwd), "HOME": str(where.owner_home)}.get(key or "")
    names = PLACES[key]
    candidates = [
        *_user_dirs(where.owner_home).get(key, ()),
        *(where.owner_home / name for name in names),
    ]
    place = next(filter(_exists, candidates), where.owner_home / names[0])
    bare = FOLDER_WORD.sub("", name)
    rivals = [where.cwd / spelled for spelled in {bare, bare.capitalize()}]
    if any(
        _exists(rival) and not rival.samefile(place) if _exists(place) else _exists(rival)
        for rival in rivals
    ):
        raise Unclear(text)
    return str(place)


@cache
def _user_dirs(owner_home: Path) -> dict[str, tuple[Path, ...]]:
    """The folders that the desktop names in ~/.config/user-dirs.dirs."""
    try:
        text = (owner_home / ".config" / "user-dirs.dirs").read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return {}
    found = re.findall(r'^XDG_([A-Z]+)_DIR="(\$HOME/)?([^"]*)"', text, re.MULTILINE)
    return {
        key: ((owner_home / name) if inside else Path(name),) for key, inside, name in found if name
    }
