"""Hides secrets in text: first the values that the agent holds, in all their spellings, then what looks like a key.

Three rules, in this order: exact values, known prefixes (`sk-…`, PEM blocks), a value behind a name such as `password=`.
No rule on randomness: it would hide hashes and lock files.
"""

from __future__ import annotations

import base64
import binascii
import html
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote, quote_plus

HIDDEN = "[secret]"
_SHORTEST = 4  # characters; a shorter "secret" would hide half of every text

# A text that must occur (a search for it is quick), and what the whole key looks like. The look-behind stands behind
# the literal start, so that the search for that start stays quick.
_PREFIXES: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (marker, re.compile(pattern))
    for marker, pattern in (
        ("-----BEGIN", r"-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----[\s\S]*?(?:-----END [A-Z0-9 ]*-----|\Z)"),
        ("sk-", r"sk-(?<!\wsk-)[A-Za-z0-9_-]{16,}"),
        ("sk_", r"sk_(?<!\wsk_)(?:live|test)_[A-Za-z0-9]{16,}"),
        ("rk_", r"rk_(?<!\wrk_)(?:live|test)_[A-Za-z0-9]{16,}"),
        ("gh", r"gh(?<!\wgh)[pousr]_[A-Za-z0-9]{30,}"),
        ("github_pat_", r"github_pat_[A-Za-z0-9_]{22,}"),
        ("glpat-", r"glpat-[A-Za-z0-9_-]{16,}"),
        ("AKIA", r"AKIA(?<!\wAKIA)[A-Z0-9]{16}(?![A-Za-z0-9])"),
        ("ASIA", r"ASIA(?<!\wASIA)[A-Z0-9]{16}(?![A-Za-z0-9])"),
        ("AIza", r"AIza(?<!\wAIza)[A-Za-z0-9_-]{35}"),
        ("ya29.", r"ya29\.(?<!\wya29\.)[A-Za-z0-9_-]{20,}"),
        ("GOCSPX-", r"GOCSPX-[A-Za-z0-9_-]{20,}"),
        ("xox", r"xox(?<!\wxox)[a-z]-[A-Za-z0-9-]{10,}"),
        ("xapp-", r"xapp-[0-9]-[A-Za-z0-9-]{10,}"),
        ("hooks.slack.com", r"hooks\.slack\.com/services/[A-Za-z0-9/_-]{20,}"),
        ("eyJ", r"eyJ(?<!\weyJ)[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*)?"),
        ("npm_", r"npm_(?<!\wnpm_)[A-Za-z0-9]{36}"),
        ("pypi-", r"pypi-(?<!\wpypi-)[A-Za-z0-9_-]{50,}"),
        ("hf_", r"hf_(?<!\whf_)[A-Za-z0-9]{30,}"),
        ("dop_v1_", r"dop_v1_[a-f0-9]{60,}"),
        ("SG.", r"SG\.(?<!\wSG\.)[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}"),
        ("shpat_", r"shpat_[a-fA-F0-9]{32}"),
        ("AGE-SECRET-KEY-", r"AGE-SECRET-KEY-1[A-Z0-9]{50,}"),
        ("LTAI", r"LTAI(?<!\wLTAI)[A-Za-z0-9]{12,24}(?![A-Za-z0-9])"),
        ("://", r"(?<=://)[^\s/:@'\"<>{}$]{0,80}:[^\s/@'\"<>{}$]{3,200}(?=@[\w.-])"),
    )
)
_SCHEMES = re.compile(r"[Bb]earer |[Bb]asic |BEARER |[Tt]oken ")
_AUTHORIZATION = re.compile(r"(?<!\w)([Bb]earer|BEARER|[Bb]asic|[Tt]oken)\s+([A-Za-z0-9+/_.~-]{16,}={0,2})")
# Where a name may begin; found by plain search, since a pattern over the whole text would be ten times slower.
_MARKERS = (
    "passw",
    "passphrase",
    "pwd",
    "secret",
    "token",
    "key",
    "credential",
    "密码",
    "口令",
    "密钥",
    "令牌",
    "秘钥",
)
_KEYS = ("api", "access", "auth", "private", "signing", "encryption", "account", "master", "storage", "shared", "app")
_KEY_STARTS = tuple(kind + joint for kind in _KEYS for joint in ("", "_", "-", " "))
# Name, separator, value. The name may end in a quote (JSON), also in an escaped one (JSON within JSON).
_PAIR = re.compile(
    r"(?i)(?P<name>passw(?:or)?d|passphrase|pwd|secret(?:[_-]?(?:access[_-]?)?key)?|token|key|credentials?|密码|口令|密钥|令牌|秘钥)"
    r"(?:_?\d|_(?:prod|dev|test|staging|live|old|new))?"
    r"(?P<sep>\\*[\"'”」]?\]?[ \t]{0,4}(?:=>|:=|[=:：＝]|是|为|is\b)\s{0,4}|(?<=--\w{6})[ ]|(?<=--\w{8})[ ]|(?<=--\w{5})[ ]|(?<=--api-key)[ ])"
    r"(?P<quote>\\*[\"'“「`]?)(?P<value>[^\s\"'`“”「」，。；、！？,;<>\\)\]}]{4,400})(?P<after>[^\n]?)"
)
_PLACEHOLDER = re.compile(
    r"(?i)[$%{<*\[(&@.]|x{3,}|\.{3}|your|my[_-]|change_?me|example|placeholder|redacted|dummy|os\.|env\.|process\.|self\.|none\b|null\b|true\b"
    r"|false\b|undefined\b|str\b|string\b|bytes\b|int\b|any\b|option|required|nullable|function|lambda|async|await|new\b|not\b|get|//"
)
_CODE = re.compile(r"[A-Za-z_][\w]*(?:(?:\.|->|::)[A-Za-z_]\w*)*[(\[{]?")


@dataclass(slots=True)
class Redactor:
    """`Redactor({"OPENAI_API_KEY": "…"})(text)` gives the text with each such value replaced by `[OPENAI_API_KEY]`.

    Takes about 20 MB a second. Values of fewer than four characters cannot be hidden and are left out.
    """

    values: Mapping[str, str]
    _spellings: list[tuple[str, str]] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        found: dict[str, str] = {}
        for name, value in self.values.items():
            if len(value) >= _SHORTEST:
                found |= dict.fromkeys(_spellings(value), f"[{name}]")
        self._spellings = sorted(found.items(), key=lambda item: -len(item[0]))

    def __call__(self, text: str) -> str:
        """The text without secrets."""
        for spelling, label in self._spellings:
            if spelling in text:
                text = text.replace(spelling, label)
        for marker, pattern in _PREFIXES:
            if marker in text:
                text = pattern.sub(HIDDEN, text)
        text = _hide_pairs(text)
        return _AUTHORIZATION.sub(_hide_authorization, text) if _SCHEMES.search(text) else text

    def redact(self, data: Any) -> Any:
        """The same for JSON data of any depth below Python's own limit: keys, values, and values by their key."""
        if isinstance(data, str):
            return self(data)
        if isinstance(data, dict):
            return {self.redact(name): self._redact_named(name, value) for name, value in data.items()}
        if isinstance(data, (list, tuple)):
            return [self.redact(item) for item in data]
        return data

    def _redact_named(self, name: Any, value: Any) -> Any:
        if isinstance(name, str) and isinstance(value, str) and "\n" not in value and len(value) <= 400:
            line = f'"{name}": {json.dumps(value, ensure_ascii=False)}'
            hidden = _hide_pairs(line)
            if hidden != line and hidden.endswith(HIDDEN + '"'):
                return HIDDEN
        return self.redact(value)


def _spellings(value: str) -> Iterator[str]:
    """The ways in which programs write a value: as it is, escaped, quoted for a URL, in base64, in hex."""
    data = value.encode(errors="surrogatepass")
    forms = {value, html.escape(value), html.escape(value, quote=False), value.replace("'", "'\\''")}
    for ascii_only in (True, False):
        inner = json.dumps(value, ensure_ascii=ascii_only)[1:-1]
        forms |= {inner, inner.replace("/", "\\/"), json.dumps(inner, ensure_ascii=ascii_only)[1:-1]}
    for form in (quote(data), quote(data, safe=""), quote_plus(data)):
        forms |= {form, re.sub("%..", lambda code: code[0].lower(), form)}
    forms |= {quote(quote(data, safe=""), safe=""), repr(value)[1:-1], value[::-1]}
    code = binascii.hexlify(data).decode()
    forms |= {code, code.upper(), binascii.hexlify(data, ":").decode(), "".join(f"\\x{byte:02x}" for byte in data)}
    forms.add(base64.b32encode(data).decode().rstrip("="))
    for encode in (base64.b64encode, base64.urlsafe_b64encode):
        for before in range(3):  # the value may stand anywhere in what was encoded: "user:value"
            text = encode(b"\0" * before + data).decode()
            whole = text[(8 * before + 5) // 6 : (8 * (before + len(data))) // 6]  # the letters that hold no other byte
            if len(whole) >= 6:
                yield whole
    yield from (form for form in forms if len(form) >= _SHORTEST)


def _hide_pairs(text: str) -> str:
    lower = text.lower()
    if len(lower) != len(text):  # a few letters grow when they become small
        lower = text
    starts = sorted(start for marker in _MARKERS for start in _places(lower, marker))
    parts, at = [], 0
    for start in starts:
        found = _PAIR.match(text, start) if start >= at else None
        if found and _is_secret(found, found["value"], bool(found["quote"])):
            parts += [text[at : found.start("value")], HIDDEN]
            at = found.end("value")
    return "".join(parts) + text[at:] if parts else text


def _places(text: str, marker: str) -> Iterator[int]:
    at = text.find(marker)
    while at >= 0:
        if marker != "key" or text.endswith(_KEY_STARTS, max(0, at - 12), at):
            yield at
        at = text.find(marker, at + len(marker))


def _is_secret(found: re.Match[str], value: str, in_quotes: bool) -> bool:
    """Whether the value behind a name is one, and not code, a type, or a place to fill in."""
    if _PLACEHOLDER.match(value) or value.startswith(HIDDEN) or value.lower() == found["name"].lower():
        return False
    has_digit = any(letter.isdigit() for letter in value)
    if found["sep"].strip() == "is" and not has_digit:
        return False
    if value.isdigit():  # max_tokens=1000; a number is a password only where it is called one
        return len(value) >= 6 and (
            "pass" in found["name"].lower() or "密码" in found["name"] or "口令" in found["name"]
        )
    if in_quotes:
        return len(value) >= 6 and (has_digit or not _CODE.fullmatch(value) or "pass" in found["name"].lower())
    if found["after"] in ("(", "[", "{") or "(" in value or re.match(r"\w+\[", value):
        return False
    if found["name"].isupper() and "=" in found["sep"]:  # a line of an env file
        return len(value) >= 6
    return has_digit and len(value) >= 6 if _CODE.fullmatch(value) else len(value) >= 6


def _hide_authorization(found: re.Match[str]) -> str:
    looks_random = any(letter.isdigit() for letter in found[2]) and any(letter.isalpha() for letter in found[2])
    return f"{found[1]} {HIDDEN}" if looks_random else found[0]
