"""Makes readable Markdown of what a server sent: HTML, text in any encoding, JSON, PDF. Anything
else stays a file.

Hidden elements, menus (nav), scripts and drawings of a page are left out; its links are made whole.
"""

from __future__ import annotations

import html
import itertools
import json
import re
import subprocess
import sys
from contextlib import suppress
from typing import NamedTuple
from urllib.parse import urljoin

from tools.base import ToolError

MAX_HTML_CHARS = 5_000_000
PDF_SECONDS = 20.0
MAX_DEPTH = 500  # of nested elements; below, nobody reads
NO_EXTRA = "error.web.no-reader"
_UTF8 = re.compile(r"(?i)utf[-_]8")
_BYTE_MARKS = ((b"\xef\xbb\xbf", "utf-8-sig"), (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16"))
_CHARSET = re.compile(rb"""<meta[^>]{0,200}?charset\s*=\s*["']?\s*([\w.:-]{2,40})""", re.IGNORECASE)
_TITLE = re.compile(r"<title\b[^>]{0,500}>(.{0,2000}?)</title", re.IGNORECASE | re.DOTALL)
_BASE = re.compile(r"""<base\b[^>]{0,300}?\bhref\s*=\s*["']?([^"'\s>]{1,2000})""", re.IGNORECASE)
_LINK = re.compile(
    r"(!?\[)((?:[^\[\]]|\[[^\[\]]*\]){0,2000})\]\((<[^<>\n]*>|[^()\s<>]*(?:\([^()\s]*\)[^()\s<>]*)*)((?:\s+\"[^\"\n]*\")?)\)"
)
_WIDER = {
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "iso-8859-1": "cp1252",
    "latin-1": "cp1252",
    "ascii": "cp1252",
    "us-ascii": "cp1252",
    "big5": "big5hkscs",
    **dict.fromkeys(("shift_jis", "shift-jis", "sjis", "x-sjis", "windows-31j"), "cp932"),
    "x-euc-jp": "euc_jp",
    "euc-kr": "cp949",
    "x-gbk": "gb18030",
}


class Readable(NamedTuple):
    """`text` is Markdown; None for what is no text. `title` of a page, or ""."""

    text: str | None
    title: str = ""


def readable(data: bytes, kind: str, charset: str, url: str) -> Readable:
    """`kind`: the media type that was declared, "" if none; `charset`: likewise. Raises
    ToolError."""
    if data.startswith(b"%PDF-"):
        return Readable(_pdf(data))
    if kind.startswith(("image/", "audio/", "video/", "font/")) and kind != "image/svg+xml":
        return Readable(None)
    text = decoded(data, charset)
    if text is None:
        return Readable(None)
    if "html" in kind or (
        kind in ("", "text/plain", "application/octet-stream") and _looks_like_html(text)
    ):
        return page(text, url)
    if kind.endswith("json"):
        try:
            return Readable(json.dumps(json.loads(text), ensure_ascii=False, indent=1))
        except (ValueError, RecursionError):
            return Readable(text)
    return Readable(text)


def decoded(data: bytes, charset: str = "") -> str | None:
    """Return the text in the encoding that is declared, in the bytes themselves or by the server;
    None if it is no text."""
    names = _encodings(data, charset)
    is_wide = any(name.lower().startswith("utf-16") for name in names)
    if b"\0" in data[:65536] and not is_wide:
        return None
    # Many say UTF-8 of what is none; a few broken letters are in what a server says it is.
    told = itertools.filterfalse(_UTF8.match, names)
    ways = (
        *zip((*names, "utf-8"), itertools.repeat("strict")),
        *zip(told, itertools.repeat("replace")),
        *((_guessed(data), "strict"), ("gb18030", "strict")),
        *zip((*names[:1], "cp1252"), itertools.repeat("replace")),
    )
    for name, errors in ways:
        with suppress(LookupError, UnicodeError):
            return data.decode(name, errors)
    return None


def _encodings(data: bytes, charset: str) -> list[str]:
    """Return the encodings that a text may have, as its bytes say and then its server."""
    marks = [name for mark, name in _BYTE_MARKS if data.startswith(mark)]
    found = _CHARSET.search(data[:4096])
    said = filter(None, [charset, found[1].decode("ascii") if found else ""])
    return marks + [_WIDER.get(name.lower(), name) for name in said]


def _guessed(data: bytes) -> str:
    """Return a Japanese encoding, where a good part of the text would be kana; or ""."""
    for name in ("euc_jp", "cp932"):
        with suppress(UnicodeDecodeError):
            letters = [each for each in data.decode(name) if each > "\x7f"]
            if sum("\u3041" <= each <= "\u30fe" for each in letters) * 4 > len(letters):
                return name
    return ""


def page(source: str, url: str) -> Readable:
    """Return an HTML page as Markdown. Raises ToolError."""
    try:
        import html_to_markdown as converter
    except ImportError as error:
        raise ToolError(NO_EXTRA) from error
    options = converter.ConversionOptions(
        preprocessing=converter.PreprocessingOptions(
            preset="minimal", remove_navigation=False, remove_forms=False
        ),
        exclude_selectors=["nav", "svg", "template", "noscript", "iframe"],
        hidden_content="drop",
        inline_data_media="alt_text_only",
        extract_metadata=False,
        max_depth=MAX_DEPTH,
    )
    try:
        text = converter.convert(source[:MAX_HTML_CHARS], options).content or ""
    except (converter.ConversionError, ValueError) as error:
        raise ToolError("error.web.unreadable", url=url, error=error) from error
    title = _TITLE.search(source[:100_000])
    base = _BASE.search(source[:100_000])
    whole = urljoin(url, html.unescape(base[1])) if base else url
    return Readable(
        _with_whole_links(text, whole).strip(),
        " ".join(html.unescape(title[1]).split()) if title else "",
    )


def _with_whole_links(text: str, url: str) -> str:
    """Make links that start at the page start at its host instead; those that lead nowhere keep
    their words alone."""

    def whole(match: re.Match[str]) -> str:
        target = match[3].strip("<>")
        if re.match(r"\s*(?:javascript|data|vbscript):", target, re.IGNORECASE) or target in (
            "",
            "#",
        ):
            return match[2] if match[1] == "[" else ""
        try:
            joined = urljoin(url, target)
        except ValueError:
            return match[2]
        shown = f"<{joined}>" if re.search(r"[\s()]", joined) else joined
        return f"{match[1]}{match[2]}]({shown}{match[4]})"

    parts = re.split(r"(^```.*?^```)", text, flags=re.MULTILINE | re.DOTALL)
    return "".join(part if part.startswith("```") else _LINK.sub(whole, part) for part in parts)


def _looks_like_html(text: str) -> bool:
    return bool(
        re.match(
            r"\s*(?:<!--.{0,1000}?-->\s*)?<(?:!doctype\s+html|html|head|body)\b",
            text[:2000],
            re.IGNORECASE | re.DOTALL,
        )
    )


_PDF = """
import io, sys
try:
    import resource
    resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30))
except ImportError:
    pass
from pypdf import PdfReader
for number, page in enumerate(PdfReader(io.BytesIO(sys.stdin.buffer.read())).pages, 1):
    sys.stdout.write(f"## Page {number}\\n\\n{page.extract_text()}\\n\\n")
"""


def _pdf(data: bytes) -> str | None:
    """Return the text of a PDF, page by page, read in a process that is ended when it takes too
    long; None when there is none."""
    try:
        done = subprocess.run(
            [sys.executable, "-I", "-c", _PDF],
            input=data,
            capture_output=True,
            timeout=PDF_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise ToolError("error.web.pdf-took-longer-than", seconds=f"{PDF_SECONDS:g}") from error
    said = done.stdout.decode("utf-8", "replace").strip()
    return said or None
