"""Finds values that stand behind a name such as `password=`: in settings, code, JSON, XML, headers, options, sentences.

A name is looked for by plain search; only there a pattern looks further. What is a place to fill in (`<password>`,
`${TOKEN}`), a type or a call is no value. Names and Chinese punctuation as in issue reports, chats and configs.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache, lru_cache

from safety.secrets.key_shapes import compiled, replaced, rows
from text.sections import sections

MOST = 400  # characters of a value
_MARKERS = ("pass", "pwd", "secret", "token", "key", "credential", "auth", "sig=")
_CHINESE = ("密码", "口令", "密钥", "令牌", "秘钥", "私钥", "凭证", "凭据", "授权码")
_KEYS = ("api", "access", "auth", "private", "signing", "encryption", "account", "master", "storage", "shared", "app", "secret", "service", "client", "license", "deploy", "sas", "webhook", "consumer", "admin", "subscription", "hmac", "jwt", "session", "cookie", "crypt", "aes", "appid", "server", "user", "object", "bot", "write", "read")  # fmt: skip
_KEY_STARTS = tuple(kind + joint for kind in _KEYS for joint in ("", "_", "-", " "))
_NAME = (
    r"(?P<name>pass(?:w(?:or)?d|phrase|code|wd)?|pwd|secret(?:[_-]?(?:access[_-]?)?key)?|token|key|credentials?"
    r"|(?<=_)auth|sig(?==)|密码|口令|密钥|令牌|秘钥|私钥|凭证|凭据|授权码)"
    r"(?:_?\d{1,2}|[_-](?:prod|dev|test|staging|live|old|new|base|value|value64|b64)|Value|Base64)?"
)
_SEP = (
    r"(?P<sep>\\*[\"'”」』`]?[\]】]?\)?[ \t]{0,4}(?:[(（\[][^()（）\[\]\n]{0,30}[)）\]])?[ \t]{0,20}"
    r"(?:=>|:=|->|==?(?!=)|[:：＝](?!:)|是|为|叫|(?:改|换|设|设置|更新|重置)?(?:成|为|是)|就是|(?:for|of|to)[ ][^\n:=\"']{1,40}?(?:[ ]is\b|[ ]=)|is(?:[ ]now)?[ ]?:?(?=\s)|was(?=\s)|(?:changed[ ]|set[ ]|reset[ ])?to(?=[ ]))"
    r"[ \t]{0,20}(?:\n[ \t]{1,20}(?![\w.-]+[ \t]*[:=]))?"
    r"|\\*[\"'][ \t]*,?\s{0,20}\\*[\"']?(?:value|content|defaultValue)\\*[\"']?[ \t]*[=:][ \t]*"  # <add key="…" value="…">
    r"|[ \t]*\n[ \t]*value:[ \t]*"  # - name: …, next line: value: …
    r"|\\*[\"'],[ ]?(?=\\*[\"'])"  # ("password", "…")
    r"|\b[\w:.-]*>(?:<!\[CDATA\[)?(?=[^<\n]{4,400}(?:\]\]>)?</)"  # <password>…</password>
    r"|[】]|\((?=[\"'])"  # setPassword("…")
    r"|[ \t]{1,4}(?=[^\s=:])|(?<=[一-鿿])(?=[!-~]))"
)
_SCHEME = r"(?:(?:Bearer|Basic|Token|ApiKey|Digest)[ ]+)?"
_VALUE = (
    r"(?P<quote>\\*[\"'`]|[“「『‘])?(?P<value>(?(quote)(?:(?!(?P=quote)|[”」』’\n])[^\n]){4,400}"
    r"|[^\s\"'`“”‘’「」『』，。；、！？《》<>一-鿿]{4,400}))(?P<after>[^\n]?)"
)
_PROSE = r"\b(?:the|your|you|and|for|not|with|must|are|has|can|from|this|that|user|new|enter|please|password)\b"
_CODE = r"[A-Za-z_$][\w$]*(?:(?:\.|->|::|\?\.)[A-Za-z_]\w*)*[(\[{]?"
_OPTION = r"(?:^|[\s\"'`,(\[])--?(?:[A-Za-z]+[-_.])*[A-Za-z]{0,16}$"
_DIRECTIVE = r"(?im)(?:^|[;&|`]|\brun )[ \t]*(?:env|arg|setx|requirepass|masterauth)[ \t]+(?:[\w-]*)$|\blogin[ \t]+\S+[ \t]+(?:account[ \t]+\S+[ \t]+)?$|^[ \t]*$|\b(?:identified|with|role|user)\b[^\n;]{0,80}$"
_LINE_START = r"^(?:[ \t]*(?:export|set|ENV|ARG|setx|\$env:|-|#|//|>)?[ \t]*)[\w.\-\"'$:/@\[\]]*$"


def hide_named(text: str, label: str) -> str:
    """The text with each value behind a name replaced by `label`; the name stays."""
    if len(text) < 8:
        return text
    lower = text.lower()
    if len(lower) != len(text):  # a few letters grow when they become small
        lower = text
    starts = sorted(start for marker in _markers(text) for start in _places(lower, marker))
    parts, at = [], 0
    for start in starts:
        if start < at:
            continue
        found = _pair().match(text, start)
        if found and _is_secret(text, found, label):
            parts += [text[at : found.start("value")], label]
            at = _end(found)
    return "".join(parts) + text[at:] if parts else text


def _end(found: re.Match[str]) -> int:
    """Where the value ends: before the next field, and before what closes a sentence or a list."""
    if found["quote"]:
        return found.end("value")
    value = re.split(r"[;&,](?=[ ]?\w[\w .-]*=)", found["value"])[0]
    return found.start("value") + len(value.rstrip(",;)}]") or value)


@lru_cache(maxsize=1024)  # the same few names stand in every event
def has_name(name: str) -> bool:
    """Return True if a name is one behind which secrets stand: `db_password`, `apiKey`, 密码."""
    lower = name.lower()
    return any(marker in lower for marker in (*_MARKERS, *_CHINESE))


def _markers(text: str) -> tuple[str, ...]:
    return _MARKERS if text.isascii() else _MARKERS + _CHINESE


def _places(text: str, marker: str) -> Iterator[int]:
    at = text.find(marker)
    while at >= 0:
        if (
            marker != "key"
            or text.endswith(_KEY_STARTS, max(0, at - 16), at)
            or text.startswith(("key>",), at)
        ):
            yield at
        at = text.find(marker, at + len(marker))


@cache
def _pair() -> re.Pattern[str]:
    return re.compile("(?i)" + _NAME + "(?:" + _SEP + ")" + _SCHEME + _VALUE)


@cache
def _placeholder() -> Callable[[str], re.Match[str] | None]:
    alternatives = sections("safety/named_values.txt")["placeholder"].splitlines()
    return re.compile(f"(?i){'|'.join(alternatives)}").match


def _is_secret(text: str, found: re.Match[str], label: str) -> bool:
    """Return True if the value behind a name is one, and not code, a type, or a place to fill in."""
    value, name, separator = found["value"], found["name"].lower(), found["sep"]
    if label in value or value.lower().strip("_-:") == name or len(set(value)) < 3:
        return False
    if _placeholder()(value) or _placeholder()(value.rstrip(".,:;)!?") or value):
        return False
    before = text[max(0, found.start() - 80) : found.start()]
    has_digit = any(letter.isdigit() for letter in value)
    if not separator.strip():  # only a space between
        return (
            has_digit and _is_mixed(value)
            if ord(name[0]) > 127
            else _is_spaced(before, found, value, has_digit)
        )
    if "->" in separator and ")" in separator:  # what a function returns
        return False
    if separator == "(" and not before.lower().endswith(("set", "with", "add")):
        return False
    return _is_joined_secret(text, found, before, has_digit)


def _is_joined_secret(text: str, found: re.Match[str], before: str, has_digit: bool) -> bool:
    """The same, where more than a space parts name and value."""
    value, name, separator = found["value"], found["name"].lower(), found["sep"].strip()
    is_pass = "pass" in name or name in ("pwd", "密码", "口令", "授权码")
    if value.isdigit():  # max_tokens=1000; a number is a password only where it is called one
        return len(value) >= 6 and is_pass
    if separator.strip(":").endswith(("is", "was", "to")):
        return has_digit and _is_mixed(value.rstrip(".,!?;:)"))
    if name == "auth" or separator.strip("\\\"' ") == ",":
        return has_digit and len(value) >= 9 and bool(found["quote"]) and _is_mixed(value)
    if found["quote"]:
        return _is_quoted_secret(value, name, is_pass, has_digit)
    return _is_bare_secret(text, found, before, is_pass, has_digit)


def _is_mixed(value: str) -> bool:
    return (
        len(value) >= 5
        and any(not letter.isalpha() for letter in value[:-1])
        and any(x.isalpha() for x in value)
        and not re.fullmatch(r"[A-Za-z]+[-/'’.][A-Za-z]+", value)
    )


def _is_quoted_secret(value: str, name: str, is_pass: bool, has_digit: bool) -> bool:
    if len(value) < 6:
        return is_pass and has_digit and len(value) >= 5
    if " " in value.strip():  # a sentence, a message; a passphrase is called one
        if (
            is_pass
            and re.fullmatch(r"[a-z]{3,9}(?: [a-z]{3,9}){3,7}", value)
            and not compiled(_PROSE).search(value)
        ):
            return True
        return (
            is_pass and has_digit and value.count(" ") < 6 and not value.endswith((".", ":"))
        ) or "phrase" in name
    return has_digit or not compiled(_CODE).fullmatch(value) or is_pass


def _is_bare_secret(
    text: str, found: re.Match[str], before: str, is_pass: bool, has_digit: bool
) -> bool:
    value = found["value"]
    if found["after"] in ("(", "[", "{") or "(" in value or re.match(r"\w+\[", value):
        return False
    value = value.rstrip(",;)}]")
    if len(value) < 6 and not (is_pass and has_digit and len(value) >= 5):
        return False
    line = before[before.rfind("\n") + 1 :]
    ends = found["after"] in ("", "\r") or text[found.end("value") : found.end("value") + 1] in (
        "",
        "\n",
        "\r",
    )
    if not value.isascii() or ord(found["name"][0]) > 127:
        return has_digit or (is_pass and value.isascii())
    if (
        found["name"].isupper() and "=" in found["sep"] and " " not in found["sep"]
    ):  # a line of an env file
        return True
    if not compiled(_CODE).fullmatch(value):
        return True
    if has_digit:
        return True
    if is_pass and ">" in found["sep"] and found["after"] == "<":
        return value.isalpha()
    return is_pass and ends and compiled(_LINE_START).match(line) is not None and value.isalpha()


def _is_spaced(before: str, found: re.Match[str], value: str, has_digit: bool) -> bool:
    """`--password x`, `ENV DB_PASSWORD x`, `IDENTIFIED BY`, .netrc: a space parts name and value."""
    if value.startswith("-") or value[0] in "|&;=" or re.match(r"\w+=\w", value):
        return False
    if compiled(_OPTION).search(before):
        return len(value) >= 4 and (
            has_digit or not value.isalpha() or found["after"] in ("", "\n") or bool(found["quote"])
        )
    return (
        bool(compiled(_DIRECTIVE).search(before))
        and len(value) >= 6
        and not value.rstrip(".,:;)!?").isalpha()
    )


def hide_commands(text: str, label: str) -> str:
    """The text with the values of headers, cookies and command lines replaced by `label`."""
    for marker, shape in rows("safety/named_values.txt", "commands"):
        if marker in text:
            text = replaced(text, marker, shape, lambda found: _hidden_in(found, label))
    return text


def _hidden_in(found: re.Match[str], label: str) -> str:
    value = found[2]
    if label in value or _placeholder()(value):
        return found[0]
    if "=" in value and found[1].rstrip("\"'\\ ").lower().endswith("cookie:"):
        return found[1] + re.sub(
            r"=([^;\s]{6,})",
            lambda each: "=" + label if any(x.isdigit() for x in each[1]) else each[0],
            value,
        )
    return found[1] + label
